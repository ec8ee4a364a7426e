//! The body of a stream: declarations first, wherever they stand, then the steps.

use komorebi_abi::stream::{Stream, StreamModel};
use proc_macro2::TokenStream;

use super::drive::{Context, drive};
use super::syntax::parse_block;
use crate::anchor::Anchor;
use crate::engine::declare::{first_word, parse_declaration};
use crate::engine::expression::Type;
use crate::engine::head::Head;
use crate::engine::options::parse_options;
use crate::engine::scope::Scope;
use crate::engine::statement::split_statements;

/// A stream that was read.
pub(super) struct ParsedStream {
    pub(super) model: StreamModel,
    /// The types of the values it halts with.
    pub(super) halts: Vec<(Type, Anchor)>,
}

/// The model of a stream.
pub(super) fn parse_stream(head: &Head, scope: &mut Scope<'_>) -> ParsedStream {
    let options = parse_options(head.options.clone(), &["deadline", "req"], scope);
    let statements = split_statements(head.body.clone());
    // Constants first: declarations use them.
    scope.places.reserve(statements.len());
    let words = statements.into_iter().map(|statement| (first_word(&statement), statement));
    let (constants, others): (Vec<_>, Vec<_>) = words.partition(|(word, _)| word == "const");
    let rest: Vec<TokenStream> = constants
        .into_iter()
        .chain(others)
        .filter_map(|(word, statement)| parse_declaration(&word, statement, scope).err())
        .collect();
    let steps = parse_block(rest, scope);

    let mut stream = Stream::new().named(&head.plain_name()).req(options.req);
    if let Some(deadline) = options.deadline_us {
        stream = stream.deadline_us(deadline);
    }
    let mut context = Context::new(scope);
    drive(&steps, &mut stream, &mut context);
    let halts = context.halts;
    scope.report_unknown();
    let mut model = stream.into_model();
    model.variables.clone_from(&scope.variables);
    model.groups.clone_from(&scope.groups);
    ParsedStream { model, halts }
}
