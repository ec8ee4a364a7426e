//! Every request of tensix.md §4, with exactly its words, between cores of two tiles and DRAM.

mod support;

use komorebi_card::{Card as _, NocXy, Order};
use komorebi_sim::{Builder, Card};
use support::*;

const A: NocXy = NocXy::new(2, 3);
const B: NocXy = NocXy::new(11, 7);

/// Runs a program on core B of tile A until it stores 1 at 0x20000; gives the card.
fn run_on(builder: Builder, body: &str) -> Card {
    let card = open(builder);
    for (i, tile) in [A, B].into_iter().enumerate() {
        let pattern: Vec<u8> = (0..4096u32).map(|b| (b * 7 + i as u32) as u8).collect();
        card.write(tile, 0x4_0000, &pattern, Order::Bulk).unwrap();
    }
    load(&card, A, 0, &baby(0, &format!("{body}\nR(0x20000) = 1;")));
    start(&card, A, &[0]);
    wait_for(&card, A, 0x2_0000, 1);
    card
}

fn run(body: &str) -> Card {
    run_on(Card::builder(), body)
}

fn bytes(card: &Card, tile: NocXy, address: u64, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    assert!(card.peek(tile, address, &mut bytes));
    bytes
}

#[test]
fn a_read_brings_the_other_tile_s_bytes_and_counts_its_response() {
    for noc in 0..2 {
        let card = run(&format!(
            "read_from({noc}, {xy}, 0x40004, 0x30004, 1000);
             while (COUNTER({noc}, 2) != 1) {{}}
             R(0x20010) = COUNTER({noc}, 5); R(0x20014) = COUNTER({noc}, 0x10);",
            xy = B.hi_word()
        ));
        assert_eq!(bytes(&card, A, 0x3_0004, 1000), bytes(&card, B, 0x4_0004, 1000));
        assert_eq!(bytes(&card, A, 0x3_03ec, 4), [0; 4]);
        assert_eq!((peek(&card, A, 0x2_0010), peek(&card, A, 0x2_0014)), (1, 0));
    }
}

#[test]
fn acked_and_posted_writes_land_and_count_apart() {
    let card = run(&format!(
        "write_to(0, {xy}, 0x40000, 0x30000, 256); send(0, 0, 0x2082, 0x40100, self(0), 0x30100, {xy}, 256);
         while (COUNTER(0, 1) != 1 || COUNTER(0, 0xb) != 1) {{}}
         R(0x20010) = COUNTER(0, 0xa); R(0x20014) = COUNTER(0, 0x20);
         for (int i = 0; i < 300; i++) R(0x21000);",
        xy = B.hi_word()
    ));
    assert_eq!(bytes(&card, B, 0x3_0000, 512), bytes(&card, A, 0x4_0000, 512));
    assert_eq!((peek(&card, A, 0x2_0010), peek(&card, A, 0x2_0014)), (1, 0));
}

#[test]
fn a_multicast_reaches_every_tensix_tile_of_its_rectangle_on_both_nocs() {
    // Columns 2 to 11 span the middle; rows 2 to 4. 8 columns of 12 lie inside: 2..7, 10, 11.
    for (noc, include) in [(0, false), (0, true), (1, false), (1, true)] {
        let (least, greatest) = ((2 | 2 << 6), (11 | 4 << 6));
        let hi = if noc == 0 { greatest | least << 12 } else { least | greatest << 12 };
        let control = 0x81b2 + if include { 0x2_0000 } else { 0 };
        let destinations = if include { 24 } else { 23 };
        let card = run(&format!(
            "send({noc}, 0, {control:#x}, 0x40000, self({noc}), 0x30000, {hi:#x}, 64);
             while (COUNTER({noc}, 1) != {destinations}) {{}}"
        ));
        let expected = bytes(&card, A, 0x4_0000, 64);
        for y in 2..=11 {
            for x in [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14] {
                let tile = NocXy::new(x, y);
                let inside = (2..=11).contains(&x) && y <= 4 && (include || tile != A);
                let found = bytes(&card, tile, 0x3_0000, 64);
                assert_eq!(found == expected, inside, "NoC {noc}, {tile}");
                assert!(inside || found == [0; 64]);
            }
        }
    }
}

#[test]
fn an_inline_write_sets_a_stream_register() {
    let card = run(&format!(
        "for (int posted = 0; posted < 2; posted++) {{
             while (NIU(0, 2, 0x40)) {{}}
             NIU(0, 2, 0x28) = 5 + posted;
             send(0, 2, posted ? 0x208a : 0x209a, 0xffb43028 + 0x1000 * posted, {xy}, 0, self(0), 0xf << 8);
         }}
         while (COUNTER(0, 1) != 1) {{}}
         for (int i = 0; i < 100; i++) R(0x21000);",
        xy = B.hi_word()
    ));
    assert_eq!(card.read32(B, 0xffb4_3028).unwrap(), 5);
    assert_eq!(card.read32(B, 0xffb4_4028).unwrap(), 6);
}

