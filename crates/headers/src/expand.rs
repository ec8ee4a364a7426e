//! Macros and their expansion: object-like and function-like, `#`, `##`, `__VA_ARGS__`.
//!
//! Each token carries the macros it came from and does not expand them again, so expansion ends; a budget of steps bounds how
//! much it can grow before that.

use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::lexer::lex_pasted;
use crate::location::{Place, Span};
use crate::text::{Table, Text};
use crate::token::{Hidden, Token, TokenKind};
use std::rc::Rc;

/// Steps of expansion for a whole header.
const MOST_STEPS: usize = 4_000_000;
/// Macros within macros.
const MOST_NESTED: u32 = 200;
/// Arguments within arguments.
const MOST_ARGUMENTS: u32 = 64;
/// Bytes of one pasted token or stringized argument.
const LONGEST_TOKEN: usize = 1 << 16;

/// One `#define`.
#[derive(Debug)]
pub(crate) struct Macro {
    pub(crate) name: Text,
    /// `None` for an object-like macro.
    pub(crate) params: Option<Params>,
    pub(crate) body: Vec<Token>,
    pub(crate) name_at: Span,
    /// From the name to the end of the body.
    pub(crate) at: Span,
    /// How many tokens of the output came before.
    pub(crate) order: usize,
    pub(crate) builtin: bool,
    /// An earlier definition with another body that no `#undef` removed.
    pub(crate) conflict: Option<Span>,
}

/// The parameters of a function-like macro.
#[derive(Debug, PartialEq)]
pub(crate) struct Params {
    names: Vec<Text>,
    variadic: bool,
}

impl Params {
    /// Reads what stands between the parentheses.
    pub(crate) fn parse(tokens: &[Token]) -> Result<Params, Fault> {
        let mut params = Params { names: Vec::new(), variadic: false };
        for (at, part) in tokens.split(|token| token.is(",")).enumerate() {
            match part {
                [] if at == 0 && tokens.is_empty() => {}
                [name] if name.kind == TokenKind::Ident && !params.variadic => {
                    params.names.push(name.text.clone())
                }
                [dots] if dots.is("...") && !params.variadic => {
                    params.names.push("__VA_ARGS__".into());
                    params.variadic = true;
                }
                [name, dots] if name.kind == TokenKind::Ident && dots.is("...") && !params.variadic => {
                    params.names.push(name.text.clone());
                    params.variadic = true;
                }
                _ => {
                    let place = part.first().or(tokens.first()).map(|token| token.place);
                    let message = "expected the names of the parameters";
                    return Err(match place {
                        Some(place) => Fault::at(ErrorKind::Directive, message, place),
                        None => Fault::new(ErrorKind::Directive, message, Span { file: 0, start: 0, end: 0 }),
                    });
                }
            }
        }
        Ok(params)
    }
}

/// The macros defined at some point of the text.
#[derive(Debug, Default)]
pub(crate) struct Macros {
    table: Table<Rc<Macro>>,
    steps: usize,
    /// Steps this expansion may take, when it is bounded apart.
    limit: Option<usize>,
}

impl Macros {
    pub(crate) fn is_defined(&self, name: &str) -> bool {
        self.table.contains_key(name) || matches!(name, "__has_include" | "__has_cpp_attribute")
    }

    /// Is the token a macro's name?
    pub(crate) fn names(&self, token: &Token) -> bool {
        token.kind == TokenKind::Ident && self.table.contains_key(&token.text)
    }

    pub(crate) fn define(&mut self, mut new: Macro) {
        if let Some(old) = self.table.get(&new.name) {
            let same = old.params == new.params
                && old.body.len() == new.body.len()
                && old.body.iter().zip(&new.body).all(|(a, b)| a.text == b.text && a.kind == b.kind);
            new.conflict = if same { old.conflict } else { Some(old.name_at) };
            if same {
                new.order = old.order;
                (new.name_at, new.at) = (old.name_at, old.at);
            }
        }
        self.table.insert(new.name.clone(), Rc::new(new));
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.table.remove(name);
    }

    /// All macros, by the order of their definition.
    pub(crate) fn in_order(&self) -> Vec<Rc<Macro>> {
        let mut all: Vec<Rc<Macro>> = self.table.values().cloned().collect();
        all.sort_by_key(|of| (of.order, of.name_at.file, of.name_at.start));
        all
    }

