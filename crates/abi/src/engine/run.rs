//! RUN and CANCEL as argument words.

use super::UploadKind;
use crate::constants::engine as c;

/// What a RUN starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// An upload.
    Upload {
        /// Its offset in the region.
        offset: u32,
        /// Its bytes.
        bytes: u32,
        /// What it is.
        kind: UploadKind,
        /// Offset of the line of its bindings, if it has bindings.
        bindings: Option<u32>,
    },
    /// A kept graph, again.
    Restart {
        /// The req of its upload.
        req: u16,
        /// Offset of the line of its bindings, if it has bindings.
        bindings: Option<u32>,
    },
}

impl Run {
    /// The argument words.
    pub fn words(self) -> [u32; c::RUN_ARGS as usize] {
        let mut words = [0; c::RUN_ARGS as usize];
        let (upload, bytes, mode, bindings) = match self {
            Self::Upload { offset, bytes, kind: UploadKind::Stream, bindings } => {
                (offset, bytes, c::RUN_STREAM, bindings)
            }
            Self::Upload { offset, bytes, kind: UploadKind::Graph, bindings } => {
                (offset, bytes, c::RUN_GRAPH, bindings)
            }
            Self::Restart { req, bindings } => (req.into(), 0, c::RUN_RESTART, bindings),
        };
        words[c::RUN_UPLOAD as usize] = upload;
        words[c::RUN_BYTES as usize] = bytes;
        words[c::RUN_MODE as usize] = mode;
        words[c::RUN_BINDINGS as usize] = bindings.unwrap_or(c::NO_BINDINGS);
        words
    }
}

/// Ends the engine with `req`, or drops the kept graph with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancel {
    /// The req of its upload.
    pub req: u16,
}

impl Cancel {
    /// The argument words.
    pub fn words(self) -> [u32; c::CANCEL_ARGS as usize] {
        let mut words = [0; c::CANCEL_ARGS as usize];
        words[c::CANCEL_REQ as usize] = self.req.into();
        words
    }
}
