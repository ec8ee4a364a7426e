//! Scopes and the lookup of names in them: namespaces (inline and unnamed ones too), classes, enumerations, using
//! directives, the unqualified walk outwards and the qualified walk down.

use crate::entry::Entry;
use crate::name::Name;
use crate::suggest::nearest;
use crate::text::{Few, Table, Text};
use crate::types::Type;
use smallvec::SmallVec;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

/// Letters compared in all when unknown names look for near ones; a header full of unknown names must not take long.
const MOST_COMPARED: usize = 4_000_000;

pub(crate) type ScopeId = usize;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Entity {
    /// An index into the entries.
    Constant(usize),
    Type(Type),
    Scope(ScopeId),
    /// Something else, in words.
    Other(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    Namespace,
    /// Its names are those of its parent too.
    Inline,
    Class,
    Enum,
}

#[derive(Debug)]
struct Scope<'a> {
    parent: Option<ScopeId>,
    /// Empty for the global and unnamed ones.
    name: Text<'a>,
    kind: ScopeKind,
    names: Table<'a, Few<Entity>>,
    /// Namespaces whose names count as here: `using namespace`, inline and unnamed children.
    shown: Vec<ScopeId>,
    depth: usize,
    /// It or a scope around it is an inline or unnamed namespace: names in it have shorter paths too.
    within_inline: bool,
}

/// The tree of scopes; the first is the global one.
#[derive(Debug)]
pub(crate) struct Scopes<'a> {
    all: Vec<Scope<'a>>,
    /// Using directives, inline and unnamed namespaces: each lookup walks them.
    pub(crate) directives: usize,
    compared: Cell<usize>,
}

pub(crate) const GLOBAL: ScopeId = 0;

