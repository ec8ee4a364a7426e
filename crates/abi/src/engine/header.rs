//! The first line of an upload.

use super::{Links, Reason};
use crate::constants::engine as c;

/// What an upload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UploadKind {
    /// A stream.
    Stream,
    /// A graph.
    Graph,
}

impl UploadKind {
    /// Its number on the wire.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Stream => c::UPLOAD_STREAM,
            Self::Graph => c::UPLOAD_GRAPH,
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Graph => "graph",
        }
    }
}

/// The header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Stream or graph.
    pub kind: UploadKind,
    /// The graph stays after its end event.
    pub keep: bool,
    /// What its events carry.
    pub req: u16,
    /// Bytes of the upload.
    pub bytes: u32,
    /// Records.
    pub records: u16,
    /// Bindings: they start in registers 0, 1, ...
    pub bindings: u8,
    /// Instructions.
    pub instructions: u32,
    /// Edge words.
    pub edge_words: u32,
    /// Microseconds from the RUN; 0: none.
    pub deadline_us: u32,
    /// The most rounds; 0: no limit.
    pub max_runs: u32,
    /// Registers of the end event.
    pub end: [Option<u8>; 2],
    /// The register that asks for another round.
    pub again: Option<u8>,
    /// The nodes that nothing precedes.
    pub start: Links,
}

fn register_bits(register: Option<u8>) -> u64 {
    register.map_or(u64::from(c::NO_REGISTER), u64::from)
}

fn register(bits: u64) -> Result<Option<u8>, Reason> {
    match bits as u8 {
        none if u32::from(none) == c::NO_REGISTER => Ok(None),
        register if u32::from(register) < c::REGISTERS => Ok(Some(register)),
        _ => Err(Reason::HEADER),
    }
}

impl Header {
    /// Bytes that an upload with these counts takes.
    pub const fn bytes_of(records: u64, instructions: u64, edge_words: u64) -> u64 {
        let bytes = c::UPLOAD_RECORDS as u64
            + c::RECORD_BYTES as u64 * records
            + c::INSTRUCTION_BYTES as u64 * instructions
            + c::EDGE_BYTES as u64 * edge_words;
        bytes.next_multiple_of(c::UPLOAD_ALIGN as u64)
    }

    /// A header without parts, bindings, limits or links.
    pub fn new(kind: UploadKind, req: u16) -> Self {
        Self {
            kind,
            keep: false,
            req,
            bytes: 0,
            records: 0,
            bindings: 0,
            instructions: 0,
            edge_words: 0,
            deadline_us: 0,
            max_runs: 0,
            end: [None; 2],
            again: None,
            start: Links::default(),
        }
    }

    /// The first word with its keep bit set or cleared (host-api, "Engines": `kept=`).
    pub const fn with_keep(head: u64, keep: bool) -> u64 {
        let bit = (c::UPLOAD_KEEP as u64) << c::HEAD_UPLOAD_FLAGS_SHIFT;
        if keep { head | bit } else { head & !bit }
    }

    /// The eight words of the header.
    pub fn encode(&self) -> [u64; 8] {
        let mut words = [0; 8];
        let head = u64::from(c::UPLOAD_MAGIC)
            | u64::from(self.kind.bits()) << c::HEAD_KIND_SHIFT
            | u64::from(self.req) << c::HEAD_REQ_SHIFT;
        words[c::UPLOAD_HEAD as usize] = Self::with_keep(head, self.keep);
        words[c::UPLOAD_SIZE as usize] = u64::from(self.bytes)
            | u64::from(self.records) << c::SIZE_RECORDS_SHIFT
            | u64::from(self.bindings) << c::SIZE_BINDINGS_SHIFT;
        words[c::UPLOAD_CODE as usize] =
            u64::from(self.instructions) | u64::from(self.edge_words) << c::CODE_EDGES_SHIFT;
        words[c::UPLOAD_LIMITS as usize] =
            u64::from(self.deadline_us) | u64::from(self.max_runs) << c::LIMITS_RUNS_SHIFT;
        if self.kind == UploadKind::Graph {
            words[c::UPLOAD_END as usize] = register_bits(self.end[0])
                | register_bits(self.end[1]) << c::END_SECOND_SHIFT
                | register_bits(self.again) << c::END_AGAIN_SHIFT;
            words[c::UPLOAD_START as usize] = self.start.bits();
        }
        words
    }

    /// The header of an upload of `bytes` bytes that a RUN calls a `kind`. Only the header's own rules are checked.
    pub fn decode(words: &[u64; 8], bytes: u64, kind: UploadKind) -> Result<Self, Reason> {
        let fail = Err(Reason::HEADER);
        let [head, size, code, limits] =
            [c::UPLOAD_HEAD, c::UPLOAD_SIZE, c::UPLOAD_CODE, c::UPLOAD_LIMITS].map(|i| words[i as usize]);
        let (end, start) = (words[c::UPLOAD_END as usize], words[c::UPLOAD_START as usize]);
        let flags = u32::from((head >> c::HEAD_UPLOAD_FLAGS_SHIFT) as u8);
        let graph = kind == UploadKind::Graph;
        if head as u32 != c::UPLOAD_MAGIC || u32::from((head >> c::HEAD_KIND_SHIFT) as u8) != kind.bits() {
            return fail;
        }
        if flags & !(if graph { c::UPLOAD_KEEP } else { 0 }) != 0 {
            return fail;
        }
        let bindings = (size >> c::SIZE_BINDINGS_SHIFT) as u16;
        if u32::from(bindings) > c::BINDINGS_MAX
            || words[c::UPLOAD_RESERVED as usize..].iter().any(|word| *word != 0)
        {
            return fail;
        }
        let header = Self {
            kind,
            keep: flags & c::UPLOAD_KEEP != 0,
            req: (head >> c::HEAD_REQ_SHIFT) as u16,
            bytes: size as u32,
            records: (size >> c::SIZE_RECORDS_SHIFT) as u16,
            bindings: bindings as u8,
            instructions: code as u32,
            edge_words: (code >> c::CODE_EDGES_SHIFT) as u32,
            deadline_us: limits as u32,
            max_runs: (limits >> c::LIMITS_RUNS_SHIFT) as u32,
            end: if graph { [register(end)?, register(end >> c::END_SECOND_SHIFT)?] } else { [None; 2] },
            again: if graph { register(end >> c::END_AGAIN_SHIFT)? } else { None },
            start: Links::from_bits(start),
        };
        let proper = if graph {
            end >> 24 == 0 && start >> c::LINKS_PREDECESSORS_SHIFT == 0 && header.records != 0
        } else {
            header.max_runs == 0
                && end == 0
                && start == 0
                && header.edge_words == 0
                && header.instructions != 0
        };
        if !proper {
            return fail;
        }
        let sum = Self::bytes_of(header.records.into(), header.instructions.into(), header.edge_words.into());
        if sum != bytes || u64::from(header.bytes) != bytes {
            return Err(Reason::SIZE);
        }
        Ok(header)
    }
}
