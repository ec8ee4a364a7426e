//! The cores of a command: `0..60`, `0..=59`, `5`, `edge`, `..`; in a stream also `first..first + 8`.

use komorebi_abi::engine::{Group, Ref};
use proc_macro2::{TokenStream, TokenTree};
use syn::{BinOp, Expr, RangeLimits};

use super::Syntax;
use super::number::{name_of, number, peeled};
use super::scope::Scope;
use crate::anchor::Anchor;
use crate::errors::Message;

const FORMS: &str =
    "cores are `0..60`, `0..=59`, one core as in `5`, a named group, or `..` for the whole grid";

/// Reads cores. `moving`: may the first core be a register's? After an error, `None`.
pub(crate) fn parse_group(
    tokens: TokenStream,
    anchor: Anchor,
    moving: bool,
    scope: &mut Scope<'_>,
) -> Option<Group> {
    if tokens.is_empty() {
        return Some(Group::Whole);
    }
    // Most are two numbers, which need no parser.
    if let Some(group) = plain_range(&tokens) {
        return Some(group);
    }
    let expr = match syn::parse2::<Expr>(tokens) {
        Ok(expr) => expr,
        Err(error) => {
            scope.syntax(
                Anchor::of_error(&error, anchor),
                format!("cannot read these cores: {error}"),
                FORMS,
            );
            return None;
        }
    };
    let expr = peeled(&expr);
    match expr {
        Expr::Range(range) => match (&range.start, &range.end) {
            (None, None) => Some(Group::Whole),
            (Some(start), Some(end)) => {
                if let Some(group) = moving_range(start, end, &range.limits, moving, scope) {
                    return group;
                }
                let first = core(start, "the first core", scope);
                let last = core(end, "the end of the cores", scope);
                let past = u64::from(matches!(range.limits, RangeLimits::Closed(_)));
                Some(Group::Range(first?, last?.saturating_add(past)))
            }
            (None, Some(end)) => {
                let past = u64::from(matches!(range.limits, RangeLimits::Closed(_)));
                Some(Group::Range(0, core(end, "the end of the cores", scope)?.saturating_add(past)))
            }
            (Some(start), None) => {
                let first = core(start, "the first core", scope)?;
                let Some(cores) = scope.program.facts.cores else {
                    let text =
                        "the end of the grid is not known here: the program takes the card's".to_owned();
                    scope.syntax(anchor, text, "write the end, as in `30..60`");
                    return None;
                };
                Some(Group::Range(first, cores.into()))
            }
        },
        _ => match name_of(expr) {
            Some(name) if scope.is_broken(&name) => None,
            Some(name)
                if moving && scope.variable(&name).is_some() && scope.known_number(&name).is_none() =>
            {
                Some(Group::At(Ref::Id(scope.variable(&name)?), 1))
            }
            Some(name) if scope.group(&name) || scope.known_number(&name).is_none() => {
                Some(Group::Named(Ref::Named(name)))
            }
            _ => Some(Group::Core(core(expr, "a core", scope)?)),
        },
    }
}

/// `0..60` of two plain numbers.
fn plain_range(tokens: &TokenStream) -> Option<Group> {
    let mut tokens = tokens.clone().into_iter();
    let number = |token: Option<TokenTree>| match token {
        Some(TokenTree::Literal(literal)) => literal.to_string().parse::<u64>().ok(),
        _ => None,
    };
    let first = number(tokens.next())?;
    for _ in 0..2 {
        let Some(TokenTree::Punct(dot)) = tokens.next() else { return None };
        if dot.as_char() != '.' {
            return None;
        }
    }
    let end = number(tokens.next())?;
    tokens.next().is_none().then_some(Group::Range(first, end))
}

/// `first..first + 8` with a register `first`: the outer `None` says that it is no such thing.
fn moving_range(
    start: &Expr,
    end: &Expr,
    limits: &RangeLimits,
    moving: bool,
    scope: &mut Scope<'_>,
) -> Option<Option<Group>> {
    let name = name_of(start)?;
    let variable = scope.variable(&name).filter(|_| scope.known_number(&name).is_none())?;
    if !moving {
        return None;
    }
    let count = match peeled(end) {
        Expr::Binary(sum)
            if matches!(sum.op, BinOp::Add(_)) && name_of(&sum.left).as_ref() == Some(&name) =>
        {
            core(&sum.right, "the number of cores", scope)
        }
        _ => {
            let text = format!("the cores begin at `{name}`, which is not known before the stream runs");
            let help = format!("say how many follow: `{name}..{name} + 8`");
            scope.errors.push(Anchor::of(end), &Message::new(Syntax::Number, text).help(help));
            None
        }
    };
    let past = u64::from(matches!(limits, RangeLimits::Closed(_)));
    Some(count.map(|count| Group::At(Ref::Id(variable), count.saturating_add(past))))
}

fn core(expr: &Expr, what: &str, scope: &mut Scope<'_>) -> Option<u64> {
    let found = number(expr, what, scope)?;
    let core = u64::try_from(found).ok();
    if core.is_none() {
        let text = format!("{what} is {found}; cores count from 0");
        scope.errors.push(Anchor::of(expr), &Message::new(Syntax::Number, text).help(FORMS));
    }
    core
}
