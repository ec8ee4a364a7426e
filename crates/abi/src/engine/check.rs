//! The dispatcher's check of an upload, in the order of `firmware/PROTOCOL.md`, "Engines": same reasons, same places.

use super::{
    Header, Image, Instruction, Links, Opcode, Reason, Record, RecordBody, Refusal, Shape, UploadKind,
};
use crate::constants::{command, core, engine as c, graph};

const fn refuse<T>(reason: Reason, place: Option<u32>) -> Result<T, Refusal> {
    Err(Refusal { reason, place })
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word))
}

impl Image {
    /// Reads an upload that a RUN calls a `kind`, on a grid of `cores`, with `bindings` words given, as the dispatcher
    /// checks it. Never panics, whatever the bytes.
    pub fn check(
        bytes: &[u8],
        kind: UploadKind,
        cores: u32,
        bindings: Option<&[u32]>,
    ) -> Result<Self, Refusal> {
        let header = header(bytes, kind)?;
        if header.bindings != 0 && bindings.is_none() {
            return refuse(Reason::BINDINGS, None);
        }
        Self::body(header, bytes, cores)
    }

    /// Reads an upload that stands alone, in a file.
    pub fn check_but_bindings(bytes: &[u8], kind: UploadKind, cores: u32) -> Result<Self, Refusal> {
        Self::body(header(bytes, kind)?, bytes, cores)
    }

    /// What follows a header that is right.
    fn body(header: Header, bytes: &[u8], cores: u32) -> Result<Self, Refusal> {
        let (mut records, mut instructions, mut edges) = (Vec::new(), Vec::new(), Vec::new());
        let mut at = words(&bytes[c::UPLOAD_RECORDS as usize..]);
        let mut raw = Vec::with_capacity(header.records.into());
        for _ in 0..header.records {
            let mut record = [0; 8];
            record.fill_with(|| at.next().unwrap_or(0));
            raw.push(record);
        }
        instructions.extend(at.by_ref().take(header.instructions as usize));
        edges.extend(at.take(header.edge_words as usize));
        let mut check = Check { header: &header, cores, instructions: &instructions, records: &raw, next: 0 };
        for (i, record) in raw.iter().enumerate() {
            let record = check.record(record).map_err(|reason| Refusal { reason, place: Some(i as u32) })?;
            records.push(record);
        }
        match header.kind {
            UploadKind::Stream => check.stream()?,
            UploadKind::Graph => check_links(&header, &records, &edges)?,
        }
        Ok(Self { header, records, instructions, edges })
    }
}

fn header(bytes: &[u8], kind: UploadKind) -> Result<Header, Refusal> {
    if bytes.len() < c::UPLOAD_RECORDS as usize || !bytes.len().is_multiple_of(c::UPLOAD_ALIGN as usize) {
        return refuse(Reason::SIZE, None);
    }
    let mut line = [0; 8];
    line.iter_mut().zip(words(bytes)).for_each(|(to, word)| *to = word);
    Header::decode(&line, bytes.len() as u64, kind).map_err(|reason| Refusal { reason, place: None })
}

struct Check<'a> {
    header: &'a Header,
    cores: u32,
    instructions: &'a [u64],
    records: &'a [[u64; 8]],
    next: u32, // where the next cpu node's instructions begin
}

/// A record's flags, with the bits above them, which are none.
fn flags_of(record: &[u64; 8]) -> u32 {
    record[c::RECORD_COMMAND as usize] as u32 >> c::RECORD_FLAGS_SHIFT
}

/// The field of a word from one bit up to another.
const fn field(word: u64, from: u32, to: u32) -> u64 {
    word >> from & ((1 << (to - from)) - 1)
}

