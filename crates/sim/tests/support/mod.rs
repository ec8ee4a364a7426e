//! What the tests of the card share: device programs compiled at test time, and the steps of a bring-up.

#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod grid;
mod images;
pub(crate) mod published;
pub(crate) mod x280;

use std::process::Command;

use komorebi_card::{Card as _, CardError, CardTime, NocXy, Order, Power};
use komorebi_sim::{Builder, Card};

/// The Debian compiler (package gcc-riscv64-unknown-elf).
const COMPILER: &str = "riscv64-unknown-elf-g++";
/// The linker that it calls.
const LINKER: &str = "riscv64-unknown-elf-ld";

/// SOFT_RESET_0 of a Tensix tile.
pub(crate) const SOFT_RESET: u64 = 0xffb1_21b0;
/// All five cores held.
pub(crate) const ALL_HELD: u32 = 0x4_7800;
/// The bits of the five cores: B, NC, T0, T1, T2.
pub(crate) const CORE_BITS: [u32; 5] = [1 << 11, 1 << 18, 1 << 12, 1 << 13, 1 << 14];
/// Where the five cores start.
pub(crate) const CORE_PCS: [u64; 5] = [0, 0x1_2000, 0x6000, 0xa000, 0xe000];
/// X280 cluster 0, whose local DRAM is channel 5.
pub(crate) const CLUSTER: NocXy = NocXy::new(8, 26);
/// Its external peripherals over the NoC.
pub(crate) const PERIPHERALS: u64 = 0xffff_f7fe_fff0_0000;
/// ARC.
pub(crate) const ARC: NocXy = NocXy::new(8, 0);
/// Everything on.
pub(crate) const POWER: Power = Power { tensix: true, dram: true, l2cpu: true, busy: true };

/// What every program begins with.
const PRELUDE: &str = r#"
#include <stdint.h>
typedef volatile uint32_t *reg;
typedef volatile uint64_t *reg64;
#define R(a) (*(reg)(uintptr_t)(a))
#define R64(a) (*(reg64)(uintptr_t)(a))
#define FENCE() asm volatile("fence" ::: "memory")
"#;

/// What a baby core's program has besides: the NIU as the tables of tensix.md §4 describe it.
const BABY: &str = r#"
#define NIU(noc, buf, off) R(0xffb20000u + (noc) * 0x10000u + (buf) * 0x800u + (off))
#define COUNTER(noc, i) NIU(noc, 0, 0x200 + 4 * (i))
#define CLOCK() R(0xffb121f0u)
static inline uint32_t self(int noc) { return NIU(noc, 0, 0x148); }
static inline void send(int noc, int buf, uint32_t ctrl, uint32_t tlo, uint32_t thi, uint32_t rlo, uint32_t rhi,
                        uint32_t len) {
    while (NIU(noc, buf, 0x40)) {}
    NIU(noc, buf, 0x00) = tlo; NIU(noc, buf, 0x04) = 0; NIU(noc, buf, 0x08) = thi;
    NIU(noc, buf, 0x0c) = rlo; NIU(noc, buf, 0x10) = 0; NIU(noc, buf, 0x14) = rhi;
    NIU(noc, buf, 0x18) = 0; NIU(noc, buf, 0x1c) = ctrl; NIU(noc, buf, 0x20) = len; NIU(noc, buf, 0x24) = 0;
    NIU(noc, buf, 0x40) = 1;
}
static inline void write_to(int noc, uint32_t xy, uint32_t from, uint32_t to, uint32_t n) {
    send(noc, 0, 0x2092, from, self(noc), to, xy, n);
}
static inline void read_from(int noc, uint32_t xy, uint32_t from, uint32_t to, uint32_t n) {
    send(noc, 1, 0x2090, from, xy, to, self(noc), n);
}
static inline void increment(int noc, uint32_t xy, uint32_t at, uint32_t by, uint32_t into) {
    NIU(noc, 3, 0x28) = by;
    send(noc, 3, 0x2091, at, xy, into, self(noc), 0x107c | (at >> 2 & 3));
}
/* The wait HINT: add x0, a, wake. */
static inline void waiting(uint32_t wake) { asm volatile("add x0, sp, %0" :: "r"(wake)); }
"#;

