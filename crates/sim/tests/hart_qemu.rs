//! Random instruction sequences leave the same registers and memory as under QEMU's user mode.

mod hart_support;

use std::process::Command;

use hart_support::{EXIT, World, compile, hart, run_to_exit};
use komorebi_sim::hart::{Isa, Rv32, Rv64, Xlen};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// `rd, rs1, rs2` of both instruction sets; then what only one has.
const REGISTER: &[&str] = &[
    "add", "sub", "sll", "slt", "sltu", "xor", "srl", "sra", "or", "and", "sh1add", "sh2add", "sh3add",
    "andn", "orn", "xnor", "min", "minu", "max", "maxu", "rol", "ror", "mul", "mulh", "mulhsu", "mulhu",
    "div", "divu", "rem", "remu",
];
const REGISTER_32: &[&str] = &["pack"];
const REGISTER_64: &[&str] = &[
    "addw",
    "subw",
    "sllw",
    "srlw",
    "sraw",
    "add.uw",
    "sh1add.uw",
    "sh2add.uw",
    "sh3add.uw",
    "rolw",
    "rorw",
    "mulw",
    "divw",
    "divuw",
    "remw",
    "remuw",
];
const UNARY: &[&str] = &["clz", "ctz", "cpop", "sext.b", "sext.h", "zext.h", "orc.b", "rev8"];
const UNARY_32: &[&str] = &["brev8"];
// Not ctzw: QEMU before 8.0 looks at all 64 bits of its operand.
const UNARY_64: &[&str] = &["clzw", "cpopw"];
const IMMEDIATE: &[&str] = &["addi", "slti", "sltiu", "xori", "ori", "andi"];
const IMMEDIATE_64: &[&str] = &["addiw"];
const SHIFT: &[&str] = &["slli", "srli", "srai", "rori"];
const SHIFT_64: &[&str] = &["slliw", "srliw", "sraiw", "roriw"];
const LOAD: &[(&str, u32)] = &[("lb", 1), ("lbu", 1), ("lh", 2), ("lhu", 2), ("lw", 4)];
const LOAD_64: &[(&str, u32)] = &[("lwu", 4), ("ld", 8)];
const STORE: &[(&str, u32)] = &[("sb", 1), ("sh", 2), ("sw", 4)];
const STORE_64: &[(&str, u32)] = &[("sd", 8)];
const AMO: &[&str] =
    &["amoadd", "amoswap", "amoxor", "amoor", "amoand", "amomin", "amomax", "amominu", "amomaxu"];
const BRANCH: &[&str] = &["beq", "bne", "blt", "bge", "bltu", "bgeu"];

/// Bytes of memory that the sequences use, at x8.
const SCRATCH: u32 = 256;

struct Random(TestRng);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0.next_u32() as usize % end
    }

    fn of<T: Copy>(&mut self, both: &[T], more: &[T]) -> T {
        let at = self.below(both.len() + more.len());
        *both.get(at).unwrap_or_else(|| &more[at - both.len()])
    }

    /// A register that a sequence may read or write: all but sp and the address of the scratch memory.
    fn register(&mut self) -> String {
        loop {
            let number = self.below(32);
            if number != 2 && number != 8 {
                return format!("x{number}");
            }
        }
    }

    fn value(&mut self, bits: u32) -> u64 {
        const EDGES: [u64; 10] = [
            0,
            1,
            2,
            u64::MAX,
            1 << 31,
            1 << 63,
            0x7fff_ffff,
            0x8000,
            0xffff_ffff_8000_0000,
            0x00ff_0000_ff00,
        ];
        let value = match self.below(2) {
            0 => EDGES[self.below(EDGES.len())],
            _ => self.0.next_u64() >> self.below(64),
        };
        if bits == 32 { value & 0xffff_ffff } else { value }
    }
}

