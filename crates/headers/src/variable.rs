//! Constants: `constexpr`, `const`, with every form of initializer.

use crate::constant::ConstantKind;
use crate::convert::{Conversion, convert, not_integer};
use crate::declare::MOST_NAMED;
use crate::declare::Reader;
use crate::entry::Entry;
use crate::error::ErrorKind;
use crate::eval::Evaluator;
use crate::expr::{Parser, closing};
use crate::fault::Fault;
use crate::location::Place;
use crate::scope::{Entity, ScopeId, ScopeKind};
use crate::text::Text;
use crate::token::{Token, TokenKind};
use crate::typename::{is_name, simple_type};
use crate::types::{Type, Typed};

impl<'a> Reader<'a> {
    /// `constexpr T a = 1, b{2}, c(3);` or anything else.
    pub(crate) fn variable(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let (mut constant, mut is_static, mut auto) = (false, false, false);
        let mut ty: Option<Type> = None;
        while let Some(token) = self.peek() {
            match token.text {
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
        let mut angles = 0_i32;
        while let Some(token) = self.tokens.get(at) {
            match token.text {
                "<" => angles += 1,
                ">" => angles -= 1,
                ">>" => angles -= 2,
                "," if angles > 0 => {}
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
            let words: Vec<&str> = self.tokens[from..name].iter().take(12).map(|token| token.text).collect();
            let message =
                format!("`{}` has the type `{}`, which is no integer type", token.text, words.concat());
            let fault = Fault::at(ErrorKind::NotAConstant, message, token.place);
            self.declare(token, start, at, Type::Unknown, Some(Err(fault)))?;
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
        let (inside, how, after) = match token.text {
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
                    self.scopes.add(self.scope, name.text, Entity::Other("a function"));
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
        let index = self.declare(name, start, after, ty.unwrap_or(Type::Unknown), None)?;
        let (ty, value) = match (unfit, ty) {
            (Some(fault), _) => (Type::Unknown, fault),
            (None, Some(ty)) if ty.stored().is_none() => (ty, Err(not_integer(ty, name.place))),
            (None, ty) => self.initial(tokens, ty, how, around),
        };
        self.at = after;
        let entry = &mut self.entries[index];
        (entry.ty, entry.value) = (ty, Some(value));
        Ok(true)
    }

    /// The index of the `,` or `;` that ends an initializer.
    fn end_of_initializer(&self, begin: usize) -> Result<usize, Fault> {
        let mut at = begin;
        while let Some(token) = self.tokens.get(at) {
            match token.text {
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
        tokens: &[Token<'_>],
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
    pub(crate) fn evaluate(&self, tokens: &[Token<'_>], around: Place) -> Result<Typed, Fault> {
        let view = self.view();
        let mut parser = Parser::new(tokens, &view, self.model, around);
        let expr = parser.whole()?;
        Evaluator { model: self.model, names: &view, tree: &parser.tree }.evaluate(expr)
    }

    /// Adds a constant to the current scope.
    fn declare(
        &mut self,
        name: &Token<'a>,
        start: usize,
        end: usize,
        ty: Type,
        value: Option<Result<Typed, Fault>>,
    ) -> Result<usize, Fault> {
        let index = self.entry(name, (start, end), self.scope, ConstantKind::Constexpr, ty, value)?;
        self.add_constant(self.scope, name.text, index);
        Ok(index)
    }

    /// Makes a name mean a constant, in place of one known from the options.
    pub(crate) fn add_constant(&mut self, scope: ScopeId, name: Text<'a>, index: usize) {
        let entries = &self.entries;
        self.scopes.replace(scope, name, Entity::Constant(index), |entity| match entity {
            Entity::Constant(old) => entries.get(*old).is_some_and(|entry| entry.kind.is_none()),
            Entity::Other(_) => true,
            _ => false,
        });
    }

    /// Records a constant; the tokens from the first of `range` to the second are its declaration.
    pub(crate) fn entry(
        &mut self,
        name: &Token<'a>,
        range: (usize, usize),
        scope: ScopeId,
        kind: ConstantKind,
        ty: Type,
        value: Option<Result<Typed, Fault>>,
    ) -> Result<usize, Fault> {
        let path = self.scopes.path(scope, name.text);
        // An alias is no longer than that.
        self.named += path.len();
        if self.named > MOST_NAMED {
            let message =
                "the names of the constants, with their namespaces, are longer than 64 MiB together";
            return Err(Fault::at(ErrorKind::Limit, message, name.place));
        }
        let aliases = self.scopes.short_path(scope, name.text).into_iter().collect();
        let last = self.tokens.get(range.1).or(self.tokens.last()).map_or(name.place, |token| token.place);
        let first = self.tokens.get(range.0).map_or(name.place, |token| token.place);
        let at = name.place.at;
        // A declaration made by a macro has its comments around its name.
        let whole = match (first.at.file == at.file, last.at.file == at.file) {
            (true, true) if first.at.start <= at.start && at.end <= last.at.end => first.to(last).at,
            _ => at,
        };
        self.entries.push(Entry {
            name: name.text,
            path,
            aliases,
            kind: Some(kind),
            at,
            whole,
            order: range.0,
            ty,
            value,
        });
        Ok(self.entries.len() - 1)
    }
}
