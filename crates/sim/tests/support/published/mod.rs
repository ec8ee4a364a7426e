//! The published times of tensix.md §2, §3 and §6, as programs of baby cores measure them on the simulated card: virtual
//! time, so the same on every machine.

mod core;
mod dram;
mod latency;
mod stream;

use std::fmt::Write as _;

use komorebi_card::NocXy;
use komorebi_sim::Card;

use super::*;

/// One published figure and the model's.
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) unit: &'static str,
    pub(crate) published: f64,
    pub(crate) model: f64,
}

impl Row {
    /// The error in percent of what is published.
    pub(crate) fn error(&self) -> f64 {
        100.0 * (self.model - self.published) / self.published
    }
}

/// Rows about one thing.
pub(crate) struct Family {
    pub(crate) title: &'static str,
    pub(crate) rows: Vec<Row>,
}

/// Everything that is published and can be measured.
pub(crate) fn measure() -> Vec<Family> {
    vec![
        Family { title: "One request, nothing else on the NoC", rows: latency::rows() },
        Family { title: "A stream of packets", rows: stream::rows() },
        Family { title: "DRAM", rows: dram::rows() },
        Family { title: "A core's instructions", rows: core::rows() },
    ]
}

/// The rows as tables of the documentation.
pub(crate) fn table(families: &[Family]) -> String {
    let mut text = String::new();
    for Family { title, rows } in families {
        write!(
            text,
            "\n### {title}\n\n| quantity | unit | published | model | error |\n|---|---|---:|---:|---:|\n"
        )
        .expect("text takes all");
        for row in rows {
            let Row { what, unit, published, model } = row;
            let error = row.error();
            writeln!(text, "| {what} | {unit} | {published:.1} | {model:.1} | {error:+.1} % |")
                .expect("text takes all");
        }
    }
    text
}

/// What a program that measures begins with: the costs of measuring, measured. `D` is from a read of the clock to the
/// next instruction that had to wait for it; `POLL(c)` gives `C`, from a load of `c` that ends a wait to the clock's read.
const MEASURING: &str = "
    #define USE(x) asm volatile(\"mv %0, %0\" : \"+r\"(x) :: \"memory\")
    #define NOW(x) uint32_t x = CLOCK(); USE(x)
    #define SLED(k) asm volatile(\"la t0, 2f\\n sub t0, t0, %0\\n jr t0\\n .rept 16\\n nop\\n .endr\\n 2:\" :: \"r\"(4 * (k)) : \"t0\", \"memory\")
    #define OUT(i, v) R(0x20010 + 4 * (i)) = (v)
    uint32_t D; { NOW(x); NOW(y); D = y - x; }
    #define POLL(C, done) uint32_t C; { uint32_t seen = done; NOW(x); while (done != seen) {} NOW(y); C = y - x - D; }
";

/// Runs `body` on core B of `tile`, and the given programs beside it, until it has stored 1 at 0x20000; gives the words
/// that it has put out.
fn outcome(card: &Card, tile: NocXy, beside: &[(NocXy, String)], body: &str) -> [u32; 16] {
    outcome_on(card, tile, 0, beside, body)
}

/// The same on another of the tile's cores.
fn outcome_on(card: &Card, tile: NocXy, core: usize, beside: &[(NocXy, String)], body: &str) -> [u32; 16] {
    for (other, body) in beside {
        load(card, *other, 0, &baby(0, &format!("{MEASURING}\n{body}")));
        start(card, *other, &[0]);
    }
    load(card, tile, core, &baby(core, &format!("{MEASURING}\n{body}\nFENCE(); R(0x20000) = 1;")));
    start(card, tile, &[core]);
    wait_for(card, tile, 0x2_0000, 1);
    std::array::from_fn(|i| peek(card, tile, 0x2_0010 + 4 * i as u64))
}

/// The physical coordinate of a tile.
fn raw(card: &Card, tile: NocXy) -> (u32, u32) {
    let id = komorebi_card::Card::read32(card, tile, 0xffb2_0044).expect("NODE_ID is there");
    (id & 63, id >> 6 & 63)
}

/// Router hops from one tile to another on NoC 0, on NoC 1 those of the way back.
fn hops(card: &Card, noc: u32, from: NocXy, to: NocXy) -> u32 {
    let (a, b) = if noc == 0 { (raw(card, from), raw(card, to)) } else { (raw(card, to), raw(card, from)) };
    (b.0 + 17 - a.0) % 17 + (b.1 + 12 - a.1) % 12
}

/// Reading and writing as tt-metal's data movement API does (writes to one place by its calls with state): wait for the
/// command buffer, write the registers that change, send, count. The wait is laid out for the static prediction of the model
/// to be right where the predictor of a core would have learnt it.
const FAST: &str = "
    #define READY(buf) asm volatile(\"lw t0, 64(%0)\\n bnez t0, 2f\\n 3:\\n .subsection 1\\n 2: lw t0, 64(%0)\\n bnez t0, 2b\\n j 3b\\n .subsection 0\" :: \"r\"(0xffb20000u + 0x800u * (buf)) : \"t0\", \"memory\")
    auto to_one = [&](uint32_t xy, uint32_t n) { NIU(0, 0, 0x1c) = 0x2092; NIU(0, 0, 0x14) = xy; NIU(0, 0, 0x20) = n; };
    auto fast_write = [&](uint32_t from, uint32_t to) {
        READY(0);
        NIU(0, 0, 0x00) = from; NIU(0, 0, 0x0c) = to; NIU(0, 0, 0x40) = 1;
        ((volatile uint32_t *)0xffb00400)[0]++; ((volatile uint32_t *)0xffb00400)[1]++;
    };
    auto fast_read = [&](uint64_t noc_address, uint32_t to, uint32_t n) {
        while (n > 16384) { asm volatile(\"ebreak\"); }
        READY(1);
        NIU(0, 1, 0x0c) = to; NIU(0, 1, 0x00) = (uint32_t)noc_address;
        NIU(0, 1, 0x04) = (uint32_t)(noc_address >> 32) & 0x1000000f;
        NIU(0, 1, 0x08) = (uint32_t)(noc_address >> 36) & 0xffffff;
        NIU(0, 1, 0x20) = n; NIU(0, 1, 0x40) = 1;
        ((volatile uint32_t *)0xffb00400)[2]++;
    };
    #define AT(xy, address) ((uint64_t)(xy) << 36 | (address))
    ((volatile uint32_t *)0xffb00400)[0] = COUNTER(0, 0xa); ((volatile uint32_t *)0xffb00400)[1] = COUNTER(0, 1);
    ((volatile uint32_t *)0xffb00400)[2] = COUNTER(0, 2);
    for (int buf = 0; buf < 2; buf++) { NIU(0, buf, 0x04) = 0; NIU(0, buf, 0x10) = 0; NIU(0, buf, 0x18) = 0; NIU(0, buf, 0x24) = 0; }
    NIU(0, 0, 0x08) = self(0); NIU(0, 1, 0x14) = self(0); NIU(0, 1, 0x1c) = 0x2090;
    #define READ_BARRIER() while (COUNTER(0, 2) != ((volatile uint32_t *)0xffb00400)[2]) {}
    #define WRITE_BARRIER() while (COUNTER(0, 1) != ((volatile uint32_t *)0xffb00400)[1]) {}
";
