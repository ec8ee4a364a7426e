//! Every rule of a stream, checked at once.

use super::lower::{Plan, check_at, resolve};
use super::{StreamModel, flow};
use crate::engine::{
    Declared, Facts, Place, Problem, Problems, Rule, SizeLine, check_limits, check_size, size_lines,
};

/// Checks `model` against every rule. Empty when it keeps them all.
pub fn check(model: &StreamModel, facts: &Facts) -> Vec<Problem> {
    plan(model, facts).1.into_vec()
}

/// Looks up every name, and reports every problem.
pub(super) fn plan(model: &StreamModel, facts: &Facts) -> (Plan, Problems) {
    let mut problems = Problems::default();
    check_limits(model.deadline_us, model.req, &mut problems);
    Declared(&model.variables).check(&mut problems);
    let plan = resolve(model, facts, &mut problems);
    check_at(model, &plan, &mut problems);
    check_size(facts, "stream", &plan.size(model), &mut problems);
    if model.steps.is_empty() {
        problems.add(
            Rule::Empty,
            Place::Upload,
            "the stream has no steps".to_owned(),
            "add a step: at least `halt(0);`",
        );
    } else if !problems.has(Rule::StreamTarget) {
        flow::check(model, &plan, facts, &mut problems);
    }
    (plan, problems)
}

impl Plan {
    /// The exact size, part by part.
    pub(super) fn size(&self, model: &StreamModel) -> Vec<SizeLine> {
        let instructions = self.code(model).instructions.len() as u64;
        size_lines("commands", self.submits().len() as u64, instructions, 0, self.table.bindings.into())
    }
}
