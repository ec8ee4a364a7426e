//! `km::graph!`: from a body to a model, its problems, and the generated items.

mod cpu;
mod parse;
mod slips;
#[cfg(test)]
mod tests;

use komorebi_abi::graph::{GraphModel, encode};
use proc_macro2::TokenStream;
use quote::quote;

use crate::engine::emit::{Emission, End, EndField, emit_upload};
use crate::engine::head::parse_head;
use crate::engine::input::Input;
use crate::engine::report::report;
use crate::engine::scope::Scope;
use crate::errors::Errors;
pub(crate) use parse::name_in;
use parse::parse_graph;

/// The whole way. Every phase goes on after errors; what it could not read, the next ones leave alone.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    let mut errors = Errors::default();

    // Parse.
    let Input { program, krate, path, body } = Input::read(tokens);
    let Some(head) = parse_head(body, "graph", &mut errors) else { return errors.emit() };
    let anchor = crate::anchor::Anchor::at(head.name.span());
    let mut scope = Scope::new("graph", &program, anchor, errors);
    let model = parse_graph(&head, &mut scope);

    // Check and encode.
    let encoded = match encode(&model, &program.facts) {
        Ok(encoded) => Some(encoded),
        Err(problems) => {
            report(problems, &|item| is_named(&model, item), &mut scope);
            None
        }
    };
    let encoded = encoded.filter(|_| scope.errors.is_empty());

    // Emit.
    let end = end_fields(&model, &scope);
    let summary = format!("A graph of [`{}`]: {} nodes", program.facts.program, model.nodes.len());
    let items = emit_upload(&Emission {
        head: &head,
        scope: &scope,
        krate: &krate,
        path: &path,
        stream: false,
        req: model.req as u16,
        keep: model.keep,
        encoded: encoded.as_ref(),
        end,
        summary,
    });
    let errors = scope.errors.emit();
    quote!(#errors #items)
}

fn is_named(model: &GraphModel, item: u32) -> bool {
    model.nodes.get(item as usize).is_none_or(|node| node.name.is_some())
}

/// The registers of the end event, as fields.
fn end_fields(model: &GraphModel, scope: &Scope<'_>) -> End {
    let mut fields: Vec<EndField> = Vec::new();
    for (second, name) in model.end.iter().enumerate() {
        let Some(komorebi_abi::engine::Ref::Id(id)) = name else { continue };
        let Some(variable) = scope.variables.get(*id as usize) else { continue };
        let (Some(name), Some(kind)) = (&variable.name, variable.ty) else { continue };
        fields.retain(|field| field.name != *name);
        fields.push(EndField { name: name.clone(), kind, second: second == 1 });
    }
    End::Fields(fields)
}

/// The model of a graph's text for a program, with all messages: the phases without the generated items.
#[cfg(test)]
pub(crate) fn read_text(
    text: &str,
    program: &crate::facts::ProgramFacts,
) -> (Option<GraphModel>, Vec<String>) {
    let mut errors = Errors::default();
    let Ok(tokens) = text.parse() else { return (None, Vec::new()) };
    let tokens = crate::engine::testing::unseen(tokens);
    let Some(head) = parse_head(tokens, "graph", &mut errors) else { return (None, errors.texts()) };
    let mut scope = Scope::new("graph", program, crate::anchor::Anchor::at(head.name.span()), errors);
    let model = parse_graph(&head, &mut scope);
    let problems = komorebi_abi::graph::check(&model, &program.facts);
    report(problems, &|item| is_named(&model, item), &mut scope);
    (Some(model), scope.errors.texts())
}
