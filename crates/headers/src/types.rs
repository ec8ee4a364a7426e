//! Integer types, their values, and the data model they depend on.

use std::fmt;

/// What an integer type is besides its width and sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntKind {
    /// A plain integer: `int`, `uint8_t`, `size_t`, ...
    Plain,
    /// `bool`.
    Bool,
    /// `char`, `wchar_t`, `char8_t`, `char16_t`, `char32_t`.
    Char,
}

/// An integer type of C++: width, sign and kind.
///
/// Types of one width and sign (`int` and `long` under ILP32) are one type here: the arithmetic cannot tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntType {
    /// Width in bits: 8, 16, 32 or 64 (a `bool` is stored in 8).
    pub bits: u8,
    /// Has negative values.
    pub signed: bool,
    /// Plain, `bool`, or a character type.
    pub kind: IntKind,
}

impl IntType {
    /// `bool`.
    pub const BOOL: IntType = IntType { bits: 8, signed: false, kind: IntKind::Bool };
    /// `uint8_t`.
    pub const U8: IntType = IntType::unsigned(8);
    /// `uint16_t`.
    pub const U16: IntType = IntType::unsigned(16);
    /// `uint32_t`.
    pub const U32: IntType = IntType::unsigned(32);
    /// `uint64_t`.
    pub const U64: IntType = IntType::unsigned(64);
    /// `int8_t`.
    pub const I8: IntType = IntType::signed(8);
    /// `int16_t`.
    pub const I16: IntType = IntType::signed(16);
    /// `int32_t`.
    pub const I32: IntType = IntType::signed(32);
    /// `int64_t`.
    pub const I64: IntType = IntType::signed(64);

    pub(crate) const fn unsigned(bits: u8) -> IntType {
        IntType { bits, signed: false, kind: IntKind::Plain }
    }

    pub(crate) const fn signed(bits: u8) -> IntType {
        IntType { bits, signed: true, kind: IntKind::Plain }
    }

    pub(crate) const fn char(bits: u8, signed: bool) -> IntType {
        IntType { bits, signed, kind: IntKind::Char }
    }

    /// Is it `bool`?
    pub fn is_bool(self) -> bool {
        self.kind == IntKind::Bool
    }

    /// Is it a character type?
    pub fn is_char(self) -> bool {
        self.kind == IntKind::Char
    }

    /// Does it have negative values?
    pub fn is_signed(self) -> bool {
        self.signed
    }

    /// Size in bytes, which is also its alignment.
    pub fn bytes(self) -> u32 {
        u32::from(self.bits) / 8
    }

    /// The least value.
    pub fn min(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    /// The greatest value.
    pub fn max(self) -> i128 {
        match (self.kind, self.signed) {
            (IntKind::Bool, _) => 1,
            (_, true) => (1 << (self.bits - 1)) - 1,
            (_, false) => (1 << self.bits) - 1,
        }
    }

    /// Can it hold this number?
    pub fn holds(self, number: i128) -> bool {
        (self.min()..=self.max()).contains(&number)
    }

    /// The number converted to this type: to `bool` whether it is not zero, else modulo 2 to the width.
    pub fn wrap(self, number: i128) -> i128 {
        if self.is_bool() {
            return i128::from(number != 0);
        }
        let low = number & ((1 << self.bits) - 1);
        if self.signed && low >= 1 << (self.bits - 1) { low - (1 << self.bits) } else { low }
    }
}

impl fmt::Display for IntType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            IntKind::Bool => f.write_str("bool"),
            IntKind::Char if self.bits == 8 => f.write_str("char"),
            IntKind::Char => write!(f, "char{}_t", self.bits),
            IntKind::Plain => write!(f, "{}int{}_t", if self.signed { "" } else { "u" }, self.bits),
        }
    }
}

/// The value of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    /// The number itself, with its sign.
    pub number: i128,
    /// Its type; of an enumerator the underlying type.
    pub ty: IntType,
}

