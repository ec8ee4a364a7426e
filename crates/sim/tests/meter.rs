//! A meter tells where each cycle of a core went, and changes none of them.

mod support;

use komorebi_card::{Card as _, NocXy, Rect};
use komorebi_sim::hart::Cause;
use komorebi_sim::{Builder, Card, Metered, Profile};
use support::grid::Grid;
use support::*;

const A: NocXy = NocXy::new(2, 3);
const B: NocXy = NocXy::new(11, 7);

fn metered(card: &Card, tile: NocXy, core: usize) -> Metered {
    card.core_counters(tile)[core].metered.clone().expect("the tile has a meter")
}

/// Cycles of a cause.
fn cycles(told: &Metered, cause: Cause) -> u64 {
    assert_eq!(told.spent[cause] % told.cycle, 0, "{cause:?} in whole cycles");
    told.spent[cause] / told.cycle
}

/// Runs a program on core B of tile A until it writes 1 to 0x20000.
fn run(builder: Builder, body: &str) -> Card {
    let card = open(builder);
    load(&card, A, 0, &baby(0, &format!("{body}\nFENCE(); R(0x20000) = 1;")));
    start(&card, A, &[0]);
    for _ in 0..1_000 {
        run_for(&card, 1_000).unwrap();
        if peek(&card, A, 0x2_0000) == 1 {
            return card;
        }
    }
    panic!("the program has not ended");
}

/// What the body adds to each cause of an empty program, in cycles.
fn adds(body: &str, cause: Cause) -> u64 {
    let told = |body: &str| {
        let card = run(exact().meter(A), body);
        let told = metered(&card, A, 0);
        assert_eq!(told.spent.total(), told.elapsed, "the causes are all of the time");
        cycles(&told, cause)
    };
    told(body) - told("")
}

#[test]
fn each_cause_has_the_cycles_that_the_instructions_cost() {
    // tensix.md §2: a load of L1 takes 8 cycles, one of which is its own.
    let chain = "uint32_t at = 0x24000; asm volatile(\".rept 100\\nlw %0, 0(%0)\\n.endr\" : \"+r\"(at) :: \"memory\");";
    let pointing = "R(0x24000) = 0x24000; FENCE();";
    let load = adds(&format!("{pointing}{chain}"), Cause::Load) - adds(pointing, Cause::Load);
    assert!((100 * 7 - 8..=100 * 7).contains(&load), "{load}");
    let product = "uint32_t x = 3; asm volatile(\".rept 100\\nmul %0, %0, %0\\n.endr\" : \"+r\"(x));";
    assert_eq!(adds(product, Cause::Product), 100, "the fence behind it waits for the last one");
    let quotient = "uint32_t x = 3; asm volatile(\".rept 10\\ndivu x0, %0, x0\\n.endr\" : \"+r\"(x));";
    assert_eq!(adds(quotient, Cause::Quotient), 10, "of two cycles one is the instruction's");
    let branch = "asm volatile(\".rept 50\\nbeqz x0, 1f\\n1:\\n.endr\");";
    assert_eq!(adds(branch, Cause::Branch), 50 * 4, "a bubble of four cycles each");
    // L1 takes a store in five cycles, and four wait: of 100 scattered ones the last issues after 480 cycles.
    let store = "asm volatile(\"li t0, 0x28000\\n.rept 5\\n.set at, 0\\n.rept 20\\nsw x0, at(t0)\\n.set at, at + 64\\n\
        .endr\\n.endr\" ::: \"t0\", \"memory\");";
    assert!((375..=385).contains(&adds(store, Cause::Store)), "{}", adds(store, Cause::Store));
    let fence = "R(0x28000) = 1; FENCE();";
    assert!((1..=5).contains(&adds(fence, Cause::Fence)), "{}", adds(fence, Cause::Fence));
    let card = run(exact().meter(A), store);
    let counters = &card.core_counters(A)[0];
    assert_eq!(cycles(counters.metered.as_ref().unwrap(), Cause::Issue), counters.instructions);
}

