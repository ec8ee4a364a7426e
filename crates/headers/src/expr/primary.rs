//! Operands: literals, names, casts, sizes, limits.

use super::parser::{Parser, function_type};
use super::{Expr, ExprKind, bytes, closing};
use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::literal::{self, LiteralError};
use crate::location::Place;
use crate::token::{Token, TokenKind};
use crate::typename::{is_function_type, is_name, qualified, type_id};
use crate::types::{Model, Type, Typed};

impl<'a> Parser<'a> {
    pub(super) fn primary(&mut self, token: &'a Token<'a>) -> Result<Expr, Fault> {
        match token.kind {
            TokenKind::Number | TokenKind::Char => self.literal(token),
            TokenKind::Str => {
                while self.peek().is_some_and(|token| token.kind == TokenKind::Str) {
                    self.at += 1;
                }
                Ok(self.tree.add(ExprKind::Opaque("a string"), token.place))
            }
            TokenKind::Ident => self.word(token),
            TokenKind::Punct if token.is("(") => self.parenthesized(token),
            TokenKind::Punct if token.is("::") && !self.directive => self.functional_cast_or_name(token),
            TokenKind::Punct if token.is("[") && !self.directive => self.opaque("a lambda", token.place),
            _ => {
                let message = format!("expected an expression, found `{}`", token.text);
                Err(Fault::at(ErrorKind::Syntax, message, token.place))
            }
        }
    }

    fn parenthesized(&mut self, open: &Token<'_>) -> Result<Expr, Fault> {
        self.at += 1;
        let inside = match self.is("{") {
            true => self.opaque("a statement expression", open.place)?,
            false => self.nested(Self::comma)?,
        };
        self.expect(")")?;
        self.tree.set_place(inside, open.place.to(self.last_place()));
        Ok(inside)
    }

    fn literal(&mut self, token: &Token<'_>) -> Result<Expr, Fault> {
        self.at += 1;
        let value = match token.kind {
            TokenKind::Number => literal::number(token.text, self.model),
            _ => literal::character(token.text, self.model),
        };
        let kind = match value {
            Ok(value) if self.directive => ExprKind::Literal(in_directive(value)),
            Ok(value) => ExprKind::Literal(value),
            Err(LiteralError::Float) => ExprKind::Opaque("floating point"),
            Err(LiteralError::MultiCharacter) => ExprKind::Opaque("a literal of several characters"),
            Err(LiteralError::TooLarge) => {
                let message = format!("`{}` does not fit 64 bits", token.text);
                return Err(Fault::at(ErrorKind::Arithmetic, message, token.place));
            }
            Err(LiteralError::Malformed(why)) => {
                let message = format!("`{}` is no literal: {why}", token.text);
                return Err(Fault::at(ErrorKind::Syntax, message, token.place));
            }
        };
        Ok(self.tree.add(kind, token.place))
    }

    fn word(&mut self, token: &'a Token<'a>) -> Result<Expr, Fault> {
        let place = token.place;
        let bool = |value| if self.directive { in_directive(Typed::bool(value)) } else { Typed::bool(value) };
        let value = match token.text {
            "true" => Some(bool(true)),
            "false" => Some(bool(false)),
            _ if self.directive => Some(Typed::int(Model::DIRECTIVE.int(), 0)),
            _ => None,
        };
        if let Some(value) = value {
            self.at += 1;
            return Ok(self.tree.add(ExprKind::Literal(value), place));
        }
        match token.text {
            "sizeof" | "alignof" | "_Alignof" | "__alignof__" => self.size(token),
            "static_cast" => {
                self.at += 1;
                self.expect("<")?;
                let ty = self.type_before(">")?;
                self.expect("(")?;
                let operand = self.nested(Self::comma)?;
                self.expect(")")?;
                let place = place.to(self.last_place());
                Ok(self.tree.add(ExprKind::Cast(ty, Some(operand), false), place))
            }
            "reinterpret_cast" | "const_cast" | "dynamic_cast" | "__builtin_bit_cast" => {
                self.at += 1;
                if self.is("<") {
                    self.at += 1;
                    self.type_before(">")?;
                }
                self.opaque("this kind of cast", place)
            }
            "nullptr" | "this" | "noexcept" | "new" | "delete" | "throw" | "typeid" | "requires"
            | "co_await" => {
                self.at += 1;
                self.opaque("this keyword", place)
            }
            _ => self.functional_cast_or_name(token),
        }
    }

    fn type_before(&mut self, close: &str) -> Result<Type, Fault> {
        let Some((ty, after)) = type_id(self.tokens, self.at, self.names, self.model) else {
            let found = self.peek().map_or("the end".to_owned(), |token| format!("`{}`", token.text));
            return Err(Fault::at(
                ErrorKind::UnknownName,
                format!("expected a type, found {found}"),
                self.place(),
            ));
        };
        self.at = after;
        self.expect(close)?;
        Ok(ty)
    }

