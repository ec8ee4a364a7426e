//! A cpu node: assignments, one after the other.

use std::collections::VecDeque;

use komorebi_abi::engine::{Statement, VariableKind};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{BinOp, Expr};

use super::parse::Graph;
use crate::anchor::Anchor;
use crate::engine::assignment::{fit, parse_assignment};
use crate::engine::expression::Code;
use crate::engine::scope::Scope;
use crate::engine::statement::split_statements;

const FORMS: &str = "a cpu node has assignments, as in `total += 1;` and `again = error > limit;`";

/// The instructions of a cpu node.
pub(super) fn parse_cpu(graph: &mut Graph<'_, '_>, item: u32, body: TokenStream) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut left: VecDeque<TokenStream> = split_statements(body).into();
    while let Some(tokens) = left.pop_front() {
        let expr = match read_instruction.parse2(tokens.clone()) {
            Ok((expr, rest)) => {
                if let Some(first) = rest.clone().into_iter().next() {
                    // Of `x++` and the like nothing is left to go on with.
                    let goes_on = matches!(first, TokenTree::Ident(_));
                    let text = format!("expected `;` before `{first}`");
                    let help = if goes_on { "end the assignment in front of it" } else { FORMS };
                    graph.scope.syntax(Anchor::of(TokenStream::from(first)), text, help);
                    match goes_on {
                        true => left.push_front(rest),
                        false => {
                            graph.scope.gaps = true;
                            continue;
                        }
                    }
                }
                expr
            }
            Err(error) => {
                let text = format!("cannot read this instruction: {error}");
                let help = counted(&tokens).unwrap_or_else(|| FORMS.to_owned());
                graph.scope.syntax(Anchor::of_error(&error, Anchor::of(tokens)), text, &help);
                graph.scope.gaps = true;
                continue;
            }
        };
        for code in assignment(graph, &expr) {
            let at = statements.len() as u32;
            graph.scope.places.set_code(&code, item, at);
            statements.push(code.statement);
        }
    }
    statements
}

fn assignment(graph: &mut Graph<'_, '_>, expr: &Expr) -> Vec<Code> {
    let assignment = match parse_assignment(expr, graph.scope) {
        Ok(Some(assignment)) => assignment,
        Ok(None) => return Vec::new(),
        Err(()) => {
            let (text, help) = no_assignment(expr, graph.scope);
            graph.scope.syntax(Anchor::of(expr), text, &help);
            graph.scope.gaps = true;
            return Vec::new();
        }
    };
    let to = match assignment.name.as_str() {
        "again" => Some(again(graph, assignment.target)),
        name => graph.scope.target(name, assignment.target),
    };
    let Some(to) = to else { return Vec::new() };
    let value = fit(assignment.value, to, graph.scope);
    graph.lower.assign(to, assignment.target, &value, graph.scope)
}

/// What `x++` is in Rust.
fn counted(tokens: &TokenStream) -> Option<String> {
    let words: Vec<String> = tokens.clone().into_iter().take(4).map(|token| token.to_string()).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [name, "+", "+"] => Some(format!("write `{name} += 1;`")),
        [name, "-", "-"] => Some(format!("write `{name} -= 1;`")),
        _ => None,
    }
}

/// An expression, and what stands behind it.
fn read_instruction(input: ParseStream<'_>) -> syn::Result<(Expr, TokenStream)> {
    Ok((input.parse()?, input.parse()?))
}

/// The register that asks for another round, declared by its first use.
fn again(graph: &mut Graph<'_, '_>, anchor: Anchor) -> u32 {
    if let Some(id) = graph.model.again {
        return id;
    }
    let id = graph.scope.declare(VariableKind::Register, Some("again"), None, anchor);
    graph.model.again = Some(id);
    id
}

/// What to say about something else.
fn no_assignment(expr: &Expr, scope: &Scope<'_>) -> (String, String) {
    match expr {
        Expr::If(branch) => {
            ("a cpu node has no branches".to_owned(), format!("choose between values: `{}`", chosen(branch)))
        }
        Expr::While(_) | Expr::Loop(_) | Expr::ForLoop(_) => (
            "a cpu node has no loops".to_owned(),
            "let the graph go round with `again = ..`, or write a `km::stream!`".to_owned(),
        ),
        Expr::Call(call) => match crate::engine::number::name_of(&call.func) {
            Some(name) if scope.program.facts.handler(&name).is_some() => (
                format!("`{name}` is a handler; a cpu node submits no commands"),
                format!("give it a node of its own, as in `let n = {name}[0..60](..);`"),
            ),
            _ => ("this is not an assignment".to_owned(), FORMS.to_owned()),
        },
        Expr::Binary(binary) if crate::engine::number::name_of(&binary.left).is_some() => {
            let (target, expr) = (binary.left.to_token_stream(), expr.to_token_stream());
            let help = match binary.op {
                BinOp::Div(_) | BinOp::Rem(_) => format!(
                    "remove it, or assign to `{target}` what needs no division, which the dispatcher has not: of a u32 `{target} = {target} >> 1;` is the half"
                ),
                BinOp::Add(_)
                | BinOp::Sub(_)
                | BinOp::Mul(_)
                | BinOp::BitAnd(_)
                | BinOp::BitOr(_)
                | BinOp::BitXor(_)
                | BinOp::Shl(_)
                | BinOp::Shr(_) => format!("write `{target} = {expr};`, or remove it"),
                _ => format!("to go round again while it holds, write `again = {expr};`"),
            };
            ("this value is assigned to nothing".to_owned(), help)
        }
        _ => ("this is not an assignment".to_owned(), FORMS.to_owned()),
    }
}

/// The assignment that does what a branch of one assignment says, if it is short.
fn chosen(branch: &syn::ExprIf) -> String {
    let general = || "total = if c { a } else { total };".to_owned();
    let [syn::Stmt::Expr(then, _)] = branch.then_branch.stmts.as_slice() else { return general() };
    let text = |expr: &Expr| expr.to_token_stream().to_string();
    let (left, value) = match then {
        Expr::Assign(assign) => (text(&assign.left), text(&assign.right)),
        Expr::Binary(binary) => match text_of_operator(&binary.op) {
            Some(sign) => {
                let left = text(&binary.left);
                (left.clone(), format!("{left} {sign} {}", text(&binary.right)))
            }
            None => return general(),
        },
        _ => return general(),
    };
    // `again` is 0 where nothing asks for a round, and is never read.
    let line = match (left.as_str(), value.as_str()) {
        ("again", "1" | "true") => format!("again = {};", text(&branch.cond)),
        ("again", _) => format!("again = if {} {{ {value} }} else {{ 0 }};", text(&branch.cond)),
        _ => format!("{left} = if {} {{ {value} }} else {{ {left} }};", text(&branch.cond)),
    };
    if line.len() > 80 || branch.else_branch.is_some() { general() } else { line }
}

/// The `+` of `+=`, of what the dispatcher computes.
fn text_of_operator(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::AddAssign(_) => "+",
        BinOp::SubAssign(_) => "-",
        BinOp::MulAssign(_) => "*",
        BinOp::BitAndAssign(_) => "&",
        BinOp::BitOrAssign(_) => "|",
        BinOp::BitXorAssign(_) => "^",
        BinOp::ShlAssign(_) => "<<",
        BinOp::ShrAssign(_) => ">>",
        _ => return None,
    })
}