#[test]
fn waiting_loops_and_busy_command_buffers_are_told_as_such() {
    let wait = "uint32_t end = CLOCK() + 5000; while ((int32_t)(CLOCK() - end) < 0) waiting(end);";
    let waited = adds(wait, Cause::Wait);
    assert!((4_900..5_050).contains(&waited), "{waited}");
    // Packets of 16 KiB leave one after the other, 256 flits of 64 bytes; the NIU accepts some before they leave.
    let send =
        format!("for (int i = 0; i < 10; i++) write_to(0, {}, 0x30000, 0x30000, 0x4000);", B.hi_word());
    let busy = adds(&send, Cause::CommandBuffer);
    assert!((6 * 256..11 * 256).contains(&busy), "{busy}");
    assert_eq!(metered(&run(Card::builder().meter(A), &send), A, 0).packets, 10);
}

#[test]
fn the_causes_of_every_core_and_hart_are_all_of_its_time_and_no_time_changes() {
    let tiles = Rect { start: NocXy::new(6, 2), end: NocXy::new(11, 3) };
    for seed in 0..3 {
        let play = |builder: Builder| {
            let mut grid = Grid::start(builder.seed(seed), tiles, seed == 0);
            let story: Vec<_> = (0..6).map(|n| (grid.command(n % 3 != 0), grid.word())).collect();
            (story, grid.card)
        };
        let (story, plain) = play(Card::builder());
        let (metered_story, card) = play(Card::builder().meter_all());
        assert_eq!(story, metered_story, "seed {seed}");
        let chosen = play(Card::builder().meter(tiles.start).meter(CLUSTER)).1;
        for tile in [tiles.start, NocXy::new(7, 2), NocXy::new(10, 3), tiles.end, CLUSTER] {
            let (with, without) = (card.core_counters(tile), plain.core_counters(tile));
            assert!(without.iter().all(|core| core.metered.is_none()));
            assert_eq!(with.len(), if tile == CLUSTER { 4 } else { 5 });
            for core in &with {
                let told = core.metered.as_ref().unwrap();
                assert_eq!(told.spent.total(), told.elapsed, "seed {seed}, tile {tile}");
                assert!(core.instructions == 0 || told.spent[Cause::Issue] > 0);
            }
            let profile: u64 =
                (0..with.len()).map(|hart| card.profile(tile, hart).unwrap().total().time).sum();
            assert_eq!(profile, with.iter().map(|core| core.metered.as_ref().unwrap().elapsed).sum::<u64>());
            let has = chosen.core_counters(tile)[0].metered.is_some();
            assert_eq!(has, [tiles.start, CLUSTER].contains(&tile));
        }
        // The packets of all: the host's are no core's.
        let sent = |tile| metered_packets(&card, tile);
        assert!(sent(CLUSTER) > 0);
        assert_eq!(sent(tiles.end), 4, "seed {seed}: it increments the leader's word at four commands");
    }
}

fn metered_packets(card: &Card, tile: NocXy) -> u64 {
    card.core_counters(tile).iter().map(|core| core.metered.as_ref().unwrap().packets).sum()
}

