//! From a model to the bytes of its upload.

use super::StreamModel;
use super::check::plan;
use super::lower::{Plan, Planned};
use crate::engine::{
    Encoded, Facts, Header, Image, Instruction, Links, Problem, Record, SizeLine, UploadKind,
};

/// The upload of a stream; every problem of one that breaks a rule.
pub fn encode(model: &StreamModel, facts: &Facts) -> Result<Encoded, Vec<Problem>> {
    let (plan, problems) = plan(model, facts);
    if !problems.is_empty() {
        return Err(problems.into_vec());
    }
    Ok(Encoded::new(&image(model, &plan), &model.variables))
}

/// What the upload of a stream takes of the region, part by part; what is wrong with the stream is left out.
pub fn size(model: &StreamModel, facts: &Facts) -> Vec<SizeLine> {
    plan(model, facts).0.size(model)
}

fn image(model: &StreamModel, plan: &Plan) -> Image {
    let records: Vec<Record> = plan
        .steps
        .iter()
        .filter_map(|step| match step {
            Planned::Submit(command) => Some(Record {
                body: command.body(&model.variables, &plan.table),
                links: Links::default(),
                predecessors: 0,
            }),
            _ => None,
        })
        .collect();
    let instructions = plan.code(model).instructions.into_iter().map(Instruction::encode).collect();
    let header = Header {
        bindings: plan.table.bindings,
        deadline_us: model.deadline_us.unwrap_or(0) as u32,
        ..Header::new(UploadKind::Stream, model.req as u16)
    };
    Image { header, records, instructions, edges: Vec::new() }.counted()
}