#[test]
fn an_atomic_increment_returns_the_old_value_in_every_lane() {
    let card = run(&format!(
        "for (int lane = 0; lane < 4; lane++) {{
             increment(0, {xy}, 0x50000 + 4 * lane, 3 + lane, 0x20010 + 4 * lane);
             increment(0, {xy}, 0x50000 + 4 * lane, 0x100, 0x20020 + 4 * lane);
         }}
         while (COUNTER(0, 0) != 8) {{}}",
        xy = B.hi_word()
    ));
    for lane in 0..4 {
        assert_eq!(peek(&card, B, 0x5_0000 + 4 * lane), 0x103 + lane as u32);
        assert_eq!(peek(&card, A, 0x2_0010 + 4 * lane), 0);
        assert_eq!(peek(&card, A, 0x2_0020 + 4 * lane), 3 + lane as u32);
    }
}

#[test]
fn dram_keeps_what_one_port_wrote_for_the_others() {
    let card = open(Card::builder());
    let bank = card.description().banks[3];
    let other = NocXy::new(bank.noc0.x, bank.noc0.y + 1);
    let body = format!(
        "write_to(0, {}, 0x40000, 0x80001000, 2048); while (COUNTER(0, 1) != 1) {{}}
         read_from(1, {}, 0x80001000, 0x30000, 2048); while (COUNTER(1, 2) != 1) {{}}
         R(0x20000) = 1;",
        bank.noc0.hi_word(),
        bank.noc1.hi_word()
    );
    let pattern: Vec<u8> = (0..2048u32).map(|b| (b * 13) as u8).collect();
    card.write(A, 0x4_0000, &pattern, Order::Bulk).unwrap();
    load(&card, A, 0, &baby(0, &body));
    start(&card, A, &[0]);
    wait_for(&card, A, 0x2_0000, 1);
    assert_eq!(bytes(&card, A, 0x3_0000, 2048), pattern);
    let mut back = vec![0; 2048];
    card.read(other, 0x8000_1000, &mut back).unwrap();
    assert_eq!(back, pattern);
}

#[test]
fn a_short_read_stays_behind_a_short_write_on_its_static_channel() {
    // The read is faster on its way, and goes out right behind: its registers stand from the time before.
    let read_behind_write = |prepare: &str| {
        let card = run_on(
            exact(),
            &format!(
                "R(0x40000) = 7; FENCE();
                 {prepare} while (COUNTER(0, 2) != 1) {{}}
                 write_to(0, {xy}, 0x40000, 0x60000, 4);
                 R(0xffb20840) = 1; while (COUNTER(0, 2) != 2) {{}}
                 R(0x20010) = R(0x30000);",
                xy = B.hi_word()
            ),
        );
        peek(&card, A, 0x2_0010)
    };
    let xy = B.hi_word();
    assert_eq!(read_behind_write(&format!("read_from(0, {xy}, 0x60000, 0x30000, 4);")), 7);
    let other = format!("send(0, 1, 0x90, 0x60000, {xy}, 0x30000, self(0), 4);");
    assert_eq!(read_behind_write(&other), 0, "on another channel");
}

#[test]
fn data_of_a_write_is_read_when_it_leaves_and_arrives_later() {
    // 16 KiB take 268 cycles to leave. What is stored behind the send, and early enough, still goes out; a barrier
    // that is missing reads old data at the far end, unless the read is on the write's static channel.
    let card = run_on(
        exact(),
        &format!(
            "R(0x43ffc) = 1; FENCE();
             write_to(0, {xy}, 0x40000, 0x60000, 16384);
             R(0x43ffc) = 2; FENCE();
             send(0, 1, 0x90, 0x63fc0, {xy}, 0x30000, self(0), 64);
             read_from(0, {xy}, 0x63fc0, 0x30040, 64); while (COUNTER(0, 2) != 2) {{}}
             R(0x20010) = R(0x3003c); R(0x20014) = R(0x3007c);",
            xy = B.hi_word()
        ),
    );
    assert_eq!([0x2_0010, 0x2_0014].map(|at| peek(&card, A, at)), [0, 2]);
}

#[test]
fn five_cores_count_with_atomics_without_losing_one() {
    let card = open(Card::builder());
    for core in 0..5 {
        let body = format!(
            "for (int i = 0; i < 100; i++) {{
                 uint32_t old; volatile uint32_t *at = (volatile uint32_t *)0x20000;
                 asm volatile(\".insn r 0x2f, 2, 0, %0, %1, %2\" : \"=r\"(old) : \"r\"(at), \"r\"(1) : \"memory\");
             }}
             R(0x21000 + 4 * {core}) = 1;"
        );
        load(&card, A, core, &baby(core, &body));
    }
    start(&card, A, &[0, 1, 2, 3, 4]);
    for core in 0..5 {
        wait_for(&card, A, 0x2_1000 + 4 * core, 1);
    }
    assert_eq!(peek(&card, A, 0x2_0000), 500);
}
