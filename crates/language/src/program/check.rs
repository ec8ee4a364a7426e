//! The shared rules of a program, each problem put at its place in the source.

use std::collections::BTreeSet;

use komorebi_abi::program::{Place, Problem, ProgramModel, Rule, check};

use super::header::ProgramHeader;
use super::item::ProgramItem;
use super::places::{NoIndex, Places};
use crate::errors::{Errors, Message};

/// Runs every rule, but for `without`.
pub(crate) fn check_program(
    model: &ProgramModel,
    places: &Places,
    header: &ProgramHeader,
    without: Option<Rule>,
    errors: &mut Errors,
) {
    for problem in check(model).into_iter().filter(|problem| Some(problem.rule) != without) {
        report(&problem, places, header, errors);
    }
}

/// An error at the problem's place, and another at the other end of a conflict.
fn report(problem: &Problem, places: &Places, header: &ProgramHeader, errors: &mut Errors) {
    let mut message = Message::new(problem.rule, problem.message.clone());
    let excerpts: Vec<String> = [Some(problem.place), problem.other.as_ref().map(|(place, _)| *place)]
        .into_iter()
        .flatten()
        .filter_map(|place| excerpt(place, places, header))
        .collect();
    if !excerpts.is_empty() {
        message = message.detail(excerpts.join("\n"));
    }
    // An index that could not be read may be any.
    let unread = places.buffers.iter().any(|buffer| buffer.no_index == Some(NoIndex::Refused));
    if unread && problem.rule == Rule::BufferIndex {
        message = message.help("take an index from 0 to 28 that no other buffer has");
    } else if let Some(free) = problem.free {
        message = message.help(match places.constant(problem.place) {
            Some((name, _)) => format!("number {free} is free: write `{name} = {free}` in the header"),
            None => format!("number {free} is free: write `#[handler({free})]`"),
        });
    } else if let Some(help) = &problem.help {
        message = message.help(help.clone());
    }
    errors.push(places.anchor(problem.place), &message);
    if let Some((other, what)) = &problem.other {
        errors.end(places.anchor(*other), &Message::new(problem.rule, format!("the other end: {what}")));
    }
}

/// The header's line that gives the number a place is about.
fn excerpt(place: Place, places: &Places, header: &ProgramHeader) -> Option<String> {
    let (name, location) = places.constant(place)?;
    match header {
        ProgramHeader::Read(read) => Some(read.header.render_at("the header says", location, name.len())),
        ProgramHeader::Absent | ProgramHeader::Unknown => None,
    }
}

/// The names of the header's handlers that the program does not declare, for a warning.
pub(crate) fn undeclared(item: &ProgramItem, header: &ProgramHeader) -> Vec<String> {
    let ProgramHeader::Read(read) = header else { return Vec::new() };
    let declared: BTreeSet<String> =
        item.handlers.iter().map(|handler| syn::ext::IdentExt::unraw(&handler.ident).to_string()).collect();
    // What the header includes may be shared with other programs.
    let all = read.handlers().filter(|handler| handler.constant.own && !declared.contains(&handler.name));
    all.map(|handler| format!("`{}` ({})", handler.name, handler.constant.value)).collect()
}
