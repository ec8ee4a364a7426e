//! The published times of tensix.md §6, as a core measures them.

mod support;

use komorebi_card::NocXy;
use komorebi_sim::Card;
use support::*;

const A: NocXy = NocXy::new(3, 4);

/// Cycles from CMD_CTRL to the counter's change, as core B of tile A sees them: `request` sends, `done` says when.
fn measure(request: &str, done: &str) -> u32 {
    let card = open(exact());
    let body = format!(
        "uint32_t *ram = (uint32_t *)0xffb00100;
         for (int turn = 0; turn < 2; turn++) {{
             uint32_t before = {done};
             {request}
             uint32_t start = CLOCK();
             while ({done} == before) {{}}
             ram[0] = CLOCK() - start;
         }}
         R(0x20000) = ram[0]; R(0x20004) = 1;"
    );
    load(&card, A, 0, &baby(0, &body));
    start(&card, A, &[0]);
    wait_for(&card, A, 0x2_0004, 1);
    peek(&card, A, 0x2_0000)
}

/// What the loop that measures adds at most: a turn of polling, and reading the clock.
const POLL: u32 = 26;

fn assert_near(found: u32, expected: u32, what: &str) {
    assert!((expected..=expected + POLL).contains(&found), "{what}: {found} cycles, not about {expected}");
}

#[test]
fn a_read_takes_65_177_217_or_329_cycles() {
    for (to, cycles) in [(A, 65), (NocXy::new(3, 9), 177), (NocXy::new(12, 4), 217), (NocXy::new(1, 2), 329)]
    {
        for noc in 0..2 {
            let found = measure(
                &format!("read_from({noc}, {}, 0x40000, 0x30000, 4);", to.hi_word()),
                &format!("COUNTER({noc}, 2)"),
            );
            assert_near(found, cycles, &format!("read from {to} on NoC {noc}"));
        }
    }
}

#[test]
fn a_write_and_its_acknowledgement_take_40_cycles_and_11_a_hop_each_way() {
    for (to, cycles) in [(NocXy::new(3, 9), 80 + 11 * 12), (NocXy::new(1, 2), 80 + 11 * 29)] {
        let found = measure(&format!("write_to(0, {}, 0x40000, 0x30000, 4);", to.hi_word()), "COUNTER(0, 1)");
        assert_near(found, cycles, &format!("write to {to}"));
    }
}

#[test]
fn a_dram_read_takes_about_the_published_time_by_size() {
    let bank = Card::builder().build();
    let bank = komorebi_card::Card::description(&bank).banks[0].noc0.hi_word();
    for (bytes, published) in [(64, 472), (512, 498), (2048, 603), (4096, 653), (8192, 825), (16384, 1169)] {
        let found = measure(&format!("read_from(0, {bank}, 0x1000, 0x30000, {bytes});"), "COUNTER(0, 2)");
        let off = f64::from(found) / f64::from(published - 38); // the row counts the core's 38 cycles to issue it
        println!("DRAM read of {bytes} bytes: {found} cycles, published {published} with 38 for the issue");
        assert!((0.8..1.25).contains(&off), "{bytes} bytes: {found} cycles, published {published}");
    }
}

#[test]
fn one_niu_sends_61_bytes_a_cycle() {
    let to = NocXy::new(5, 6).hi_word();
    let found = measure(
        &format!(
            "for (int i = 0; i < 16; i++) write_to(0, {to}, 0x40000, 0x60000, 16384); before = COUNTER(0, 0xa);"
        ),
        "COUNTER(0, 0xa)",
    );
    // The clock is read when the last packet was handed over, which is when the one before had left.
    assert!(found.abs_diff(16384 / 61) < POLL, "16 KiB leave in {found} cycles");
}
