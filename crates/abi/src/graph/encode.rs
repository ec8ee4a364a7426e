//! From a model to the bytes of its upload.

use super::check::{Plan, PlannedBody, plan};
use super::{GraphModel, NodeBody};
use crate::engine::{
    Encoded, Facts, Header, Image, Links, Problem, Record, RecordBody, SizeLine, UploadKind,
};

/// The upload of a graph; every problem of one that breaks a rule.
pub fn encode(model: &GraphModel, facts: &Facts) -> Result<Encoded, Vec<Problem>> {
    let (plan, problems) = plan(model, facts);
    if !problems.is_empty() {
        return Err(problems.into_vec());
    }
    Ok(Encoded::new(&image(model, &plan), &model.variables))
}

/// What the upload of a graph takes of the region, part by part; what is wrong with the graph is left out.
pub fn size(model: &GraphModel, facts: &Facts) -> Vec<SizeLine> {
    plan(model, facts).0.size(model)
}

/// The image of a plan without problems: every number fits its field.
fn image(model: &GraphModel, plan: &Plan) -> Image {
    let mut edges = Vec::new();
    let start = Links::pack(&plan.roots(), &mut edges);
    let (mut records, mut instructions) = (Vec::new(), Vec::new());
    for (i, (body, code)) in plan.bodies.iter().zip(plan.code(model)).enumerate() {
        let successors: Vec<u16> = plan.order.after[i].iter().map(|node| *node as u16).collect();
        let body = match body {
            PlannedBody::Command(command) => command.body(&model.variables, &plan.table),
            PlannedBody::Cpu(_) => {
                RecordBody::Cpu { first: instructions.len() as u32, count: code.len() as u32 }
            }
        };
        debug_assert_eq!(
            matches!(body, RecordBody::Cpu { .. }),
            matches!(model.nodes[i].body, NodeBody::Cpu(_))
        );
        instructions.extend(code.into_iter().map(crate::engine::Instruction::encode));
        records.push(Record {
            body,
            links: Links::pack(&successors, &mut edges),
            predecessors: plan.order.before[i].len().max(1) as u16,
        });
    }
    let header = Header {
        keep: model.keep,
        bindings: plan.table.bindings,
        deadline_us: model.deadline_us.unwrap_or(0) as u32,
        max_runs: model.max_runs.unwrap_or(0) as u32,
        end: plan.end.map(|id| id.and_then(|id| plan.table.number(id))),
        again: model.again.and_then(|id| plan.table.number(id)),
        start,
        ..Header::new(UploadKind::Graph, model.req as u16)
    };
    Image { header, records, instructions, edges }.counted()
}
