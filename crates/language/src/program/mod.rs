//! `#[km::program]`: from the attribute and its trait to the program's items.

pub(crate) mod argument;
mod attribute;
mod buffers;
mod check;
mod collect;
pub(crate) mod declaration;
mod defines;
pub(crate) mod emit;
mod files;
mod handler;
mod header;
pub(crate) mod item;
pub(crate) mod kernels;
mod number;
mod options;
mod places;
#[cfg(test)]
mod tests;
mod threads;

use komorebi_abi::program::{ProgramModel, Rule};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;

use crate::context::Context;
use crate::errors::{Errors, Message};
use crate::value::Value;
use emit::{Emission, State};
use header::ProgramHeader;
use item::ProgramItem;
use kernels::{KernelFiles, SourcePath};

/// A program that was read and checked.
struct Declared {
    item: ProgramItem,
    header: ProgramHeader,
    /// `None` after an error.
    kernels: Option<KernelFiles>,
    thread_files: Vec<SourcePath>,
    model: ProgramModel,
    /// The path of the crate `komorebi`.
    krate: TokenStream,
}

/// The whole way. Every phase goes on after errors; what it could not read, the next ones leave alone.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream, context: &Context) -> TokenStream {
    let mut errors = Errors::default();
    let Some(declared) = declare(attribute, item, context, None, &mut errors) else { return errors.emit() };
    let Declared { mut item, header, kernels, thread_files, mut model, krate } = declared;

    // Emit.
    let state = match (errors.is_empty(), &context.folder) {
        (false, _) => State::Wrong,
        (true, None) => State::Blind,
        (true, Some(_)) => State::Complete,
    };
    without_doubles(&mut item, &mut model);
    // An error may be why a handler seems not to be declared.
    let undeclared = if errors.is_empty() { check::undeclared(&item, &header) } else { Vec::new() };
    let items = emit::emit_program(&Emission {
        item: &item,
        model: &model,
        kernels: kernels.as_ref(),
        thread_files: &thread_files,
        state,
        constants: header.constants(),
        undeclared,
        krate,
    });
    let errors = errors.emit();
    quote!(#errors #items)
}

/// What stands twice is refused: the second handler of a name goes, as one called like the function `program` does; the second argument gets another name, so that what is
/// generated brings no error of its own.
fn without_doubles(item: &mut ProgramItem, model: &mut ProgramModel) {
    for at in (0..item.handlers.len()).rev() {
        let (earlier, rest) = item.handlers.split_at(at);
        let ident = rest[0].ident.unraw();
        if ident == "program" || earlier.iter().any(|handler| handler.ident.unraw() == ident) {
            item.handlers.remove(at);
            model.handlers.remove(at);
        }
    }
    for handler in &mut item.handlers {
        for at in 1..handler.args.len() {
            let (earlier, rest) = handler.args.split_at_mut(at);
            if earlier.iter().any(|arg| arg.ident == rest[0].ident) {
                rest[0].ident = format_ident!("{}_{at}", rest[0].ident.unraw(), span = rest[0].ident.span());
            }
        }
    }
}

/// All phases but the last, without one rule if so wished. `None` where there is no item to speak of.
fn declare(
    attribute: TokenStream,
    item: TokenStream,
    context: &Context,
    without: Option<Rule>,
    errors: &mut Errors,
) -> Option<Declared> {
    // Parse.
    let attribute = attribute::parse_attribute(attribute, errors);
    let item = item::parse_item(item, errors);
    let defines =
        attribute.defines.as_ref().map_or_else(Vec::new, |value| defines::parse_defines(value, errors));
    let threads =
        attribute.threads.as_ref().map_or_else(Vec::new, |value| threads::parse_threads(value, errors));
    let item = item?;

    // Load.
    let given: Vec<_> = defines.iter().map(|(define, _)| define.clone()).collect();
    let header = header::load_header(attribute.header.as_ref(), &given, context, errors);
    let kernels = kernels::load_kernels(attribute.kernels.as_ref(), &item.ident, &header, context, errors);
    let thread_files = threads::load_threads(&threads, &header, context, errors);

    // Collect and check.
    let (model, places) = collect::collect(&attribute, &item, defines, &threads, &header, errors);
    check::check_program(&model, &places, &header, without, errors);

    let krate = crate_path(attribute.krate.as_ref(), context, errors);
    Some(Declared { item, header, kernels, thread_files, model, krate })
}

/// `crate = path`, or what the manifest says.
fn crate_path(value: Option<&Value>, context: &Context, errors: &mut Errors) -> TokenStream {
    match value {
        None => context.krate.clone(),
        Some(Value::Name(name, _)) if let Ok(path) = syn::parse_str::<syn::Path>(name) => quote!(#path),
        Some(other) => {
            let message = Message::new(Rule::Field, format!("`crate` is a path, found {}", other.describe()));
            errors.push(other.anchor(), &message.help("write it as in `crate = ::komorebi`"));
            context.krate.clone()
        }
    }
}
