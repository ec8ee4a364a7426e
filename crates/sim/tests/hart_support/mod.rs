//! A small world for one hart: flat memory, a clock, a private range, and programs from the RISC-V compiler.

#![allow(dead_code, reason = "each test uses a part")]

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use komorebi_card::Rule;
use komorebi_sim::hart::{
    AmoOp, Bus, CodePage, Costs, Hart, Isa, Loaded, Nature, Refusal, Setup, Stop, Width, Xlen,
};
use komorebi_sim::time::{NEVER, Time};

/// Bytes of memory, from address 0.
pub(crate) const MEMORY: usize = 1 << 20;
/// The range that only the hart sees, for its stack.
pub(crate) const PRIVATE: std::ops::Range<u64> = 0x8_0000..0xc_0000;
/// A clock that counts [`TICK`] cycles: the word here shows it.
pub(crate) const CLOCK: u64 = 0x1000_0000;
/// A store here ends the program.
pub(crate) const EXIT: u64 = 0x1000_0010;
/// Cycles of a clock tick.
pub(crate) const TICK: u64 = 3;
/// Units of a cycle.
pub(crate) const CYCLE: Time = 560;

/// Memory and devices.
pub(crate) struct World {
    pub(crate) memory: Vec<u8>,
    /// Cycles of a shared load.
    pub(crate) latency: u64,
    /// Every shared store: when, where, what.
    pub(crate) stores: Vec<(Time, u64, u64)>,
    isa: Isa,
    pages: HashMap<u64, Arc<CodePage>>,
    /// The pages that have been decoded, by number.
    decoded: Vec<bool>,
    generation: u64,
}

impl World {
    pub(crate) fn new(isa: Isa, image: &[u8]) -> Self {
        let mut memory = image.to_vec();
        memory.resize(MEMORY, 0);
        Self {
            memory,
            latency: 8,
            stores: Vec::new(),
            isa,
            pages: HashMap::new(),
            decoded: vec![false; MEMORY / 4096],
            generation: 0,
        }
    }

    pub(crate) fn word(&self, address: u64) -> u32 {
        let at = address as usize;
        u32::from_le_bytes(self.memory[at..at + 4].try_into().unwrap())
    }

    pub(crate) fn set_word(&mut self, address: u64, value: u32) {
        let at = address as usize;
        self.memory[at..at + 4].copy_from_slice(&value.to_le_bytes());
        self.forget(address);
    }

    fn forget(&mut self, address: u64) {
        if std::mem::take(&mut self.decoded[address as usize / 4096]) {
            self.pages.remove(&(address / 4096));
            self.generation += 1;
        }
    }

    fn unmapped(address: u64) -> Refusal {
        Refusal::Fault { detail: format!("nothing at {address:#x}"), rule: Rule::HartAddress }
    }
}

impl Bus for World {
    #[inline]
    fn is_private(&self, address: u64) -> bool {
        PRIVATE.contains(&address)
    }

    #[inline]
    fn load(&mut self, at: Time, address: u64, width: Width) -> Result<Loaded, Refusal> {
        if address == CLOCK {
            let ticks = (at / CYCLE / TICK) as u32;
            return Ok(Loaded { value: u64::from(ticks), ready: at + 7 * CYCLE });
        }
        let start = address as usize;
        let bytes = self.memory.get(start..start.saturating_add(width as usize));
        let Some(bytes) = bytes else { return Err(Self::unmapped(address)) };
        let value = match width {
            Width::Byte => u64::from(bytes[0]),
            Width::Half => u64::from(u16::from_le_bytes([bytes[0], bytes[1]])),
            Width::Word => u64::from(u32::from_le_bytes(bytes.try_into().unwrap_or_default())),
            Width::Double => u64::from_le_bytes(bytes.try_into().unwrap_or_default()),
        };
        let cycles = if self.is_private(address) { 2 } else { self.latency };
        Ok(Loaded { value, ready: at + cycles * CYCLE })
    }

    #[inline]
    fn store(&mut self, at: Time, address: u64, width: Width, value: u64) -> Result<Time, Refusal> {
        if address == EXIT {
            return Err(Refusal::Fault { detail: "exit".to_owned(), rule: Rule::HartAddress });
        }
        let start = address as usize;
        let bytes = self.memory.get_mut(start..start.saturating_add(width as usize));
        let Some(bytes) = bytes else { return Err(Self::unmapped(address)) };
        bytes.copy_from_slice(&value.to_le_bytes()[..width as usize]);
        if !self.is_private(address) {
            self.forget(address);
            if self.stores.len() < 10_000 {
                self.stores.push((at, address, value));
            }
        }
        Ok(at)
    }

