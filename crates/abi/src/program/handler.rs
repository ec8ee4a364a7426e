//! A handler: what a command of its number carries.

use super::names::capitals;

/// The type of an argument, as declared in Rust and as the kernels see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgKind {
    /// `u32`.
    U32,
    /// `i32`.
    I32,
    /// `f32`, by its bits.
    F32,
    /// `u64`, low word first: two words.
    U64,
    /// `[half::bf16; 2]`, the first in the low half.
    Bf16Pair,
    /// `[u16; 2]`, the first in the low half.
    U16Pair,
    /// `km::Core`: a core's index.
    Core,
    /// `km::Address`: an address in every DRAM bank or in every core's L1.
    Address,
}

impl ArgKind {
    /// 32-bit words it takes.
    pub const fn words(self) -> u32 {
        match self {
            Self::U64 => 2,
            _ => 1,
        }
    }

    /// Its type in the generated C++ struct.
    pub const fn cpp(self) -> &'static str {
        match self {
            Self::I32 => "int32_t",
            Self::F32 => "float",
            Self::U64 => "uint64_t",
            _ => "uint32_t",
        }
    }
}

/// What a command does to the tensor an argument names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// `#[input]`: reads it.
    Input,
    /// `#[output]`: writes it.
    Output,
    /// `#[inout]`: reads and writes it.
    InOut,
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arg {
    /// Its name, in Rust and in the kernels.
    pub name: String,
    /// Its type.
    pub kind: ArgKind,
    /// What happens to the tensor it names.
    pub effect: Option<Effect>,
}

/// The type of a handler's result word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultKind {
    /// `u32`.
    U32,
    /// `i32`.
    I32,
    /// `f32`, by its bits.
    F32,
}

/// A handler of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// Its name in Rust: `big_step`.
    pub name: String,
    /// Its number, 1 to 239.
    pub number: u32,
    /// Its arguments, together at most ten words.
    pub args: Vec<Arg>,
    /// The type of its result word, if its commands carry one.
    pub result: Option<ResultKind>,
}

impl Handler {
    /// Argument words of a command.
    pub fn words(&self) -> u32 {
        self.args.iter().map(|arg| arg.kind.words()).sum()
    }

    /// The name of its struct in the kernels: `BigStep`.
    pub fn cpp_name(&self) -> String {
        capitals(&self.name)
    }
}

/// The handler's name for a header constant: `kHandlerBigStep` is `big_step`; `None` for other constants.
pub fn handler_name(constant: &str) -> Option<String> {
    let rest = constant
        .strip_prefix("kHandler")
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))?;
    let mut name = String::with_capacity(rest.len() + 4);
    let mut lower_before = false;
    for letter in rest.chars() {
        if letter.is_ascii_uppercase() && lower_before {
            name.push('_');
        }
        lower_before = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        name.push(letter.to_ascii_lowercase());
    }
    Some(name)
}
