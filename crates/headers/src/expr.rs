//! Expressions: the tree, and the parser with C++'s precedence.
//!
//! Operators of one level stand in a flat chain, so that the depth of the tree is bounded by nesting, which is limited.

use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::literal::{self, LiteralError};
use crate::location::Place;
use crate::scope::{Name, Names, NoNames};
use crate::token::{Token, TokenKind};
use crate::typename::{is_function_type, is_name, qualified, type_id};
use crate::types::{Model, Type, Typed};

/// Parentheses, operators and casts within each other.
const MOST_NESTED: u32 = 128;
/// Tokens of one expression: far more than a header has, and read in a fraction of a second in a debug build too.
const MOST_TOKENS: usize = 1 << 16;

/// An expression and its place.
///
/// Small on the stack, because the parser recurses.
#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) kind: Box<ExprKind>,
    pub(crate) place: Place,
}

impl Expr {
    fn new(kind: ExprKind, place: Place) -> Expr {
        Expr { kind: Box::new(kind), place }
    }
}

#[derive(Debug)]
pub(crate) enum ExprKind {
    Literal(Typed),
    Name(Name),
    Unary(UnaryOp, Expr),
    /// `a op b op c`, from left to right.
    Chain(Expr, Vec<(BinaryOp, Place, Expr)>),
    Conditional([Expr; 3]),
    /// To the type; in braces (`T{x}`) when true. Without operand the value is zero.
    Cast(Type, Option<Expr>, bool),
    SizeOf(Expr),
    AlignOf(Expr),
    /// `std::to_underlying(e)`
    Underlying(Expr),
    /// What is C++ but not evaluated here, with the reason.
    Opaque(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Plus,
    Minus,
    Not,
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Less,
    LessEq,
    Greater,
    GreaterEq,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
    LogicalAnd,
    LogicalOr,
    Comma,
}

/// The binary operator that a token is, with how tightly it binds.
fn binary_operator(token: &Token) -> Option<(BinaryOp, u8)> {
    if token.kind != TokenKind::Punct {
        return None;
    }
    // Bytes: one look at the length and one at each byte, also in a debug build of the macros.
    Some(match token.text.as_bytes() {
        [b'*'] => (BinaryOp::Mul, 11),
        [b'/'] => (BinaryOp::Div, 11),
        [b'%'] => (BinaryOp::Rem, 11),
        [b'+'] => (BinaryOp::Add, 10),
        [b'-'] => (BinaryOp::Sub, 10),
        [b'<', b'<'] => (BinaryOp::Shl, 9),
        [b'>', b'>'] => (BinaryOp::Shr, 9),
        [b'<'] => (BinaryOp::Less, 8),
        [b'<', b'='] => (BinaryOp::LessEq, 8),
        [b'>'] => (BinaryOp::Greater, 8),
        [b'>', b'='] => (BinaryOp::GreaterEq, 8),
        [b'=', b'='] => (BinaryOp::Equal, 7),
        [b'!', b'='] => (BinaryOp::NotEqual, 7),
        [b'&'] => (BinaryOp::And, 6),
        [b'^'] => (BinaryOp::Xor, 5),
        [b'|'] => (BinaryOp::Or, 4),
        [b'&', b'&'] => (BinaryOp::LogicalAnd, 3),
        [b'|', b'|'] => (BinaryOp::LogicalOr, 2),
        _ => return None,
    })
}

/// The loosest binary operator.
const LOOSEST: u8 = 2;

/// Reads expressions from a slice of tokens.
pub(crate) struct Parser<'a> {
    tokens: &'a [Token],
    pub(crate) at: usize,
    names: &'a dyn Names,
    model: Model,
    /// The place for "an expression is missing" when there are no tokens.
    around: Place,
    depth: u32,
    directive: bool,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(tokens: &'a [Token], names: &'a dyn Names, model: Model, around: Place) -> Parser<'a> {
        Parser { tokens, at: 0, names, model, around, depth: 0, directive: false }
    }

    /// For `#if`: no types, and names are zero.
    pub(crate) fn directive(tokens: &'a [Token], around: Place) -> Parser<'a> {
        let mut parser = Parser::new(tokens, &NoNames, Model::DIRECTIVE, around);
        parser.directive = true;
        parser
    }

    /// One expression that takes all tokens.
    pub(crate) fn whole(mut self) -> Result<Expr, Fault> {
        if let Some(token) = self.tokens.get(MOST_TOKENS) {
            let message = format!("the expression has more than {MOST_TOKENS} tokens");
            return Err(Fault::at(ErrorKind::Limit, message, token.place));
        }
        let expr = self.assignment()?;
        match self.peek() {
            None => Ok(expr),
            Some(token) => Err(self.unexpected(token)),
        }
    }

    fn unexpected(&self, token: &Token) -> Fault {
        let message = format!("expected an operator or the end of the expression, found `{}`", token.text);
        Fault::at(ErrorKind::Syntax, message, token.place)
    }

    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    fn is(&self, punct: &str) -> bool {
        self.peek().is_some_and(|token| token.is(punct))
    }

    /// The place of the next token, or of the last one.
    fn place(&self) -> Place {
        self.peek().or(self.tokens.last()).map_or(self.around, |token| token.place)
    }

    fn last_place(&self) -> Place {
        self.tokens.get(self.at.saturating_sub(1)).map_or(self.around, |token| token.place)
    }

    fn expect(&mut self, punct: &str) -> Result<(), Fault> {
        if self.is(punct) {
            self.at += 1;
            return Ok(());
        }
        let found = self.peek().map_or("the end".to_owned(), |token| format!("`{}`", token.text));
        Err(Fault::at(ErrorKind::Syntax, format!("expected `{punct}`, found {found}"), self.place()))
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth >= MOST_NESTED {
            return Err(Fault::at(ErrorKind::Limit, "the expression is nested too deep", self.place()));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// `a, b`: inside parentheses.
    fn comma(&mut self) -> Result<Expr, Fault> {
        let mut first = self.assignment()?;
        while self.is(",") {
            let place = self.place();
            self.at += 1;
            let next = self.assignment()?;
            first = chain(first, BinaryOp::Comma, place, next);
        }
        Ok(first)
    }

    /// An expression without comma.
    pub(crate) fn assignment(&mut self) -> Result<Expr, Fault> {
        let condition = self.binary(LOOSEST)?;
        if self.is("?") {
            return self.conditional(condition);
        }
        if let Some(token) = self.peek() {
            let assigns = ["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="];
            if token.text.ends_with('=') && assigns.iter().any(|operator| token.is(operator)) {
                return Err(Fault::at(ErrorKind::NotAConstant, "an assignment is no constant", token.place));
            }
        }
        Ok(condition)
    }

    fn conditional(&mut self, condition: Expr) -> Result<Expr, Fault> {
        self.at += 1;
        let yes = self.nested(Self::comma)?;
        self.expect(":")?;
        let no = self.nested(Self::assignment)?;
        let place = condition.place.to(no.place);
        Ok(Expr::new(ExprKind::Conditional([condition, yes, no]), place))
    }

    fn binary(&mut self, loosest: u8) -> Result<Expr, Fault> {
        let mut left = self.unary()?;
        while let Some(token) = self.peek() {
            let Some((operator, level)) = binary_operator(token).filter(|(_, level)| *level >= loosest)
            else {
                break;
            };
            self.at += 1;
            let right = self.nested(|parser| parser.binary(level + 1))?;
            left = chain(left, operator, token.place, right);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, Fault> {
        let Some(token) = self.peek() else {
            return Err(Fault::at(ErrorKind::Syntax, "an expression is missing", self.place()));
        };
        if token.kind == TokenKind::Punct {
            match token.text.as_bytes() {
                [b'+'] => return self.prefix(token, Some(UnaryOp::Plus)),
                [b'-'] => return self.prefix(token, Some(UnaryOp::Minus)),
                [b'!'] => return self.prefix(token, Some(UnaryOp::Not)),
                [b'~'] => return self.prefix(token, Some(UnaryOp::Complement)),
                [b'&'] | [b'*'] | [b'+', b'+'] | [b'-', b'-'] | [b'&', b'&'] => {
                    return self.prefix(token, None);
                }
                _ => {}
            }
        }
        if token.is("(")
            && !self.directive
            && let Some((ty, after)) = type_id(self.tokens, self.at + 1, self.names, self.model)
            && self.tokens.get(after).is_some_and(|close| close.is(")"))
        {
            self.at = after + 1;
            return self.cast(token, ty);
        }
        self.no_function_type(token)?;
        let primary = self.primary(token)?;
        self.postfix(primary)
    }

    /// `(int(uint8_t(k))) + 1` is no sum: what looks like casts in the parentheses is a type, and an operand follows.
    fn no_function_type(&self, open: &Token) -> Result<(), Fault> {
        // Most parentheses begin with a name or a number.
        let named = self.tokens.get(self.at + 1).is_some_and(|next| next.kind == TokenKind::Ident);
        if !open.is("(") || self.directive || !named {
            return Ok(());
        }
        let Some(close) = closing(self.tokens, self.at) else { return Ok(()) };
        let operand = self.tokens.get(close + 1).is_some_and(begins_operand);
        if operand && is_function_type(&self.tokens[self.at + 1..close], self.names, self.model) {
            return Err(function_type(open.place));
        }
        Ok(())
    }

    fn prefix(&mut self, token: &Token, operator: Option<UnaryOp>) -> Result<Expr, Fault> {
        self.at += 1;
        let operand = self.nested(Self::unary)?;
        let place = token.place.to(operand.place);
        let kind = match operator {
            Some(operator) => ExprKind::Unary(operator, operand),
            None => ExprKind::Opaque("a pointer or a change"),
        };
        Ok(Expr::new(kind, place))
    }

    /// The operand of `(type)`.
    fn cast(&mut self, open: &Token, ty: Type) -> Result<Expr, Fault> {
        if self.is("{") {
            return self.opaque("a compound literal", open.place);
        }
        let operand = self.nested(Self::unary)?;
        let place = open.place.to(operand.place);
        Ok(Expr::new(ExprKind::Cast(ty, Some(operand), false), place))
    }

    /// What follows a primary expression is C++ the reader does not evaluate.
    fn postfix(&mut self, primary: Expr) -> Result<Expr, Fault> {
        let reason = match self.peek() {
            Some(token) if self.directive => match token.is("(") {
                true => return Err(Fault::at(ErrorKind::Directive, "expected an operator", token.place)),
                false => return Ok(primary),
            },
            Some(token) if binary_operator(token).is_some() => return Ok(primary),
            Some(token) if token.is("(") => "a call",
            Some(token) if token.is("[") => "an element of an array",
            Some(token) if token.is("{") => "a braced object",
            Some(token) if token.is(".") || token.is("->") => "a member",
            Some(token) if token.is("++") || token.is("--") => "a change",
            _ => return Ok(primary),
        };
        self.opaque(reason, primary.place)
    }

    /// Passes over the rest of a postfix expression.
    fn opaque(&mut self, reason: &'static str, from: Place) -> Result<Expr, Fault> {
        while let Some(token) = self.peek() {
            match &*token.text {
                "(" | "[" | "{" if token.kind == TokenKind::Punct => {
                    let close = closing(self.tokens, self.at).ok_or_else(|| {
                        Fault::at(ErrorKind::Syntax, "this bracket is never closed", token.place)
                    })?;
                    self.at = close + 1;
                }
                "." | "->" | "::" => self.at += 2,
                "++" | "--" => self.at += 1,
                _ => break,
            }
        }
        let place = from.to(self.last_place());
        Ok(Expr::new(ExprKind::Opaque(reason), place))
    }

    fn primary(&mut self, token: &'a Token) -> Result<Expr, Fault> {
        match token.kind {
            TokenKind::Number | TokenKind::Char => self.literal(token),
            TokenKind::Str => {
                while self.peek().is_some_and(|token| token.kind == TokenKind::Str) {
                    self.at += 1;
                }
                Ok(Expr::new(ExprKind::Opaque("a string"), token.place))
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

    fn parenthesized(&mut self, open: &Token) -> Result<Expr, Fault> {
        self.at += 1;
        let mut inside = match self.is("{") {
            true => self.opaque("a statement expression", open.place)?,
            false => self.nested(Self::comma)?,
        };
        self.expect(")")?;
        inside.place = open.place.to(self.last_place());
        Ok(inside)
    }

    fn literal(&mut self, token: &Token) -> Result<Expr, Fault> {
        self.at += 1;
        let value = match token.kind {
            TokenKind::Number => literal::number(&token.text, self.model),
            _ => literal::character(&token.text, self.model),
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
        Ok(Expr::new(kind, token.place))
    }

    fn word(&mut self, token: &'a Token) -> Result<Expr, Fault> {
        let place = token.place;
        let bool = |value| if self.directive { in_directive(Typed::bool(value)) } else { Typed::bool(value) };
        let value = match &*token.text {
            "true" => Some(bool(true)),
            "false" => Some(bool(false)),
            _ if self.directive => Some(Typed::int(Model::DIRECTIVE.int(), 0)),
            _ => None,
        };
        if let Some(value) = value {
            self.at += 1;
            return Ok(Expr::new(ExprKind::Literal(value), place));
        }
        match &*token.text {
            "sizeof" | "alignof" | "_Alignof" | "__alignof__" => self.size(token),
            "static_cast" => {
                self.at += 1;
                self.expect("<")?;
                let ty = self.type_before(">")?;
                self.expect("(")?;
                let operand = self.nested(Self::comma)?;
                self.expect(")")?;
                let place = place.to(self.last_place());
                Ok(Expr::new(ExprKind::Cast(ty, Some(operand), false), place))
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
    fn size(&mut self, token: &'a Token) -> Result<Expr, Fault> {
        self.at += 1;
        if self.is("...") {
            self.at += 1;
            return self.opaque("the size of a pack", token.place);
        }
        let align = &*token.text != "sizeof";
        let in_parentheses =
            self.is("(").then(|| type_id(self.tokens, self.at + 1, self.names, self.model)).flatten();
        let operand = match in_parentheses {
            Some((ty, after)) if self.tokens.get(after).is_some_and(|close| close.is(")")) => {
                self.at = after + 1;
                let place = token.place.to(self.last_place());
                // `sizeof(int) * 2` is a product: what follows the type is not its operand.
                return size_of(ty, align, self.model, place);
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
        let place = token.place.to(operand.place);
        let kind = if align { ExprKind::AlignOf } else { ExprKind::SizeOf };
        Ok(Expr::new(kind(operand), place))
    }

    /// `uint32_t(x)`, `Kind{x}`, or a name.
    fn functional_cast_or_name(&mut self, token: &'a Token) -> Result<Expr, Fault> {
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
        Ok(Expr::new(ExprKind::Cast(ty, operand, braces), place))
    }

    fn name(&mut self) -> Result<Expr, Fault> {
        let Some((name, after)) = qualified(self.tokens, self.at) else {
            let message = format!("expected a name, found `{}`", self.peek().map_or("", |token| &token.text));
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
                return Ok(Expr::new(ExprKind::Underlying(operand), place));
            }
            _ => {}
        }
        Ok(Expr::new(ExprKind::Name(name), place))
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
        let value = match &*member.text {
            "digits" => {
                let digits = if int.is_bool() { 1 } else { i128::from(int.bits) - i128::from(int.signed) };
                return Ok(Expr::new(ExprKind::Literal(Typed::int(self.model.int(), digits)), place));
            }
            "is_signed" => {
                return Ok(Expr::new(ExprKind::Literal(Typed::bool(int.signed)), place));
            }
            "max" => int.max(),
            "min" | "lowest" => int.min(),
            _ => return self.opaque("this member of `numeric_limits`", place),
        };
        self.expect("(")?;
        self.expect(")")?;
        let place = from.to(self.last_place());
        Ok(Expr::new(ExprKind::Literal(Typed::int(int, value)), place))
    }
}

/// Can an operand begin with this token?
fn begins_operand(token: &Token) -> bool {
    match token.kind {
        TokenKind::Punct => {
            matches!(&*token.text, "(" | "+" | "-" | "*" | "&" | "&&" | "!" | "~" | "++" | "--" | "::")
        }
        TokenKind::Other => false,
        _ => true,
    }
}

fn function_type(place: Place) -> Fault {
    let message = "C++ takes this for a type of functions, not for casts";
    Fault::at(ErrorKind::NotAConstant, message, place).help("write `static_cast<..>(..)`")
}

/// In `#if` every number is a `intmax_t` or `uintmax_t`.
fn in_directive(value: Typed) -> Typed {
    match value.ty {
        Type::Int(int) if int.bits == 64 => value,
        _ => Typed::int(Model::DIRECTIVE.int(), value.number),
    }
}

fn size_of(ty: Type, align: bool, model: Model, place: Place) -> Result<Expr, Fault> {
    let what = if align { "alignment" } else { "size" };
    match bytes(ty, model) {
        Some(bytes) => {
            let value = Typed::int(model.size(), i128::from(bytes));
            Ok(Expr::new(ExprKind::Literal(value), place))
        }
        None => {
            let message = format!("the {what} of {} is not known", ty.describe());
            Err(Fault::at(ErrorKind::NotAConstant, message, place))
        }
    }
}

/// The size of a type, which is its alignment too: the reader knows no classes.
pub(crate) fn bytes(ty: Type, model: Model) -> Option<u32> {
    match ty {
        Type::Int(int) => Some(int.bytes()),
        Type::Enum(of) => Some(of.underlying.bytes()),
        Type::Float(bytes) => Some(u32::from(bytes)),
        Type::Pointer => Some(u32::from(model.pointer) / 8),
        Type::Void | Type::Unknown => None,
    }
}

/// `left op right`, in the chain of `left` when it is one.
fn chain(mut left: Expr, operator: BinaryOp, at: Place, right: Expr) -> Expr {
    let place = left.place.to(right.place);
    if let ExprKind::Chain(_, rest) = &mut *left.kind {
        rest.push((operator, at, right));
        left.place = place;
        return left;
    }
    Expr::new(ExprKind::Chain(left, vec![(operator, at, right)]), place)
}

/// The index of the bracket that closes the one at `open`.
pub(crate) fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.kind != TokenKind::Punct {
            continue;
        }
        match &*token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
