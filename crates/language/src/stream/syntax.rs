//! The steps of a stream as they are written.

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Token};

use super::foreign::{register_for, repair};
use crate::anchor::Anchor;
use crate::engine::command::{CommandSyntax, Words, read_command, read_names, unexpected};
use crate::engine::declare::{first_word, parse_names};
use crate::engine::scope::Scope;
use crate::engine::statement::{next_statements, split_statements};

/// A step with where it stands.
pub(super) struct Step {
    pub(super) body: Body,
    /// Its first word.
    pub(super) anchor: Anchor,
}

/// What a step is.
pub(super) enum Body {
    /// `reg name: type = value`, its name already in the scope of what follows.
    Declare(Vec<crate::engine::declare::Named>),
    Expression(Expr),
    Submit {
        name: Option<Ident>,
        syntax: Box<CommandSyntax>,
        enqueue: bool,
    },
    /// Names; `all` among them is every command.
    Wait(Vec<Ident>),
    Event(Expr),
    Halt(Expr),
    If {
        condition: Expr,
        then: Vec<Step>,
        otherwise: Option<Vec<Step>>,
    },
    While {
        condition: Expr,
        body: Vec<Step>,
    },
    Loop(Vec<Step>),
    Break,
    Continue,
}

/// A statement with its inner blocks still as tokens.
enum Raw {
    Expression(Expr),
    Submit(Option<Ident>, Box<CommandSyntax>, bool),
    Wait(Vec<Ident>),
    Event(Expr),
    Halt(Expr),
    If(Vec<(Expr, TokenStream)>, Option<TokenStream>),
    While(Expr, TokenStream),
    Loop(TokenStream),
    Break,
    Continue,
}

/// Words that begin a part of a command.
const PARTS: [&str; 2] = ["exclusive", "queued"];

/// What a `let` is for.
const LET: &str = "`let` names a command";

const FORMS: &str = "steps are `let job = submit handler[0..8](..);`, `enqueue ..`, `wait(job);`, `wait(all);`, `event(x);`, `x = ..;`, `if`, `while`, `loop`, `break;`, `continue;` and `halt(x);`";

/// The steps of statements. One that cannot be read is reported, and does not hide the others. How deep blocks stand inside
/// each other is limited before ([`nesting`](crate::engine::nesting)).
pub(super) fn parse_block(statements: Vec<TokenStream>, scope: &mut Scope<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    for statement in statements {
        parse_step(statement, scope, &mut steps);
    }
    steps
}

fn parse_step(tokens: TokenStream, scope: &mut Scope<'_>, steps: &mut Vec<Step>) {
    let whole = Anchor::of(tokens.clone());
    let anchor = Anchor::of(tokens.clone().into_iter().take(1).collect::<TokenStream>());
    match first_word(&tokens).as_str() {
        "reg" => {
            steps.push(Step { body: Body::Declare(parse_names(tokens, "reg", scope)), anchor });
            return;
        }
        word @ ("bind" | "group" | "const") => {
            let text = format!("`{word}` stands inside a block");
            scope.syntax(anchor, text, "declare it in the stream itself, outside of every block");
            scope.gaps = true;
            return;
        }
        _ => {}
    }
    let Some(tokens) = repair(tokens, scope) else {
        scope.gaps = true;
        return;
    };
    let name = crate::graph::name_in(&tokens);
    let words = Words { parts: &PARTS, facts: &scope.program.facts };
    let read = |input: ParseStream<'_>| read_step(input, words);
    let rest = match read.parse2(tokens.clone()) {
        Ok((raw, rest)) => {
            let body = resolve(raw, scope);
            steps.push(Step { body, anchor });
            if !rest.is_empty() {
                unexpected(&rest, &PARTS, scope);
            }
            rest
        }
        Err(error) => {
            let help = match &name {
                Some(name) if error.to_string().starts_with(LET) => register_for(name, &tokens),
                _ => FORMS.to_owned(),
            };
            let text = format!("cannot read this step: {error}");
            scope.syntax(Anchor::of_error(&error, whole), text, &help);
            scope.gaps = true;
            if let Some(name) = name {
                scope.mark_broken(&name);
            }
            tokens.into_iter().skip(1).collect()
        }
    };
    let words = ["let", "reg", "submit", "enqueue", "wait", "event", "halt", "if", "while", "loop"];
    for statement in next_statements(rest, &words) {
        parse_step(statement, scope, steps);
    }
}