    /// Expands one macro's name with a budget of its own.
    pub(crate) fn expand_alone(&mut self, token: Token, steps: usize) -> Result<Vec<Token>, Fault> {
        self.limit = Some((self.steps + steps).min(MOST_STEPS));
        let expanded = self.expand(vec![token]);
        self.limit = None;
        expanded
    }

    /// Expands all macros in a run of tokens.
    pub(crate) fn expand(&mut self, tokens: Vec<Token>) -> Result<Vec<Token>, Fault> {
        self.expand_nested(tokens, 0)
    }

    fn step(&mut self, cost: usize, place: Place) -> Result<(), Fault> {
        self.steps += cost;
        if self.steps > self.limit.unwrap_or(MOST_STEPS) {
            return Err(Fault::at(ErrorKind::Limit, "the macros here expand to too much text", place));
        }
        Ok(())
    }

    fn expand_nested(&mut self, mut work: Vec<Token>, depth: u32) -> Result<Vec<Token>, Fault> {
        // The next token is the last of `work`.
        work.reverse();
        let mut out = Vec::with_capacity(work.len());
        while let Some(token) = work.pop() {
            self.step(1 + token.hidden.depth() as usize, token.place)?;
            let of = if token.kind == TokenKind::Ident { self.table.get(&token.text) } else { None };
            let of = match of.filter(|_| !token.hidden.contains(&token.text)) {
                Some(of) => of.clone(),
                None => {
                    out.push(token);
                    continue;
                }
            };
            if token.hidden.depth() >= MOST_NESTED || depth > MOST_ARGUMENTS {
                return Err(Fault::at(ErrorKind::Limit, "macros are nested too deep", token.place));
            }
            let (body, hidden) = match &of.params {
                None => (self.substitute(&of, &[], depth)?, token.hidden.clone()),
                Some(params) => {
                    let taken = take_arguments(&mut work);
                    self.step(taken.as_ref().map_or(work.len() / 8, |(_, close)| close.cost), token.place)?;
                    let Some((arguments, close)) = taken else {
                        // The name of a function-like macro without a call stays as it is.
                        out.push(token);
                        continue;
                    };
                    let arguments = fit_arguments(arguments, params, &token)?;
                    let hidden = token.hidden.intersection(&close.token.hidden);
                    (self.substitute(&of, &arguments, depth)?, hidden)
                }
            };
            let hidden = hidden.with(&of.name);
            let used = token.place.used.unwrap_or(token.place.at);
            for (at, mut new) in body.into_iter().enumerate().rev() {
                self.step(1 + (new.hidden.depth() * hidden.depth()) as usize, token.place)?;
                new.hidden = new.hidden.union(&hidden);
                new.place.used.get_or_insert(used);
                if at == 0 {
                    (new.space, new.line_start) = (token.space, token.line_start);
                }
                work.push(new);
            }
        }
        Ok(out)
    }

    /// The body with its parameters replaced, `#` and `##` done.
    fn substitute(&mut self, of: &Macro, arguments: &[Vec<Token>], depth: u32) -> Result<Vec<Token>, Fault> {
        let index = |token: &Token| {
            let params = of.params.as_ref().filter(|_| token.kind == TokenKind::Ident)?;
            params.names.iter().position(|name| *name == token.text)
        };
        let mut out: Vec<Token> = Vec::with_capacity(of.body.len());
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; arguments.len()];
        // The last argument was empty and stands left of `##`.
        let mut left_empty = false;
        let mut at = 0;
        while let Some(token) = of.body.get(at) {
            let next = of.body.get(at + 1);
            if token.is("##") && at > 0 && next.is_some() {
                at += 1;
                let Some(right) = of.body.get(at) else { break };
                let right = match index(right) {
                    Some(index) => arguments[index].clone(),
                    None => vec![right.clone()],
                };
                at += 1;
                self.step(right.len(), token.place)?;
                let mut right = right.into_iter();
                let was_empty = std::mem::replace(&mut left_empty, false);
                match (if was_empty { None } else { out.pop() }, right.next()) {
                    (Some(left), Some(first)) => out.extend(paste(&left, &first)?),
                    (Some(left), None) => out.push(left),
                    (None, Some(first)) => out.push(first),
                    (None, None) => left_empty = true,
                }
                out.extend(right);
                continue;
            }
            if token.is("#")
                && of.params.is_some()
                && let Some(index) = next.and_then(index)
            {
                out.push(stringize(&arguments[index], token)?);
                left_empty = false;
                at += 2;
                continue;
            }
            at += 1;
            let Some(index) = index(token) else {
                out.push(token.clone());
                left_empty = false;
                continue;
            };
            if next.is_some_and(|next| next.is("##")) {
                left_empty = arguments[index].is_empty();
                self.step(arguments[index].len(), token.place)?;
                out.extend_from_slice(&arguments[index]);
                continue;
            }
            left_empty = false;
            if expanded[index].is_none() {
                expanded[index] = Some(self.expand_nested(arguments[index].clone(), depth + 1)?);
            }
            let argument = expanded[index].as_deref().unwrap_or_default();
            let start = out.len();
            out.extend_from_slice(argument);
            self.step(out.len() - start, token.place)?;
            if let Some(first) = out.get_mut(start) {
                first.space = token.space;
            }
        }
        Ok(out)
    }
}

