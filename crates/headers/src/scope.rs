//! Scopes and the lookup of names in them: namespaces (inline and unnamed ones too), classes, enumerations, using
//! directives, the unqualified walk outwards and the qualified walk down.

use crate::entry::Entry;
use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::location::Place;
use crate::suggest::nearest;
use crate::types::{Type, Typed};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Letters compared in all when unknown names look for near ones; a header full of unknown names must not take long.
const MOST_COMPARED: usize = 4_000_000;

/// A name as written: `kFoo`, `abi::kFoo`, `::km::abi::kFoo`.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) global: bool,
    pub(crate) parts: Vec<Rc<str>>,
    pub(crate) place: Place,
}

impl Name {
    pub(crate) fn last(&self) -> &str {
        self.parts.last().map_or("", |part| part)
    }

    pub(crate) fn written(&self) -> String {
        format!("{}{}", if self.global { "::" } else { "" }, self.parts.join("::"))
    }
}

/// What the names in an expression mean.
pub(crate) trait Names {
    /// The type of this name, if it is one.
    fn type_named(&self, name: &Name) -> Option<Type>;

    /// The constant of this name; when not `live` only its type counts.
    fn constant(&self, name: &Name, live: bool) -> Result<Typed, Fault>;
}

/// No names at all, for `#if`.
pub(crate) struct NoNames;

impl Names for NoNames {
    fn type_named(&self, _: &Name) -> Option<Type> {
        None
    }

    fn constant(&self, name: &Name, _: bool) -> Result<Typed, Fault> {
        Err(Fault::at(ErrorKind::UnknownName, format!("unknown name `{}`", name.written()), name.place))
    }
}

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
struct Scope {
    parent: Option<ScopeId>,
    /// Empty for the global and unnamed ones.
    name: Rc<str>,
    kind: ScopeKind,
    names: HashMap<Rc<str>, Vec<Entity>>,
    /// Namespaces whose names count as here: `using namespace`, inline and unnamed children.
    shown: Vec<ScopeId>,
    depth: usize,
}

/// The tree of scopes; the first is the global one.
#[derive(Debug)]
pub(crate) struct Scopes {
    all: Vec<Scope>,
    /// Using directives, inline and unnamed namespaces: each lookup walks them.
    pub(crate) directives: usize,
    compared: Cell<usize>,
}

pub(crate) const GLOBAL: ScopeId = 0;

impl Scopes {
    pub(crate) fn new() -> Scopes {
        let mut scopes = Scopes { all: Vec::new(), directives: 0, compared: Cell::new(0) };
        scopes.push(None, "".into(), ScopeKind::Namespace);
        scopes
    }

    fn push(&mut self, parent: Option<ScopeId>, name: Rc<str>, kind: ScopeKind) -> ScopeId {
        let depth = parent.map_or(0, |parent| self.all[parent].depth + 1);
        self.all.push(Scope { parent, name, kind, names: HashMap::new(), shown: Vec::new(), depth });
        self.all.len() - 1
    }

    pub(crate) fn kind(&self, scope: ScopeId) -> ScopeKind {
        self.all[scope].kind
    }

