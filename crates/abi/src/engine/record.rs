//! A record of 64 bytes: a graph's node, or a command that a stream submits.

use crate::constants::{command, core, engine as c};

/// A list of successors: up to two stand here, more in edge words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Links {
    /// Their number.
    pub successors: u16,
    /// The successors (one or two), or the first of their edge words.
    pub link: u32,
}

impl Links {
    /// Its bits in a links word.
    pub const fn bits(self) -> u64 {
        self.link as u64 | (self.successors as u64) << c::LINKS_SUCCESSORS_SHIFT
    }

    /// The links of a links word.
    pub const fn from_bits(word: u64) -> Self {
        Self {
            successors: (word >> c::LINKS_SUCCESSORS_SHIFT) as u16 & c::RECORDS_MAX as u16,
            link: word as u32 & ((1 << c::LINK_BITS) - 1),
        }
    }

    /// Edge words that `successors` take.
    pub const fn edge_words(successors: usize) -> usize {
        if successors <= c::LINKS_INLINE_MAX as usize {
            0
        } else {
            successors.div_ceil(c::EDGES_PER_WORD as usize)
        }
    }

    /// The links of `nodes`; lists of more than two are appended to `edges`.
    pub fn pack(nodes: &[u16], edges: &mut Vec<u64>) -> Self {
        let successors = nodes.len() as u16;
        let link = match *nodes {
            [] => 0,
            [one] => u32::from(one),
            [one, other] => u32::from(one) | u32::from(other) << c::LINK_NODE_BITS,
            _ => {
                let first = edges.len() as u32;
                edges.extend(nodes.chunks(c::EDGES_PER_WORD as usize).map(|four| {
                    four.iter().enumerate().fold(0, |word, (i, node)| word | u64::from(*node) << (16 * i))
                }));
                first
            }
        };
        Self { successors, link }
    }

    /// The nodes it names, unchecked; `None` when the list leaves `edges`.
    pub fn nodes(self, edges: &[u64]) -> Option<Vec<u16>> {
        let mask = (1_u32 << c::LINK_NODE_BITS) - 1;
        let (one, other) = ((self.link & mask) as u16, (self.link >> c::LINK_NODE_BITS) as u16);
        let count = usize::from(self.successors);
        match count {
            // What these forms do not use must be 0, or two encodings meant one graph.
            0 => (self.link == 0).then(Vec::new),
            1 => (other == 0).then(|| vec![one]),
            2 => Some(vec![one, other]),
            _ => {
                let first = self.link as usize;
                let words = edges.get(first..first + Self::edge_words(count))?;
                Some(
                    words
                        .iter()
                        .flat_map(|word| (0..4).map(move |i| (word >> (16 * i)) as u16))
                        .take(count)
                        .collect(),
                )
            }
        }
    }
}

/// What a record does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordBody {
    /// Submits a command.
    Command {
        /// Handler's number.
        handler: u8,
        /// First core; 0 for a queued one.
        first: u8,
        /// Cores.
        count: u8,
        /// Argument words in use.
        words: u8,
        /// Bit i: argument i is the number of a register.
        mask: u16,
        /// Argument words: literals, or numbers of registers.
        args: [u32; command::ARGS_MAX as usize],
        /// `KM_FLAG_EXCLUSIVE`.
        exclusive: bool,
        /// `KM_FLAG_QUEUE`.
        queued: bool,
        /// Register of the result word.
        result: Option<u8>,
    },
    /// A cpu node.
    Cpu {
        /// Its first instruction.
        first: u32,
        /// How many.
        count: u32,
    },
}

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// What it does.
    pub body: RecordBody,
    /// What follows it.
    pub links: Links,
    /// How many nodes precede it, the start counted; 0 in a stream.
    pub predecessors: u16,
}

impl Record {
    /// The eight words of the record.
    pub fn encode(&self) -> [u64; 8] {
        let mut words = [0; 8];
        let mut links = self.links.bits() | u64::from(self.predecessors) << c::LINKS_PREDECESSORS_SHIFT;
        let mut head = u64::from(self.predecessors);
        match self.body {
            RecordBody::Command {
                handler,
                first,
                count,
                words: used,
                mask,
                args,
                exclusive,
                queued,
                result,
            } => {
                let flags = if exclusive { c::RECORD_EXCLUSIVE } else { 0 }
                    | if queued { c::RECORD_QUEUED } else { 0 };
                let publish = u64::from(handler)
                    | u64::from(used) << core::PUBLISH_ARGS_SHIFT
                    | u64::from(result.map_or(0, |_| core::PUBLISH_RESULT)) << core::PUBLISH_FLAGS_SHIFT
                    | u64::from(first) << core::PUBLISH_FIRST_SHIFT
                    | u64::from(count) << core::PUBLISH_COUNT_SHIFT;
                head |= u64::from(mask) << c::RECORD_MASK_SHIFT
                    | u64::from(flags) << c::RECORD_FLAGS_SHIFT
                    | publish << c::RECORD_PUBLISH_SHIFT;
                for (i, pair) in args.as_chunks::<2>().0.iter().enumerate() {
                    words[c::RECORD_ARGS as usize + i] = u64::from(pair[0]) | u64::from(pair[1]) << 32;
                }
                links |= result.map_or(0, |register| u64::from(register) + 1) << c::LINKS_RESULT_SHIFT;
            }
            RecordBody::Cpu { first, count } => {
                head |= u64::from(c::RECORD_CPU) << c::RECORD_FLAGS_SHIFT;
                words[c::RECORD_ARGS as usize] =
                    u64::from(first) | u64::from(count) << c::RECORD_CODE_COUNT_SHIFT;
            }
        }
        words[c::RECORD_COMMAND as usize] = head;
        words[c::RECORD_LINKS as usize] = links;
        words
    }
}
