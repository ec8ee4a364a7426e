//! Element types of tensors on the card.

/// The type of a tensor's elements on the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the types'")]
pub enum DType {
    Bfloat16,
    Float32,
    Int32,
    Uint32,
    Uint16,
    Uint8,
}

impl DType {
    /// Bytes of an element.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Float32 | Self::Int32 | Self::Uint32 => 4,
            Self::Bfloat16 | Self::Uint16 => 2,
            Self::Uint8 => 1,
        }
    }

    /// Its name, as in the declaration of a circular buffer.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bfloat16 => "bfloat16",
            Self::Float32 => "float32",
            Self::Int32 => "int32",
            Self::Uint32 => "uint32",
            Self::Uint16 => "uint16",
            Self::Uint8 => "uint8",
        }
    }
}
