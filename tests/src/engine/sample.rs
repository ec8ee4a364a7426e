//! Small uploads, to be changed.

use komorebi_abi::constants::engine as e;
use komorebi_abi::engine::{Header, Image, Instruction, Links, Opcode, Record, RecordBody, UploadKind};

/// A command with two argument words.
pub fn record(handler: u8, first: u8, count: u8) -> Record {
    let body = RecordBody::Command {
        handler,
        first,
        count,
        words: 2,
        mask: 0,
        args: [0; 10],
        exclusive: false,
        queued: false,
        result: None,
    };
    Record { body, links: Links::default(), predecessors: 1 }
}

/// Links to up to two nodes.
pub fn links(nodes: &[u16]) -> Links {
    Links::pack(nodes, &mut Vec::new())
}

/// A graph: a command, a cpu node, a command.
pub fn graph(req: u16) -> Image {
    let mut image = Image {
        header: Header::new(UploadKind::Graph, req),
        records: vec![
            Record { links: links(&[1]), ..record(1, 0, 4) },
            Record { body: RecordBody::Cpu { first: 0, count: 2 }, links: links(&[2]), predecessors: 1 },
            record(2, 4, 4),
        ],
        instructions: vec![Instruction::unary_value(Opcode::Move, 1, 5).encode(); 2],
        edges: vec![],
    };
    image.header.start = links(&[0]);
    image.counted()
}

/// A stream: submits its second record, waits, halts.
pub fn stream(req: u16) -> Image {
    let records = [1, 2].map(|handler| Record { predecessors: 0, ..record(handler, 0, 4) }).to_vec();
    let code = [
        Instruction::unary_value(Opcode::Move, 3, 9),
        Instruction::control(Opcode::Submit, 0, 1),
        Instruction::control(Opcode::WaitAll, 0, 0),
        Instruction::control(Opcode::Halt, 3, 0),
    ];
    let instructions = code.iter().map(|instruction| instruction.encode()).collect();
    Image { header: Header::new(UploadKind::Stream, req), records, instructions, edges: vec![] }.counted()
}

/// Changes a 64-bit word of an upload.
///
/// # Panics
/// When the upload is shorter.
pub fn edit(bytes: &mut [u8], word: usize, change: impl FnOnce(u64) -> u64) {
    let word = &mut bytes.as_chunks_mut::<8>().0[word];
    *word = change(u64::from_le_bytes(*word)).to_le_bytes();
}

/// Where the word `index` of a record lies, in words.
pub const fn word_at(record: usize, index: u32) -> usize {
    (e::UPLOAD_RECORDS + e::RECORD_BYTES * record as u32) as usize / 8 + index as usize
}
