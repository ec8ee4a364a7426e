//! Every instruction, once: name, mnemonic, fixed bits, instruction sets, and operation.
//!
//! `instructions!(m)` hands the whole table to the macro `m`, in sections by the shape of the operation. From it come
//! the decoder and the disassembler (`decode.rs`, `disasm.rs`, through [`ROWS`]) and the executor (`run.rs`), so that
//! they cannot drift apart. To add an instruction, add its row, and its operation to `alu.rs` when it is a new one.
//!
//! Operations: in `register` to `quotient` a function of `alu.rs`; in `branch` a condition there; in `load` the width
//! and the extension; in `store` the width; in `amo` the width and the operation. Rows of `other` have no common shape:
//! their column is the format, and `run.rs` or `system.rs` executes them by name.

use super::bus::{AmoOp, Width};
use super::isa::Isa;

macro_rules! instructions {
    ($then:ident) => {
        $then! {
            register {
                Add "add" 0x0000_0033 both add;
                Sub "sub" 0x4000_0033 both sub;
                Sll "sll" 0x0000_1033 both sll;
                Slt "slt" 0x0000_2033 both slt;
                Sltu "sltu" 0x0000_3033 both sltu;
                Xor "xor" 0x0000_4033 both xor;
                Srl "srl" 0x0000_5033 both srl;
                Sra "sra" 0x4000_5033 both sra;
                Or "or" 0x0000_6033 both or;
                And "and" 0x0000_7033 both and;
                Sh1add "sh1add" 0x2000_2033 both sh1add;
                Sh2add "sh2add" 0x2000_4033 both sh2add;
                Sh3add "sh3add" 0x2000_6033 both sh3add;
                Andn "andn" 0x4000_7033 both andn;
                Orn "orn" 0x4000_6033 both orn;
                Xnor "xnor" 0x4000_4033 both xnor;
                Min "min" 0x0a00_4033 both min;
                Minu "minu" 0x0a00_5033 both minu;
                Max "max" 0x0a00_6033 both max;
                Maxu "maxu" 0x0a00_7033 both maxu;
                Rol "rol" 0x6000_1033 both rol;
                Ror "ror" 0x6000_5033 both ror;
                Addw "addw" 0x0000_003b rv64 addw;
                Subw "subw" 0x4000_003b rv64 subw;
                Sllw "sllw" 0x0000_103b rv64 sllw;
                Srlw "srlw" 0x0000_503b rv64 srlw;
                Sraw "sraw" 0x4000_503b rv64 sraw;
                AddUw "add.uw" 0x0800_003b rv64 add_uw;
                Sh1addUw "sh1add.uw" 0x2000_203b rv64 sh1add_uw;
                Sh2addUw "sh2add.uw" 0x2000_403b rv64 sh2add_uw;
                Sh3addUw "sh3add.uw" 0x2000_603b rv64 sh3add_uw;
                Rolw "rolw" 0x6000_103b rv64 rolw;
                Rorw "rorw" 0x6000_503b rv64 rorw;
            }
            unary {
                Clz "clz" 0x6000_1013 both clz;
                Ctz "ctz" 0x6010_1013 both ctz;
                Cpop "cpop" 0x6020_1013 both cpop;
                SextB "sext.b" 0x6040_1013 both sext_b;
                SextH "sext.h" 0x6050_1013 both sext_h;
                OrcB "orc.b" 0x2870_5013 both orc_b;
                Rev8 "rev8" 0x6980_5013 rv32 rev8;
                Rev8Double "rev8" 0x6b80_5013 rv64 rev8;
                Brev8 "brev8" 0x6870_5013 rv32 brev8;
                ZextH "zext.h" 0x0800_4033 rv32 zext_h;
                ZextHDouble "zext.h" 0x0800_403b rv64 zext_h;
                Clzw "clzw" 0x6000_101b rv64 clzw;
                Ctzw "ctzw" 0x6010_101b rv64 ctzw;
                Cpopw "cpopw" 0x6020_101b rv64 cpopw;
            }
            pack {
                Pack "pack" 0x0800_4033 rv32 pack;
            }
            immediate {
                Addi "addi" 0x0000_0013 both add;
                Slti "slti" 0x0000_2013 both slt;
                Sltiu "sltiu" 0x0000_3013 both sltu;
                Xori "xori" 0x0000_4013 both xor;
                Ori "ori" 0x0000_6013 both or;
                Andi "andi" 0x0000_7013 both and;
                Addiw "addiw" 0x0000_001b rv64 addw;
            }
            shift {
                Slli "slli" 0x0000_1013 both sll;
                Srli "srli" 0x0000_5013 both srl;
                Srai "srai" 0x4000_5013 both sra;
                Rori "rori" 0x6000_5013 both ror;
                SlliUw "slli.uw" 0x0800_101b rv64 slli_uw;
            }
            shift_word {
                Slliw "slliw" 0x0000_101b rv64 sllw;
                Srliw "srliw" 0x0000_501b rv64 srlw;
                Sraiw "sraiw" 0x4000_501b rv64 sraw;
                Roriw "roriw" 0x6000_501b rv64 rorw;
            }
            product {
                Mul "mul" 0x0200_0033 both mul;
                Mulh "mulh" 0x0200_1033 both mulh;
                Mulhsu "mulhsu" 0x0200_2033 both mulhsu;
                Mulhu "mulhu" 0x0200_3033 both mulhu;
                Mulw "mulw" 0x0200_003b rv64 mulw;
            }
            quotient {
                Div "div" 0x0200_4033 both div signed;
                Divu "divu" 0x0200_5033 both divu unsigned;
                Rem "rem" 0x0200_6033 both rem signed;
                Remu "remu" 0x0200_7033 both remu unsigned;
                Divw "divw" 0x0200_403b rv64 divw signed_word;
                Divuw "divuw" 0x0200_503b rv64 divuw unsigned_word;
                Remw "remw" 0x0200_603b rv64 remw signed_word;
                Remuw "remuw" 0x0200_703b rv64 remuw unsigned_word;
            }
            branch {
                Beq "beq" 0x0000_0063 both eq;
                Bne "bne" 0x0000_1063 both ne;
                Blt "blt" 0x0000_4063 both lt;
                Bge "bge" 0x0000_5063 both ge;
                Bltu "bltu" 0x0000_6063 both ltu;
                Bgeu "bgeu" 0x0000_7063 both geu;
            }
            load {
                Lb "lb" 0x0000_0003 both Byte i8;
                Lh "lh" 0x0000_1003 both Half i16;
                Lw "lw" 0x0000_2003 both Word i32;
                Ld "ld" 0x0000_3003 rv64 Double i64;
                Lbu "lbu" 0x0000_4003 both Byte u8;
                Lhu "lhu" 0x0000_5003 both Half u16;
                Lwu "lwu" 0x0000_6003 rv64 Word u32;
            }
            store {
                Sb "sb" 0x0000_0023 both Byte;
                Sh "sh" 0x0000_1023 both Half;
                Sw "sw" 0x0000_2023 both Word;
                Sd "sd" 0x0000_3023 rv64 Double;
            }
            amo {
                AmoaddW "amoadd.w" 0x0000_202f both Word Add;
                AmoswapW "amoswap.w" 0x0800_202f both Word Swap;
                AmoxorW "amoxor.w" 0x2000_202f both Word Xor;
                AmoorW "amoor.w" 0x4000_202f both Word Or;
                AmoandW "amoand.w" 0x6000_202f both Word And;
                AmominW "amomin.w" 0x8000_202f both Word Min;
                AmomaxW "amomax.w" 0xa000_202f both Word Max;
                AmominuW "amominu.w" 0xc000_202f both Word Minu;
                AmomaxuW "amomaxu.w" 0xe000_202f both Word Maxu;
                AmoaddD "amoadd.d" 0x0000_302f rv64 Double Add;
                AmoswapD "amoswap.d" 0x0800_302f rv64 Double Swap;
                AmoxorD "amoxor.d" 0x2000_302f rv64 Double Xor;
                AmoorD "amoor.d" 0x4000_302f rv64 Double Or;
                AmoandD "amoand.d" 0x6000_302f rv64 Double And;
                AmominD "amomin.d" 0x8000_302f rv64 Double Min;
                AmomaxD "amomax.d" 0xa000_302f rv64 Double Max;
                AmominuD "amominu.d" 0xc000_302f rv64 Double Minu;
                AmomaxuD "amomaxu.d" 0xe000_302f rv64 Double Maxu;
            }
            other {
                Lui "lui" 0x0000_0037 both Upper;
                Auipc "auipc" 0x0000_0017 both Upper;
                Jal "jal" 0x0000_006f both Jump;
                Jalr "jalr" 0x0000_0067 both JumpRegister;
                Fence "fence" 0x0000_000f both Fence;
                FenceI "fence.i" 0x0000_100f both Plain;
                Ecall "ecall" 0x0000_0073 both Exact;
                Ebreak "ebreak" 0x0010_0073 both Exact;
                Mret "mret" 0x3020_0073 rv64 Exact;
                Mnret "mnret" 0x7020_0073 rv64 Exact;
                Wfi "wfi" 0x1050_0073 rv64 Exact;
                Csrrw "csrrw" 0x0000_1073 both Csr;
                Csrrs "csrrs" 0x0000_2073 both Csr;
                Csrrc "csrrc" 0x0000_3073 both Csr;
                Csrrwi "csrrwi" 0x0000_5073 both CsrImmediate;
                Csrrsi "csrrsi" 0x0000_6073 both CsrImmediate;
                Csrrci "csrrci" 0x0000_7073 both CsrImmediate;
                LrW "lr.w" 0x1000_202f rv64 Reserve;
                ScW "sc.w" 0x1800_202f rv64 Atomic;
                LrD "lr.d" 0x1000_302f rv64 Reserve;
                ScD "sc.d" 0x1800_302f rv64 Atomic;
            }
        }
    };
}
pub(super) use instructions;

