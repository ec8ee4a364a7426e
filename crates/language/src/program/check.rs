//! The shared rules of a program, each problem put at its place in the source.

use std::collections::BTreeSet;

use komorebi_abi::program::{Buffer, Place, Problem, ProgramModel, Rule, check};

use super::header::ProgramHeader;
use super::item::ProgramItem;
use super::places::{BufferPlaces, Named, NoIndex, Places};
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
    let lines = lines(problem, places, header);
    if !lines.is_empty() {
        message = message.detail(lines.join("\n"));
    }
    if let Some(help) = help(problem, places) {
        message = message.help(help);
    }
    errors.push(places.anchor(problem.place), &message);
    if let Some((other, what)) = &problem.other {
        errors.end(places.anchor(*other), &Message::new(problem.rule, format!("the other end: {what}")));
    }
}

/// The edit that mends it: in the header, if the number stands there.
fn help(problem: &Problem, places: &Places) -> Option<String> {
    // An index that could not be read may be any.
    let unread = places.buffers.iter().any(|buffer| buffer.no_index == Some(NoIndex::Refused));
    if unread && problem.rule == Rule::BufferIndex {
        return Some("take an index from 0 to 28 that no other buffer has".to_owned());
    }
    let given = places.constants(problem.place).next();
    match (problem.place, problem.number, given) {
        (Place::HandlerNumber(_), Some(free), Some(Named { name, .. })) => {
            Some(format!("number {free} is free: write `{name} = {free}` in the header"))
        }
        (Place::HandlerNumber(_), Some(free), None) => {
            Some(format!("number {free} is free: write `#[handler({free})]`"))
        }
        (Place::BufferIndex(i), Some(free), Some(constant)) => {
            let shared = problem
                .other
                .as_ref()
                .filter(|(other, _)| places.constants(*other).any(|other| other == constant));
            Some(match (shared, places.buffers.get(i)) {
                (Some(_), Some(BufferPlaces { name, .. })) => format!(
                    "give `{name}` a constant of its own, as in `constexpr uint32_t {} = {free};`",
                    Buffer::constant(name)
                ),
                _ => format!(
                    "index {free} is free: write `{} = {free}` in the header, which the kernels use too",
                    constant.name
                ),
            })
        }
        (_, Some(number), Some(Named { name, .. })) => {
            Some(format!("write `{name} = {number}` in the header"))
        }
        _ => problem.help.clone(),
    }
}

/// The header's lines that give the numbers a problem is about, each once.
fn lines(problem: &Problem, places: &Places, header: &ProgramHeader) -> Vec<String> {
    let ProgramHeader::Read(read) = header else { return Vec::new() };
    let mut named: Vec<&Named> = Vec::new();
    for place in [Some(problem.place), problem.other.as_ref().map(|(place, _)| *place)].into_iter().flatten()
    {
        for constant in places.constants(place) {
            if !named.contains(&constant) {
                named.push(constant);
            }
        }
    }
    named.into_iter().map(|named| read.line("the header says", named)).collect()
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