/// Compiles the body of `main` into a flat image that runs at `origin`.
fn compile(march: &str, mabi: &str, first: &str, origin: u64, declarations: &str, body: &str) -> Vec<u8> {
    let source = format!(
        "{PRELUDE}{declarations}\nextern \"C\" void run() {{\n{body}\nfor (;;) asm volatile(\"\" ::: \"memory\");\n}}\n\
         asm(\".section .text.start, \\\"ax\\\"\\n.globl _start\\n_start: {first}\\n j run\\n.previous\\n\");\n"
    );
    let script = format!(
        "SECTIONS {{ . = {origin:#x}; .all : {{ *(.text.start) *(.text*) *(.rodata*) *(.srodata*) *(.data*) *(.sdata*) *(.bss*) *(.sbss*) }} /DISCARD/ : {{ *(.eh_frame*) *(.comment) }} }}"
    );
    let flags = FLAGS.join(" ");
    images::image(&format!("{march} {mabi} {flags}\n{script}"), &source, || {
        link(march, mabi, &script, &source)
    })
}

/// What every program is compiled with.
const FLAGS: [&str; 8] = [
    "-O2",
    "-std=c++17",
    "-ffreestanding",
    "-nostdlib",
    "-fno-exceptions",
    "-mno-relax",
    "-mcmodel=medany",
    "-Wl,--build-id=none,--no-warn-rwx-segments",
];

fn link(march: &str, mabi: &str, script: &str, source: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("main.cpp"), source).expect("the source is written");
    std::fs::write(path("main.ld"), script).expect("the linker script is written");
    let run = |command: &mut Command| {
        let output = command.output().unwrap_or_else(|error| {
            panic!("cannot run {COMPILER} ({error}): install gcc-riscv64-unknown-elf to run these tests")
        });
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(Command::new(COMPILER)
        .args(FLAGS)
        .args([&format!("-march={march}"), &format!("-mabi={mabi}")])
        .arg("-T")
        .arg(path("main.ld"))
        .arg(path("main.cpp"))
        .arg("-o")
        .arg(path("main.elf")));
    run(Command::new("riscv64-unknown-elf-objcopy")
        .args(["-O", "binary"])
        .arg(path("main.elf"))
        .arg(path("main.bin")));
    let mut image = std::fs::read(path("main.bin")).expect("the image is there");
    image.resize(image.len().next_multiple_of(4), 0);
    image
}

/// A baby core's program: the body of its main function. The L0 data cache is off. The core is one of 0 (B), 1 (NC), 2 to 4 (T0 to T2).
pub(crate) fn baby(core: usize, body: &str) -> Vec<u8> {
    compile("rv32im_zicsr", "ilp32", &format!("csrsi 0x7c0, 8\\n{}", stack(core)), CORE_PCS[core], BABY, body)
}

/// The same with `declarations` in front of its main function.
pub(crate) fn baby_with(core: usize, declarations: &str, body: &str) -> Vec<u8> {
    let declarations = format!("{BABY}{declarations}");
    compile(
        "rv32im_zicsr",
        "ilp32",
        &format!("csrsi 0x7c0, 8\\n{}", stack(core)),
        CORE_PCS[core],
        &declarations,
        body,
    )
}

/// The same with the L0 data cache on, as a core leaves reset.
pub(crate) fn cached(core: usize, body: &str) -> Vec<u8> {
    compile("rv32im_zicsr", "ilp32", &stack(core), CORE_PCS[core], BABY, body)
}

fn stack(core: usize) -> String {
    format!("li sp, {:#x}", if core < 2 { 0xffb0_2000u32 } else { 0xffb0_1000 })
}

/// An X280 program that runs from `origin` in LIM, on hart 0; the others wait.
pub(crate) fn hart(origin: u64, body: &str) -> Vec<u8> {
    harts(origin, &format!("if (id) for (;;) asm volatile(\"wfi\");\n{body}"))
}

/// The same for all four harts: `id` is the number of the one that runs. Each has a stack of 4 KiB.
pub(crate) fn harts(origin: u64, body: &str) -> Vec<u8> {
    let number = "uint64_t id; asm volatile(\"csrr %0, mhartid\" : \"=r\"(id));";
    compile(
        "rv64imac_zicsr_zifencei",
        "lp64",
        "li sp, 0x80bff00\\ncsrr t0, mhartid\\nslli t0, t0, 12\\nsub sp, sp, t0",
        origin,
        "",
        &format!("{number}\n{body}"),
    )
}

/// A card of seed 0, whatever the environment says: each latency is its least one, and nothing happens that the hardware only
/// may do, such as a line that leaves a cache early. For tests of exact times, and of what a cache or a way hides meanwhile.
pub(crate) fn exact() -> Builder {
    Card::builder().seed(0)
}

/// A claimed card.
pub(crate) fn open(builder: Builder) -> Card {
    let card = builder.build();
    card.claim(POWER).expect("nobody else has the card");
    card
}

/// Loads a program into a core of a tile that is held in reset.
pub(crate) fn load(card: &Card, tile: NocXy, core: usize, image: &[u8]) {
    card.write(tile, CORE_PCS[core], image, Order::Bulk).expect("the image fits L1");
}

