//! Random valid uploads.

use komorebi_abi::constants::engine as c;
use komorebi_abi::engine::{
    Header, Image, Instruction, Links, Opcode, Record, RecordBody, Shape, UploadKind,
};

use super::Random;

/// What uploads may hold.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Cores of the grid.
    pub cores: u32,
    /// The first of the handlers of the upload's commands.
    pub handler: u32,
    /// How many handlers there are.
    pub handlers: u32,
    /// Nodes of a graph.
    pub nodes: u32,
    /// Words of bindings.
    pub bindings: u32,
    /// Once in a while more queued commands than the job queue holds: who finds it full is known of an engine that runs alone.
    pub floods: bool,
}

/// Registers that results go to.
const RESULTS: u32 = 30;

/// A random command for a record.
fn command(random: &mut Random, limits: Limits, record: u32, queued: bool) -> RecordBody {
    let count = match random.below(8) {
        0 => limits.cores,
        1..=3 => random.between(1, limits.cores),
        _ => random.between(1, limits.cores.min(12)),
    };
    let words = if random.one_in(4) { 0 } else { random.between(0, 10) };
    let mask = if random.one_in(3) { random.word() as u16 & ((1 << words) - 1) } else { 0 };
    let mut args = [0; 10];
    for (i, word) in args.iter_mut().enumerate().take(words as usize) {
        *word = if mask >> i & 1 != 0 { random.below(c::REGISTERS) } else { random.word() as u32 };
    }
    RecordBody::Command {
        handler: (limits.handler + record % limits.handlers) as u8,
        first: if queued { 0 } else { random.between(0, limits.cores - count) as u8 },
        count: count as u8,
        words: words as u8,
        mask,
        args,
        exclusive: !queued && random.one_in(10),
        queued,
        // Above it are a stream's counter and first core.
        result: random.one_in(3).then(|| random.below(RESULTS) as u8),
    }
}

/// A random arithmetic instruction that leaves the registers from `kept` on as they are.
pub fn arithmetic(random: &mut Random, kept: u32) -> Instruction {
    let ops: Vec<Opcode> = Opcode::ALL.iter().copied().filter(|op| op.shape().in_cpu()).collect();
    let op = random.one_of(&ops);
    let [a, b, third] = [0; 3].map(|_| random.below(c::REGISTERS) as u8);
    let d = random.below(kept) as u8;
    let value = match random.below(4) {
        0 => random.below(4),
        1 => f32::from(random.below(100) as u8).to_bits(),
        _ => random.word() as u32,
    };
    match (op.shape(), random.one_in(2)) {
        (Shape::Binary, true) => Instruction::binary(op, d, a, b),
        (Shape::Binary, false) => Instruction::binary_value(op, d, a, value),
        (Shape::Unary, true) => Instruction::unary(op, d, b),
        (Shape::Unary, false) => Instruction::unary_value(op, d, value),
        _ => Instruction::select(d, a, b, third),
    }
}

/// A graph.
pub fn graph(random: &mut Random, req: u16, limits: Limits) -> Image {
    let flood = limits.floods && random.one_in(10); // of queued commands, most of them at once: more than the job queue holds, now and then
    let nodes = if flood { random.between(60, 120) } else { random.between(1, limits.nodes) };
    let mut successors = vec![Vec::new(); nodes as usize];
    let mut predecessors = vec![0_u16; nodes as usize];
    // Node numbers are shuffled, so that an edge may go to a lower number.
    let mut order: Vec<u16> = (0..nodes as u16).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, random.below(i as u32 + 1) as usize);
    }
    let style = random.below(4);
    let mut roots = Vec::new();
    for (place, node) in order.iter().enumerate() {
        let before = &order[..place];
        let wanted = match style {
            _ if flood => u32::from(random.one_in(6)),
            0 => 1,                                     // chains and trees
            1 => random.between(0, 6),                  // dense
            2 if place % 7 == 0 => before.len() as u32, // fan-in of all, then fan-out
            2 => u32::from(place % 7 != 0),
            _ => random.between(0, 2),
        };
        if before.is_empty() || wanted == 0 {
            roots.push(*node);
            continue;
        }
        let from: Vec<u16> = match style {
            2 if wanted > 1 && !flood => before.to_vec(),
            2 if !flood => vec![before[before.len() - 1 - before.len() % 7 % before.len().max(1)]],
            _ => (0..wanted).map(|_| random.one_of(before)).collect(),
        };
        for predecessor in from {
            successors[usize::from(predecessor)].push(*node);
            predecessors[usize::from(*node)] += 1;
        }
    }
    let mut image = Image {
        header: Header::new(UploadKind::Graph, req),
        records: vec![],
        instructions: vec![],
        edges: vec![],
    };
    let register = |random: &mut Random| random.one_in(2).then(|| random.below(c::REGISTERS) as u8);
    image.header.start = Links::pack(&roots, &mut image.edges);
    roots.iter().for_each(|root| predecessors[usize::from(*root)] += 1);
    for (successors, predecessors) in successors.iter().zip(predecessors) {
        let body = if random.one_in(4) {
            let first = image.instructions.len() as u32;
            let count = random.between(1, 6);
            image.instructions.extend((0..count).map(|_| arithmetic(random, c::REGISTERS).encode()));
            RecordBody::Cpu { first, count }
        } else {
            let queued = flood || random.one_in(8);
            command(random, limits, image.records.len() as u32, queued)
        };
        let links = Links::pack(successors, &mut image.edges);
        image.records.push(Record { body, links, predecessors });
    }
    image.header.max_runs = random.between(1, 3);
    image.header.again = register(random);
    image.header.end = [register(random), register(random)];
    image.header.bindings = limits.bindings as u8;
    image.counted()
}