    fn amo(
        &mut self,
        at: Time,
        address: u64,
        width: Width,
        op: AmoOp,
        operand: u64,
    ) -> Result<Loaded, Refusal> {
        let old = self.load(at, address, width)?.value;
        let (signed_old, signed) = match width {
            Width::Word => (i64::from(old as i32), i64::from(operand as i32)),
            _ => (old as i64, operand as i64),
        };
        let operand = match width {
            Width::Word => u64::from(operand as u32),
            _ => operand,
        };
        let new = match op {
            AmoOp::Swap => operand,
            AmoOp::Add => old.wrapping_add(operand),
            AmoOp::Xor => old ^ operand,
            AmoOp::And => old & operand,
            AmoOp::Or => old | operand,
            AmoOp::Min => signed_old.min(signed) as u64,
            AmoOp::Max => signed_old.max(signed) as u64,
            AmoOp::Minu => old.min(operand),
            AmoOp::Maxu => old.max(operand),
        };
        self.store(at, address, width, new)?;
        Ok(Loaded { value: old, ready: at + 12 * CYCLE })
    }

    fn fence(&mut self, at: Time) -> Time {
        let acknowledged = self.stores.last().map_or(0, |(when, ..)| when + 150 * CYCLE);
        acknowledged.max(at + 2 * CYCLE)
    }

    fn fence_i(&mut self, at: Time) -> Time {
        at
    }

    fn csr_read(&mut self, _at: Time, _csr: u16) -> Result<Option<Loaded>, Refusal> {
        Ok(None)
    }

    fn csr_write(&mut self, _at: Time, _csr: u16, _value: u64) -> Result<bool, Refusal> {
        Ok(false)
    }

    fn code(&mut self, _at: Time, pc: u64) -> Result<Arc<CodePage>, Refusal> {
        let start = pc as usize & !4095;
        let isa = self.isa;
        let Some(bytes) = self.memory.get(start..start.saturating_add(4096)) else {
            return Err(Self::unmapped(pc));
        };
        let bytes = bytes.try_into().unwrap();
        self.decoded[start / 4096] = true;
        let page = self.pages.entry(pc / 4096).or_insert_with(|| Arc::new(CodePage::decode(isa, bytes)));
        Ok(Arc::clone(page))
    }

    #[inline]
    fn code_generation(&self) -> u64 {
        self.generation
    }

    fn nature(&self, address: u64) -> Nature {
        if address == CLOCK { Nature::Clock } else { Nature::Memory }
    }

    fn wake_time(&self, _at: Time, value: u64) -> Time {
        value * TICK * CYCLE
    }
}

/// A hart at pc 0 with a stack.
pub(crate) fn hart<X: Xlen>(parking: bool) -> Hart<X> {
    let costs = match X::ISA {
        Isa::Rv32 => Costs::BABY,
        Isa::Rv64 => Costs::X280_NOMINAL,
    };
    let mut hart = Hart::new(Setup { hart_id: 0, costs, cycle: CYCLE, parking });
    hart.set_register(2, PRIVATE.end);
    hart
}

/// Runs to the store at [`EXIT`]; panics with what happened in its place.
pub(crate) fn run_to_exit<X: Xlen>(hart: &mut Hart<X>, world: &mut World) {
    match hart.run(world, NEVER) {
        Stop::Fault(fault) if fault.detail == "exit" => {}
        other => panic!("{other:?}"),
    }
}

/// Compiles a source to an image at address 0, whose first instruction is the first of its section `.start`.
pub(crate) fn compile(isa: Isa, language: &str, source: &str, optimise: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path(&format!("program.{language}")), source).unwrap();
    std::fs::write(
        path("script.ld"),
        "SECTIONS { . = 0; .all : { *(.start) *(.text*) *(.rodata*) *(.srodata*) . = ALIGN(4096); *(.data*) *(.sdata*) *(.bss*) *(.sbss*) *(COMMON) } /DISCARD/ : { *(.eh_frame*) } }",
    )
    .unwrap();
    let (compiled, linked, abi) = match isa {
        Isa::Rv32 => ("-march=rv32im_zicsr_zba_zbb", "-march=rv32im", "-mabi=ilp32"),
        Isa::Rv64 => ("-march=rv64imac_zicsr_zifencei_zba_zbb", "-march=rv64imac", "-mabi=lp64"),
    };
    let compiler = "riscv64-unknown-elf-g++";
    let flags = [
        "-ffreestanding",
        "-fno-exceptions",
        "-fno-rtti",
        "-mcmodel=medany",
        "-mno-relax",
        "-msmall-data-limit=0",
    ];
    run_tool(
        Command::new(compiler)
            .args([compiled, abi, optimise, "-std=c++17", "-c"])
            .args(flags)
            .arg("-o")
            .args([path("program.o"), path(&format!("program.{language}"))]),
    );
    run_tool(
        Command::new(compiler)
            .args([linked, abi, "-nostdlib", "-nostartfiles", "-Wl,--no-relax", "-Wl,--build-id=none", "-T"])
            .args([path("script.ld"), Path::new("-o").to_owned(), path("program.elf"), path("program.o")])
            .arg("-lgcc"),
    );
    run_tool(
        Command::new("riscv64-unknown-elf-objcopy")
            .args(["-O", "binary"])
            .args([path("program.elf"), path("program.bin")]),
    );
    std::fs::read(path("program.bin")).unwrap()
}

fn run_tool(command: &mut Command) {
    let output = command.output().expect("gcc-riscv64-unknown-elf (Debian) compiles the test programs");
    assert!(output.status.success(), "{command:?}:\n{}", String::from_utf8_lossy(&output.stderr));
}
