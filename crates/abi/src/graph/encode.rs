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
    let image = image(model, &plan);
    Ok(Encoded {
        bytes: image.encode(),
        kind: UploadKind::Graph,
        req: image.header.req,
        keep: model.keep,
        bindings: Encoded::names(&model.variables),
    })
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
    let (nodes, code, words) = (records.len() as u64, instructions.len() as u64, edges.len() as u64);
    let header = Header {
        kind: UploadKind::Graph,
        keep: model.keep,
        req: model.req as u16,
        bytes: Header::bytes_of(nodes, code, words) as u32,
        records: nodes as u16,
        bindings: plan.table.bindings,
        instructions: code as u32,
        edge_words: words as u32,
        deadline_us: model.deadline_us.unwrap_or(0) as u32,
        max_runs: model.max_runs.unwrap_or(0) as u32,
        end: plan.end.map(|id| id.and_then(|id| plan.table.number(id))),
        again: model.again.and_then(|id| plan.table.number(id)),
        start,
    };
    Image { header, records, instructions, edges }
}
