//! The table of instructions. Numbers come from `stream.h`; everything else about an instruction stands here once.

use crate::constants::stream as c;

/// Which fields an instruction uses, and what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// `d = a op b`, b a register or an immediate.
    Binary,
    /// `d = op b`, b a register or an immediate.
    Unary,
    /// `d = a != 0 ? b : c`.
    Select,
    /// A record, in the immediate.
    Record,
    /// A record, in the immediate, and register a.
    RecordAt,
    /// Nothing.
    Bare,
    /// An instruction to go to, in the immediate.
    Target,
    /// An instruction to go to, in the immediate, and register a.
    Branch,
    /// Register a.
    Register,
}

impl Shape {
    /// May a cpu node hold it? Streams hold all.
    pub const fn in_cpu(self) -> bool {
        matches!(self, Self::Binary | Self::Unary | Self::Select)
    }

    /// Its operands, as the listing shows them.
    pub const fn operands(self) -> &'static str {
        match self {
            Self::Binary => "d, a, b",
            Self::Unary => "d, b",
            Self::Select => "d, a, b, c",
            Self::Record => "record",
            Self::RecordAt => "record, a",
            Self::Bare => "",
            Self::Target => "target",
            Self::Branch => "a, target",
            Self::Register => "a",
        }
    }
}