/// A stream that ends: its branches go forward, but for those of counted loops.
pub fn stream(random: &mut Random, req: u16, limits: Limits) -> Image {
    let mut image = Image {
        header: Header::new(UploadKind::Stream, req),
        records: vec![],
        instructions: vec![],
        edges: vec![],
    };
    let records = random.between(1, 6);
    let mut queued = Vec::new();
    for _ in 0..records {
        queued.push(random.one_in(4));
        let body = command(random, limits, image.records.len() as u32, *queued.last().unwrap());
        image.records.push(Record { body, links: Links::default(), predecessors: 0 });
    }
    // Registers 30 and 31 count loops and hold first cores.
    let (counter, first) = (31_u8, 30_u8);
    let mut code: Vec<Instruction> = Vec::new();
    let mut open: Option<usize> = None;
    for _ in 0..random.between(2, 40) {
        let record = random.below(records);
        match random.below(12) {
            0..=3 => code.push(arithmetic(random, 30)),
            4..=6 if queued[record as usize] => code.push(Instruction::control(Opcode::Enqueue, 0, record)),
            4 | 5 => code.push(Instruction::control(Opcode::Submit, 0, record)),
            6 => {
                let RecordBody::Command { count, .. } = image.records[record as usize].body else { continue };
                // Once in a while one that leaves the cores.
                let most = limits.cores - u32::from(count) + u32::from(random.one_in(16));
                code.push(Instruction::unary_value(Opcode::Move, first, random.between(0, most)));
                code.push(Instruction::control(Opcode::SubmitAt, first, record));
            }
            7 => code.push(Instruction::control(Opcode::Wait, 0, record)),
            8 if random.one_in(3) => code.push(Instruction::control(Opcode::WaitAll, 0, 0)),
            8 => {
                let a = random.below(c::REGISTERS) as u8;
                code.push(Instruction::control(Opcode::Event, a, 0));
            }
            // More commands than the job queue holds, once in a while.
            9 if limits.floods && open.is_none() && queued[record as usize] && random.one_in(2) => {
                code.push(Instruction::unary_value(Opcode::Move, counter, random.between(1, 90)));
                let start = code.len() as u32;
                code.push(Instruction::control(Opcode::Enqueue, 0, record));
                code.push(Instruction::binary_value(Opcode::Sub, counter, counter, 1));
                code.push(Instruction::control(Opcode::JumpNonzero, counter, start));
            }
            9 if open.is_none() => {
                code.push(Instruction::unary_value(Opcode::Move, counter, random.between(1, 4)));
                open = Some(code.len());
            }
            9 | 10 if open.is_some() => {
                let start = open.take().unwrap_or_default() as u32;
                code.push(Instruction::binary_value(Opcode::Sub, counter, counter, 1));
                code.push(Instruction::control(Opcode::JumpNonzero, counter, start));
            }
            10 => {
                // Over the next instruction, unless that is a halt's place: both forms and an unconditional one.
                let op = random.one_of(&[Opcode::JumpZero, Opcode::JumpNonzero, Opcode::Jump]);
                let a = if op == Opcode::Jump { 0 } else { random.below(30) as u8 };
                let target = code.len() as u32 + 2;
                code.push(Instruction::control(op, a, target));
                code.push(arithmetic(random, 30));
            }
            _ if random.one_in(12) => {
                let a = random.below(c::REGISTERS) as u8;
                code.push(Instruction::control(Opcode::Halt, a, 0));
            }
            _ => code.push(arithmetic(random, 30)),
        }
    }
    if let Some(start) = open {
        code.push(Instruction::binary_value(Opcode::Sub, counter, counter, 1));
        code.push(Instruction::control(Opcode::JumpNonzero, counter, start as u32));
    }
    code.push(Instruction::control(Opcode::Halt, random.below(c::REGISTERS) as u8, 0));
    image.instructions = code.iter().map(|instruction| instruction.encode()).collect();
    image.header.bindings = limits.bindings as u8;
    image.counted()
}