impl<'a> Scopes<'a> {
    pub(crate) fn new() -> Scopes<'a> {
        let mut scopes = Scopes { all: Vec::new(), directives: 0, compared: Cell::new(0) };
        scopes.push(None, "", ScopeKind::Namespace);
        scopes
    }

    fn push(&mut self, parent: Option<ScopeId>, name: Text<'a>, kind: ScopeKind) -> ScopeId {
        let around = parent.map(|parent| &self.all[parent]);
        let depth = around.map_or(0, |around| around.depth + 1);
        let within_inline = kind == ScopeKind::Inline || around.is_some_and(|around| around.within_inline);
        let names = Table::default();
        self.all.push(Scope { parent, name, kind, names, shown: Vec::new(), depth, within_inline });
        self.all.len() - 1
    }

    pub(crate) fn kind(&self, scope: ScopeId) -> ScopeKind {
        self.all[scope].kind
    }

    /// The scope of this name within `parent`, made when there is none. An unnamed or inline one shows in its parent.
    pub(crate) fn open(&mut self, parent: ScopeId, name: Text<'a>, kind: ScopeKind) -> ScopeId {
        // An unnamed namespace is one scope however often it is opened; unnamed classes and enumerations are each their own.
        let unnamed = name.is_empty();
        let reusable = !unnamed || kind == ScopeKind::Inline;
        let known = self.all[parent].names.get(name).into_iter().flatten().find_map(|entity| match entity {
            Entity::Scope(scope) if reusable && self.all[*scope].parent == Some(parent) => Some(*scope),
            _ => None,
        });
        if let Some(known) = known {
            return known;
        }
        let scope = self.push(Some(parent), name, kind);
        if reusable {
            self.add(parent, name, Entity::Scope(scope));
        }
        if kind == ScopeKind::Inline {
            self.show(parent, scope);
        }
        scope
    }

    pub(crate) fn show(&mut self, scope: ScopeId, shown: ScopeId) {
        if scope != shown && !self.all[scope].shown.contains(&shown) {
            self.all[scope].shown.push(shown);
            self.directives += 1;
        }
    }

    pub(crate) fn add(&mut self, scope: ScopeId, name: Text<'a>, entity: Entity) {
        let entities = self.all[scope].names.entry(name).or_default();
        if !entities.contains(&entity) {
            entities.push(entity);
        }
    }

    /// Adds a meaning in place of those that `drop` accepts: of a known constant that is now declared, of an enumeration
    /// declared before its body.
    pub(crate) fn replace(
        &mut self,
        scope: ScopeId,
        name: Text<'a>,
        entity: Entity,
        drop: impl Fn(&Entity) -> bool,
    ) {
        let entities = self.all[scope].names.entry(name).or_default();
        entities.retain(|entity| !drop(entity));
        if !entities.contains(&entity) {
            entities.push(entity);
        }
    }

    pub(crate) fn own(&self, scope: ScopeId, name: &str) -> &[Entity] {
        self.all[scope].names.get(name).map_or(&[], |entities| entities)
    }

    /// All names of a scope itself, for `using enum`.
    pub(crate) fn names(&self, scope: ScopeId) -> Vec<(Text<'a>, Few<Entity>)> {
        self.all[scope].names.iter().map(|(name, entities)| (*name, entities.clone())).collect()
    }

    /// The full name of something in a scope.
    pub(crate) fn path(&self, scope: ScopeId, name: &str) -> String {
        self.path_of(scope, name, |_| true)
    }

    /// The full name without inline namespaces, where that is another one.
    pub(crate) fn short_path(&self, scope: ScopeId, name: &str) -> Option<String> {
        // Nearly always there is none around, and nothing to write.
        let short = || self.path_of(scope, name, |of| of.kind != ScopeKind::Inline);
        self.all[scope].within_inline.then(short).filter(|short| *short != self.path(scope, name))
    }

    fn path_of(&self, scope: ScopeId, name: &str, shows: impl Fn(&Scope<'a>) -> bool) -> String {
        let mut parts: SmallVec<[&str; 8]> = SmallVec::new();
        let mut next = Some(scope);
        while let Some(scope) = next {
            let of = &self.all[scope];
            if !of.name.is_empty() && shows(of) {
                parts.push(of.name);
            }
            next = of.parent;
        }
        let length = parts.iter().map(|part| part.len() + 2).sum::<usize>() + name.len();
        let mut path = String::with_capacity(length);
        for part in parts.iter().rev() {
            path.push_str(part);
            path.push_str("::");
        }
        path.push_str(name);
        path
    }

    /// What a name means, seen from a scope: nothing, one thing, or several.
    pub(crate) fn find(
        &self,
        from: ScopeId,
        name: &Name<'_>,
        wanted: impl Fn(&Entity) -> bool,
    ) -> Few<Entity> {
        let last = name.last();
        if name.tokens.len() == 1 && !name.global {
            return self.outwards(from, last, &wanted);
        }
        let is_scope = |entity: &Entity| matches!(entity, Entity::Scope(_));
        let mut at = GLOBAL;
        for (index, part) in name.parts().take(name.tokens.len() / 2).enumerate() {
            let found = match index {
                0 if !name.global => self.outwards(from, part, &is_scope),
                _ => self.within(at, part, &is_scope),
            };
            match found.as_slice() {
                [Entity::Scope(scope)] => at = *scope,
                _ => return Few::new(),
            }
        }
        self.within(at, last, &wanted)
    }

    /// Unqualified: the innermost scope that has the name. Names shown by a using directive count as in the nearest scope
    /// that encloses both the directive and the namespace it names.
    fn outwards(&self, from: ScopeId, name: &str, wanted: &impl Fn(&Entity) -> bool) -> Few<Entity> {
        // As long as no scope shows another, its own names are all it has.
        let mut level = Some(from);
        while let Some(scope) = level.filter(|scope| self.all[*scope].shown.is_empty()) {
            let mut found = Few::new();
            collect(&mut found, self.own(scope, name), wanted);
            if !found.is_empty() {
                return found;
            }
            level = self.all[scope].parent;
        }
        match level {
            Some(scope) => self.outwards_shown(scope, name, wanted),
            None => Few::new(),
        }
    }

    /// The same where scopes show others.
    fn outwards_shown(&self, from: ScopeId, name: &str, wanted: &impl Fn(&Entity) -> bool) -> Few<Entity> {
        let mut shown: HashMap<ScopeId, Vec<ScopeId>> = HashMap::new();
        let mut seen = HashSet::new();
        let mut level = Some(from);
        while let Some(scope) = level {
            let mut work: Few<ScopeId> = Few::from_elem(scope, 1);
            while let Some(directive) = work.pop() {
                for namespace in &self.all[directive].shown {
                    if seen.insert(*namespace) {
                        shown.entry(self.common(scope, *namespace)).or_default().push(*namespace);
                        work.push(*namespace);
                    }
                }
            }
            let mut found = Few::new();
            for place in std::iter::once(&scope).chain(shown.get(&scope).into_iter().flatten()) {
                collect(&mut found, self.own(*place, name), wanted);
            }
            if !found.is_empty() {
                return found;
            }
            level = self.all[scope].parent;
        }
        Few::new()
    }

    fn common(&self, a: ScopeId, b: ScopeId) -> ScopeId {
        let (mut a, mut b) = (a, b);
        while a != b {
            let deeper = if self.all[a].depth >= self.all[b].depth { &mut a } else { &mut b };
            *deeper = self.all[*deeper].parent.unwrap_or(GLOBAL);
        }
        a
    }

    /// Qualified: the scope itself with its inline namespaces, and only without success there the using directives.
    fn within(&self, scope: ScopeId, name: &str, wanted: &impl Fn(&Entity) -> bool) -> Few<Entity> {
        let mut found = Few::new();
        let mut seen = HashSet::from([scope]);
        let mut level = vec![scope];
        while found.is_empty() && !level.is_empty() {
            let mut later = Vec::new();
            let mut work = std::mem::take(&mut level);
            while let Some(at) = work.pop() {
                collect(&mut found, self.own(at, name), wanted);
                for shown in &self.all[at].shown {
                    if seen.insert(*shown) {
                        let inline =
                            self.all[*shown].kind == ScopeKind::Inline && self.all[*shown].parent == Some(at);
                        if inline { &mut work } else { &mut later }.push(*shown);
                    }
                }
            }
            level = later;
        }
        found
    }

    /// "did you mean" for a name nothing declares.
    pub(crate) fn suggest(&self, name: &Name<'_>, entries: &[Entry<'_>]) -> Option<String> {
        // The same last part elsewhere is the likeliest, then a near one.
        let length = name.last().len().max(1);
        let cost = self.compared.get() + length * 20 * entries.len();
        if cost > MOST_COMPARED {
            return None;
        }
        self.compared.set(cost);
        let last = name.last();
        if let Some(entry) = entries.iter().find(|entry| entry.name == last) {
            return Some(entry.path.clone());
        }
        nearest(last, entries.iter().map(|entry| entry.name)).map(str::to_owned)
    }
}

fn collect(found: &mut Few<Entity>, entities: &[Entity], wanted: &impl Fn(&Entity) -> bool) {
    for entity in entities {
        if wanted(entity) && !found.contains(entity) {
            found.push(*entity);
        }
    }
}