impl Value {
    /// The bits of the value, sign-extended to 64.
    pub fn bits(self) -> u64 {
        self.number as u64
    }

    /// The value, if it is from 0 to 2^32 - 1.
    pub fn as_u32(self) -> Option<u32> {
        u32::try_from(self.number).ok()
    }

    /// The value, if it is from 0 to 2^64 - 1.
    pub fn as_u64(self) -> Option<u64> {
        u64::try_from(self.number).ok()
    }

    /// The value, if it fits a signed 64-bit number.
    pub fn as_i64(self) -> Option<i64> {
        i64::try_from(self.number).ok()
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number.fmt(f)
    }
}

/// The widths C++ leaves open: of `long`, of pointers (`size_t`, `uintptr_t`), and whether `char` has a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Model {
    pub(crate) int: u8,
    pub(crate) long: u8,
    pub(crate) pointer: u8,
    pub(crate) char_signed: bool,
}

impl Model {
    /// The kernels on Tensix' baby RISC-V cores: `long` and pointers of 32 bits, `char` unsigned. The default.
    pub const ILP32: Model = Model { int: 32, long: 32, pointer: 32, char_signed: false };
    /// The firmware on the X280: `long` and pointers of 64 bits, `char` unsigned.
    pub const LP64: Model = Model { int: 32, long: 64, pointer: 64, char_signed: false };
    /// `#if`: every number has the widest type.
    pub(crate) const DIRECTIVE: Model = Model { int: 64, long: 64, pointer: 64, char_signed: false };

    /// The same with a signed `char`, as on x86.
    pub const fn with_signed_char(self) -> Model {
        Model { char_signed: true, ..self }
    }

    pub(crate) fn char(self) -> IntType {
        IntType::char(8, self.char_signed)
    }

    pub(crate) fn int(self) -> IntType {
        IntType::signed(self.int)
    }

    pub(crate) fn size(self) -> IntType {
        IntType::unsigned(self.pointer)
    }
}

impl Default for Model {
    fn default() -> Model {
        Model::ILP32
    }
}

/// An enumeration as the arithmetic sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EnumType {
    pub(crate) id: u32,
    pub(crate) underlying: IntType,
    /// What it becomes in arithmetic, when it is not scoped.
    pub(crate) promoted: IntType,
    /// Declared with an underlying type (an `enum class` always is): braces convert numbers to it.
    pub(crate) fixed: bool,
    /// `enum class`: converts to a number only when told to.
    pub(crate) scoped: bool,
}

/// Any type the reader can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Int(IntType),
    Enum(EnumType),
    /// Floating point, of so many bytes.
    Float(u8),
    Pointer,
    Void,
    /// A class, or the type of what is not evaluated.
    Unknown,
}

impl Type {
    /// The integer type that stores it.
    pub(crate) fn stored(self) -> Option<IntType> {
        match self {
            Type::Int(int) => Some(int),
            Type::Enum(of) => Some(of.underlying),
            _ => None,
        }
    }

    /// The words for a message.
    pub(crate) fn describe(self) -> String {
        match self {
            Type::Int(int) => format!("`{int}`"),
            Type::Enum(of) if of.scoped => "a scoped enumeration".to_owned(),
            Type::Enum(_) => "an enumeration".to_owned(),
            Type::Float(_) => "a floating-point type".to_owned(),
            Type::Pointer => "a pointer".to_owned(),
            Type::Void => "`void`".to_owned(),
            Type::Unknown => "a type the reader does not evaluate".to_owned(),
        }
    }
}

/// A number with the type it has in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Typed {
    pub(crate) ty: Type,
    pub(crate) number: i128,
}

impl Typed {
    pub(crate) fn int(ty: IntType, number: i128) -> Typed {
        Typed { ty: Type::Int(ty), number }
    }

    pub(crate) fn bool(value: bool) -> Typed {
        Typed::int(IntType::BOOL, i128::from(value))
    }

    pub(crate) const UNKNOWN: Typed = Typed { ty: Type::Unknown, number: 0 };
}