/// Where the operands of an instruction are, and how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// `rd,rs1,rs2`
    Register,
    /// `rd,rs1`
    Unary,
    /// `rd,rs1,imm`
    Immediate,
    /// `rd,rs1,shamt` of the register's width
    Shift,
    /// `rd,rs1,shamt` of 5 bits
    ShiftWord,
    /// `rd,imm(rs1)`
    Load,
    /// `rs2,imm(rs1)`
    Store,
    /// `rs1,rs2,target`
    Branch,
    /// `rd,imm`
    Upper,
    /// `rd,target`
    Jump,
    /// `rd,imm(rs1)`
    JumpRegister,
    /// `rd,rs2,(rs1)` with acquire and release bits
    Atomic,
    /// `rd,(rs1)` with acquire and release bits
    Reserve,
    /// `rd,csr,rs1`
    Csr,
    /// `rd,csr,imm`
    CsrImmediate,
    /// `pred,succ`
    Fence,
    /// no operands, other bits ignored
    Plain,
    /// no operands
    Exact,
}

impl Format {
    /// The bits that a row fixes.
    pub(super) fn mask(self, isa: Isa) -> u32 {
        match self {
            Self::Register | Self::ShiftWord => 0xfe00_707f,
            Self::Unary => 0xfff0_707f,
            Self::Shift => match isa {
                Isa::Rv32 => 0xfe00_707f,
                Isa::Rv64 => 0xfc00_707f,
            },
            Self::Immediate
            | Self::Load
            | Self::Store
            | Self::Branch
            | Self::JumpRegister
            | Self::Csr
            | Self::CsrImmediate
            | Self::Fence
            | Self::Plain => 0x0000_707f,
            Self::Upper | Self::Jump => 0x0000_007f,
            Self::Atomic => 0xf800_707f,
            Self::Reserve => 0xf9f0_707f,
            Self::Exact => 0xffff_ffff,
        }
    }
}