fn sequence(random: &mut Random, wide: bool, length: usize) -> String {
    let only =
        |narrow: &'static [&'static str], long: &'static [&'static str]| if wide { long } else { narrow };
    let mut text = String::new();
    for number in 0..length {
        let (rd, rs1, rs2) = (random.register(), random.register(), random.register());
        let line = match random.below(16) {
            0..=4 => format!("{} {rd},{rs1},{rs2}", random.of(REGISTER, only(REGISTER_32, REGISTER_64))),
            5 | 6 => format!("{} {rd},{rs1}", random.of(UNARY, only(UNARY_32, UNARY_64))),
            7 => {
                let imm = random.below(4096) as i32 - 2048;
                format!("{} {rd},{rs1},{imm}", random.of(IMMEDIATE, only(&[], IMMEDIATE_64)))
            }
            8 => format!("{} {rd},{rs1},{}", random.of(SHIFT, &[]), random.below(if wide { 64 } else { 32 })),
            9 if wide => format!("{} {rd},{rs1},{}", random.of(SHIFT_64, &[]), random.below(32)),
            9 | 10 => format!("li {rd},{}", random.value(if wide { 64 } else { 32 })),
            11 => {
                let (name, width) = random.of(LOAD, if wide { LOAD_64 } else { &[] });
                format!("{name} {rd},{}(x8)", random.below((SCRATCH / width) as usize) as u32 * width)
            }
            12 => {
                let (name, width) = random.of(STORE, if wide { STORE_64 } else { &[] });
                format!("{name} {rs2},{}(x8)", random.below((SCRATCH / width) as usize) as u32 * width)
            }
            13 => {
                let width = if wide && random.below(2) == 0 { 'd' } else { 'w' };
                format!("{}.{width} {rd},{rs2},(x8)", random.of(AMO, &[]))
            }
            14 => format!("{} {rs1},{rs2},1f\nli {rd},{number}\n1:", random.of(BRANCH, &[])),
            _ if wide => format!("slli.uw {rd},{rs1},{}", random.below(64)),
            _ => format!("lui {rd},{}", random.below(1 << 20)),
        };
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// The whole program: registers from numbers, the sequence, registers to memory behind the scratch bytes.
fn program(random: &mut Random, wide: bool, start: &str, end: &str) -> String {
    let bits = if wide { 64 } else { 32 };
    let arch = if wide { "rv64imac_zicsr_zba_zbb" } else { "rv32ima_zicsr_zba_zbb_zbkb" };
    let mut text = format!(".attribute arch, \"{arch}\"\n.section .start,\"awx\"\n{start}\nla x8, scratch\n");
    for register in (0..32).filter(|register| ![2, 8].contains(register)) {
        text.push_str(&format!("li x{register},{}\n", random.value(bits)));
    }
    text.push_str(&sequence(random, wide, 600));
    let (store, width) = if wide { ("sd", 8) } else { ("sw", 4) };
    for register in (0..32).filter(|register| ![2, 8].contains(register)) {
        text.push_str(&format!("{store} x{register},{}(x8)\n", SCRATCH + register * width));
    }
    text.push_str(&format!("{end}\n.balign 4096\n.globl scratch\nscratch: .zero {}\n", SCRATCH + 32 * width));
    text
}

fn under_qemu(isa: Isa, source: &str, bytes: usize) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (source_file, elf) = (folder.path().join("program.s"), folder.path().join("program"));
    std::fs::write(&source_file, source).unwrap();
    let (arch, abi, qemu, cpu) = match isa {
        Isa::Rv32 => ("rv32im", "ilp32", "qemu-riscv32", "rv32,zba=true,zbb=true,zbkb=true"),
        Isa::Rv64 => ("rv64imac", "lp64", "qemu-riscv64", "rv64,zba=true,zbb=true"),
    };
    let status = Command::new("riscv64-unknown-elf-g++")
        .args([&format!("-march={arch}"), &format!("-mabi={abi}"), "-nostdlib", "-static", "-mno-relax"])
        // Code and data in one segment that can be written.
        .args([
            "-Wl,-N,--no-warn-rwx-segments",
            "-Wl,--section-start=.start=0x100000",
            "-Wl,-e,0x100000",
            "-o",
        ])
        .args([&elf, &source_file])
        .status()
        .unwrap();
    assert!(status.success());
    let output = Command::new(qemu).args(["-cpu", cpu]).arg(&elf).output().expect("qemu-user (Debian)");
    assert_eq!(output.stdout.len(), bytes, "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn check<X: Xlen>(seed: u8) {
    let wide = X::BITS == 64;
    let random = || Random(TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]));
    let bytes = (SCRATCH + X::BITS * 4) as usize;
    let write = format!("mv a1, x8\nli a0, 1\nli a2, {bytes}\nli a7, 64\necall\nli a0, 0\nli a7, 93\necall");
    let source = program(&mut random(), wide, "", &write);
    let theirs = under_qemu(X::ISA, &source, bytes);

    let exit = format!("li t0, {EXIT:#x}\nsw x8, 0(t0)");
    // The linker's flags of the comparison are those of the other tests; the address of the scratch bytes is in x8.
    let image = compile(X::ISA, "s", &program(&mut random(), wide, "", &exit), "-O2");
    let mut world = World::new(X::ISA, &image);
    let mut hart = hart::<X>(true);
    run_to_exit(&mut hart, &mut world);
    let at = hart.register(8) as usize;
    let ours = &world.memory[at..at + bytes];
    let different: Vec<String> = (0..bytes)
        .step_by(4)
        .filter(|word| ours[*word..*word + 4] != theirs[*word..*word + 4])
        .map(|word| {
            format!("+{word:#x}: ours {:x?}, theirs {:x?}", &ours[word..word + 4], &theirs[word..word + 4])
        })
        .collect();
    assert!(different.is_empty(), "seed {seed}: {}", different.join("\n"));
}

#[test]
#[ignore = "needs qemu-user (Debian), which a build machine need not have"]
fn random_sequences_end_as_under_qemu() {
    for seed in 0..100 {
        check::<Rv32>(seed);
        check::<Rv64>(seed);
    }
}
