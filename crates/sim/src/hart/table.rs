//! Every instruction, once: name, mnemonic, fixed bits, instruction sets, and operation.
//!
//! `instructions!(m)` hands the whole table to the macro `m`, in sections by the shape of the operation. From it come
//! the decoder and the disassembler (`decode.rs`, `disasm.rs`, through [`ROWS`]) and the executor (`run.rs`), so that
//! they cannot drift apart. To add an instruction, add its row, and its operation to `alu.rs` when it is a new one.
//!
//! Operations: in `register` to `quotient` a function of `alu.rs`; in `branch` a condition there, and behind the colon the
//! codes of a jump within a page, backward and onward; in `load` the width
//! and the extension; in `store` the width; in `amo` the width and the operation. Rows of `other` have no common shape:
//! their column is the format, and `run.rs` or `system.rs` executes them by name. In the sections of floating point the
//! columns are those of a [`FloatOp`](super::float_op::FloatOp): precision and operation, or destination and source.

use super::format::Format;
use super::isa::Isa;
use super::pair::pairs;

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
                Beq "beq" 0x0000_0063 both eq: BeqBack BeqOn;
                Bne "bne" 0x0000_1063 both ne: BneBack BneOn;
                Blt "blt" 0x0000_4063 both lt: BltBack BltOn;
                Bge "bge" 0x0000_5063 both ge: BgeBack BgeOn;
                Bltu "bltu" 0x0000_6063 both ltu: BltuBack BltuOn;
                Bgeu "bgeu" 0x0000_7063 both geu: BgeuBack BgeuOn;
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
                Jal "jal" 0x0000_006f both Jump: JalBack JalOn;
                Jalr "jalr" 0x0000_0067 both JumpRegister;
                Fence "fence" 0x0000_000f both Fence;
                FenceI "fence.i" 0x0000_100f both Plain;
                Ecall "ecall" 0x0000_0073 both Exact;
                Ebreak "ebreak" 0x0010_0073 both Exact;
                Mret "mret" 0x3020_0073 rv64 Exact;
                Mnret "mnret" 0x7020_0073 rv64 Exact;
                Wfi "wfi" 0x1050_0073 rv64 Exact;
                Cease "cease" 0x3050_0073 rv64 Exact;
                CflushDL1 "cflush.d.l1" 0xfc00_0073 rv64 CacheLine;
                CdiscardDL1 "cdiscard.d.l1" 0xfc20_0073 rv64 CacheLine;
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
            float_load {
                Flw "flw" 0x0000_2007 both Word;
                Fld "fld" 0x0000_3007 rv64 Double;
                Flh "flh" 0x0000_1007 rv64 Half;
            }
            float_store {
                Fsw "fsw" 0x0000_2027 both Word;
                Fsd "fsd" 0x0000_3027 rv64 Double;
                Fsh "fsh" 0x0000_1027 rv64 Half;
            }
            float_rounded {
                FaddS "fadd.s" 0x0000_0053 both Single Add;
                FsubS "fsub.s" 0x0800_0053 both Single Sub;
                FmulS "fmul.s" 0x1000_0053 both Single Mul;
                FdivS "fdiv.s" 0x1800_0053 rv64 Single Div;
                FaddD "fadd.d" 0x0200_0053 rv64 Double Add;
                FsubD "fsub.d" 0x0a00_0053 rv64 Double Sub;
                FmulD "fmul.d" 0x1200_0053 rv64 Double Mul;
                FdivD "fdiv.d" 0x1a00_0053 rv64 Double Div;
                FaddH "fadd.h" 0x0400_0053 rv64 Half Add;
                FsubH "fsub.h" 0x0c00_0053 rv64 Half Sub;
                FmulH "fmul.h" 0x1400_0053 rv64 Half Mul;
                FdivH "fdiv.h" 0x1c00_0053 rv64 Half Div;
            }
            float_root {
                FsqrtS "fsqrt.s" 0x5800_0053 rv64 Single;
                FsqrtD "fsqrt.d" 0x5a00_0053 rv64 Double;
                FsqrtH "fsqrt.h" 0x5c00_0053 rv64 Half;
            }
            float_fused {
                FmaddS "fmadd.s" 0x0000_0043 both Single Madd;
                FmsubS "fmsub.s" 0x0000_0047 both Single Msub;
                FnmsubS "fnmsub.s" 0x0000_004b both Single Nmsub;
                FnmaddS "fnmadd.s" 0x0000_004f both Single Nmadd;
                FmaddD "fmadd.d" 0x0200_0043 rv64 Double Madd;
                FmsubD "fmsub.d" 0x0200_0047 rv64 Double Msub;
                FnmsubD "fnmsub.d" 0x0200_004b rv64 Double Nmsub;
                FnmaddD "fnmadd.d" 0x0200_004f rv64 Double Nmadd;
                FmaddH "fmadd.h" 0x0400_0043 rv64 Half Madd;
                FmsubH "fmsub.h" 0x0400_0047 rv64 Half Msub;
                FnmsubH "fnmsub.h" 0x0400_004b rv64 Half Nmsub;
                FnmaddH "fnmadd.h" 0x0400_004f rv64 Half Nmadd;
            }
            float_select {
                FsgnjS "fsgnj.s" 0x2000_0053 both Single Sign;
                FsgnjnS "fsgnjn.s" 0x2000_1053 both Single SignNegated;
                FsgnjxS "fsgnjx.s" 0x2000_2053 both Single SignXor;
                FminS "fmin.s" 0x2800_0053 both Single Min;
                FmaxS "fmax.s" 0x2800_1053 both Single Max;
                FsgnjD "fsgnj.d" 0x2200_0053 rv64 Double Sign;
                FsgnjnD "fsgnjn.d" 0x2200_1053 rv64 Double SignNegated;
                FsgnjxD "fsgnjx.d" 0x2200_2053 rv64 Double SignXor;
                FminD "fmin.d" 0x2a00_0053 rv64 Double Min;
                FmaxD "fmax.d" 0x2a00_1053 rv64 Double Max;
                FsgnjH "fsgnj.h" 0x2400_0053 rv64 Half Sign;
                FsgnjnH "fsgnjn.h" 0x2400_1053 rv64 Half SignNegated;
                FsgnjxH "fsgnjx.h" 0x2400_2053 rv64 Half SignXor;
                FminH "fmin.h" 0x2c00_0053 rv64 Half Min;
                FmaxH "fmax.h" 0x2c00_1053 rv64 Half Max;
            }
            float_compare {
                FleS "fle.s" 0xa000_0053 both Single Le;
                FltS "flt.s" 0xa000_1053 both Single Lt;
                FeqS "feq.s" 0xa000_2053 both Single Eq;
                FleD "fle.d" 0xa200_0053 rv64 Double Le;
                FltD "flt.d" 0xa200_1053 rv64 Double Lt;
                FeqD "feq.d" 0xa200_2053 rv64 Double Eq;
                FleH "fle.h" 0xa400_0053 rv64 Half Le;
                FltH "flt.h" 0xa400_1053 rv64 Half Lt;
                FeqH "feq.h" 0xa400_2053 rv64 Half Eq;
            }
            float_convert {
                FcvtSD "fcvt.s.d" 0x4010_0053 rv64 Single Double;
                FcvtSH "fcvt.s.h" 0x4020_0053 rv64 Single Half;
                FcvtDS "fcvt.d.s" 0x4200_0053 rv64 Double Single;
                FcvtDH "fcvt.d.h" 0x4220_0053 rv64 Double Half;
                FcvtHS "fcvt.h.s" 0x4400_0053 rv64 Half Single;
                FcvtHD "fcvt.h.d" 0x4410_0053 rv64 Half Double;
            }
            float_to_integer {
                FcvtWS "fcvt.w.s" 0xc000_0053 both Single I32;
                FcvtWuS "fcvt.wu.s" 0xc010_0053 both Single U32;
                FcvtLS "fcvt.l.s" 0xc020_0053 rv64 Single I64;
                FcvtLuS "fcvt.lu.s" 0xc030_0053 rv64 Single U64;
                FcvtWD "fcvt.w.d" 0xc200_0053 rv64 Double I32;
                FcvtWuD "fcvt.wu.d" 0xc210_0053 rv64 Double U32;
                FcvtLD "fcvt.l.d" 0xc220_0053 rv64 Double I64;
                FcvtLuD "fcvt.lu.d" 0xc230_0053 rv64 Double U64;
                FcvtWH "fcvt.w.h" 0xc400_0053 rv64 Half I32;
                FcvtWuH "fcvt.wu.h" 0xc410_0053 rv64 Half U32;
                FcvtLH "fcvt.l.h" 0xc420_0053 rv64 Half I64;
                FcvtLuH "fcvt.lu.h" 0xc430_0053 rv64 Half U64;
            }
            float_from_integer {
                FcvtSW "fcvt.s.w" 0xd000_0053 both Single I32;
                FcvtSWu "fcvt.s.wu" 0xd010_0053 both Single U32;
                FcvtSL "fcvt.s.l" 0xd020_0053 rv64 Single I64;
                FcvtSLu "fcvt.s.lu" 0xd030_0053 rv64 Single U64;
                FcvtDW "fcvt.d.w" 0xd200_0053 rv64 Double I32;
                FcvtDWu "fcvt.d.wu" 0xd210_0053 rv64 Double U32;
                FcvtDL "fcvt.d.l" 0xd220_0053 rv64 Double I64;
                FcvtDLu "fcvt.d.lu" 0xd230_0053 rv64 Double U64;
                FcvtHW "fcvt.h.w" 0xd400_0053 rv64 Half I32;
                FcvtHWu "fcvt.h.wu" 0xd410_0053 rv64 Half U32;
                FcvtHL "fcvt.h.l" 0xd420_0053 rv64 Half I64;
                FcvtHLu "fcvt.h.lu" 0xd430_0053 rv64 Half U64;
            }
            float_to_bits {
                FmvXW "fmv.x.w" 0xe000_0053 both Single Move;
                FclassS "fclass.s" 0xe000_1053 both Single Classify;
                FmvXD "fmv.x.d" 0xe200_0053 rv64 Double Move;
                FclassD "fclass.d" 0xe200_1053 rv64 Double Classify;
                FmvXH "fmv.x.h" 0xe400_0053 rv64 Half Move;
                FclassH "fclass.h" 0xe400_1053 rv64 Half Classify;
            }
            float_from_bits {
                FmvWX "fmv.w.x" 0xf000_0053 both Single;
                FmvDX "fmv.d.x" 0xf200_0053 rv64 Double;
                FmvHX "fmv.h.x" 0xf400_0053 rv64 Half;
            }
        }
    };
}
pub(super) use instructions;

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
    /// True when the instruction set has it.
    pub(super) fn is_of(&self, isa: Isa) -> bool {
        match isa {
            Isa::Rv32 => self.rv32,
            Isa::Rv64 => self.rv64,
        }
    }

    /// True when `word` is this instruction.
    pub(super) fn matches(&self, isa: Isa, word: u32) -> bool {
        self.is_of(isa) && word & self.format.mask(isa) == self.bits
    }
}

