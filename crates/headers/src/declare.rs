//! The declarations of a header: finds the constants among everything else.
//!
//! What is no constant (functions, classes' members, templates, assembly) is passed over (`skip.rs`). Constants are
//! evaluated in order, as C++ does: a declaration sees only what stands before it.

use crate::builtin::named_types;
use crate::entry::Entry;
use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::location::{Place, Span};
use crate::options::Options;
use crate::scope::{Entity, GLOBAL, ScopeId, ScopeKind, Scopes};
use crate::text::Few;
use crate::token::{Token, TokenKind};
use crate::typename::is_name;
use crate::types::{Model, Type, Typed};
use crate::view::View;

/// Namespaces and classes within each other.
const MOST_NESTED: usize = 200;
/// Using directives, inline and unnamed namespaces in all.
const MOST_DIRECTIVES: usize = 500;
/// Bytes of the full names of all constants: each has those of the namespaces around it.
pub(crate) const MOST_NAMED: usize = 64 << 20;

/// Reads declarations from preprocessed tokens.
pub(crate) struct Reader<'a> {
    pub(crate) tokens: &'a [Token<'a>],
    pub(crate) at: usize,
    pub(crate) model: Model,
    pub(crate) scopes: Scopes<'a>,
    pub(crate) entries: Vec<Entry<'a>>,
    pub(crate) scope: ScopeId,
    pub(crate) enums: u32,
    /// Bytes of the full names so far.
    pub(crate) named: usize,
    open: Vec<Open>,
}

/// An open `{` whose inside is read.
struct Open {
    brace: Place,
    /// The scope around it.
    outer: ScopeId,
    /// A class: declarators follow its `}`.
    class: bool,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(tokens: &'a [Token<'a>], options: &'a Options) -> Reader<'a> {
        let mut reader = Reader {
            tokens,
            at: 0,
            model: options.model,
            scopes: Scopes::new(),
            // A declaration takes some ten tokens.
            entries: Vec::with_capacity(tokens.len() / 10),
            scope: GLOBAL,
            enums: 0,
            named: 0,
            open: Vec::new(),
        };
        let std = reader.scopes.open(GLOBAL, "std", ScopeKind::Namespace);
        for (name, ty) in named_types(options.model) {
            reader.scopes.add(GLOBAL, name, Entity::Type(ty));
            reader.scopes.add(std, name, Entity::Type(ty));
        }
        for (path, number, ty) in &options.known {
            reader.known(path, Typed::int(*ty, *number));
        }
        reader
    }

    fn known(&mut self, path: &'a str, value: Typed) {
        let mut parts: Vec<&str> = path.trim_start_matches("::").split("::").collect();
        let Some(name) = parts.pop() else { return };
        let mut scope = GLOBAL;
        for part in parts {
            scope = self.scopes.open(scope, part, ScopeKind::Namespace);
        }
        let nowhere = Span { file: 0, start: 0, end: 0 };
        self.scopes.add(scope, name, Entity::Constant(self.entries.len()));
        self.entries.push(Entry {
            path: self.scopes.path(scope, name),
            name,
            aliases: Few::new(),
            kind: None,
            at: nowhere,
            whole: nowhere,
            order: 0,
            ty: value.ty,
            value: Some(Ok(value)),
        });
    }

    /// Reads everything.
    pub(crate) fn run(&mut self) -> Result<(), Fault> {
        while let Some(token) = self.peek() {
            if self.scopes.directives > MOST_DIRECTIVES {
                let message = format!("more than {MOST_DIRECTIVES} using directives and inline namespaces");
                return Err(Fault::at(ErrorKind::Limit, message, token.place));
            }
            if token.is("}") {
                self.close(token)?;
            } else {
                let before = self.at;
                self.declaration()?;
                if self.at == before {
                    self.at += 1;
                }
            }
        }
        match self.open.last() {
            Some(open) => Err(Fault::at(ErrorKind::Syntax, "this brace is never closed", open.brace)),
            None => Ok(()),
        }
    }