/// Takes `( a, b )` from the tokens to come; `None` (and nothing taken) when they do not begin with a whole call.
fn take_arguments(work: &mut Vec<Token>) -> Option<(Vec<Vec<Token>>, Close)> {
    if !work.last()?.is("(") {
        return None;
    }
    let mut depth = 0_usize;
    let close = work.iter().rev().position(|token| {
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth -= 1;
        }
        depth == 0
    })?;
    let mut call = work.split_off(work.len() - 1 - close);
    call.reverse();
    let cost = call.len();
    let close = Close { token: call.pop()?, cost };
    let mut arguments = vec![Vec::new()];
    for token in call.into_iter().skip(1) {
        match () {
            () if token.is("(") => depth += 1,
            () if token.is(")") => depth -= 1,
            () => {}
        }
        if token.is(",") && depth == 0 {
            arguments.push(Vec::new());
        } else if let Some(last) = arguments.last_mut() {
            last.push(token);
        }
    }
    Some((arguments, close))
}

/// The closing parenthesis of a call, and how many tokens the call has.
struct Close {
    token: Token,
    cost: usize,
}

/// As many arguments as parameters: the surplus goes to `...`.
fn fit_arguments(
    mut arguments: Vec<Vec<Token>>,
    params: &Params,
    name: &Token,
) -> Result<Vec<Vec<Token>>, Fault> {
    let wanted = params.names.len();
    if wanted == 0 && arguments.len() == 1 && arguments[0].is_empty() {
        return Ok(Vec::new());
    }
    if params.variadic {
        if arguments.len() + 1 == wanted {
            arguments.push(Vec::new());
        }
        while arguments.len() > wanted {
            let last = arguments.split_off(wanted);
            for more in last {
                let place = more.first().map_or(name.place, |token| token.place);
                let comma = Token { place, ..Token::new(TokenKind::Punct, ",", name.place.at) };
                arguments[wanted - 1].push(comma);
                arguments[wanted - 1].extend(more);
            }
        }
    }
    if arguments.len() != wanted {
        let message =
            format!("the macro `{}` takes {wanted} arguments, {} are given", name.text, arguments.len());
        return Err(Fault::at(ErrorKind::Syntax, message, name.place));
    }
    Ok(arguments)
}

/// `left ## right`.
fn paste(left: &Token, right: &Token) -> Result<Vec<Token>, Fault> {
    let text = format!("{}{}", left.text, right.text);
    if text.len() > LONGEST_TOKEN {
        return Err(Fault::at(ErrorKind::Limit, "the pasted token is too long", left.place));
    }
    let hidden = left.hidden.intersection(&right.hidden);
    let mut tokens = lex_pasted(&text, left.place);
    for token in &mut tokens {
        token.hidden = hidden.clone();
    }
    if let Some(first) = tokens.first_mut() {
        first.space = left.space;
    }
    Ok(tokens)
}

/// `#argument`.
fn stringize(argument: &[Token], hash: &Token) -> Result<Token, Fault> {
    let mut text = String::from("\"");
    for (at, token) in argument.iter().enumerate() {
        if token.space && at > 0 {
            text.push(' ');
        }
        for c in token.text.chars() {
            if matches!(c, '"' | '\\') {
                text.push('\\');
            }
            text.push(c);
        }
        if text.len() > LONGEST_TOKEN {
            return Err(Fault::at(ErrorKind::Limit, "the stringized argument is too long", hash.place));
        }
    }
    text.push('"');
    let hidden = Hidden::default();
    Ok(Token {
        place: hash.place,
        space: hash.space,
        hidden,
        ..Token::new(TokenKind::Str, &text, hash.place.at)
    })
}
