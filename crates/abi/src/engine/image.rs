//! An upload as data.

use super::{Header, Record, UploadKind};
use crate::constants::engine as c;

/// An upload: header, records, instructions, edge words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The header. Its counts and bytes are those of the parts.
    pub header: Header,
    /// Nodes, or the commands that a stream submits.
    pub records: Vec<Record>,
    /// Instruction words.
    pub instructions: Vec<u64>,
    /// Edge words.
    pub edges: Vec<u64>,
}

impl Image {
    /// The same with its parts counted in the header.
    #[must_use]
    pub fn counted(mut self) -> Self {
        let [records, instructions, edges] =
            [self.records.len(), self.instructions.len(), self.edges.len()].map(|count| count as u64);
        self.header.records = records as u16;
        self.header.instructions = instructions as u32;
        self.header.edge_words = edges as u32;
        self.header.bytes = Header::bytes_of(records, instructions, edges) as u32;
        self
    }

    /// The upload's bytes, whole lines.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.header.bytes as usize);
        let mut put = |words: &[u64]| words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        put(&self.header.encode());
        put(&[0; (c::UPLOAD_RECORDS - c::UPLOAD_OWN) as usize / 8]);
        self.records.iter().for_each(|record| put(&record.encode()));
        put(&self.instructions);
        put(&self.edges);
        bytes.resize(self.header.bytes as usize, 0);
        bytes
    }

    /// What bytes say they are, and their req, by the first word alone: for an upload of bytes from somewhere else.
    pub fn peek(bytes: &[u8]) -> Option<(Option<UploadKind>, u16)> {
        let head = u64::from_le_bytes(*bytes.first_chunk()?);
        let kind = match u32::from((head >> c::HEAD_KIND_SHIFT) as u8) {
            c::UPLOAD_STREAM => Some(UploadKind::Stream),
            c::UPLOAD_GRAPH => Some(UploadKind::Graph),
            _ => None,
        };
        Some((kind.filter(|_| head as u32 == c::UPLOAD_MAGIC), (head >> c::HEAD_REQ_SHIFT) as u16))
    }
}