/// The row of `word`, if it is an instruction.
pub(super) fn find(isa: Isa, word: u32) -> Option<&'static Row> {
    let numbers = &BY_OPCODE[(word >> 2 & 31) as usize];
    let mut rows = numbers.iter().map_while(|number| ROWS.get(usize::from(*number)));
    rows.find(|row| row.matches(isa, word))
}

/// Rows an opcode has at most.
const MOST: usize = 80;

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
    (float_load $($rest:tt)*) => {
        Format::FloatLoad
    };
    (float_store $($rest:tt)*) => {
        Format::FloatStore
    };
    (float_rounded $($rest:tt)*) => {
        Format::FloatRounded
    };
    (float_root $($rest:tt)*) => {
        Format::FloatUnary
    };
    (float_convert $($rest:tt)*) => {
        Format::FloatUnary
    };
    (float_fused $($rest:tt)*) => {
        Format::FloatFused
    };
    (float_select $($rest:tt)*) => {
        Format::FloatRegister
    };
    (float_compare $($rest:tt)*) => {
        Format::FloatCompare
    };
    (float_to_integer $($rest:tt)*) => {
        Format::FloatToInteger
    };
    (float_from_integer $($rest:tt)*) => {
        Format::FloatFromInteger
    };
    (float_to_bits $($rest:tt)*) => {
        Format::FloatToBits
    };
    (float_from_bits $($rest:tt)*) => {
        Format::FloatFromBits
    };
    (other $format:ident) => {
        Format::$format
    };
}

