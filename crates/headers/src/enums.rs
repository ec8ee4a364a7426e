//! Enumerations, `using` and `typedef`: the declarations that make types.

use crate::constant::ConstantKind;
use crate::convert::{Conversion, convert, promote, promote_int};
use crate::declare::Reader;
use crate::entry::Entry;
use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::scope::{Entity, ScopeId, ScopeKind};
use crate::text::Text;
use crate::token::{Token, TokenKind};
use crate::typename::{is_name, simple_type, type_id};
use crate::types::{EnumType, IntType, Model, Type, Typed};

/// An enumeration while its body is read.
struct Body<'a> {
    scope: ScopeId,
    name: Text<'a>,
    scoped: bool,
    /// The declared underlying type.
    fixed: Option<IntType>,
    /// The last enumerator's value, or nothing when it has none.
    last: Option<Result<Typed, ()>>,
}

impl<'a> Reader<'a> {
    /// `enum ... { ... }`, up to what follows the `}`; gives the type, or nothing where the enumeration is only used.
    pub(crate) fn enumeration(&mut self) -> Result<Option<Type>, Fault> {
        self.at += 1;
        let scoped = self.is_word("class") || self.is_word("struct");
        if scoped {
            self.at += 1;
        }
        self.skip_attributes()?;
        let name = self.peek().filter(|token| is_name(token));
        if name.is_some() {
            self.at += 1;
        }
        let mut fixed = scoped.then_some(self.model.int());
        let mut unknown = false;
        if self.is(":") {
            self.at += 1;
            match simple_type(self.tokens, self.at, &self.view(), self.model) {
                Some((Type::Int(int), after)) => {
                    fixed = Some(int);
                    self.at = after;
                }
                _ => unknown = true,
            }
            while self.peek().is_some_and(|token| unknown && !token.is("{") && !token.is(";")) {
                self.at += 1;
            }
        }
        let text = name.map_or("", |token| token.text);
        let Some(brace) = self.peek().filter(|token| token.is("{")) else {
            // `enum class K : uint8_t;` declares the type; anything else only uses it.
            if let (Some(underlying), true) = (fixed, self.is(";")) {
                return Ok(Some(self.enum_type(text, underlying, scoped)));
            }
            return Ok(None);
        };
        let end = self.after_group()?;
        self.at += 1;
        let scope = self.scopes.open(self.scope, text, ScopeKind::Enum);
        let mut body = Body { scope, name: text, scoped, fixed, last: None };
        let ty = fixed.map(|underlying| self.enum_type(text, underlying, scoped));
        let first = self.entries.len();
        while self.at + 1 < end {
            self.enumerator(&mut body, end - 1, unknown)?;
        }
        self.at = end;
        let ty = match ty {
            Some(ty) if !unknown => ty,
            _ => self.unfixed(&body, first, brace),
        };
        for entry in &mut self.entries[first..] {
            entry.ty = ty;
            if let Some(Ok(value)) = &mut entry.value {
                value.ty = ty;
            }
        }
        Ok(Some(ty))
    }

    /// Declares the name of an enumeration, in place of an earlier declaration of it.
    fn enum_type(&mut self, name: Text<'a>, underlying: IntType, scoped: bool) -> Type {
        self.enums += 1;
        let promoted = promote_int(underlying, self.model);
        let ty = Type::Enum(EnumType { id: self.enums, underlying, promoted, fixed: true, scoped });
        self.name_enum(name, ty)
    }

    fn name_enum(&mut self, name: Text<'a>, ty: Type) -> Type {
        if name.is_empty() {
            return ty;
        }
        let earlier = self.scopes.own(self.scope, name).iter().find_map(|entity| match entity {
            Entity::Type(old @ Type::Enum(_)) => Some(*old),
            _ => None,
        });
        // Declared before: the same type, unless it is declared differently.
        if let (Some(Type::Enum(old)), Type::Enum(new)) = (earlier, ty)
            && (old.underlying, old.scoped) == (new.underlying, new.scoped)
        {
            return Type::Enum(old);
        }
        self.scopes.replace(self.scope, name, Entity::Type(ty), |entity| {
            matches!(entity, Entity::Type(Type::Enum(_)) | Entity::Other(_))
        });
        ty
    }