    /// The scope of this name within `parent`, made when there is none. An unnamed or inline one shows in its parent.
    pub(crate) fn open(&mut self, parent: ScopeId, name: &Rc<str>, kind: ScopeKind) -> ScopeId {
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
        let scope = self.push(Some(parent), name.clone(), kind);
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

    pub(crate) fn add(&mut self, scope: ScopeId, name: &Rc<str>, entity: Entity) {
        let entities = self.all[scope].names.entry(name.clone()).or_default();
        if !entities.contains(&entity) {
            entities.push(entity);
        }
    }

    /// Removes what `drop` accepts: a known constant that is now declared, an enumeration declared before its body.
    pub(crate) fn forget(&mut self, scope: ScopeId, name: &str, drop: impl Fn(&Entity) -> bool) {
        if let Some(entities) = self.all[scope].names.get_mut(name) {
            entities.retain(|entity| !drop(entity));
        }
    }

    pub(crate) fn own(&self, scope: ScopeId, name: &str) -> &[Entity] {
        self.all[scope].names.get(name).map_or(&[], |entities| entities)
    }

    /// All names of a scope itself, for `using enum`.
    pub(crate) fn names(&self, scope: ScopeId) -> Vec<(Rc<str>, Vec<Entity>)> {
        self.all[scope].names.iter().map(|(name, entities)| (name.clone(), entities.clone())).collect()
    }

    /// The full name of something in a scope. `short` leaves out inline namespaces.
    pub(crate) fn path(&self, scope: ScopeId, name: &str, short: bool) -> String {
        let mut parts = vec![name];
        let mut next = Some(scope);
        while let Some(scope) = next {
            let of = &self.all[scope];
            let left_out = of.name.is_empty() || (short && of.kind == ScopeKind::Inline);
            if !left_out {
                parts.push(&of.name);
            }
            next = of.parent;
        }
        parts.reverse();
        parts.join("::")
    }

    /// What a name means, seen from a scope: nothing, one thing, or several.
    pub(crate) fn find(&self, from: ScopeId, name: &Name, wanted: impl Fn(&Entity) -> bool) -> Vec<Entity> {
        let Some((last, path)) = name.parts.split_last() else { return Vec::new() };
        if path.is_empty() && !name.global {
            return self.outwards(from, last, &wanted);
        }
        let is_scope = |entity: &Entity| matches!(entity, Entity::Scope(_));
        let mut at = GLOBAL;
        for (index, part) in path.iter().enumerate() {
            let found = match index {
                0 if !name.global => self.outwards(from, part, &is_scope),
                _ => self.within(at, part, &is_scope),
            };
            match found.as_slice() {
                [Entity::Scope(scope)] => at = *scope,
                _ => return Vec::new(),
            }
        }
        self.within(at, last, &wanted)
    }

    /// Unqualified: the innermost scope that has the name. Names shown by a using directive count as in the nearest scope
    /// that encloses both the directive and the namespace it names.
    fn outwards(&self, from: ScopeId, name: &str, wanted: &impl Fn(&Entity) -> bool) -> Vec<Entity> {
        let mut shown: HashMap<ScopeId, Vec<ScopeId>> = HashMap::new();
        let mut seen = HashSet::new();
        let mut level = Some(from);
        while let Some(scope) = level {
            let mut work = vec![scope];
            while let Some(directive) = work.pop() {
                for namespace in &self.all[directive].shown {
                    if seen.insert(*namespace) {
                        shown.entry(self.common(scope, *namespace)).or_default().push(*namespace);
                        work.push(*namespace);
                    }
                }
            }
            let mut found = Vec::new();
            for place in std::iter::once(&scope).chain(shown.get(&scope).into_iter().flatten()) {
                collect(&mut found, self.own(*place, name), wanted);
            }
            if !found.is_empty() {
                return found;
            }
            level = self.all[scope].parent;
        }
        Vec::new()
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
    fn within(&self, scope: ScopeId, name: &str, wanted: &impl Fn(&Entity) -> bool) -> Vec<Entity> {
        let mut found = Vec::new();
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
    pub(crate) fn suggest(&self, name: &Name, entries: &[Entry]) -> Option<String> {
        // The same last part elsewhere is the likeliest, then a near one.
        let length = name.last().len().max(1);
        let cost = self.compared.get() + length * 20 * entries.len();
        if cost > MOST_COMPARED {
            return None;
        }
        self.compared.set(cost);
        let last = name.last();
        if let Some(entry) = entries.iter().find(|entry| *entry.name == *last) {
            return Some(entry.path.clone());
        }
        nearest(last, entries.iter().map(|entry| &*entry.name)).map(str::to_owned)
    }
}

fn collect(found: &mut Vec<Entity>, entities: &[Entity], wanted: &impl Fn(&Entity) -> bool) {
    for entity in entities {
        if wanted(entity) && !found.contains(entity) {
            found.push(*entity);
        }
    }
}

/// The names seen from one scope.
pub(crate) struct View<'a> {
    pub(crate) scopes: &'a Scopes,
    pub(crate) entries: &'a [Entry],
    pub(crate) scope: ScopeId,
}

impl View<'_> {
    fn unknown(&self, name: &Name) -> Fault {
        let fault =
            Fault::at(ErrorKind::UnknownName, format!("unknown name `{}`", name.written()), name.place);
        match self.scopes.suggest(name, self.entries) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault,
        }
    }
}

impl Names for View<'_> {
    fn type_named(&self, name: &Name) -> Option<Type> {
        let found = self.scopes.find(self.scope, name, |entity| !matches!(entity, Entity::Scope(_)));
        match found.as_slice() {
            [Entity::Type(ty)] => Some(*ty),
            _ => None,
        }
    }

    fn constant(&self, name: &Name, live: bool) -> Result<Typed, Fault> {
        let found = self.scopes.find(self.scope, name, |entity| !matches!(entity, Entity::Scope(_)));
        let Some(first) = found.first() else { return Err(self.unknown(name)) };
        let constants = found.iter().filter_map(|entity| match entity {
            Entity::Constant(index) => self.entries.get(*index),
            _ => None,
        });
        let constants: Vec<&Entry> = constants.collect();
        let Some(constant) = constants.first().filter(|_| constants.len() == found.len()) else {
            let what = match first {
                Entity::Type(_) => "a type",
                Entity::Other(what) => what,
                Entity::Constant(_) | Entity::Scope(_) => "declared in several ways",
            };
            if !live {
                return Ok(Typed::UNKNOWN);
            }
            let message = format!("`{}` is {what}, not a constant", name.written());
            return Err(Fault::at(ErrorKind::NotAConstant, message, name.place));
        };
        if let Some(other) = constants.iter().find(|other| other.path != constant.path) {
            let message = format!("`{}` may be `{}` or `{}`", name.written(), constant.path, other.path);
            return Err(Fault::at(ErrorKind::Ambiguous, message, name.place));
        }
        let number = |entry: &Entry| entry.value.as_ref().ok().copied();
        if constants.iter().any(|other| number(other) != number(constant)) {
            let message = format!("`{}` is declared with different values", name.written());
            return Err(Fault::at(ErrorKind::Conflict, message, name.place));
        }
        match &constant.value {
            Ok(value) => Ok(*value),
            Err(_) if !live => Ok(Typed { ty: constant.ty, number: 0 }),
            Err(fault) => {
                let message = format!("`{}` has no value", name.written());
                let mut derived = Fault::at(fault.kind, message, name.place);
                let cause = fault.cause.clone();
                derived.cause = Some(cause.unwrap_or_else(|| (fault.message.clone(), fault.at)));
                Err(derived)
            }
        }
    }
}