/// Starts the cores of a tile with these numbers.
pub(crate) fn start(card: &Card, tile: NocXy, cores: &[usize]) {
    card.fence(tile).expect("the image has landed");
    let held = cores.iter().fold(ALL_HELD, |held, core| held & !CORE_BITS[*core]);
    card.write32(tile, SOFT_RESET, held).expect("the reset register takes a word");
}

/// Steps PLL4 to `fbdiv` and `postdiv`, as tt-bh-linux does (host.md §4.5).
pub(crate) fn clock(card: &Card, fbdiv: u32, postdiv: u8) {
    let mut divider = card.read32(ARC, 0x8002_0514).expect("CNTL_5 is there").to_le_bytes()[0];
    let mut control = card.read32(ARC, 0x8002_0504).expect("CNTL_1 is there");
    let step =
        |divider: u8| card.write32(ARC, 0x8002_0514, u32::from_le_bytes([divider; 4])).expect("one step");
    while divider < postdiv {
        divider += 1;
        step(divider);
    }
    while control >> 16 != fbdiv {
        control = if control >> 16 < fbdiv { control + 0x1_0000 } else { control - 0x1_0000 };
        card.write32(ARC, 0x8002_0504, control).expect("one step");
    }
    while divider > postdiv {
        divider -= 1;
        step(divider);
    }
}

/// Releases the harts of cluster 0 into `image` at the beginning of LIM, then clocks them at 1,000 MHz.
pub(crate) fn release(card: &Card, image: &[u8]) {
    prepare(card, 0, image, 0x0800_0000);
    clock(card, 128, 15);
    card.write32(ARC, 0x8003_0014, 0x1f).expect("L2CPU_RESET");
    assert_eq!(card.read32(ARC, 0x8003_0014).expect("it reads back"), 0x1f);
    clock(card, 80, 1);
}

/// What comes before the release of a cluster: ways, image at the beginning of LIM, vectors and handlers.
pub(crate) fn prepare(card: &Card, index: u8, image: &[u8], vector: u64) {
    let tile = cluster(index);
    card.write32(tile, 0x0201_0008, 9).expect("WAYENABLE");
    card.write(tile, 0x0800_0000, image, Order::Bulk).expect("the image fits LIM");
    for hart in 0..4 {
        let set = |offset: u64, pc: u64| {
            card.write32(tile, PERIPHERALS + offset, pc as u32).expect("low half");
            card.write32(tile, PERIPHERALS + offset + 4, (pc >> 32) as u32).expect("high half");
        };
        set(0x1_0000 + 8 * hart, vector);
        set(0x1_0418 + 16 * hart, 0x0800_0000);
        set(0x1_0420 + 16 * hart, 0x0800_0000);
    }
    card.fence(tile).expect("everything has landed");
}

/// The tile of an X280 cluster.
pub(crate) fn cluster(index: u8) -> NocXy {
    NocXy::new(8, 26 + index)
}

/// Points large window `window` of cluster 0 at `tile`, in units of 128 GiB.
pub(crate) fn window(card: &Card, window: u64, lo: u32, address: u64) {
    let base = PERIPHERALS + 0xe00 + 12 * window;
    card.write32(CLUSTER, base, (address >> 37) as u32).expect("local offset");
    card.write32(CLUSTER, base + 4, lo).expect("coordinates");
    card.write32(CLUSTER, base + 8, 0).expect("the high word");
    card.fence(CLUSTER).expect("the window is set");
}

/// Polls the word at `address` of `tile` until it is `value`; panics after a virtual millisecond.
pub(crate) fn wait_for(card: &Card, tile: NocXy, address: u64, value: u32) {
    let end = card.now() + std::time::Duration::from_millis(1);
    while card.now() < end {
        let word = card.read32(tile, address).unwrap_or_else(|error| panic!("{error}"));
        if word == value {
            return;
        }
    }
    panic!("{address:#x} of {tile} is {:#x} after 1 ms, not {value:#x}", card.read32(tile, address).unwrap());
}

/// Lets the card run for `nanos`, whatever it writes to the host.
pub(crate) fn run_for(card: &Card, nanos: u64) -> Result<(), CardError> {
    let end = CardTime::from_nanos(card.now().as_nanos() + nanos);
    while card.relax(end)? < end {}
    Ok(())
}

/// The word at `address` of a tile's memory, as it is.
pub(crate) fn peek(card: &Card, tile: NocXy, address: u64) -> u32 {
    let mut bytes = [0; 4];
    assert!(card.peek(tile, address, &mut bytes), "no memory at {address:#x} of {tile}");
    u32::from_le_bytes(bytes)
}