/// One row of the table, as data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) code: Code,
    pub(super) mnemonic: &'static str,
    pub(super) bits: u32,
    pub(super) format: Format,
    pub(super) rv32: bool,
    pub(super) rv64: bool,
}

impl Row {
    /// True when `word` is this instruction.
    pub(super) fn matches(&self, isa: Isa, word: u32) -> bool {
        let there = match isa {
            Isa::Rv32 => self.rv32,
            Isa::Rv64 => self.rv64,
        };
        there && word & self.format.mask(isa) == self.bits
    }
}

/// The row of `word`, if it is an instruction.
pub(super) fn find(isa: Isa, word: u32) -> Option<&'static Row> {
    let numbers = &BY_OPCODE[(word >> 2 & 31) as usize];
    let mut rows = numbers.iter().map_while(|number| ROWS.get(usize::from(*number)));
    rows.find(|row| row.matches(isa, word))
}

/// Rows an opcode has at most.
const MOST: usize = 48;

/// The numbers of the rows of each opcode (its bits 6 to 2), in order, and then a number that no row has.
const BY_OPCODE: [[u8; MOST]; 32] = {
    let mut table = [[u8::MAX; MOST]; 32];
    let mut used = [0; 32];
    let mut number = 0;
    while number < ROWS.len() {
        let opcode = (ROWS[number].bits >> 2 & 31) as usize;
        table[opcode][used[opcode]] = number as u8;
        used[opcode] += 1;
        number += 1;
    }
    table
};

