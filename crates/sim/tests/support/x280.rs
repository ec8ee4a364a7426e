//! Programs of a hart that the host sets something up for, and what comes of them.

use komorebi_card::{CardError, Fault, Rule};
use komorebi_sim::Builder;

use super::*;

/// What a program sees besides: the two views of local DRAM, the windows' registers, its results, SiFive's instructions.
pub(crate) const X280: &str = r#"
    const uint64_t CACHED = 0x400030000000, UNCACHED = 0x30000000, UP = 1ull << 46;
    const uint64_t SMALL = 0x430000000, LARGE = 0x80430000000, RESULTS = 0x08010000;
    #define FLUSH64(a) do { R64(0x02010200) = (a); FENCE(); } while (0)
    #define CFLUSH(a) asm volatile(".insn i 0x73, 0, x0, %0, -64" :: "r"(a) : "memory")
    #define CDISCARD(a) asm volatile(".insn i 0x73, 0, x0, %0, -62" :: "r"(a) : "memory")
    #define CSRW(csr, value) asm volatile("csrw " csr ", %0" :: "r"(value) : "memory")
    #define CSRR(csr) ({ uint64_t value; asm volatile("csrr %0, " csr : "=r"(value) :: "memory"); value; })
    #define RESULT(i) R64(RESULTS + 8 * (i))
    #define TELL(n) do { FENCE(); R64(0x08011000) = (n); } while (0)
    #define HEAR(n) do { while (R64(0x08011008) != (n)) {} } while (0)
"#;

/// A program waits for the clock of its test.
const START: &str = "while (!R64(0x08011010)) {}";
/// The word by which a program says how far it is, and the one by which the host answers.
const TOLD: u64 = 0x0801_1000;
const HEARD: u64 = 0x0801_1008;
/// What it waits for first: its clock.
const CLOCKED: u64 = 0x0801_1010;

/// A program on hart 0 of cluster 0, or on all four.
pub(crate) struct Program {
    pub(crate) card: Card,
}

impl Program {
    /// Starts `body` on hart 0; it ends by telling 1000.
    pub(crate) fn start(builder: Builder, body: &str) -> Self {
        Self::with(builder, &hart(0x0800_0000, &format!("{X280}\n{START}\n{body}\nTELL(1000);")))
    }

    /// Starts `body` on all harts; that of hart 0 ends by telling 1000.
    pub(crate) fn start_all(builder: Builder, body: &str) -> Self {
        let end = "if (id == 0) TELL(1000); for (;;) asm volatile(\"wfi\");";
        Self::with(builder, &harts(0x0800_0000, &format!("{X280}\n{START}\n{body}\n{end}")))
    }

    fn with(builder: Builder, image: &[u8]) -> Self {
        let card = open(builder);
        release(&card, image);
        card.write(CLUSTER, CLOCKED, &1u64.to_le_bytes(), Order::Strict).expect("the program starts");
        Self { card }
    }

    /// Waits until the program tells `n`.
    pub(crate) fn wait(&self, n: u32) -> &Self {
        wait_for(&self.card, CLUSTER, TOLD, n);
        self
    }

    /// Waits for the end.
    pub(crate) fn finish(&self) -> &Self {
        self.wait(1000)
    }

    /// Lets a program go on that hears `n`.
    pub(crate) fn answer(&self, n: u64) -> &Self {
        self.card.write(CLUSTER, HEARD, &n.to_le_bytes(), Order::Strict).expect("the program hears");
        self
    }

    /// The 64-bit result `i`.
    pub(crate) fn result(&self, i: u64) -> u64 {
        let at = 0x0801_0000 + 8 * i;
        u64::from(peek(&self.card, CLUSTER, at)) | u64::from(peek(&self.card, CLUSTER, at + 4)) << 32
    }

    /// The first results.
    pub(crate) fn results<const N: usize>(&self) -> [u64; N] {
        std::array::from_fn(|i| self.result(i as u64))
    }

    /// The tile of channel 5.
    pub(crate) fn channel(&self) -> NocXy {
        let banks = &self.card.description().banks;
        banks.iter().find(|bank| bank.channel == 5).expect("a p150a has channel 5").noc0
    }

    /// The word at `offset` of channel 5, as it is in memory.
    pub(crate) fn dram(&self, offset: u64) -> u32 {
        peek(&self.card, self.channel(), offset)
    }

    /// Writes a word of channel 5 at its own tile.
    pub(crate) fn set_dram(&self, offset: u64, value: u32) {
        self.card.write32(self.channel(), offset, value).expect("channel 5 takes a word");
        self.card.fence(self.channel()).expect("it has landed");
    }

    /// Reads a word through the cluster's cached view.
    pub(crate) fn cached(&self, offset: u64) -> u32 {
        self.card.read32(CLUSTER, CACHED + offset).expect("the cluster reads its DRAM")
    }

    /// Writes one through it.
    pub(crate) fn set_cached(&self, offset: u64, value: u32) {
        self.card.write32(CLUSTER, CACHED + offset, value).expect("the cluster writes its DRAM");
        self.card.fence(CLUSTER).expect("it has landed");
    }
}

/// Local DRAM through the caches.
pub(crate) const CACHED: u64 = 0x4000_3000_0000;

/// The fault of a program of hart 0, `prepare` having been done before it goes on.
pub(crate) fn fault_of(prepare: &dyn Fn(&Card), body: &str) -> Fault {
    let program = Program::start(Card::builder(), &format!("HEAR(1);\n{body}"));
    prepare(&program.card);
    program.answer(1);
    match run_for(&program.card, 50_000) {
        Err(CardError::Fault(fault)) => fault,
        other => panic!("no fault but {other:?} for: {body}"),
    }
}

/// Each program breaks one rule; the fault says which, with the tile, the hart and where.
pub(crate) fn assert_faults(prepare: &dyn Fn(&Card), cases: &[(&str, Rule)]) {
    for (body, rule) in cases {
        let fault = fault_of(prepare, body);
        assert_eq!(fault.rule, *rule, "{body}: {fault}");
        assert_eq!((fault.tile, fault.agent.as_str()), (CLUSTER, "hart 0"), "{body}: {fault}");
        let inside = fault.pc.is_some_and(|pc| (0x0800_0000..0x0800_1000).contains(&pc));
        assert!(inside, "{body}: {fault}");
    }
}
