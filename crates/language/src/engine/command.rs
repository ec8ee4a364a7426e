//! A command: `handler[cores](arguments) -> register after a, b exclusive queued`, the parts behind the arguments in any
//! order.

use komorebi_abi::engine::{Command, Facts, Group, HandlerRef, Place, Ref, Value};
use komorebi_abi::program::ArgKind;
use komorebi_headers::suggest::nearest;
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Expr, Token};

use super::declare::parse_count;
use super::group::parse_group;
use super::scope::Scope;
use super::value::token_value;
use crate::anchor::Anchor;
use crate::parts::split;

/// A command before its names are looked up.
pub(crate) struct CommandSyntax {
    pub(crate) handler: Ident,
    cores: Option<(TokenStream, Anchor)>,
    args: TokenStream,
    result: Option<Ident>,
    after: Vec<Ident>,
    exclusive: Option<Ident>,
    queued: Option<(Ident, Option<TokenStream>)>,
    /// Words that stand twice, or mean nothing; each with what helps.
    problems: Vec<(Anchor, String, String)>,
}

/// A command, and what stands where in it.
pub(crate) struct ParsedCommand {
    pub(crate) command: Command,
    pub(crate) after: Vec<(String, Anchor)>,
    /// Places of item 0.
    pub(crate) places: Vec<(Place, Anchor)>,
    /// Its cores could not be read: what it shares with others is not known.
    pub(crate) vague: bool,
}

const PARTS: &str =
    "after the arguments come `-> register`, `after node, ..`, `exclusive`, `queued` or `queued(8)`";

/// The words that begin the parts of a command, and the handlers that begin the next one.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    pub(crate) parts: &'a [&'static str],
    pub(crate) facts: &'a Facts,
}

/// Reads a command up to where it ends.
pub(crate) fn read_command(input: ParseStream<'_>, words: Words<'_>) -> syn::Result<CommandSyntax> {
    let handler: Ident = input.call(Ident::parse_any)?;
    let mut cores = None;
    if input.peek(syn::token::Bracket) {
        let content;
        let bracket = syn::bracketed!(content in input);
        let tokens: TokenStream = content.parse()?;
        cores = Some((tokens.clone(), Anchor::of_or(tokens, Anchor::at(bracket.span.join()))));
    }
    if !input.peek(syn::token::Paren) {
        return Err(input.error(format!("expected the arguments of `{handler}` in parentheses")));
    }
    let content;
    syn::parenthesized!(content in input);
    let args = content.parse()?;
    let mut syntax = CommandSyntax {
        handler,
        cores,
        args,
        result: None,
        after: Vec::new(),
        exclusive: None,
        queued: None,
        problems: Vec::new(),
    };
    while read_part(input, words, &mut syntax)? {}
    Ok(syntax)
}