    /// One `name = value,`.
    fn enumerator(&mut self, body: &mut Body<'a>, end: usize, unknown: bool) -> Result<(), Fault> {
        let start = self.at;
        let Some(name) = self.peek().filter(|token| is_name(token)) else {
            // Not an enumerator: to the next one.
            self.at = self.end_of_value(self.at, end)? + 1;
            return Ok(());
        };
        self.at += 1;
        self.skip_attributes()?;
        let value_end = self.end_of_value(self.at, end)?;
        let value = if unknown {
            let message = "the underlying type of this enumeration is not known";
            Err(Fault::at(ErrorKind::UnknownName, message, name.place))
        } else if self.is("=") {
            self.given(body, &self.tokens[self.at + 1..value_end], name)
        } else {
            self.next_value(body, name)
        };
        self.at = value_end + 1;
        body.last = Some(value.as_ref().copied().map_err(|_| ()));
        let (place, kind) = (if body.scoped { body.scope } else { self.scope }, ConstantKind::Enumerator);
        let ty = body.fixed.map_or(Type::Unknown, Type::Int);
        // The comma belongs to the enumerator, the closing brace does not.
        let last = if value_end < end { value_end } else { value_end - 1 };
        let index = self.entry(name, (start, last), place, kind, ty, Some(value))?;
        if !body.scoped && !body.name.is_empty() {
            let long = self.scopes.path(body.scope, name.text);
            self.entries[index].aliases.push(long);
        }
        self.add_constant(body.scope, name.text, index);
        if !body.scoped {
            self.add_constant(self.scope, name.text, index);
        }
        Ok(())
    }