fn resolve(raw: Raw, scope: &mut Scope<'_>) -> Body {
    let mut block = |tokens: TokenStream| parse_block(split_statements(tokens), scope);
    match raw {
        Raw::Expression(expr) => Body::Expression(expr),
        Raw::Submit(name, syntax, enqueue) => Body::Submit { name, syntax, enqueue },
        Raw::Wait(names) => Body::Wait(names),
        Raw::Event(value) => Body::Event(value),
        Raw::Halt(value) => Body::Halt(value),
        Raw::While(condition, body) => Body::While { condition, body: block(body) },
        Raw::Loop(body) => Body::Loop(block(body)),
        Raw::Break => Body::Break,
        Raw::Continue => Body::Continue,
        Raw::If(arms, last) => {
            let arms: Vec<(Expr, Vec<Step>)> =
                arms.into_iter().map(|(condition, then)| (condition, block(then))).collect();
            let mut otherwise = last.map(block);
            // `else if` is an `if` in the `else`.
            let mut arms = arms.into_iter().rev().peekable();
            while let Some((condition, then)) = arms.next() {
                let anchor = Anchor::of(&condition);
                let body = Body::If { condition, then, otherwise: otherwise.take() };
                if arms.peek().is_none() {
                    return body;
                }
                otherwise = Some(vec![Step { body, anchor }]);
            }
            Body::Continue
        }
    }
}

fn read_step(input: ParseStream<'_>, words: Words<'_>) -> syn::Result<(Raw, TokenStream)> {
    let raw = read_raw(input, words)?;
    Ok((raw, input.parse()?))
}

fn read_raw(input: ParseStream<'_>, words: Words<'_>) -> syn::Result<Raw> {
    if input.peek(Token![let]) {
        input.parse::<Token![let]>()?;
        let name: Ident = input.parse()?;
        input.parse::<Token![=]>()?;
        let text = format!("{LET}: expected `submit` or `enqueue` after `let {name} =`");
        if !input.peek(syn::Ident) {
            return Err(input.error(text));
        }
        let word = input.call(Ident::parse_any)?;
        if word != "submit" && word != "enqueue" {
            return Err(syn::Error::new(word.span(), text));
        }
        return Ok(Raw::Submit(Some(name), Box::new(read_command(input, words)?), word == "enqueue"));
    }
    let word = if input.peek(syn::Ident)
        || input.peek(Token![if])
        || input.peek(Token![while])
        || input.peek(Token![loop])
        || input.peek(Token![break])
        || input.peek(Token![continue])
    {
        input.fork().call(Ident::parse_any)?.to_string()
    } else {
        String::new()
    };
    let call = input.peek2(syn::token::Paren);
    match word.as_str() {
        "submit" | "enqueue" if !call => {
            input.call(Ident::parse_any)?;
            Ok(Raw::Submit(None, Box::new(read_command(input, words)?), word == "enqueue"))
        }
        "wait" if call => read_call(input, |input| {
            if input.is_empty() {
                return Err(input.error("expected what is waited for: a command's name, or `all`"));
            }
            read_names(input).map(Raw::Wait)
        }),
        "event" if call => read_call(input, |input| input.parse().map(Raw::Event)),
        "halt" if call => read_call(input, |input| input.parse().map(Raw::Halt)),
        "if" => read_if(input),
        "while" => {
            input.call(Ident::parse_any)?;
            let condition = input.call(Expr::parse_without_eager_brace)?;
            Ok(Raw::While(condition, read_block(input)?))
        }
        "loop" => {
            input.call(Ident::parse_any)?;
            Ok(Raw::Loop(read_block(input)?))
        }
        "break" => input.call(Ident::parse_any).map(|_| Raw::Break),
        "continue" => input.call(Ident::parse_any).map(|_| Raw::Continue),
        _ => input.parse().map(Raw::Expression),
    }
}

fn read_if(input: ParseStream<'_>) -> syn::Result<Raw> {
    let mut arms = Vec::new();
    loop {
        input.parse::<Token![if]>()?;
        let condition = input.call(Expr::parse_without_eager_brace)?;
        arms.push((condition, read_block(input)?));
        if input.parse::<Option<Token![else]>>()?.is_none() {
            return Ok(Raw::If(arms, None));
        }
        if !input.peek(Token![if]) {
            return Ok(Raw::If(arms, Some(read_block(input)?)));
        }
    }
}

fn read_block(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let content;
    syn::braced!(content in input);
    content.parse()
}

/// `word(..)`.
fn read_call(
    input: ParseStream<'_>,
    read: impl FnOnce(ParseStream<'_>) -> syn::Result<Raw>,
) -> syn::Result<Raw> {
    input.call(Ident::parse_any)?;
    let content;
    syn::parenthesized!(content in input);
    let raw = read(&content)?;
    if content.is_empty() { Ok(raw) } else { Err(content.error("expected `)`")) }
}
