//! `km::stream!`: from structured code to a model, its problems, and the generated items.

mod drive;
mod ends;
mod foreign;
mod parse;
mod syntax;
#[cfg(test)]
mod tests;

use komorebi_abi::engine::{Problem, Rule};
use komorebi_abi::stream::{StepBody, StreamModel, encode};
use proc_macro2::TokenStream;
use quote::quote;

use crate::anchor::Anchor;
use crate::engine::emit::{Emission, End, emit_upload};
use crate::engine::head::parse_head;
use crate::engine::input::Input;
use crate::engine::report::report;
use crate::engine::scope::Scope;
use crate::errors::Errors;
use ends::end_kind;
use parse::{ParsedStream, parse_stream};

/// The whole way. Every phase goes on after errors; what it could not read, the next ones leave alone.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    let mut errors = Errors::default();

    // Parse.
    let Input { program, krate, path, body } = Input::read(tokens);
    let Some(head) = parse_head(body, "stream", &mut errors) else { return errors.emit() };
    let mut scope = Scope::new("stream", &program, Anchor::at(head.name.span()), errors);
    let ParsedStream { model, halts } = parse_stream(&head, &mut scope);
    let end = end_kind(&halts, &mut scope);

    // Check and encode.
    let encoded = match encode(&model, &program.facts) {
        Ok(encoded) => Some(encoded),
        Err(problems) => {
            report_stream(problems, &model, &mut scope);
            None
        }
    };
    let encoded = encoded.filter(|_| scope.errors.is_empty());

    // Emit.
    let commands = model.steps.iter().filter(|step| matches!(step.body, StepBody::Submit(_))).count();
    let summary = format!("A stream of [`{}`] with {commands} commands", program.facts.program);
    let items = emit_upload(&Emission {
        head: &head,
        scope: &scope,
        krate: &krate,
        path: &path,
        stream: true,
        req: model.req as u16,
        keep: false,
        encoded: encoded.as_ref(),
        end: End::Value(end),
        summary,
    });
    let errors = scope.errors.emit();
    quote!(#errors #items)
}

fn report_stream(mut problems: Vec<Problem>, model: &StreamModel, scope: &mut Scope<'_>) {
    // A register of an unknown name may be what a loop waits for.
    problems.retain(|problem| problem.rule != Rule::StreamLoop || !scope.lost_writes);
    report(problems, &|item| model.steps.get(item as usize).is_none_or(|step| step.name.is_some()), scope);
}

/// The model of a stream's text for a program, with all messages: the phases without the generated items.
#[cfg(test)]
pub(crate) fn read_text(
    text: &str,
    program: &crate::facts::ProgramFacts,
) -> (Option<StreamModel>, Vec<String>) {
    let mut errors = Errors::default();
    let Ok(tokens) = text.parse() else { return (None, Vec::new()) };
    let tokens = crate::engine::testing::unseen(tokens);
    let Some(head) = parse_head(tokens, "stream", &mut errors) else { return (None, errors.texts()) };
    let mut scope = Scope::new("stream", program, Anchor::at(head.name.span()), errors);
    let ParsedStream { model, halts } = parse_stream(&head, &mut scope);
    let _ = end_kind(&halts, &mut scope);
    let problems = komorebi_abi::stream::check(&model, &program.facts);
    report_stream(problems, &model, &mut scope);
    (Some(model), scope.errors.texts())
}
