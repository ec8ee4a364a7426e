//! The body of a graph: declarations first, wherever they stand, then nodes.

use komorebi_abi::engine::{Command, HandlerRef, Place, Ref, Value, kind_name};
use komorebi_abi::graph::{GraphModel, GraphNode, NodeBody};
use komorebi_abi::program::{ArgKind, ResultKind};
use komorebi_headers::suggest::nearest;
use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Token};

use super::cpu::parse_cpu;
use super::slips;
use crate::anchor::Anchor;
use crate::engine::Syntax;
use crate::engine::command::{CommandSyntax, Words, read_command, read_names, resolve_syntax, unexpected};
use crate::engine::declare::{first_word, parse_declaration};
use crate::engine::expression::Lower;
use crate::engine::head::Head;
use crate::engine::options::parse_options;
use crate::engine::scope::Scope;
use crate::engine::statement::{next_statements, split_statements};
use crate::engine::value::plain_value;
use crate::errors::Message;

/// A graph while it is read.
pub(crate) struct Graph<'s, 'a> {
    pub(crate) scope: &'s mut Scope<'a>,
    pub(crate) model: GraphModel,
    pub(crate) lower: Lower,
    /// Where `end(..)` stands.
    end: Option<Anchor>,
}

/// Words that begin a part of a command.
const PARTS: [&str; 3] = ["after", "exclusive", "queued"];

/// What a statement is.
enum Statement {
    Command(Option<Ident>, Box<CommandSyntax>),
    Cpu(Option<Ident>, Vec<Ident>, TokenStream, Anchor),
    End(TokenStream, Anchor),
}

/// The model of a graph.
pub(crate) fn parse_graph(head: &Head, scope: &mut Scope<'_>) -> GraphModel {
    let options = parse_options(head.options.clone(), &["deadline", "max_runs", "req", "keep"], scope);
    let mut rest = Vec::new();
    let statements = split_statements(head.body.clone());
    // Constants first: declarations use them.
    scope.places.reserve(statements.len());
    let words = statements.into_iter().map(|statement| (first_word(&statement), statement));
    let (constants, others): (Vec<_>, Vec<_>) = words.partition(|(word, _)| word == "const");
    for (word, statement) in constants.into_iter().chain(others) {
        if let Err(statement) = parse_declaration(&word, statement, scope) {
            rest.push(statement);
        }
    }
    let model = GraphModel {
        name: Some(head.plain_name()),
        deadline_us: options.deadline_us,
        max_runs: options.max_runs,
        req: options.req,
        keep: options.keep,
        ..GraphModel::default()
    };
    let mut graph = Graph { scope, model, lower: Lower::default(), end: None };
    rest.into_iter().for_each(|statement| graph.statement(statement));
    let Graph { mut model, scope, .. } = graph;
    scope.report_unknown();
    model.variables.clone_from(&scope.variables);
    model.groups.clone_from(&scope.groups);
    model
}

impl Graph<'_, '_> {
    /// Reads a statement, and what follows it where a semicolon is missing.
    fn statement(&mut self, tokens: TokenStream) {
        let Some(tokens) = slips::meant(tokens, self.scope) else { return };
        let words = Words { parts: &PARTS, facts: &self.scope.program.facts };
        let read = |input: ParseStream<'_>| read_statement(input, words);
        let rest = match read.parse2(tokens.clone()) {
            Ok((statement, rest)) => {
                self.node(statement);
                if !rest.is_empty() {
                    unexpected(&rest, &PARTS, self.scope);
                }
                rest
            }
            Err(error) => {
                let text = format!("cannot read this statement: {error}");
                let help = "statements are `bind`, `reg`, `const`, `group`, `let node = handler[0..60](..);`, `handler[0..60](..);`, `cpu { .. }` and `end(..);`";
                let whole = Anchor::of(tokens.clone());
                self.scope.syntax(Anchor::of_error(&error, whole), text, help);
                self.scope.gaps = true;
                if let Some(name) = name_in(&tokens) {
                    self.scope.mark_broken(&name);
                }
                tokens.into_iter().skip(1).collect()
            }
        };
        next_statements(rest, &["let", "cpu", "end"])
            .into_iter()
            .for_each(|statement| self.statement(statement));
    }

    fn node(&mut self, statement: Statement) {
        match statement {
            Statement::Command(name, syntax) => {
                self.scope.words.push(syntax.handler.to_string());
                let item = self.item(name.as_ref(), Anchor::at(syntax.handler.span()));
                let parsed = resolve_syntax(&syntax, false, self.scope, &mut argument);
                self.doubt(&parsed.command);
                self.scope.places.set_all(item, &parsed.places);
                if parsed.vague {
                    self.scope.vague.insert(item);
                }
                let after = self.after(item, parsed.after);
                self.push(name, NodeBody::Command(parsed.command), after);
            }
            Statement::Cpu(name, after, body, word) => {
                self.scope.words.push("cpu".to_owned());
                let item = self.item(name.as_ref(), word);
                let after =
                    after.iter().map(|name| (name.unraw().to_string(), Anchor::at(name.span()))).collect();
                let after = self.after(item, after);
                let statements = parse_cpu(self, item, body);
                self.push(name, NodeBody::Cpu(statements), after);
            }
            Statement::End(registers, word) => self.end(registers, word),
        }
    }

    /// Marks the register of a result of another type, which the check refuses.
    fn doubt(&mut self, command: &Command) {
        let (HandlerRef::Named(name), Some(Ref::Id(id))) = (&command.handler, &command.result) else {
            return;
        };
        let result = self.scope.program.facts.handler(name).and_then(|handler| handler.result);
        let kind = result.map(|result| match result {
            ResultKind::U32 => ArgKind::U32,
            ResultKind::I32 => ArgKind::I32,
            ResultKind::F32 => ArgKind::F32,
        });
        let declared = self.scope.variables.get(*id as usize).and_then(|variable| variable.ty);
        if kind.is_some() && declared.is_some() && kind != declared {
            self.scope.doubtful.insert(*id);
        }
    }

