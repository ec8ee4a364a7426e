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
    let image = image(model, &plan);
    Ok(Encoded {
        bytes: image.encode(),
        kind: UploadKind::Stream,
        req: image.header.req,
        keep: false,
        bindings: Encoded::names(&model.variables),
    })
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
    let instructions: Vec<u64> = plan.code(model).instructions.into_iter().map(Instruction::encode).collect();
    let (commands, code) = (records.len() as u64, instructions.len() as u64);
    let header = Header {
        kind: UploadKind::Stream,
        keep: false,
        req: model.req as u16,
        bytes: Header::bytes_of(commands, code, 0) as u32,
        records: commands as u16,
        bindings: plan.table.bindings,
        instructions: code as u32,
        edge_words: 0,
        deadline_us: model.deadline_us.unwrap_or(0) as u32,
        max_runs: 0,
        end: [None; 2],
        again: None,
        start: Links::default(),
    };
    Image { header, records, instructions, edges: Vec::new() }
}
