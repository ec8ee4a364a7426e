//! From the bytes of an upload to a model.

use super::{GraphModel, GraphNode, NodeBody};
use crate::engine::{
    Command, Group, Image, Instruction, RecordBody, Ref, Refusal, Shape, Statement, UploadKind, Value,
    Variable, VariableKind,
};

/// The graph that bytes are: handlers by number, registers by position, no names. The error is the one that the
/// dispatcher would give.
pub fn decode(bytes: &[u8], cores: u32) -> Result<GraphModel, Refusal> {
    let image = Image::check_but_bindings(bytes, UploadKind::Graph, cores)?;
    let header = &image.header;
    let mut nodes: Vec<GraphNode> = image
        .records
        .iter()
        .map(|record| GraphNode { name: None, body: body(&image, &record.body), after: Vec::new() })
        .collect();
    for (i, record) in image.records.iter().enumerate() {
        for node in record.links.nodes(&image.edges).unwrap_or_default() {
            if let Some(node) = nodes.get_mut(usize::from(node)) {
                node.after.push(Ref::Id(i as u32));
            }
        }
    }
    let unless_zero = |number: u32| (number != 0).then_some(u64::from(number));
    Ok(GraphModel {
        name: None,
        deadline_us: unless_zero(header.deadline_us),
        max_runs: unless_zero(header.max_runs),
        req: header.req.into(),
        keep: header.keep,
        variables: variables(&image),
        groups: Vec::new(),
        nodes,
        again: header.again.map(u32::from),
        end: header.end.map(|register| register.map(|register| Ref::Id(register.into()))),
    })
}

fn body(image: &Image, body: &RecordBody) -> NodeBody {
    match body {
        RecordBody::Command { .. } => NodeBody::Command(command(body)),
        RecordBody::Cpu { first, count } => {
            let code = image.instructions.iter().skip(*first as usize).take(*count as usize);
            NodeBody::Cpu(code.filter_map(|word| Instruction::decode(*word).ok().map(statement)).collect())
        }
    }
}

/// The command of a record; a cpu node's is a NOP.
pub(crate) fn command(body: &RecordBody) -> Command {
    let RecordBody::Command { handler, first, count, words, mask, args, exclusive, queued, result } = *body
    else {
        return Command::new(0, Group::Core(0), []);
    };
    let group = if queued {
        Group::Count(count.into())
    } else {
        Group::Range(first.into(), u64::from(first) + u64::from(count))
    };
    let value = |(i, word): (usize, &u32)| {
        if mask >> i & 1 != 0 { Value::Variable(Ref::Id(*word)) } else { Value::Word(*word) }
    };
    let args: Vec<Value> = args.iter().take(words.into()).enumerate().map(value).collect();
    Command {
        exclusive,
        queued,
        result: result.map(|register| Ref::Id(register.into())),
        ..Command::new(u32::from(handler), group, args)
    }
}

/// The statement of an arithmetic instruction.
pub(crate) fn statement(instruction: Instruction) -> Statement {
    let Instruction { op, immediate, d, a, b, value } = instruction;
    let register = |register: u8| Value::Variable(Ref::Id(register.into()));
    let second = if immediate { Value::Word(value) } else { register(b) };
    let operands = match op.shape() {
        Shape::Binary => vec![register(a), second],
        Shape::Unary => vec![second],
        _ => vec![register(a), register(b), register(value as u8)],
    };
    Statement::new(op, u32::from(d), operands)
}

/// Bindings, and registers up to the highest that is named.
pub(crate) fn variables(image: &Image) -> Vec<Variable> {
    let mut used: u32 = image.header.bindings.into();
    let mut see = |register: u32| used = used.max(register + 1);
    for record in &image.records {
        if let RecordBody::Command { mask, args, result, .. } = record.body {
            args.iter().enumerate().filter(|(i, _)| mask >> i & 1 != 0).for_each(|(_, word)| see(*word));
            result.into_iter().for_each(|register| see(register.into()));
        }
    }
    for instruction in image.instructions.iter().filter_map(|word| Instruction::decode(*word).ok()) {
        instruction.reads().chain(instruction.writes()).for_each(|register| see(register.into()));
    }
    image
        .header
        .end
        .iter()
        .chain([&image.header.again])
        .flatten()
        .for_each(|register| see((*register).into()));
    let kind = |number| {
        if number < u32::from(image.header.bindings) { VariableKind::Binding } else { VariableKind::Register }
    };
    (0..used).map(|number| Variable::new(kind(number), None, None)).collect()
}
