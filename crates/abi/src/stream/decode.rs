//! From the bytes of an upload to a model.

use std::collections::BTreeMap;

use super::{StepBody, StreamModel, StreamStep};
use crate::engine::{Group, Image, Instruction, Opcode, Ref, Refusal, Shape, UploadKind, Value};
use crate::graph::{decoded_command, decoded_statement, decoded_variables};

/// The stream that bytes are: handlers by number, registers by position, a label for each target. The error is the one that the
/// dispatcher would give.
pub fn decode(bytes: &[u8], cores: u32) -> Result<StreamModel, Refusal> {
    let image = Image::check_but_bindings(bytes, UploadKind::Stream, cores)?;
    let code: Vec<Instruction> =
        image.instructions.iter().filter_map(|word| Instruction::decode(*word).ok()).collect();
    let jumps = |instruction: &&Instruction| matches!(instruction.op.shape(), Shape::Target | Shape::Branch);
    let targets: BTreeMap<u32, ()> =
        code.iter().filter(jumps).map(|instruction| (instruction.value, ())).collect();
    let mut steps: Vec<StreamStep> = Vec::new();
    let mut submitted: BTreeMap<u32, u32> = BTreeMap::new();
    let mut waits: Vec<(usize, u32)> = Vec::new();
    for (pc, instruction) in code.iter().enumerate() {
        if targets.contains_key(&(pc as u32)) {
            steps.push(StreamStep { name: None, body: StepBody::Label(pc as u32) });
        }
        let value = instruction.value;
        let a = Value::Variable(Ref::Id(instruction.a.into()));
        let body = match instruction.op {
            Opcode::Submit | Opcode::SubmitAt | Opcode::Enqueue => {
                let mut command = image
                    .records
                    .get(value as usize)
                    .map(|record| decoded_command(&record.body))
                    .unwrap_or_else(|| {
                        decoded_command(&crate::engine::RecordBody::Cpu { first: 0, count: 0 })
                    });
                if instruction.op == Opcode::SubmitAt {
                    let count = match command.group {
                        Group::Range(first, end) => end - first,
                        _ => 1,
                    };
                    command.group = Group::At(Ref::Id(instruction.a.into()), count);
                }
                submitted.entry(value).or_insert(steps.len() as u32);
                StepBody::Submit(command)
            }
            Opcode::Wait => {
                waits.push((steps.len(), value));
                StepBody::Wait(Ref::Named(format!("c{value}")))
            }
            Opcode::WaitAll => StepBody::WaitAll,
            Opcode::Event => StepBody::Event(a),
            Opcode::Halt => StepBody::Halt(a),
            Opcode::Jump => StepBody::Jump(value),
            Opcode::JumpZero => StepBody::JumpIf { condition: a, nonzero: false, label: value },
            Opcode::JumpNonzero => StepBody::JumpIf { condition: a, nonzero: true, label: value },
            _ => StepBody::Compute(decoded_statement(*instruction)),
        };
        steps.push(StreamStep { name: None, body });
    }
    for (step, record) in waits {
        if let Some(submit) = submitted.get(&record) {
            steps[step].body = StepBody::Wait(Ref::Id(*submit));
        }
    }
    let header = &image.header;
    Ok(StreamModel {
        name: None,
        deadline_us: (header.deadline_us != 0).then_some(header.deadline_us.into()),
        req: header.req.into(),
        variables: decoded_variables(&image),
        groups: Vec::new(),
        steps,
    })
}
