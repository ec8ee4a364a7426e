//! Values and names as a model holds them.

use crate::program::ArgKind;

/// An element of a model: by position, or by a name that the check looks up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ref {
    /// Position in its list.
    Id(u32),
    /// A name.
    Named(String),
}

impl From<u32> for Ref {
    fn from(id: u32) -> Self {
        Self::Id(id)
    }
}

impl From<&str> for Ref {
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

/// An argument or an operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An integer without a type: it takes that of its place, if it fits.
    Int(i128),
    /// A float without a type: rounded once, from its text, as rustc does.
    Float(f32),
    /// A typed value: its bits, low word first.
    Typed(ArgKind, u64),
    /// Words of no declared type, for programs whose handlers declare none.
    Word(u32),
    /// A binding, register or constant.
    Variable(Ref),
}

macro_rules! values {
    ($($type:ty: |$value:ident| $make:expr;)*) => {
        $(impl From<$type> for Value {
            fn from($value: $type) -> Self {
                $make
            }
        })*
    };
}

// Integers take the type of their place: a literal in a call says nothing else.
values! {
    u32: |value| Self::Int(value.into());
    i32: |value| Self::Int(value.into());
    u64: |value| Self::Int(value.into());
    f32: |value| Self::Typed(ArgKind::F32, value.to_bits().into());
    [u16; 2]: |value| Self::Typed(ArgKind::U16Pair, (u32::from(value[0]) | u32::from(value[1]) << 16).into());
}

impl From<Ref> for Value {
    fn from(name: Ref) -> Self {
        Self::Variable(name)
    }
}

impl From<&str> for Value {
    fn from(name: &str) -> Self {
        Self::Variable(name.into())
    }
}

/// The name of a type in messages.
#[must_use]
pub const fn kind_name(kind: ArgKind) -> &'static str {
    match kind {
        ArgKind::U32 => "u32",
        ArgKind::I32 => "i32",
        ArgKind::F32 => "f32",
        ArgKind::U64 => "u64",
        ArgKind::Bf16Pair => "[bf16; 2]",
        ArgKind::U16Pair => "[u16; 2]",
        ArgKind::Core => "km::Core",
        ArgKind::Address => "km::Address",
    }
}
