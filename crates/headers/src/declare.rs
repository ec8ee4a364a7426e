//! The declarations of a header: finds the constants among everything else.
//!
//! What is no constant (functions, classes' members, templates, assembly) is passed over by matching brackets. Constants are
//! evaluated in order, as C++ does: a declaration sees only what stands before it.

use crate::builtin::named_types;
use crate::constant::ConstantKind;
use crate::convert::{Conversion, convert, not_integer};
use crate::entry::Entry;
use crate::error::ErrorKind;
use crate::eval::Evaluator;
use crate::expr::{Parser, closing};
use crate::fault::Fault;
use crate::location::{Place, Span};
use crate::options::Options;
use crate::scope::{Entity, GLOBAL, ScopeId, ScopeKind, Scopes, View};
use crate::token::{Token, TokenKind};
use crate::typename::{is_name, simple_type};
use crate::types::{Model, Type, Typed};
use std::rc::Rc;

/// Namespaces and classes within each other.
const MOST_NESTED: usize = 200;
/// Using directives, inline and unnamed namespaces in all.
const MOST_DIRECTIVES: usize = 500;

/// Reads declarations from preprocessed tokens.
pub(crate) struct Reader<'a> {
    pub(crate) tokens: &'a [Token],
    pub(crate) at: usize,
    pub(crate) model: Model,
    pub(crate) scopes: Scopes,
    pub(crate) entries: Vec<Entry>,
    pub(crate) scope: ScopeId,
    pub(crate) enums: u32,
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
    pub(crate) fn new(tokens: &'a [Token], options: &Options) -> Reader<'a> {
        let mut reader = Reader {
            tokens,
            at: 0,
            model: options.model,
            scopes: Scopes::new(),
            entries: Vec::new(),
            scope: GLOBAL,
            enums: 0,
            open: Vec::new(),
        };
        let std = reader.scopes.open(GLOBAL, &"std".into(), ScopeKind::Namespace);
        for (name, ty) in named_types(options.model) {
            reader.scopes.add(GLOBAL, &name.into(), Entity::Type(ty));
            reader.scopes.add(std, &name.into(), Entity::Type(ty));
        }
        for (path, number, ty) in &options.known {
            reader.known(path, Typed::int(*ty, *number));
        }
        reader
    }

    fn known(&mut self, path: &str, value: Typed) {
        let mut parts: Vec<Rc<str>> = path.trim_start_matches("::").split("::").map(Rc::from).collect();
        let Some(name) = parts.pop() else { return };
        let mut scope = GLOBAL;
        for part in &parts {
            scope = self.scopes.open(scope, part, ScopeKind::Namespace);
        }
        let nowhere = Span { file: 0, start: 0, end: 0 };
        self.scopes.add(scope, &name, Entity::Constant(self.entries.len()));
        self.entries.push(Entry {
            path: self.scopes.path(scope, &name, false),
            name,
            aliases: Vec::new(),
            kind: None,
            at: nowhere,
            whole: nowhere,
            order: 0,
            ty: value.ty,
            value: Ok(value),
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
                self.declaration(token)?;
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

    pub(crate) fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    pub(crate) fn ahead(&self, by: usize) -> Option<&'a Token> {
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

    fn close(&mut self, brace: &Token) -> Result<(), Fault> {
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

    /// The index after the bracket group that begins at the current token.
    pub(crate) fn after_group(&self) -> Result<usize, Fault> {
        match (closing(self.tokens, self.at), self.peek()) {
            (Some(close), _) => Ok(close + 1),
            (None, Some(open)) => {
                Err(Fault::at(ErrorKind::Syntax, "this bracket is never closed", open.place))
            }
            (None, None) => Ok(self.at),
        }
    }

    /// Passes over `[[...]]`, `__attribute__((...))`, `alignas(...)`.
    pub(crate) fn skip_attributes(&mut self) -> Result<(), Fault> {
        loop {
            let brackets = self.is("[") && self.ahead(1).is_some_and(|token| token.is("["));
            let word = self.peek().is_some_and(|token| {
                ["__attribute__", "alignas", "__declspec"].iter().any(|word| token.is_word(word))
            }) && self.ahead(1).is_some_and(|token| token.is("("));
            if word {
                self.at += 1;
            } else if !brackets {
                return Ok(());
            }
            self.at = self.after_group()?;
        }
    }

    /// To the next `;` outside brackets, past it.
    pub(crate) fn skip_to_semicolon(&mut self) -> Result<(), Fault> {
        while let Some(token) = self.peek() {
            match &*token.text {
                ";" => {
                    self.at += 1;
                    return Ok(());
                }
                "(" | "[" | "{" if token.kind == TokenKind::Punct => self.at = self.after_group()?,
                "}" => return Ok(()),
                _ => self.at += 1,
            }
        }
        Ok(())
    }

    /// Past a declaration of any kind, as its brackets show its end: at `;`, or at the `}` of a function's body.
    pub(crate) fn skip_declaration(&mut self) -> Result<(), Fault> {
        let mut initializer = false;
        let mut name: Option<&Token> = None;
        let mut declared = false;
        while let Some(token) = self.peek() {
            if token.kind == TokenKind::Ident && is_name(token) {
                name = Some(token);
            }
            match &*token.text {
                ";" => {
                    self.at += 1;
                    break;
                }
                "}" => break,
                "operator" => {
                    // `operator()`, `operator=`: up to the parameters.
                    self.at += 2;
                    while self.peek().is_some_and(|token| !token.is("(") && !token.is(";") && !token.is("{"))
                    {
                        self.at += 1;
                    }
                    continue;
                }
                "=" => {
                    initializer = true;
                    self.at += 1;
                }
                "(" | "[" if token.kind == TokenKind::Punct => self.at = self.after_group()?,
                "{" if token.kind == TokenKind::Punct => {
                    self.at = self.after_group()?;
                    let goes_on = initializer
                        || self.is(";")
                        || self.is(",")
                        || self.is("{")
                        || self.is("(")
                        || self.is("[");
                    if !goes_on {
                        break;
                    }
                }
                _ => {
                    self.at += 1;
                    continue;
                }
            }
            if let Some(name) = name.filter(|_| !declared) {
                let what = if token.is("(") { "a function or macro call" } else { "no constant" };
                if self.scopes.own(self.scope, &name.text).is_empty() && !initializer {
                    self.scopes.add(self.scope, &name.text, Entity::Other(what));
                }
                declared = true;
            }
        }
        Ok(())
    }

    fn declaration(&mut self, token: &'a Token) -> Result<(), Fault> {
        self.skip_attributes()?;
        let next = |by: usize, punct: &str| self.ahead(by).is_some_and(|token| token.is(punct));
        let next_word = |by: usize, word: &str| self.ahead(by).is_some_and(|token| token.is_word(word));
        match &*token.text {
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
                self.enumeration()?;
                self.skip_to_semicolon()?;
            }
            "using" => self.using()?,
            "typedef" => self.typedef()?,
            "template" => self.template()?,
            "struct" | "class" | "union" => self.class()?,
            "export" => self.at += 1,
            "public" | "private" | "protected" if next(1, ":") => self.at += 2,
            "static_assert" | "friend" | "asm" | "__asm__" => self.skip_to_semicolon()?,
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
                self.scopes.add(self.scope, &token.text, *entity);
            }
            return self.skip_to_semicolon();
        }
        let mut scope = self.scope;
        let mut kind = if inline { ScopeKind::Inline } else { ScopeKind::Namespace };
        let mut depth = 0;
        if self.is("{") {
            scope = self.scopes.open(scope, &"".into(), ScopeKind::Inline);
        }
        while let Some(token) = self.peek().filter(|token| is_name(token)) {
            scope = self.scopes.open(scope, &token.text, kind);
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
    pub(crate) fn lookup(&mut self, wanted: impl Fn(&Entity) -> bool) -> Vec<Entity> {
        let Some((name, after)) = crate::typename::qualified(self.tokens, self.at) else { return Vec::new() };
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
            self.scopes.add(self.scope, &name.text, Entity::Type(Type::Unknown));
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
                self.scopes.add(self.scope, &name.text, Entity::Type(Type::Unknown));
                let scope = self.scopes.open(self.scope, &name.text, ScopeKind::Class);
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
            match &*token.text {
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

    /// `constexpr T a = 1, b{2}, c(3);` or anything else.
    fn variable(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let (mut constant, mut is_static, mut auto) = (false, false, false);
        let mut ty: Option<Type> = None;
        while let Some(token) = self.peek() {
            match &*token.text {
                "constexpr" => (constant, is_static) = (true, true),
                "const" => constant = true,
                "static" => is_static = true,
                "auto" => auto = true,
                "inline" | "extern" | "thread_local" | "register" | "__extension__" | "__inline"
                | "constinit" => {}
                "volatile" | "mutable" | "consteval" | "virtual" | "explicit" => {
                    // Not usable in constant expressions, or a function.
                    self.at = start;
                    return self.skip_declaration();
                }
                _ if ty.is_none() && !auto => {
                    self.skip_attributes()?;
                    let Some((found, after)) = simple_type(self.tokens, self.at, &self.view(), self.model)
                    else {
                        break;
                    };
                    constant |= self.tokens[self.at..after].iter().any(|token| token.is_word("const"));
                    ty = Some(found);
                    self.at = after;
                    continue;
                }
                _ => break,
            }
            self.at += 1;
        }
        let in_class = self.scopes.kind(self.scope) == ScopeKind::Class;
        if !constant || (in_class && !is_static) {
            self.at = start;
            return self.skip_declaration();
        }
        if ty.is_none() && !auto {
            return self.foreign(start);
        }
        loop {
            if !self.declarator(start, if auto { None } else { ty })? {
                self.at = self.at.max(start);
                return self.skip_declaration();
            }
            match self.peek() {
                Some(token) if token.is(",") => self.at += 1,
                Some(token) if token.is(";") => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return self.skip_declaration(),
            }
        }
    }

    /// A constant of a type the reader does not know: it is listed, but has no value.
    fn foreign(&mut self, start: usize) -> Result<(), Fault> {
        let from = self.at;
        let mut name: Option<usize> = None;
        let mut at = from;
        while let Some(token) = self.tokens.get(at) {
            match &*token.text {
                "=" | "{" | "[" | ";" | "," | "}" => break,
                // A function, a constructor, or a call.
                "(" => {
                    name = None;
                    break;
                }
                _ if is_name(token) => name = Some(at),
                _ => {}
            }
            at += 1;
        }
        if let Some(name) = name.filter(|name| *name > from) {
            let token = &self.tokens[name];
            let words: Vec<&str> =
                self.tokens[from..name].iter().take(12).map(|token| &*token.text).collect();
            let message =
                format!("`{}` has the type `{}`, which is no integer type", token.text, words.concat());
            let fault = Fault::at(ErrorKind::NotAConstant, message, token.place);
            self.declare(token, start, at, Type::Unknown, Err(fault));
        }
        self.skip_declaration()
    }

    /// One declarator with its initializer; false when it is none of a constant and the rest is to be passed over.
    fn declarator(&mut self, start: usize, ty: Option<Type>) -> Result<bool, Fault> {
        let mut pointer = false;
        while self.peek().is_some_and(|token| token.is("*") || token.is("&") || token.is_word("const")) {
            pointer = true;
            self.at += 1;
        }
        self.skip_attributes()?;
        let Some(name) = self.peek().filter(|token| is_name(token)) else { return Ok(false) };
        self.at += 1;
        self.skip_attributes()?;
        let fault = |what: &str| {
            Err(Fault::at(
                ErrorKind::NotAConstant,
                format!("`{}` is {what}, not an integer", name.text),
                name.place,
            ))
        };
        let mut unfit = pointer.then(|| fault("a pointer or reference"));
        while self.is("[") {
            unfit = Some(fault("an array"));
            self.at = self.after_group()?;
        }
        let Some(token) = self.peek() else { return Ok(false) };
        let around = name.place;
        let (inside, how, after) = match &*token.text {
            "=" => {
                let begin = self.at + 1;
                let end = self.end_of_initializer(begin)?;
                match self.tokens[begin..end] {
                    [ref open, .., ref close] if open.is("{") && close.is("}") => {
                        if ty.is_none() {
                            unfit = Some(fault("a list"));
                        }
                        (begin + 1..end - 1, Conversion::CopyBraces, end)
                    }
                    _ => (begin..end, Conversion::Implicit, end),
                }
            }
            "{" => {
                let after = self.after_group()?;
                (self.at + 1..after - 1, Conversion::Braces, after)
            }
            "(" => {
                let after = self.after_group()?;
                if self.is_function(self.at + 1..after - 1, after) {
                    self.scopes.add(self.scope, &name.text, Entity::Other("a function"));
                    self.at = after;
                    return Ok(false);
                }
                (self.at + 1..after - 1, Conversion::Implicit, after)
            }
            // Declared without a value: `extern const int x;`
            ";" | "," => return Ok(true),
            _ => return Ok(false),
        };
        let tokens = &self.tokens[inside];
        // The name is known in its own initializer, where it has no value yet.
        let message = format!("`{}` is used in its own initializer", name.text);
        let early = Err(Fault::at(ErrorKind::NotAConstant, message, name.place));
        let index = self.declare(name, start, after, ty.unwrap_or(Type::Unknown), early);
        let (ty, value) = match (unfit, ty) {
            (Some(fault), _) => (Type::Unknown, fault),
            (None, Some(ty)) if ty.stored().is_none() => (ty, Err(not_integer(ty, name.place))),
            (None, ty) => self.initial(tokens, ty, how, around),
        };
        self.at = after;
        let entry = &mut self.entries[index];
        (entry.ty, entry.value) = (ty, value);
        Ok(true)
    }

    /// The index of the `,` or `;` that ends an initializer.
    fn end_of_initializer(&self, begin: usize) -> Result<usize, Fault> {
        let mut at = begin;
        while let Some(token) = self.tokens.get(at) {
            match &*token.text {
                "," | ";" | "}" | ")" | "]" => break,
                "(" | "[" | "{" if token.kind == TokenKind::Punct => match closing(self.tokens, at) {
                    Some(close) => at = close,
                    None => {
                        return Err(Fault::at(
                            ErrorKind::Syntax,
                            "this bracket is never closed",
                            token.place,
                        ));
                    }
                },
                _ => {}
            }
            at += 1;
        }
        Ok(at)
    }

    /// Are these the parameters of a function, rather than an initial value?
    fn is_function(&self, inside: std::ops::Range<usize>, after: usize) -> bool {
        if !self.tokens.get(after).is_some_and(|token| token.is(";") || token.is(",")) || inside.is_empty() {
            return true;
        }
        match simple_type(self.tokens, inside.start, &self.view(), self.model) {
            // `int(3)` and `int{3}` are values.
            Some((_, next)) => {
                next >= inside.end || !(self.tokens[next].is("(") || self.tokens[next].is("{"))
            }
            // An unknown type and a parameter's name.
            None => {
                inside.len() > 1
                    && is_name(&self.tokens[inside.start])
                    && is_name(&self.tokens[inside.start + 1])
            }
        }
    }

    /// The type and value an initializer gives; the declared type is `None` for `auto`.
    fn initial(
        &self,
        tokens: &[Token],
        ty: Option<Type>,
        how: Conversion,
        around: Place,
    ) -> (Type, Result<Typed, Fault>) {
        if tokens.is_empty()
            && how != Conversion::Implicit
            && let Some(ty) = ty
        {
            return (ty, Ok(Typed { ty, number: 0 }));
        }
        match (self.evaluate(tokens, around), ty) {
            (Ok(value), Some(ty)) => {
                let place = tokens
                    .first()
                    .zip(tokens.last())
                    .map_or(around, |(first, last)| first.place.to(last.place));
                (ty, convert(value, ty, how, place))
            }
            (Ok(value), None) if value.ty.stored().is_some() => (value.ty, Ok(value)),
            (Ok(value), None) => (value.ty, Err(not_integer(value.ty, around))),
            (Err(fault), ty) => (ty.unwrap_or(Type::Unknown), Err(fault)),
        }
    }

    /// The value of tokens that are one expression, seen from the current scope.
    pub(crate) fn evaluate(&self, tokens: &[Token], around: Place) -> Result<Typed, Fault> {
        let view = self.view();
        let expr = Parser::new(tokens, &view, self.model, around).whole()?;
        Evaluator { model: self.model, names: &view }.evaluate(&expr)
    }

    /// Adds a constant to the current scope.
    fn declare(
        &mut self,
        name: &Token,
        start: usize,
        end: usize,
        ty: Type,
        value: Result<Typed, Fault>,
    ) -> usize {
        let index = self.entry(name, (start, end), self.scope, ConstantKind::Constexpr, ty, value);
        self.add_constant(self.scope, &name.text, index);
        index
    }

    /// Makes a name mean a constant, in place of one known from the options.
    pub(crate) fn add_constant(&mut self, scope: ScopeId, name: &Rc<str>, index: usize) {
        let entries = &self.entries;
        self.scopes.forget(scope, name, |entity| match entity {
            Entity::Constant(old) => entries.get(*old).is_some_and(|entry| entry.kind.is_none()),
            Entity::Other(_) => true,
            _ => false,
        });
        self.scopes.add(scope, name, Entity::Constant(index));
    }

    /// Records a constant; the tokens from the first of `range` to the second are its declaration.
    pub(crate) fn entry(
        &mut self,
        name: &Token,
        range: (usize, usize),
        scope: ScopeId,
        kind: ConstantKind,
        ty: Type,
        value: Result<Typed, Fault>,
    ) -> usize {
        let path = self.scopes.path(scope, &name.text, false);
        let short = self.scopes.path(scope, &name.text, true);
        let last = self.tokens.get(range.1).or(self.tokens.last()).map_or(name.place, |token| token.place);
        let first = self.tokens.get(range.0).map_or(name.place, |token| token.place);
        let at = name.place.at;
        // A declaration made by a macro has its comments around its name.
        let whole = match (first.at.file == at.file, last.at.file == at.file) {
            (true, true) if first.at.start <= at.start && at.end <= last.at.end => first.to(last).at,
            _ => at,
        };
        self.entries.push(Entry {
            name: name.text.clone(),
            aliases: if short == path { Vec::new() } else { vec![short] },
            path,
            kind: Some(kind),
            at,
            whole,
            order: range.0,
            ty,
            value,
        });
        self.entries.len() - 1
    }
}