    pub(crate) fn peek(&self) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at)
    }

    pub(crate) fn ahead(&self, by: usize) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at + by)
    }

    pub(crate) fn is(&self, punct: &str) -> bool {
        self.peek().is_some_and(|token| token.is(punct))
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.peek().is_some_and(|token| token.is_word(word))
    }

    pub(crate) fn view(&self) -> View<'_> {
        View { scopes: &self.scopes, entries: &self.entries, scope: self.scope }
    }

    fn enter(&mut self, scope: ScopeId, brace: Place, class: bool) -> Result<(), Fault> {
        if self.open.len() >= MOST_NESTED {
            return Err(Fault::at(ErrorKind::Limit, "namespaces are nested too deep", brace));
        }
        self.open.push(Open { brace, outer: self.scope, class });
        self.scope = scope;
        Ok(())
    }

    fn close(&mut self, brace: &Token<'_>) -> Result<(), Fault> {
        let Some(open) = self.open.pop() else {
            return Err(Fault::at(ErrorKind::Syntax, "this brace closes nothing", brace.place));
        };
        self.at += 1;
        self.scope = open.outer;
        if open.class {
            self.skip_to_semicolon()?;
        }
        Ok(())
    }

    fn declaration(&mut self) -> Result<(), Fault> {
        self.skip_attributes()?;
        let Some(token) = self.peek() else { return Ok(()) };
        let next = |by: usize, punct: &str| self.ahead(by).is_some_and(|token| token.is(punct));
        let next_word = |by: usize, word: &str| self.ahead(by).is_some_and(|token| token.is_word(word));
        match token.text {
            ";" => self.at += 1,
            "{" if token.kind == TokenKind::Punct => self.at = self.after_group()?,
            "namespace" => self.namespace(false)?,
            "inline" if next_word(1, "namespace") => {
                self.at += 1;
                self.namespace(true)?;
            }
            "extern" if self.ahead(1).is_some_and(|token| token.kind == TokenKind::Str) => {
                let brace = self.ahead(2).filter(|token| token.is("{"));
                self.at += 2;
                if let Some(brace) = brace {
                    self.at += 1;
                    self.enter(self.scope, brace.place, false)?;
                }
            }
            "enum" => {
                let start = self.at;
                match self.enumeration()? {
                    Some(_) => self.skip_to_semicolon()?,
                    None => {
                        self.at = start;
                        self.skip_declaration()?;
                    }
                }
            }
            "_Pragma" if next(1, "(") => {
                self.at += 1;
                self.at = self.after_group()?;
            }
            "using" => self.using()?,
            "typedef" => self.typedef()?,
            "template" => self.template()?,
            "struct" | "class" | "union" => self.class()?,
            "export" => self.at += 1,
            "public" | "private" | "protected" if next(1, ":") => self.at += 2,
            "friend" => self.skip_declaration()?,
            "static_assert" | "asm" | "__asm__" => self.skip_to_semicolon()?,
            _ => self.variable()?,
        }
        Ok(())
    }

    fn namespace(&mut self, inline: bool) -> Result<(), Fault> {
        self.at += 1;
        self.skip_attributes()?;
        let Some(token) = self.peek() else { return Ok(()) };
        if is_name(token) && self.ahead(1).is_some_and(|token| token.is("=")) {
            self.at += 2;
            let found = self.lookup(|entity| matches!(entity, Entity::Scope(_)));
            if let Some(entity) = found.first() {
                self.scopes.add(self.scope, token.text, *entity);
            }
            return self.skip_to_semicolon();
        }
        let mut scope = self.scope;
        let mut kind = if inline { ScopeKind::Inline } else { ScopeKind::Namespace };
        let mut depth = 0;
        if self.is("{") {
            scope = self.scopes.open(scope, "", ScopeKind::Inline);
        }
        while let Some(token) = self.peek().filter(|token| is_name(token)) {
            scope = self.scopes.open(scope, token.text, kind);
            self.at += 1;
            depth += 1;
            self.skip_attributes()?;
            if !self.is("::") {
                break;
            }
            self.at += 1;
            kind = ScopeKind::Namespace;
            if self.is_word("inline") {
                self.at += 1;
                kind = ScopeKind::Inline;
            }
            if depth > MOST_NESTED {
                return Err(Fault::at(ErrorKind::Limit, "namespaces are nested too deep", token.place));
            }
        }
        match self.peek() {
            Some(brace) if brace.is("{") => {
                self.at += 1;
                self.enter(scope, brace.place, false)
            }
            _ => self.skip_declaration(),
        }
    }

    /// What the qualified name at the current token means; moves past it.
    pub(crate) fn lookup(&mut self, wanted: impl Fn(&Entity) -> bool) -> Few<Entity> {
        let Some((name, after)) = crate::typename::qualified(self.tokens, self.at) else { return Few::new() };
        self.at = after;
        self.scopes.find(self.scope, &name, wanted)
    }

    fn class(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += 1;
        self.skip_attributes()?;
        let Some(name) = self.peek() else { return Ok(()) };
        if name.is("{") {
            // Nothing in an unnamed class can be named.
            self.at = self.after_group()?;
            return self.skip_to_semicolon();
        }
        if !is_name(name) {
            return self.skip_declaration();
        }
        self.at += 1;
        if self.is_word("final") {
            self.at += 1;
        }
        if self.is(";") {
            self.scopes.add(self.scope, name.text, Entity::Type(Type::Unknown));
            self.at += 1;
            return Ok(());
        }
        if self.is(":") {
            while self.peek().is_some_and(|token| !token.is("{") && !token.is(";")) {
                self.at += 1;
            }
        }
        match self.peek() {
            Some(brace) if brace.is("{") => {
                self.at += 1;
                self.scopes.add(self.scope, name.text, Entity::Type(Type::Unknown));
                let scope = self.scopes.open(self.scope, name.text, ScopeKind::Class);
                self.enter(scope, brace.place, true)
            }
            _ => {
                self.at = start;
                self.skip_declaration()
            }
        }
    }

    fn template(&mut self) -> Result<(), Fault> {
        self.at += 1;
        let mut depth = 0_usize;
        while let Some(token) = self.peek() {
            match token.text {
                "<" => depth += 1,
                ">" => depth = depth.saturating_sub(1),
                ">>" => depth = depth.saturating_sub(2),
                "(" | "[" | "{" if token.kind == TokenKind::Punct => {
                    self.at = self.after_group()?;
                    continue;
                }
                ";" | "}" => break,
                _ => {}
            }
            if depth == 0 {
                if token.text.starts_with('>') {
                    self.at += 1;
                }
                break;
            }
            self.at += 1;
        }
        self.skip_declaration()
    }
}