macro_rules! opcodes {
    ($($name:ident $constant:ident $shape:ident $mnemonic:literal $text:literal)*) => {
        /// An instruction's operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Opcode {
            $(#[doc = $text] $name = c::$constant as u8,)*
        }

        impl Opcode {
            /// All of them, by number.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The operation with this number, the bit of the immediate form not set.
            pub const fn from_bits(bits: u8) -> Option<Self> {
                $(const $name: u8 = c::$constant as u8;)*
                #[allow(non_upper_case_globals, reason = "the names of the variants")]
                Some(match bits {
                    $($name => Self::$name,)*
                    _ => return None,
                })
            }

            /// Its operands.
            pub const fn shape(self) -> Shape {
                match self { $(Self::$name => Shape::$shape,)* }
            }

            /// Its name in listings.
            pub const fn mnemonic(self) -> &'static str {
                match self { $(Self::$name => $mnemonic,)* }
            }

            /// What it does, in a line.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

#[allow(non_upper_case_globals, reason = "constants of the table's macro carry the names of the variants")]
mod table {
    use super::{Shape, c};
    opcodes! {
        Add       OP_ADD        Binary   "add"      "a + b, wrapping"
        Sub       OP_SUB        Binary   "sub"      "a - b, wrapping"
        Mul       OP_MUL        Binary   "mul"      "the low 32 bits of a * b"
        Min       OP_MIN        Binary   "min"      "the lesser, signed"
        Max       OP_MAX        Binary   "max"      "the greater, signed"
        MinU      OP_MIN_U      Binary   "minu"     "the lesser, unsigned"
        MaxU      OP_MAX_U      Binary   "maxu"     "the greater, unsigned"
        And       OP_AND        Binary   "and"      "a & b"
        Or        OP_OR         Binary   "or"       "a | b"
        Xor       OP_XOR        Binary   "xor"      "a ^ b"
        Shl       OP_SHL        Binary   "shl"      "a << b mod 32"
        Shr       OP_SHR        Binary   "shr"      "a >> b mod 32, zeros in"
        Sar       OP_SAR        Binary   "sar"      "a >> b mod 32, the sign in"
        Eq        OP_EQ         Binary   "eq"       "1 if a == b, else 0"
        Ne        OP_NE         Binary   "ne"       "1 if a != b, else 0"
        Lt        OP_LT         Binary   "lt"       "1 if a < b, signed, else 0"
        Le        OP_LE         Binary   "le"       "1 if a <= b, signed, else 0"
        Gt        OP_GT         Binary   "gt"       "1 if a > b, signed, else 0"
        Ge        OP_GE         Binary   "ge"       "1 if a >= b, signed, else 0"
        LtU       OP_LT_U       Binary   "ltu"      "1 if a < b, unsigned, else 0"
        LeU       OP_LE_U       Binary   "leu"      "1 if a <= b, unsigned, else 0"
        GtU       OP_GT_U       Binary   "gtu"      "1 if a > b, unsigned, else 0"
        GeU       OP_GE_U       Binary   "geu"      "1 if a >= b, unsigned, else 0"
        FAdd      OP_FADD       Binary   "fadd"     "binary32 a + b"
        FSub      OP_FSUB       Binary   "fsub"     "binary32 a - b"
        FMul      OP_FMUL       Binary   "fmul"     "binary32 a * b"
        FEq       OP_FEQ        Binary   "feq"      "1 if binary32 a == b, else 0"
        FNe       OP_FNE        Binary   "fne"      "1 if binary32 a != b or one is a NaN, else 0"
        FLt       OP_FLT        Binary   "flt"      "1 if binary32 a < b, else 0"
        FLe       OP_FLE        Binary   "fle"      "1 if binary32 a <= b, else 0"
        FGt       OP_FGT        Binary   "fgt"      "1 if binary32 a > b, else 0"
        FGe       OP_FGE        Binary   "fge"      "1 if binary32 a >= b, else 0"
        Move      OP_MOVE       Unary    "move"     "b"
        FFromI    OP_FFROM_I    Unary    "f.i"      "binary32 of the signed b, to nearest"
        FFromU    OP_FFROM_U    Unary    "f.u"      "binary32 of the unsigned b, to nearest"
        IFromF    OP_IFROM_F    Unary    "i.f"      "signed number of the binary32 b: towards zero, saturating, NaN gives 0"
        UFromF    OP_UFROM_F    Unary    "u.f"      "unsigned number of the binary32 b: towards zero, saturating, NaN gives 0"
        Select    OP_SELECT     Select   "select"   "b if a is not 0, else c"
        Submit    OP_SUBMIT     Record   "submit"   "submits the record's command"
        SubmitAt  OP_SUBMIT_AT  RecordAt "submit_at" "submits it to the cores from a on"
        Enqueue   OP_ENQUEUE    Record   "enqueue"  "puts it into the job queue"
        Wait      OP_WAIT       Record   "wait"     "waits until none of the record's commands is in flight"
        WaitAll   OP_WAIT_ALL   Bare     "wait_all" "waits until no command of the stream is in flight"
        Jump      OP_JUMP       Target   "jump"     "goes to the target"
        JumpZero  OP_JUMP_ZERO  Branch   "jump_zero" "goes to the target if a is 0"
        JumpNonzero OP_JUMP_NONZERO Branch "jump_nonzero" "goes to the target if a is not 0"
        Event     OP_EVENT      Register "event"    "posts an event with a"
        Halt      OP_HALT       Register "halt"     "waits for all commands, then ends with a"
    }
}
pub use table::Opcode;

impl Opcode {
    /// Does `a op b` equal `b op a`?
    pub const fn commutes(self) -> bool {
        matches!(
            self,
            Self::Add
                | Self::Mul
                | Self::Min
                | Self::Max
                | Self::MinU
                | Self::MaxU
                | Self::And
                | Self::Or
                | Self::Xor
                | Self::Eq
                | Self::Ne
                | Self::FAdd
                | Self::FMul
                | Self::FEq
                | Self::FNe
        )
    }

    /// The operation that gives the same with a and b exchanged, if there is one.
    pub const fn mirrored(self) -> Option<Self> {
        Some(match self {
            _ if self.commutes() => self,
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
            Self::LtU => Self::GtU,
            Self::LeU => Self::GeU,
            Self::GtU => Self::LtU,
            Self::GeU => Self::LeU,
            Self::FLt => Self::FGt,
            Self::FLe => Self::FGe,
            Self::FGt => Self::FLt,
            Self::FGe => Self::FLe,
            _ => return None,
        })
    }

    /// The table of all instructions in Markdown, as `firmware/PROTOCOL.md` holds it.
    pub fn markdown() -> String {
        let mut text = String::from("| opcode | instruction | does |\n|---|---|---|\n");
        for op in Self::ALL {
            let operands = op.shape().operands();
            let space = if operands.is_empty() { "" } else { " " };
            text += &format!(
                "| 0x{:02X} | `{}{space}{operands}` | {} |\n",
                *op as u8,
                op.mnemonic(),
                op.text().replace('|', "\\|")
            );
        }
        text
    }
}