impl Check<'_> {
    fn record(&mut self, words: &[u64; 8]) -> Result<Record, Reason> {
        let (head, tail) = (words[c::RECORD_COMMAND as usize], words[c::RECORD_LINKS as usize]);
        let stream = self.header.kind == UploadKind::Stream;
        let flags = flags_of(words);
        let [cpu, exclusive, queued] =
            [c::RECORD_CPU, c::RECORD_EXCLUSIVE, c::RECORD_QUEUED].map(|flag| flags & flag != 0);
        let publish = (head >> c::RECORD_PUBLISH_SHIFT) as u32;
        let (first, count) =
            ((publish >> core::PUBLISH_FIRST_SHIFT) as u8, (publish >> core::PUBLISH_COUNT_SHIFT) as u8);
        let mask = field(head, c::RECORD_MASK_SHIFT, c::RECORD_FLAGS_SHIFT) as u16;
        let known = c::RECORD_CPU | c::RECORD_EXCLUSIVE | c::RECORD_QUEUED;
        let result = field(tail, c::LINKS_RESULT_SHIFT, c::LINKS_RESERVED_SHIFT) as u8;
        let links = Links::from_bits(tail);
        let predecessors = field(tail, c::LINKS_PREDECESSORS_SHIFT, c::LINKS_RESULT_SHIFT) as u16;
        let args = &words[c::RECORD_ARGS as usize..c::RECORD_LINKS as usize];
        if flags & !known != 0
            || tail >> c::LINKS_RESERVED_SHIFT != 0
            || cpu && (stream || flags != c::RECORD_CPU)
            || exclusive && queued
            || queued && first != 0
            || cpu && (publish != 0 || mask != 0 || result != 0 || args[1..].iter().any(|word| *word != 0))
            || stream && field(tail, 0, c::LINKS_RESULT_SHIFT) != 0
        {
            return Err(Reason::FLAGS);
        }
        if cpu {
            let (first, count) = (args[0] as u32, (args[0] >> c::RECORD_CODE_COUNT_SHIFT) as u32);
            self.code(first, count)?;
            return Ok(Record { body: RecordBody::Cpu { first, count }, links, predecessors });
        }
        let handler = publish as u8;
        let used = field(publish.into(), core::PUBLISH_ARGS_SHIFT, core::PUBLISH_FLAGS_SHIFT) as u8;
        let publish_flags =
            field(publish.into(), core::PUBLISH_FLAGS_SHIFT, core::PUBLISH_FIRST_SHIFT) as u32;
        if u32::from(handler) > command::HANDLER_MAX {
            return Err(Reason::HANDLER);
        }
        if u32::from(used) > command::ARGS_MAX || u32::from(mask) >> used != 0 {
            return Err(Reason::ARGS);
        }
        if count == 0 || u32::from(first) + u32::from(count) > self.cores {
            return Err(Reason::GROUP);
        }
        let mut list = [0; command::ARGS_MAX as usize];
        for (pair, word) in list.as_chunks_mut::<2>().0.iter_mut().zip(args) {
            *pair = [*word as u32, (word >> 32) as u32];
        }
        let registers = list.iter().enumerate().filter(|(i, _)| mask >> i & 1 != 0).map(|(_, word)| *word);
        if registers.into_iter().any(|word| word >= c::REGISTERS) || u32::from(result) > c::REGISTERS {
            return Err(Reason::REGISTER);
        }
        if publish_flags != if result == 0 { 0 } else { core::PUBLISH_RESULT } {
            return Err(Reason::FLAGS);
        }
        let body = RecordBody::Command {
            handler,
            first,
            count,
            words: used,
            mask,
            args: list,
            exclusive,
            queued,
            result: result.checked_sub(1),
        };
        Ok(Record { body, links, predecessors })
    }

    fn code(&mut self, first: u32, count: u32) -> Result<(), Reason> {
        let end = u64::from(first) + u64::from(count);
        if first != self.next
            || count == 0
            || count > graph::CPU_INSTRUCTIONS_MAX
            || end > self.instructions.len() as u64
        {
            return Err(Reason::CODE);
        }
        for word in &self.instructions[first as usize..end as usize] {
            match Instruction::decode(*word) {
                Ok(instruction) if instruction.op.shape().in_cpu() => {}
                Ok(_) => return Err(Reason::OPCODE),
                // A control instruction is no cpu node's whatever its operands are.
                Err(_) if Opcode::from_bits(*word as u8).is_some_and(|op| !op.shape().in_cpu()) => {
                    return Err(Reason::OPCODE);
                }
                Err(reason) => return Err(reason),
            }
        }
        self.next += count;
        Ok(())
    }

    fn stream(&self) -> Result<(), Refusal> {
        for (pc, word) in self.instructions.iter().enumerate() {
            let place = Some(pc as u32);
            let instruction = Instruction::decode(*word).map_err(|reason| Refusal { reason, place })?;
            let value = instruction.value;
            match instruction.op.shape() {
                Shape::Record | Shape::RecordAt => {
                    let Some(record) = self.records.get(value as usize) else {
                        return refuse(Reason::OPERAND, place);
                    };
                    let queued = flags_of(record) & c::RECORD_QUEUED != 0;
                    let wrong = match instruction.op {
                        Opcode::Enqueue => !queued,
                        Opcode::Wait => false,
                        _ => queued,
                    };
                    if wrong {
                        return refuse(Reason::OPERAND, place);
                    }
                }
                Shape::Target | Shape::Branch if value >= self.header.instructions => {
                    return refuse(Reason::TARGET, place);
                }
                _ => {}
            }
            let last = pc + 1 == self.instructions.len();
            if last && !matches!(instruction.op, Opcode::Jump | Opcode::Halt) {
                return refuse(Reason::END, place);
            }
        }
        Ok(())
    }
}

fn check_links(header: &Header, records: &[Record], edges: &[u64]) -> Result<(), Refusal> {
    let mut pending = vec![0_u16; records.len()];
    let mut next = 0; // where the next list of edge words begins
    let mut count = |links: Links, place: Option<u32>| {
        let listed = Links::edge_words(links.successors.into());
        if listed != 0 && links.link as usize != next {
            return refuse(Reason::EDGE, place);
        }
        next += listed;
        let Some(nodes) = links.nodes(edges) else { return refuse(Reason::EDGE, place) };
        for node in nodes {
            match pending.get_mut(usize::from(node)) {
                Some(pending) if u32::from(*pending) < c::RECORDS_MAX => *pending += 1,
                _ => return refuse(Reason::EDGE, place),
            }
        }
        Ok(())
    };
    count(header.start, None)?;
    for (i, record) in records.iter().enumerate() {
        count(record.links, Some(i as u32))?;
    }
    for (i, (record, pending)) in records.iter().zip(pending).enumerate() {
        if pending != record.predecessors || pending == 0 {
            return refuse(Reason::ORDER, Some(i as u32));
        }
    }
    Ok(())
}
