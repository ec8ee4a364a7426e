//! Programs built, under QEMU's user mode and on the simulated harts.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use komorebi_sim::hart::Stop;
use komorebi_sim::hart::{Isa, Xlen};
use komorebi_sim::time::NEVER;

use super::hart_support::{EXIT, World, compile, hart};

/// Where programs and their data lie, on both sides: below what QEMU does not map, within the world's memory.
const TEXT: usize = 0x1_0000;
const DATA: usize = 0x6_0000;

/// A program, as QEMU and the world take it.
pub(crate) struct Built {
    folder: tempfile::TempDir,
    image: Vec<u8>,
    bytes: usize,
}

impl Built {
    pub(crate) fn new(isa: Isa, source: &str, pool: &[u8], bytes: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("program.s"), source).unwrap();
        std::fs::write(path("pool"), pool).unwrap();
        let script =
            format!("SECTIONS {{ .text {TEXT:#x} : {{ *(.text) }} .data {DATA:#x} : {{ *(.data) }} }}");
        std::fs::write(path("script.ld"), script).unwrap();
        let (arch, abi, emulation) = match isa {
            Isa::Rv32 => ("rv32ima_zicsr_zifencei_zba_zbb", "ilp32", "elf32lriscv"),
            Isa::Rv64 => ("rv64imafdc_zicsr_zifencei_zfh_zba_zbb", "lp64d", "elf64lriscv"),
        };
        let tool = |name: &str| {
            let mut command = Command::new(format!("riscv64-unknown-elf-{name}"));
            command.current_dir(folder.path());
            command
        };
        run(tool("as").args([
            &format!("-march={arch}"),
            &format!("-mabi={abi}"),
            "-mno-relax",
            "program.s",
            "-o",
            "program.o",
        ]));
        run(tool("ld").args(["-m", emulation, "--no-relax", "--no-warn-rwx-segments"]).args([
            "-T",
            "script.ld",
            "program.o",
            "-o",
            "program",
        ]));
        run(tool("objcopy").args(["-O", "binary", "program", "program.bin"]));
        let image = std::fs::read(path("program.bin")).unwrap();
        Self { folder, image, bytes }
    }

    /// What the program leaves under QEMU.
    pub(crate) fn under_qemu(&self, isa: Isa) -> Vec<u8> {
        let (qemu, cpu) = match isa {
            Isa::Rv32 => ("qemu-riscv32", "rv32,zba=true,zbb=true,zbkb=true"),
            // QEMU before 8.0 spells it so.
            Isa::Rv64 if version() < 8 => ("qemu-riscv64", "rv64,zba=true,zbb=true,Zfh=true"),
            Isa::Rv64 => ("qemu-riscv64", "rv64,zba=true,zbb=true,zfh=true"),
        };
        let output = Command::new(qemu).args(["-cpu", cpu]).arg(self.folder.path().join("program")).output();
        let output = output.unwrap_or_else(|error| {
            panic!("cannot run {qemu} ({error}): `cargo xtask test` installs qemu-user (Debian), which judges the harts")
        });
        assert_eq!(output.stdout.len(), self.bytes, "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// What it leaves on a simulated hart, and how many instructions that took.
    pub(crate) fn on_hart<X: Xlen>(&self) -> (Vec<u8>, u64) {
        let mut world = World::new(X::ISA, start(X::ISA));
        world.memory[TEXT..TEXT + self.image.len()].copy_from_slice(&self.image);
        let mut hart = hart::<X>(true);
        match hart.run(&mut world, NEVER) {
            Stop::Fault(fault) if ["exit", "ecall"].contains(&&*fault.detail) => {}
            other => panic!("{other:?}"),
        }
        (world.memory[DATA..DATA + self.bytes].to_vec(), hart.counters().instructions)
    }
}

/// QEMU's major version.
fn version() -> u32 {
    static VERSION: LazyLock<u32> = LazyLock::new(|| {
        let output = Command::new("qemu-riscv64").arg("--version").output().map(|output| output.stdout);
        let text = String::from_utf8(output.unwrap_or_default()).unwrap_or_default();
        let number = text.split("version ").nth(1).and_then(|rest| rest.split('.').next());
        number.and_then(|number| number.parse().ok()).unwrap_or(0)
    });
    *VERSION
}

/// What a hart runs before the program: floating point on, and the program's first `ecall` ends it.
fn start(isa: Isa) -> &'static [u8] {
    static RV32: LazyLock<Vec<u8>> = LazyLock::new(|| {
        compile(Isa::Rv32, "s", &format!(".section .start,\"ax\"\nli t0, {TEXT}\njr t0"), "-O2")
    });
    static RV64: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let source = format!(
            ".section .start,\"ax\"\nli t0, 0x2000\ncsrs mstatus, t0\nla t0, end\ncsrw mtvec, t0\nli t0, {TEXT}\njr t0\n\
             .balign 4\nend: li t0, {EXIT:#x}\nsw zero, 0(t0)"
        );
        compile(Isa::Rv64, "s", &source, "-O2")
    });
    match isa {
        Isa::Rv32 => &RV32,
        Isa::Rv64 => &RV64,
    }
}

fn run(command: &mut Command) {
    let output = command.output().expect("binutils-riscv64-unknown-elf (Debian) builds the programs");
    let folder = command.get_current_dir().map(Path::to_path_buf).unwrap_or_default();
    assert!(
        output.status.success(),
        "{command:?} in {folder:?}:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