    /// `sizeof(type)`, `sizeof expr`, `alignof(type)`.
    fn size(&mut self, token: &'a Token<'a>) -> Result<Expr, Fault> {
        self.at += 1;
        if self.is("...") {
            self.at += 1;
            return self.opaque("the size of a pack", token.place);
        }
        let align = token.text != "sizeof";
        let in_parentheses =
            self.is("(").then(|| type_id(self.tokens, self.at + 1, self.names, self.model)).flatten();
        let operand = match in_parentheses {
            Some((ty, after)) if self.tokens.get(after).is_some_and(|close| close.is(")")) => {
                self.at = after + 1;
                let place = token.place.to(self.last_place());
                // `sizeof(int) * 2` is a product: what follows the type is not its operand.
                return self.size_of(ty, align, place);
            }
            _ => {
                if let Some(open) = self.peek().filter(|open| open.is("("))
                    && let Some(close) = closing(self.tokens, self.at)
                    && is_function_type(&self.tokens[self.at + 1..close], self.names, self.model)
                {
                    return Err(function_type(open.place));
                }
                self.nested(Self::unary)?
            }
        };
        let place = token.place.to(self.tree.place(operand));
        let kind = if align { ExprKind::AlignOf } else { ExprKind::SizeOf };
        Ok(self.tree.add(kind(operand), place))
    }

    fn size_of(&mut self, ty: Type, align: bool, place: Place) -> Result<Expr, Fault> {
        let what = if align { "alignment" } else { "size" };
        match bytes(ty, self.model) {
            Some(bytes) => {
                let value = Typed::int(self.model.size(), i128::from(bytes));
                Ok(self.tree.add(ExprKind::Literal(value), place))
            }
            None => {
                let message = format!("the {what} of {} is not known", ty.describe());
                Err(Fault::at(ErrorKind::NotAConstant, message, place))
            }
        }
    }

    /// `uint32_t(x)`, `Kind{x}`, or a name.
    fn functional_cast_or_name(&mut self, token: &'a Token<'a>) -> Result<Expr, Fault> {
        // Most words are names of constants: only before a bracket may one be a type's.
        let next = self.tokens.get(self.at + 1);
        if is_name(token) && !next.is_some_and(|next| next.is("(") || next.is("{") || next.is("::")) {
            return self.name();
        }
        let Some((ty, after)) = crate::typename::simple_type(self.tokens, self.at, self.names, self.model)
        else {
            return self.name();
        };
        let Some(open) = self.tokens.get(after).filter(|open| open.is("(") || open.is("{")) else {
            return self.name();
        };
        let braces = open.is("{");
        let close = if braces { "}" } else { ")" };
        self.at = after + 1;
        let operand = if self.is(close) { None } else { Some(self.nested(Self::comma)?) };
        self.expect(close)?;
        let place = token.place.to(self.last_place());
        Ok(self.tree.add(ExprKind::Cast(ty, operand, braces), place))
    }

    fn name(&mut self) -> Result<Expr, Fault> {
        let Some((name, after)) = qualified(self.tokens, self.at) else {
            let message = format!("expected a name, found `{}`", self.peek().map_or("", |token| token.text));
            return Err(Fault::at(ErrorKind::Syntax, message, self.place()));
        };
        self.at = after;
        let place = name.place;
        match name.last() {
            "numeric_limits" if self.is("<") => return self.numeric_limits(place),
            "to_underlying" if self.is("(") => {
                self.at += 1;
                let operand = self.nested(Self::assignment)?;
                self.expect(")")?;
                let place = place.to(self.last_place());
                return Ok(self.tree.add(ExprKind::Underlying(operand), place));
            }
            _ => {}
        }
        Ok(self.tree.add(ExprKind::Name(name), place))
    }

    /// `std::numeric_limits<T>::max()`
    fn numeric_limits(&mut self, from: Place) -> Result<Expr, Fault> {
        self.at += 1;
        let ty = self.type_before(">")?;
        self.expect("::")?;
        let Some(member) = self.peek() else {
            return Err(Fault::at(ErrorKind::Syntax, "expected a member of `numeric_limits`", self.place()));
        };
        self.at += 1;
        let place = from.to(member.place);
        let Type::Int(int) = ty else { return self.opaque("a limit of this type", place) };
        let value = match member.text {
            "digits" => {
                let digits = if int.is_bool() { 1 } else { i128::from(int.bits) - i128::from(int.signed) };
                return Ok(self.tree.add(ExprKind::Literal(Typed::int(self.model.int(), digits)), place));
            }
            "is_signed" => {
                return Ok(self.tree.add(ExprKind::Literal(Typed::bool(int.signed)), place));
            }
            "max" => int.max(),
            "min" | "lowest" => int.min(),
            _ => return self.opaque("this member of `numeric_limits`", place),
        };
        self.expect("(")?;
        self.expect(")")?;
        let place = from.to(self.last_place());
        Ok(self.tree.add(ExprKind::Literal(Typed::int(int, value)), place))
    }
}

/// In `#if` every number is a `intmax_t` or `uintmax_t`.
fn in_directive(value: Typed) -> Typed {
    match value.ty {
        Type::Int(int) if int.bits == 64 => value,
        _ => Typed::int(Model::DIRECTIVE.int(), value.number),
    }
}