/// The table, with the names of the pairs before it.
macro_rules! with_pairs {
    ($($rows:tt)*) => {
        pairs! { as_data { $($rows)* } }
    };
}

macro_rules! as_data {
    (
        computed { $($computed:ident $_c1:ident $_c2:ident $($_c3:ident)*;)* }
        back { $($back_pair:ident $_d1:ident $_d2:ident $($_d3:ident)*;)* }
        on { $($on_pair:ident $_e1:ident $_e2:ident $($_e3:ident)*;)* }
        loaded { $($loaded:ident $_f1:ident $_f2:ident $($_f3:ident)*;)* }
        $($section:ident { $(
            $code:ident $mnemonic:literal $bits:literal $isa:ident $operation:ident $($more:ident)* $(: $back:ident $on:ident)?;
        )* })*
    ) => {
        /// What to do: one value an instruction, and those that only the decoder makes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        pub(super) enum Code {
            $($($code, $($back, $on,)?)*)*
            $($computed,)* $($back_pair,)* $($on_pair,)* $($loaded,)*
            /// The wait HINT, `add x0, rs1, rs2` with rs1 not x0.
            Wait,
            /// Its other half is in the next page.
            Straddle,
            /// An in-stream coprocessor instruction of a baby core.
            Coprocessor,
            /// A line that the core's instruction cache does not hold.
            Fetch,
            /// No instruction, but where a page ends.
            End,
            /// No instruction, but what leads to another operation of the page.
            Goto,
            /// Nothing that the hart knows.
            Illegal,
        }

        impl Code {
            /// The code of a jump within its page, backward or onward.
            pub(super) fn near(self, back: bool) -> Option<Self> {
                match (self, back) {
                    $($($(
                        (Self::$code, true) => Some(Self::$back),
                        (Self::$code, false) => Some(Self::$on),
                    )?)*)*
                    _ => None,
                }
            }
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
instructions!(with_pairs);