fn read_part(input: ParseStream<'_>, words: Words<'_>, syntax: &mut CommandSyntax) -> syn::Result<bool> {
    if input.peek(Token![->]) {
        input.parse::<Token![->]>()?;
        let register = input.call(Ident::parse_any)?;
        if syntax.result.replace(register.clone()).is_some() {
            syntax.twice(&register, "a second register for the result");
        }
        return Ok(true);
    }
    if !input.peek(syn::Ident) {
        return Ok(false);
    }
    let word = input.fork().call(Ident::parse_any)?;
    let known = match meant(input, &word, words) {
        Some(near) => {
            let text = format!("`{word}` means nothing here");
            syntax.problems.push((Anchor::at(word.span()), text, format!("did you mean `{near}`?")));
            near.to_owned()
        }
        None => word.to_string(),
    };
    match known.as_str() {
        "after" => {
            input.call(Ident::parse_any)?;
            if !syntax.after.is_empty() {
                syntax.twice(&word, "a second `after`");
            }
            read_after(input, syntax)?;
        }
        "exclusive" => {
            input.call(Ident::parse_any)?;
            if syntax.exclusive.replace(word.clone()).is_some() {
                syntax.twice(&word, "`exclusive` twice");
            }
        }
        "queued" => {
            input.call(Ident::parse_any)?;
            let mut count = None;
            if input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in input);
                count = Some(content.parse()?);
            }
            if syntax.queued.replace((word.clone(), count)).is_some() {
                syntax.twice(&word, "`queued` twice");
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Which of `words` a word that is none of them was to be: what follows it is read as if it were, so that one slip does not
/// hide the next.
fn meant(input: ParseStream<'_>, word: &Ident, words: Words<'_>) -> Option<&'static str> {
    let written = word.to_string();
    if words.parts.contains(&written.as_str()) || words.facts.handler(&word.unraw().to_string()).is_some() {
        return None;
    }
    let near = nearest(&written, words.parts.iter().copied())?;
    // Else it is the handler of the next statement, behind a semicolon that is missing.
    let fits = match near {
        "after" => input.peek2(syn::Ident),
        _ => !input.peek2(syn::token::Bracket),
    };
    fits.then_some(near)
}

/// The names of an `after`.
pub(crate) fn read_names(input: ParseStream<'_>) -> syn::Result<Vec<Ident>> {
    read_list(input, |_, _| false)
}

/// Names with commas between them; `ends` is told each comma, and the word behind it that is a name unless that ends the list.
fn read_list(
    input: ParseStream<'_>,
    mut ends: impl FnMut(Token![,], &Ident) -> bool,
) -> syn::Result<Vec<Ident>> {
    let mut names = vec![input.call(Ident::parse_any)?];
    while let Some(comma) = input.parse::<Option<Token![,]>>()? {
        if !input.peek(Ident::peek_any) || ends(comma, &input.fork().call(Ident::parse_any)?) {
            break;
        }
        names.push(input.call(Ident::parse_any)?);
    }
    Ok(names)
}

/// The names of an `after`; of `after a, exclusive` it takes the comma for one too many.
fn read_after(input: ParseStream<'_>, syntax: &mut CommandSyntax) -> syn::Result<()> {
    let CommandSyntax { after, problems, .. } = syntax;
    after.extend(read_list(input, |comma, word| {
        let part = word == "exclusive" || word == "queued";
        if part {
            let text = format!("no comma stands in front of `{word}`");
            problems.push((Anchor::of(comma), text, "remove it".to_owned()));
        }
        part
    })?);
    Ok(())
}

impl CommandSyntax {
    fn twice(&mut self, word: &Ident, what: &str) {
        let text = format!("{what} of `{}`", self.handler);
        self.problems.push((Anchor::at(word.span()), text, PARTS.to_owned()));
    }
}

/// Turns the syntax into a command. `value` reads an argument, given its position.
pub(crate) fn resolve_syntax<'a>(
    syntax: &CommandSyntax,
    enqueue: bool,
    scope: &mut Scope<'a>,
    value: &mut dyn FnMut(usize, &Expr, &mut Scope<'a>) -> Value,
) -> ParsedCommand {
    let item = 0;
    let mut places = Vec::new();
    let moving = scope.noun == "stream";
    let CommandSyntax { handler, cores, args, result, after, exclusive, queued, problems } = syntax;
    for (anchor, text, help) in problems {
        scope.syntax(*anchor, text.clone(), help);
    }
    let name = handler.unraw().to_string();
    let anchor = Anchor::at(handler.span());
    places.push((Place::Handler(item), anchor));
    let number = name == "nop" && scope.program.facts.handler(&name).is_none();
    let shown = name.clone();
    let handler = if number { HandlerRef::Number(0) } else { HandlerRef::Named(name) };
    let mut args = split(args.clone());

    let misplaced = if cores.is_none() { take_range(&mut args, &shown, scope) } else { None };
    let cores = cores.as_ref().or(misplaced.as_ref());
    places.push((Place::Group(item), cores.map_or(anchor, |cores| cores.1)));
    // After an error a group that breaks no rule.
    let given = cores.is_some();
    let mut vague = false;
    let mut group = match cores {
        Some((tokens, anchor)) => parse_group(tokens.clone(), *anchor, moving, scope).unwrap_or_else(|| {
            vague = true;
            Group::Core(0)
        }),
        None => Group::Whole,
    };
    let mut is_queued = enqueue;
    places.push((Place::Queued(item), anchor));
    if let Some((word, count)) = queued {
        is_queued = true;
        let anchor = Anchor::at(word.span());
        places.push((Place::Queued(item), anchor));
        if let Some(count) = count {
            let at = Anchor::of_or(count.clone(), anchor);
            if given {
                let text = "the cores of a queued command are given twice: in brackets, and in `queued(..)`"
                    .to_owned();
                scope.syntax(at, text, "keep one: the dispatcher chooses as many cores as either says");
            }
            let cores = parse_count(count.clone(), at, "the number of cores of a queued command", scope);
            places.push((Place::Group(item), at));
            group = cores.map_or(Group::Core(0), Group::Count);
        }
    }
    let kinds: Vec<ArgKind> = match &handler {
        HandlerRef::Named(name) => {
            let known = scope.program.facts.handler(name);
            known.map(|known| known.args.iter().map(|arg| arg.kind).collect()).unwrap_or_default()
        }
        HandlerRef::Number(_) => Vec::new(),
    };
    let args = args
        .into_iter()
        .enumerate()
        .map(|(i, tokens)| {
            scope.wanted = kinds.get(i).copied();
            let anchor = Anchor::of(tokens.clone());
            places.push((Place::Arg(item, i as u32), anchor));
            // Most are one token, which needs no parser.
            if let Some(value) = token_value(&tokens, anchor, scope) {
                return value;
            }
            match syn::parse2::<Expr>(tokens) {
                Ok(expr) => value(i, &expr, scope),
                Err(error) => {
                    let text = format!("cannot read this argument: {error}");
                    let help = "an argument is a number, a pair as in `[1, 2]`, or a name; commas stand between them";
                    scope.syntax(Anchor::of_error(&error, anchor), text, help);
                    Value::Word(0)
                }
            }
        })
        .collect();
    scope.wanted = None;
    let result = result.as_ref().and_then(|register| {
        let anchor = Anchor::at(register.span());
        places.push((Place::Result(item), anchor));
        scope.target(&register.unraw().to_string(), anchor).map(Ref::Id)
    });
    if let Some(word) = &exclusive {
        places.push((Place::Exclusive(item), Anchor::at(word.span())));
    }
    let after = after.iter().map(|name| (name.unraw().to_string(), Anchor::at(name.span()))).collect();
    let command = Command { handler, group, args, exclusive: exclusive.is_some(), queued: is_queued, result };
    ParsedCommand { command, after, places, vague }
}

/// The cores of `handler(0..60, ..)`, told and taken out of the arguments.
fn take_range(
    args: &mut Vec<TokenStream>,
    handler: &str,
    scope: &mut Scope<'_>,
) -> Option<(TokenStream, Anchor)> {
    let first = args.first()?;
    if !matches!(syn::parse2::<Expr>(first.clone()), Ok(Expr::Range(_))) {
        return None;
    }
    let tokens = args.remove(0);
    let anchor = Anchor::of(tokens.clone());
    let range = tokens.to_string().replace(' ', "");
    let help = format!("write them in brackets in front of the arguments: `{handler}[{range}](..)`");
    scope.syntax(anchor, "a range of cores is no argument".to_owned(), &help);
    Some((tokens, anchor))
}

/// Says what stands behind a statement that was read: `words` are what it could have gone on with.
pub(crate) fn unexpected(rest: &TokenStream, words: &[&str], scope: &mut Scope<'_>) {
    let first: TokenStream = rest.clone().into_iter().take(1).collect();
    if let Some(TokenTree::Group(group)) = first.clone().into_iter().next()
        && group.delimiter() != Delimiter::Brace
    {
        let help =
            "the cores of a command stand in brackets in front of its arguments, as in `handler[0..60](..)`";
        scope.syntax(Anchor::of(first), "a command ends with its arguments".to_owned(), help);
        scope.gaps = true;
        return;
    }
    let list: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    let help = format!(
        "end the statement before it; after a command's arguments come `-> register`, {}",
        list.join(", ")
    );
    scope.syntax(Anchor::of(first.clone()), format!("expected `;` before `{first}`"), &help);
    scope.gaps = true;
}