macro_rules! has32 {
    (both) => {
        true
    };
    (rv32) => {
        true
    };
    (rv64) => {
        false
    };
}

macro_rules! has64 {
    (both) => {
        true
    };
    (rv32) => {
        false
    };
    (rv64) => {
        true
    };
}

macro_rules! format_of {
    (register $($rest:tt)*) => {
        Format::Register
    };
    (pack $($rest:tt)*) => {
        Format::Register
    };
    (product $($rest:tt)*) => {
        Format::Register
    };
    (quotient $($rest:tt)*) => {
        Format::Register
    };
    (unary $($rest:tt)*) => {
        Format::Unary
    };
    (immediate $($rest:tt)*) => {
        Format::Immediate
    };
    (shift $($rest:tt)*) => {
        Format::Shift
    };
    (shift_word $($rest:tt)*) => {
        Format::ShiftWord
    };
    (load $($rest:tt)*) => {
        Format::Load
    };
    (store $($rest:tt)*) => {
        Format::Store
    };
    (branch $($rest:tt)*) => {
        Format::Branch
    };
    (amo $($rest:tt)*) => {
        Format::Atomic
    };
    (other $format:ident) => {
        Format::$format
    };
}

macro_rules! as_data {
    ($($section:ident { $($code:ident $mnemonic:literal $bits:literal $isa:ident $operation:ident $($more:ident)?;)* })*) => {
        /// What to do: one value an instruction, and those that only the decoder makes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Code {
            $($($code,)*)*
            /// The wait HINT, `add x0, rs1, rs2` with rs1 not x0.
            Wait,
            /// Its other half is in the next page.
            Straddle,
            /// An in-stream coprocessor instruction of a baby core.
            Coprocessor,
            /// Nothing that the hart knows.
            Illegal,
        }

        /// The table; where two rows match, the earlier one is meant.
        pub(super) const ROWS: &[Row] = &[
            $($(Row {
                code: Code::$code,
                mnemonic: $mnemonic,
                bits: $bits,
                format: format_of!($section $operation),
                rv32: has32!($isa),
                rv64: has64!($isa),
            },)*)*
        ];
    };
}
instructions!(as_data);

/// How an instruction meets memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Load(Width),
    Store(Width),
    Amo(Width, AmoOp),
    /// `lr`
    Reserve(Width),
    /// `sc`
    Conditional(Width),
}

impl Access {
    pub(super) fn width(self) -> Width {
        match self {
            Self::Load(width)
            | Self::Store(width)
            | Self::Amo(width, _)
            | Self::Reserve(width)
            | Self::Conditional(width) => width,
        }
    }
}

macro_rules! as_accesses {
    (
        load { $($load:ident $_l1:literal $_l2:literal $_l3:ident $l_width:ident $_l4:ident;)* }
        store { $($store:ident $_t1:literal $_t2:literal $_t3:ident $t_width:ident;)* }
        amo { $($amo:ident $_a1:literal $_a2:literal $_a3:ident $a_width:ident $a_op:ident;)* }
        $($_rest:tt)*
    ) => {
        impl Code {
            /// How the instruction meets memory, if it does.
            pub(super) fn access(self) -> Option<Access> {
                Some(match self {
                    $(Self::$load => Access::Load(Width::$l_width),)*
                    $(Self::$store => Access::Store(Width::$t_width),)*
                    $(Self::$amo => Access::Amo(Width::$a_width, AmoOp::$a_op),)*
                    Self::LrW => Access::Reserve(Width::Word),
                    Self::LrD => Access::Reserve(Width::Double),
                    Self::ScW => Access::Conditional(Width::Word),
                    Self::ScD => Access::Conditional(Width::Double),
                    _ => return None,
                })
            }
        }
    };
    ($_section:ident { $($_rows:tt)* } $($rest:tt)*) => {
        as_accesses! { $($rest)* }
    };
}
instructions!(as_accesses);