#[test]
fn a_profile_has_the_exact_counts_and_times_of_a_known_program() {
    let body = "uint32_t sum = 0, n = 1000;
        asm volatile(\"1: add %0, %0, %1\\n mul %0, %0, %0\\n addi %1, %1, -1\\n bnez %1, 1b\" : \"+r\"(sum), \"+r\"(n));";
    let card = run(Card::builder().meter(A), body);
    let profile = card.profile(A, 0).unwrap();
    let hot: Vec<_> =
        profile.instructions().filter(|(_, cost)| (999..=1000).contains(&cost.executed)).collect();
    let cycle = metered(&card, A, 0).cycle;
    let told: Vec<_> =
        hot.iter().map(|(pc, cost)| (pc - hot[0].0, cost.executed, cost.time / cycle)).collect();
    // The last branch falls through, which was not predicted; the sum's result is there before its next use.
    assert_eq!(told, [(0, 1000, 1000), (4, 1000, 1000), (8, 1000, 1000), (12, 1000, 1000 + 4)]);
    let gathered =
        profile.by(|pc| if (hot[0].0..=hot[3].0).contains(&pc) { "loop" } else { "rest" }.to_owned());
    let row = gathered.rows.iter().find(|(name, _)| name == "loop").unwrap();
    assert_eq!((row.1.executed, row.1.time / cycle), (4000, 4004));
    assert!(gathered.to_string().contains("4004"), "{gathered}");
    assert_eq!(profile.total().executed, card.core_counters(A)[0].instructions);
    assert!(Card::builder().build().profile(A, 0).is_none());
}

#[test]
fn a_meter_starts_anew_with_the_core_and_goes_along_with_a_snapshot() {
    let card = run(Card::builder().meter(A), "");
    let first = metered(&card, A, 0).elapsed;
    run_for(&card, 50_000).unwrap();
    assert!(metered(&card, A, 0).elapsed > first);
    let snapshot = card.snapshot();
    let go = |card: &Card| -> (Metered, Profile) {
        run_for(card, 10_000).unwrap();
        (metered(card, A, 0), card.profile(A, 0).unwrap())
    };
    let then = go(&card);
    assert_eq!(go(&snapshot.fork().unwrap()), then);
    card.write32(A, SOFT_RESET, ALL_HELD).unwrap();
    start(&card, A, &[0]);
    run_for(&card, 10_000).unwrap();
    assert!(metered(&card, A, 0).elapsed < first + 30_000 * 756);
}

#[test]
fn registers_and_every_memory_can_be_looked_at() {
    let card = open(Card::builder());
    load(
        &card,
        A,
        3,
        &baby(3, "R(0xffb00010) = 0x1234; R(0x20000) = 7; asm volatile(\"li s11, 77\\n1: j 1b\");"),
    );
    start(&card, A, &[3]);
    run_for(&card, 20_000).unwrap();
    let registers = card.registers(A, 3).unwrap();
    assert_eq!((registers.x[27], registers.x[0], registers.pc), (77, 0, card.pcs(A)[3]));
    assert!(card.registers(A, 5).is_none() && card.registers(NocXy::new(8, 0), 0).is_none());
    let mut word = [0; 4];
    assert!(card.peek_local(A, 3, 0xffb0_0010, &mut word) && word == 0x1234_u32.to_le_bytes());
    assert!(!card.peek_local(A, 3, 0xffb0_0ffe, &mut word), "T1 has 4 KiB");
    assert!(
        !card.peek_local(A, 5, 0xffb0_0000, &mut word)
            && !card.peek_local(CLUSTER, 0, 0xffb0_0000, &mut word)
    );
    let memory = card.host_mem(4096).unwrap();
    memory.store_u64(16, 0x55aa);
    assert!(
        card.peek(memory.tile(), memory.noc_address() + 16, &mut word) && word == 0x55aa_u32.to_le_bytes()
    );
    assert!(!card.peek(memory.tile(), memory.noc_address() + 4096, &mut word));
    // Local DRAM of cluster 0 is channel 5, through either view.
    let bank = card.description().banks.iter().find(|bank| bank.channel == 5).unwrap();
    card.write32(bank.noc0, 0x1000, 99).unwrap();
    card.fence(bank.noc0).unwrap();
    for view in [0x3000_0000, 0x4000_3000_0000] {
        assert!(card.peek(CLUSTER, view + 0x1000, &mut word) && word == 99_u32.to_le_bytes());
    }
    card.write32(CLUSTER, PERIPHERALS + 0x1_0100, 5).unwrap();
    card.fence(CLUSTER).unwrap();
    assert!(card.peek(CLUSTER, 0x2001_0100, &mut word) && word == 5_u32.to_le_bytes());
    assert!(!card.peek(CLUSTER, 0x2001_013e, &mut word) && !card.peek(CLUSTER, 0x1000, &mut word));
}
