//! The type of the end event: that of the values a stream halts with.

use komorebi_abi::engine::Rule;
use komorebi_abi::program::ArgKind;

use crate::anchor::Anchor;
use crate::engine::expression::Type;
use crate::engine::scope::Scope;
use crate::errors::Message;

/// The one type of all halts; u32 where they say nothing else.
pub(super) fn end_kind(halts: &[(Type, Anchor)], scope: &mut Scope<'_>) -> ArgKind {
    let kind = |ty: Type| match ty {
        Type::Word(ArgKind::I32) => Some(ArgKind::I32),
        Type::Word(ArgKind::F32) | Type::Float => Some(ArgKind::F32),
        Type::Int | Type::Any => None,
        _ => Some(ArgKind::U32),
    };
    let mut found: Option<(ArgKind, Anchor)> = None;
    for (ty, anchor) in halts {
        let Some(kind) = kind(*ty) else { continue };
        match found {
            None => found = Some((kind, *anchor)),
            Some((first, at)) if first != kind => {
                let (one, two) = (Type::Word(first).name(), Type::Word(kind).name());
                let text = format!("the stream halts with {one} and with {two}; its end event has one type");
                let help = format!("convert one of them, as in `halt(value as {one})`");
                scope.errors.push(*anchor, &Message::new(Rule::VariableType, text).help(help));
                let text = format!("the other end: this halt gives {one}");
                scope.errors.end(at, &Message::new(Rule::VariableType, text));
                break;
            }
            Some(_) => {}
        }
    }
    // An integer literal beside floats has their type on no wire.
    if let Some((ArgKind::F32, at)) = found
        && let Some((_, anchor)) = halts.iter().find(|(ty, _)| *ty == Type::Int)
    {
        let text = "the stream halts with f32 and with an integer; its end event has one type".to_owned();
        scope
            .errors
            .push(*anchor, &Message::new(Rule::VariableType, text).help("write a float, as in `halt(0.0)`"));
        scope.errors.end(at, &Message::new(Rule::VariableType, "the other end: this halt gives f32"));
    }
    found.map_or(ArgKind::U32, |(kind, _)| kind)
}