    fn end_of_value(&self, begin: usize, end: usize) -> Result<usize, Fault> {
        let mut at = begin;
        while at < end {
            let token = &self.tokens[at];
            match token.text {
                "," => break,
                "(" | "[" | "{" if token.kind == TokenKind::Punct => {
                    match crate::expr::closing(self.tokens, at) {
                        Some(close) if close < end => at = close,
                        _ => {
                            return Err(Fault::at(
                                ErrorKind::Syntax,
                                "this bracket is never closed",
                                token.place,
                            ));
                        }
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Ok(at.min(end))
    }

    /// The value written for an enumerator, which the underlying type must hold.
    fn given(&self, body: &Body<'a>, tokens: &[Token<'_>], name: &Token<'_>) -> Result<Typed, Fault> {
        // Names are looked up among the enumerators first.
        let view = crate::view::View { scope: body.scope, ..self.view() };
        let mut parser = crate::expr::Parser::new(tokens, &view, self.model, name.place);
        let expr = parser.whole()?;
        let place = parser.tree.place(expr);
        let value =
            crate::eval::Evaluator { model: self.model, names: &view, tree: &parser.tree }.evaluate(expr)?;
        match body.fixed {
            Some(underlying) => {
                if underlying.is_bool()
                    && value.ty != Type::Int(IntType::BOOL)
                    && !matches!(value.number, 0 | 1)
                {
                    let message = format!("{} does not fit `bool`", value.number);
                    return Err(Fault::at(ErrorKind::Narrowing, message, place));
                }
                convert(value, Type::Int(underlying), Conversion::Braces, place)
            }
            None => match value.ty {
                Type::Int(_) => Ok(value),
                _ => promote(value, self.model, place),
            },
        }
    }

    /// One more than the enumerator before.
    fn next_value(&self, body: &Body<'a>, name: &Token<'_>) -> Result<Typed, Fault> {
        let fault = |kind, message: &str| Err(Fault::at(kind, message, name.place));
        match (body.last, body.fixed) {
            (None, fixed) => Ok(Typed::int(fixed.unwrap_or(self.model.int()), 0)),
            (Some(Err(())), _) => {
                fault(ErrorKind::NotAConstant, "the enumerator before this one has no value")
            }
            (Some(Ok(last)), fixed) => {
                let next = last.number + 1;
                let own = last.ty.stored().filter(|ty| ty.holds(next) && !ty.is_bool());
                let ty = match fixed {
                    Some(ty) => own.or(Some(ty).filter(|ty| ty.holds(next))),
                    None => own.or_else(|| widths(self.model).find(|ty| ty.holds(next))),
                };
                match ty {
                    Some(ty) => Ok(Typed::int(ty, next)),
                    None => fault(ErrorKind::Arithmetic, "the value of this enumerator overflows its type"),
                }
            }
        }
    }

    /// The type of an enumeration without declared underlying type, from the values it has (gcc: `unsigned int` or `int`,
    /// then the 64-bit ones). Its members are the entries from `first`.
    fn unfixed(&mut self, body: &Body<'a>, first: usize, brace: &Token<'_>) -> Type {
        let (mut least, mut most) = (0, 0);
        let mut failed = false;
        for member in &self.entries[first..] {
            match &member.value {
                Some(Ok(value)) => (least, most) = (value.number.min(least), value.number.max(most)),
                _ => failed = true,
            }
        }
        let signed = least < 0;
        let holds = |ty: &IntType| ty.holds(least) && ty.holds(most);
        let underlying = widths(self.model).filter(|ty| ty.signed == signed).find(holds);
        let Some(underlying) = underlying.filter(|_| !failed) else {
            // A missing value could change the type of the others, and so what they are in arithmetic.
            let (kind, message) = match failed {
                true => (
                    ErrorKind::NotAConstant,
                    "another enumerator has no value, so the type of this enumeration is not known",
                ),
                false => (ErrorKind::Arithmetic, "no integer type holds all values of this enumeration"),
            };
            for Entry { value, at, .. } in &mut self.entries[first..] {
                if let Some(Ok(_)) = value {
                    let fault = Fault::new(kind, message, *at)
                        .note("the enumeration begins here", brace.place.at)
                        .help("declare the underlying type: `enum E : uint32_t`");
                    *value = Some(Err(fault));
                }
            }
            return Type::Unknown;
        };
        // Arithmetic sees the values the enumeration could have: all of so many bits.
        let bits = 128 - most.max(!least).leading_zeros();
        let (lowest, highest) = (if signed { -(1_i128 << bits) } else { 0 }, (1_i128 << bits) - 1);
        let promoted =
            widths(self.model).find(|ty| ty.holds(lowest) && ty.holds(highest)).unwrap_or(underlying);
        self.enums += 1;
        let ty = Type::Enum(EnumType { id: self.enums, underlying, promoted, fixed: false, scoped: false });
        self.name_enum(body.name, ty)
    }

    /// `using namespace a;`, `using a::b;`, `using T = type;`, `using enum E;`
    pub(crate) fn using(&mut self) -> Result<(), Fault> {
        self.at += 1;
        if self.is_word("namespace") {
            self.at += 1;
            let found = self.lookup(|entity| matches!(entity, Entity::Scope(_)));
            if let Some(Entity::Scope(namespace)) = found.first() {
                self.scopes.show(self.scope, *namespace);
            }
        } else if self.is_word("enum") {
            self.at += 1;
            let found = self.lookup(|entity| matches!(entity, Entity::Scope(_)));
            if let Some(Entity::Scope(of)) = found.first() {
                for (name, entities) in self.scopes.names(*of) {
                    for entity in entities {
                        self.scopes.add(self.scope, name, entity);
                    }
                }
            }
        } else if let Some(name) = self.peek().filter(|token| is_name(token))
            && self.ahead(1).is_some_and(|token| token.is("="))
        {
            self.at += 2;
            self.alias(name.text);
        } else {
            loop {
                if self.is_word("typename") {
                    self.at += 1;
                }
                let begin = self.at;
                let found = self.lookup(|_| true);
                if self.at == begin {
                    break;
                }
                let name = self.tokens[self.at - 1].text;
                for entity in found {
                    self.scopes.add(self.scope, name, entity);
                }
                if !self.is(",") {
                    break;
                }
                self.at += 1;
            }
        }
        self.skip_to_semicolon()
    }

    /// Gives the type at the current token a second name; an enumeration's members come along.
    fn alias(&mut self, name: Text<'a>) {
        let begin = self.at;
        let members = self.lookup(|entity| matches!(entity, Entity::Scope(_)));
        self.at = begin;
        match type_id(self.tokens, begin, &self.view(), self.model) {
            Some((ty, after)) => {
                self.at = after;
                let ty = if self.is(";") { ty } else { Type::Unknown };
                self.scopes.add(self.scope, name, Entity::Type(ty));
                for entity in members {
                    self.scopes.add(self.scope, name, entity);
                }
            }
            None => self.scopes.add(self.scope, name, Entity::Type(Type::Unknown)),
        }
    }

    /// `typedef type Name;`, `typedef enum { ... } Name;`
    pub(crate) fn typedef(&mut self) -> Result<(), Fault> {
        self.at += 1;
        let has_body = self.is_word("enum")
            && self.tokens[self.at..]
                .iter()
                .take_while(|token| !token.is(";"))
                .take(16)
                .any(|token| token.is("{"));
        let ty = if has_body {
            self.enumeration()?
        } else {
            type_id(self.tokens, self.at, &self.view(), self.model).map(|(ty, after)| {
                self.at = after;
                ty
            })
        };
        if let (Some(ty), Some(name)) = (ty, self.peek().filter(|token| is_name(token))) {
            let plain = self.ahead(1).is_some_and(|token| token.is(";"));
            self.scopes.add(self.scope, name.text, Entity::Type(if plain { ty } else { Type::Unknown }));
        }
        self.skip_to_semicolon()
    }
}

/// The types an enumeration may have, in the order they are tried.
fn widths(model: Model) -> impl Iterator<Item = IntType> {
    [model.int, model.long, 64].into_iter().flat_map(|bits| [IntType::signed(bits), IntType::unsigned(bits)])
}
