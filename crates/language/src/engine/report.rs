//! Problems of the shared checks, each put at its place in the source, and at the other ends of a conflict.

use komorebi_abi::engine::{Place, Problem, Rule};

use super::scope::Scope;
use crate::errors::Message;

/// Other ends shown of one problem: a circle of a hundred nodes has a hundred.
const ENDS: usize = 6;

/// What a program with errors of its own, or one whose header was not read, may be the cause of.
const OF_PROGRAM: [Rule; 8] = [
    Rule::HandlerUnknown,
    Rule::ArgCount,
    Rule::ArgType,
    Rule::ArgWords,
    Rule::ResultMissing,
    Rule::Group,
    Rule::TensorRace,
    Rule::Size,
];

/// What a statement that was not understood may be the cause of.
const OF_GAPS: [Rule; 10] = [
    Rule::ReadBeforeWrite,
    Rule::WriteUnordered,
    Rule::TensorRace,
    Rule::Endless,
    Rule::Empty,
    Rule::CpuLength,
    Rule::WaitUnknown,
    Rule::StreamEnd,
    Rule::StreamLoop,
    Rule::StreamUnreachable,
];

/// What a write to an unknown register may be the cause of.
const OF_LOST_WRITES: [Rule; 3] = [Rule::ReadBeforeWrite, Rule::Endless, Rule::CpuLength];

/// What a condition that was not understood may be the cause of.
const OF_LOST_CHOICES: [Rule; 3] = [Rule::StreamLoop, Rule::StreamUnreachable, Rule::Endless];

/// Reports problems. `named`: has an item a name that the user can write?
pub(crate) fn report(problems: Vec<Problem>, named: &dyn Fn(u32) -> bool, scope: &mut Scope<'_>) {
    for problem in problems {
        let ours = !scope.program.facts.complete && OF_PROGRAM.contains(&problem.rule);
        let gap = scope.gaps && OF_GAPS.contains(&problem.rule);
        let lost = scope.lost_writes && OF_LOST_WRITES.contains(&problem.rule);
        let choice = scope.lost_choices && OF_LOST_CHOICES.contains(&problem.rule);
        let ends = || problem.related.iter().map(|(place, _)| *place).chain([problem.place]);
        let vague = problem.rule == Rule::TensorRace
            && ends().filter_map(|place| place.item()).any(|item| scope.vague.contains(&item));
        if !ours && !gap && !lost && !choice && !vague {
            report_one(&problem, named, scope);
        }
    }
}

fn report_one(problem: &Problem, named: &dyn Fn(u32) -> bool, scope: &mut Scope<'_>) {
    let help = match unnamed(problem, named, scope) {
        Some(advice) => format!("{}; {advice}", problem.help),
        None => problem.help.clone(),
    };
    let message = Message::new(problem.rule, problem.message.clone()).help(help);
    // A loop is best seen at its head; the check names the jump back.
    if let (Rule::StreamLoop, [(head, _)]) = (problem.rule, problem.related.as_slice()) {
        let (head, back) = (scope.places.anchor(*head), scope.places.anchor(problem.place));
        scope.errors.push(head, &message);
        if !back.is(head) {
            scope
                .errors
                .end(back, &Message::new(problem.rule, "the other end: the loop goes round again from here"));
        }
        return;
    }
    let anchor = scope.places.anchor(problem.place);
    scope.errors.push(anchor, &message);
    for (place, what) in problem.related.iter().take(ENDS) {
        let text = format!("the other end: {what}");
        let at = scope.places.anchor(*place);
        // Both come from one text, which a macro repeats.
        if at.is(anchor) {
            continue;
        }
        let anchor = at;
        scope.errors.end(anchor, &Message::new(problem.rule, text));
    }
}

/// The advice to come after an item, or to wait for it, that has no name to write.
fn unnamed(problem: &Problem, named: &dyn Fn(u32) -> bool, scope: &Scope<'_>) -> Option<String> {
    let advised = matches!(problem.rule, Rule::ReadBeforeWrite | Rule::WriteUnordered | Rule::TensorRace);
    let (place, _) = problem.related.first().filter(|_| advised)?;
    let item = place.item().filter(|item| !named(*item))?;
    (problem.place.item() != Some(item) && !matches!(place, Place::Variable(_))).then(|| {
        match scope.words.get(item as usize) {
            Some(word) => format!(
                "node {item} has no name to write yet: begin its statement with `let first = {word}`, and name `first` in that `after`"
            ),
            None => "it has no name to wait for: write `wait(all);` in front of this step".to_owned(),
        }
    })
}
