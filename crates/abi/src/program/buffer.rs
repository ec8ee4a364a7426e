//! Circular buffers and the L1 they take.

use super::names::capitals;
use crate::constants::layout;

/// A data format of a circular buffer (host-api, "Program").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the formats'")]
pub enum Format {
    Bfloat16,
    Float32,
    Int32,
    Uint32,
    Uint16,
    Uint8,
    Bfloat8B,
    Bfloat4B,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 8] = [
        Self::Bfloat16,
        Self::Float32,
        Self::Int32,
        Self::Uint32,
        Self::Uint16,
        Self::Uint8,
        Self::Bfloat8B,
        Self::Bfloat4B,
    ];

    /// Its name in declarations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bfloat16 => "bfloat16",
            Self::Float32 => "float32",
            Self::Int32 => "int32",
            Self::Uint32 => "uint32",
            Self::Uint16 => "uint16",
            Self::Uint8 => "uint8",
            Self::Bfloat8B => "bfloat8_b",
            Self::Bfloat4B => "bfloat4_b",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// What a page's bytes must be a multiple of: an element, a tile for the block formats (16 elements share an
    /// exponent byte: 1,088 and 576 bytes a 32 x 32 tile), and 16 bytes in any case, the unit of a NoC transfer
    /// between L1s (tensix.md §4).
    pub const fn page_step(self) -> u32 {
        match self {
            Self::Bfloat8B => 1024 + 64,
            Self::Bfloat4B => 512 + 64,
            _ => 16,
        }
    }
}

/// A circular buffer on every core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Its name in the declaration, if it has one.
    pub name: Option<String>,
    /// Its index, 0 to 28.
    pub index: u32,
    /// Its data format.
    pub format: Format,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Pages.
    pub pages: u32,
}

impl Buffer {
    /// Bytes it takes of every core's L1, rounded up to the buffers' alignment.
    pub fn bytes(&self) -> u64 {
        (u64::from(self.page_bytes) * u64::from(self.pages))
            .next_multiple_of(u64::from(layout::L1_BUFFER_ALIGN))
    }

    /// The constant that its name is in the kernels: `input_a` is `kBufferInputA`.
    pub fn constant(name: &str) -> String {
        format!("kBuffer{}", capitals(name))
    }

    /// How messages call it.
    pub fn label(&self) -> String {
        match &self.name {
            Some(name) => format!("`{name}` (index {})", self.index),
            None => format!("buffer {}", self.index),
        }
    }

    /// Pages of a buffer: its counters are compared mod 65536 (tensix.md §5), so more of them could look like none.
    pub const PAGES_MAX: u32 = 0x7FFF;

    /// The same without its index, where that is told beside it.
    pub(super) fn called(&self) -> String {
        self.name.as_ref().map_or_else(|| "a buffer".to_owned(), |name| format!("buffer `{name}`"))
    }
}

/// A part of a core's L1 with its share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetLine {
    /// What it is.
    pub what: String,
    /// Its bytes.
    pub bytes: u64,
}

/// Every part of a core's L1 that a program with `kernel_bytes` of kernels and these `buffers` takes, in address
/// order: the runtime's own, the kernels, each buffer. The sum may be over [`layout::L1_BYTES`].
pub fn l1_budget(kernel_bytes: u32, buffers: &[Buffer]) -> Vec<BudgetLine> {
    let fixed = [
        BudgetLine { what: "runtime".into(), bytes: u64::from(layout::L1_KERNELS) },
        BudgetLine { what: "kernels".into(), bytes: u64::from(kernel_bytes) },
    ];
    let buffers = buffers.iter().map(|buffer| BudgetLine { what: buffer.label(), bytes: buffer.bytes() });
    fixed.into_iter().chain(buffers).collect()
}