    /// The next item's position; its name, or else `word`, is its place.
    fn item(&mut self, name: Option<&Ident>, word: Anchor) -> u32 {
        let item = self.model.nodes.len() as u32;
        let anchor = name.map_or(word, |name| Anchor::at(name.span()));
        self.scope.places.set(Place::Item(item), anchor);
        item
    }

    fn after(&mut self, item: u32, names: Vec<(String, Anchor)>) -> Vec<Ref> {
        // A node whose statement was refused is no news.
        let known = names.into_iter().filter(|(name, _)| !self.scope.is_broken(name));
        let known: Vec<_> = known.collect();
        for (i, (_, anchor)) in known.iter().enumerate() {
            self.scope.places.set(Place::After(item, i as u32), *anchor);
        }
        known.into_iter().map(|(name, _)| Ref::Named(name)).collect()
    }

    fn push(&mut self, name: Option<Ident>, body: NodeBody, after: Vec<Ref>) {
        let name = name.map(|name| name.unraw().to_string());
        self.model.nodes.push(GraphNode { name, body, after });
    }

    fn end(&mut self, registers: TokenStream, word: Anchor) {
        if let Some(first) = self.end.replace(word) {
            self.scope.syntax(
                word,
                "the graph has two `end(..)`".to_owned(),
                "keep one: a graph has one end event",
            );
            self.scope.errors.end(first, &Message::new(Syntax::Field, "the other `end(..)`"));
            return;
        }
        let help = "name one or two registers, as in `end(iteration, error)`: the event carries the low 24 bits of the first, and the second";
        let parts = crate::parts::split(registers);
        if parts.is_empty() || parts.len() > 2 {
            let text = format!("`end` is given {} registers", parts.len());
            self.scope.syntax(parts.get(2).map_or(word, Anchor::of), text, help);
        }
        for (i, part) in parts.into_iter().take(2).enumerate() {
            let anchor = Anchor::of(part.clone());
            self.scope.places.set(Place::End(i as u8), anchor);
            match syn::parse2::<Ident>(part) {
                Ok(name) => {
                    let id = self.scope.end_register(&name.unraw().to_string(), anchor);
                    self.model.end[i] = id.map(Ref::Id);
                }
                Err(_) => self.scope.syntax(anchor, "this is no register".to_owned(), help),
            }
        }
    }
}

/// An expression as the user would write it, if it is short.
fn written(expr: &Expr) -> String {
    let text = quote::ToTokens::to_token_stream(expr).to_string();
    if text.len() > 40 { "..".to_owned() } else { text }
}

/// An argument of a graph's command: nothing is computed on the way.
fn argument(_: usize, expr: &Expr, scope: &mut Scope<'_>) -> Value {
    plain_value(expr, scope).unwrap_or_else(|| {
        let text = "an argument of a graph's command is a number, a pair or a name".to_owned();
        let help = format!(
            "compute it first: `let first = cpu {{ value = {}; }}` with `reg value: {};`, pass `value`, and add `after first`",
            written(expr),
            kind_name(scope.wanted.unwrap_or(ArgKind::U32))
        );
        scope.syntax(Anchor::of(expr), text, &help);
        Value::Word(0)
    })
}

fn read_statement(input: ParseStream<'_>, words: Words<'_>) -> syn::Result<(Statement, TokenStream)> {
    let mut name = None;
    if input.peek(Token![let]) {
        input.parse::<Token![let]>()?;
        name = Some(input.parse::<Ident>()?);
        input.parse::<Token![=]>()?;
        if let (true, Some(name)) = (input.is_empty(), &name) {
            let text = format!("`let {name} =` is given no command: write one, or remove the statement");
            return Err(syn::Error::new(name.span(), text));
        }
    }
    if !input.peek(syn::Ident) {
        return Err(input.error("expected a handler or `cpu`"));
    }
    let word = input.fork().call(Ident::parse_any)?;
    let anchor = Anchor::at(word.span());
    let statement = match word.to_string().as_str() {
        "cpu" => {
            input.call(Ident::parse_any)?;
            let mut after = Vec::new();
            if input.peek(syn::Ident) {
                let word = input.call(Ident::parse_any)?;
                if word != "after" {
                    let text = match nearest(&word.to_string(), ["after"]) {
                        Some(near) => format!("`{word}` means nothing here, did you mean `{near}`?"),
                        None => format!(
                            "expected `after` or a block in place of `{word}`, as in `cpu after node {{ .. }}`"
                        ),
                    };
                    return Err(syn::Error::new(word.span(), text));
                }
                after = read_names(input)?;
            }
            let content;
            syn::braced!(content in input);
            Statement::Cpu(name, after, content.parse()?, anchor)
        }
        "end" if name.is_none() => {
            input.call(Ident::parse_any)?;
            let content;
            syn::parenthesized!(content in input);
            Statement::End(content.parse()?, anchor)
        }
        _ => Statement::Command(name, Box::new(read_command(input, words)?)),
    };
    Ok((statement, input.parse()?))
}

/// The name of `let name = ..`.
pub(crate) fn name_in(tokens: &TokenStream) -> Option<String> {
    let words: Vec<String> = tokens.clone().into_iter().take(2).map(|token| token.to_string()).collect();
    match words.as_slice() {
        [first, name] if first == "let" => Some(name.trim_start_matches("r#").to_owned()),
        _ => None,
    }
}
