//! The parser: from the loosest operator down to the operands, which `primary.rs` reads.

use super::operator::{LOOSEST, binary_operator};
use super::{BinaryOp, Expr, ExprKind, Tree, UnaryOp, closing};
use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::location::Place;
use crate::name::{Names, NoNames};
use crate::token::{Token, TokenKind};
use crate::typename::{is_function_type, type_id};
use crate::types::{Model, Type};

/// Parentheses, operators and casts within each other.
const MOST_NESTED: u32 = 128;
/// Tokens of one expression: far more than a header has, and read in a fraction of a second in a debug build too.
const MOST_TOKENS: usize = 1 << 16;

/// Reads expressions from a slice of tokens.
pub(crate) struct Parser<'a> {
    pub(super) tokens: &'a [Token<'a>],
    pub(crate) at: usize,
    pub(super) names: &'a dyn Names,
    pub(super) model: Model,
    /// The place for "an expression is missing" when there are no tokens.
    around: Place,
    depth: u32,
    pub(super) directive: bool,
    pub(crate) tree: Tree<'a>,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(
        tokens: &'a [Token<'a>],
        names: &'a dyn Names,
        model: Model,
        around: Place,
    ) -> Parser<'a> {
        Parser { tokens, at: 0, names, model, around, depth: 0, directive: false, tree: Tree::default() }
    }

    /// For `#if`: no types, and names are zero.
    pub(crate) fn directive(tokens: &'a [Token<'a>], around: Place) -> Parser<'a> {
        let mut parser = Parser::new(tokens, &NoNames, Model::DIRECTIVE, around);
        parser.directive = true;
        parser
    }

    /// One expression that takes all tokens, in the tree.
    pub(crate) fn whole(&mut self) -> Result<Expr, Fault> {
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

    fn unexpected(&self, token: &Token<'_>) -> Fault {
        let message = format!("expected an operator or the end of the expression, found `{}`", token.text);
        Fault::at(ErrorKind::Syntax, message, token.place)
    }

    pub(super) fn peek(&self) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at)
    }

    pub(super) fn is(&self, punct: &str) -> bool {
        self.peek().is_some_and(|token| token.is(punct))
    }

    /// The place of the next token, or of the last one.
    pub(super) fn place(&self) -> Place {
        self.peek().or(self.tokens.last()).map_or(self.around, |token| token.place)
    }

    pub(super) fn last_place(&self) -> Place {
        self.tokens.get(self.at.saturating_sub(1)).map_or(self.around, |token| token.place)
    }

    pub(super) fn expect(&mut self, punct: &str) -> Result<(), Fault> {
        if self.is(punct) {
            self.at += 1;
            return Ok(());
        }
        let found = self.peek().map_or("the end".to_owned(), |token| format!("`{}`", token.text));
        Err(Fault::at(ErrorKind::Syntax, format!("expected `{punct}`, found {found}"), self.place()))
    }

    pub(super) fn nested<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        if self.depth >= MOST_NESTED {
            return Err(Fault::at(ErrorKind::Limit, "the expression is nested too deep", self.place()));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// `a, b`: inside parentheses.
    pub(super) fn comma(&mut self) -> Result<Expr, Fault> {
        let mut first = self.assignment()?;
        while self.is(",") {
            let place = self.place();
            self.at += 1;
            let next = self.assignment()?;
            first = self.tree.chain(first, BinaryOp::Comma, place, next);
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
        let place = self.tree.place(condition).to(self.tree.place(no));
        Ok(self.tree.add(ExprKind::Conditional([condition, yes, no]), place))
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
            left = self.tree.chain(left, operator, token.place, right);
        }
        Ok(left)
    }

    pub(super) fn unary(&mut self) -> Result<Expr, Fault> {
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
    fn no_function_type(&self, open: &Token<'_>) -> Result<(), Fault> {
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

    fn prefix(&mut self, token: &Token<'_>, operator: Option<UnaryOp>) -> Result<Expr, Fault> {
        self.at += 1;
        let operand = self.nested(Self::unary)?;
        let place = token.place.to(self.tree.place(operand));
        let kind = match operator {
            Some(operator) => ExprKind::Unary(operator, operand),
            None => ExprKind::Opaque("a pointer or a change"),
        };
        Ok(self.tree.add(kind, place))
    }

    /// The operand of `(type)`.
    fn cast(&mut self, open: &Token<'_>, ty: Type) -> Result<Expr, Fault> {
        if self.is("{") {
            return self.opaque("a compound literal", open.place);
        }
        let operand = self.nested(Self::unary)?;
        let place = open.place.to(self.tree.place(operand));
        Ok(self.tree.add(ExprKind::Cast(ty, Some(operand), false), place))
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
        self.opaque(reason, self.tree.place(primary))
    }

    /// Passes over the rest of a postfix expression.
    pub(super) fn opaque(&mut self, reason: &'static str, from: Place) -> Result<Expr, Fault> {
        while let Some(token) = self.peek() {
            match token.text {
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
        Ok(self.tree.add(ExprKind::Opaque(reason), place))
    }
}

/// Can an operand begin with this token?
fn begins_operand(token: &Token<'_>) -> bool {
    match token.kind {
        TokenKind::Punct => {
            matches!(token.text, "(" | "+" | "-" | "*" | "&" | "&&" | "!" | "~" | "++" | "--" | "::")
        }
        TokenKind::Other => false,
        _ => true,
    }
}

pub(super) fn function_type(place: Place) -> Fault {
    let message = "C++ takes this for a type of functions, not for casts";
    Fault::at(ErrorKind::NotAConstant, message, place).help("write `static_cast<..>(..)`")
}
