//! Requests beyond those of every kernel: all atomics that are documented, byte enables, long transfers, multicasts around
//! the torus and with an exclusion, transaction ids, and what keeps packets in order.

mod support;

use komorebi_card::{Card as _, NocXy, Order};
use komorebi_sim::{Builder, Card};
use support::*;

const A: NocXy = NocXy::new(2, 3);
const B: NocXy = NocXy::new(11, 7);
const COLUMNS: [u8; 12] = [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14];

/// Runs a program on core B of tile A until it stores 1 at 0x20000.
fn run_on(builder: Builder, body: &str) -> Card {
    let card = open(builder);
    for (i, tile) in [A, B].into_iter().enumerate() {
        let pattern: Vec<u8> = (0..0x1_0000u32).map(|b| (b * 7 + (b >> 8) * 3 + i as u32) as u8).collect();
        card.write(tile, 0x4_0000, &pattern, Order::Bulk).unwrap();
    }
    load(&card, A, 0, &baby(0, &format!("{body}\nFENCE(); R(0x20000) = 1;")));
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

/// The tiles whose word at 0x30000 is that of A at 0x40000.
fn reached(card: &Card) -> Vec<(u8, u8)> {
    let sent = peek(card, A, 0x4_0000);
    let tiles = (2..=11).flat_map(|y| COLUMNS.map(|x| (x, y)));
    tiles.filter(|(x, y)| peek(card, NocXy::new(*x, *y), 0x3_0000) == sent).collect()
}

#[test]
fn a_multicast_whose_start_lies_behind_its_end_goes_around_the_torus_on_both_nocs() {
    let expected: Vec<_> = [2, 3, 10, 11].into_iter().flat_map(|y| [1, 2, 13, 14].map(|x| (x, y))).collect();
    for (noc, start, end) in [(0, (13, 10), (2, 3)), (1, (2, 3), (13, 10))] {
        let hi = NocXy::new(end.0, end.1).hi_word() | NocXy::new(start.0, start.1).hi_word() << 12;
        let card = run(&format!(
            "send({noc}, 0, 0x281b2, 0x40000, self({noc}), 0x30000, {hi:#x}, 64); while (COUNTER({noc}, 1) != 16) {{}}"
        ));
        assert_eq!(reached(&card), expected, "NoC {noc}");
    }
}

#[test]
fn an_exclusion_keeps_a_corner_of_the_rectangle_out_and_its_tiles_do_not_answer() {
    // From (3, 4) on to the east and the south; columns up to 6 are physical ones.
    let exclude = 1 << 22 | 3 << 20 | 4 << 14 | 3 << 8;
    let hi = NocXy::new(4, 5).hi_word() | NocXy::new(2, 3).hi_word() << 12;
    let card = run(&format!(
        "NIU(0, 0, 0x2c) = {exclude:#x};
         send(0, 0, 0x281b2, 0x40000, self(0), 0x30000, {hi:#x}, 64); while (COUNTER(0, 1) != 5) {{}}
         for (int i = 0; i < 1000; i++) R(0x21000);
         R(0x20010) = COUNTER(0, 1);"
    ));
    assert_eq!(reached(&card), [(2, 3), (3, 3), (4, 3), (2, 4), (2, 5)]);
    assert_eq!(peek(&card, A, 0x2_0010), 5);
}

#[test]
fn each_documented_atomic_changes_its_word_and_returns_the_old_one() {
    let b = B.hi_word();
    let card = run(&format!(
        "auto atomic = [](uint32_t word, uint32_t at, uint32_t operand, uint32_t into) {{
             while (NIU(0, 3, 0x40)) {{}}
             NIU(0, 3, 0x28) = operand; send(0, 3, 0x2091, at, {b}, into, self(0), word);
         }};
         atomic(0x6000, 0x50000, 0x11111111, 0x20010);
         atomic(0x7004, 0x50004, 0x22222222, 0x20014);
         atomic(0x6002, 0x50008, 5, 0x20018);
         atomic(0x4000 | 5 << 2 | 9 << 6 | 2, 0x50008, 0, 0x2001c);
         atomic(0x4000 | 5 << 2 | 3 << 6 | 2, 0x50008, 0, 0x20020);
         atomic(0x3000 | 0x42 << 2, 0x5000c, 0xaaaabbbb, 0x20024);
         while (COUNTER(0, 0) != 6) {{}}
         R(0x20028) = COUNTER(0, 6); R(0x2002c) = COUNTER(0, 7); R(0x20030) = COUNTER(0, 15); R(0x20034) = COUNTER(0, 16);"
    ));
    let words = |tile, from: u64, count: u64| -> Vec<u32> {
        (0..count).map(|i| peek(&card, tile, from + 4 * i)).collect()
    };
    // Halves 1 and 6 of the line: the high one of its first word, the low one of its last.
    assert_eq!(words(B, 0x5_0000, 4), [0xaaaa_1111, 0x2222_2222, 9, 0x0000_bbbb]);
    assert_eq!(words(A, 0x2_0010, 6), [0, 0, 0, 5, 9, 0]);
    assert_eq!(words(A, 0x2_0028, 4), [6, 0, 6, 0], "sent, posted, started, outstanding");
}

#[test]
fn an_atomic_can_be_multicast_and_every_tile_answers() {
    let hi = NocXy::new(11, 7).hi_word() | NocXy::new(10, 6).hi_word() << 12;
    let card = run(&format!(
        "NIU(0, 3, 0x28) = 7; send(0, 3, 0x81b1, 0x50000, {hi:#x}, 0x20010, self(0), 0x107c);
         while (COUNTER(0, 0) != 4) {{}}"
    ));
    for (x, y) in [(10, 6), (11, 6), (10, 7), (11, 7)] {
        assert_eq!(peek(&card, NocXy::new(x, y), 0x5_0000), 7);
    }
    assert_eq!(peek(&card, NocXy::new(10, 8), 0x5_0000), 0);
}

#[test]
fn byte_enables_choose_among_64_bytes_of_the_line() {
    let card = run(&format!(
        "NIU(0, 0, 0x24) = 0x80000001;
         while (NIU(0, 0, 0x40)) {{}}
         NIU(0, 0, 0) = 0x40004; NIU(0, 0, 4) = 0; NIU(0, 0, 8) = self(0);
         NIU(0, 0, 0xc) = 0x3000c; NIU(0, 0, 0x10) = 0; NIU(0, 0, 0x14) = {b};
         NIU(0, 0, 0x1c) = 0x2096; NIU(0, 0, 0x20) = 0x00018002; NIU(0, 0, 0x40) = 1;
         while (COUNTER(0, 1) != 1) {{}}",
        b = B.hi_word()
    ));
    let sent = bytes(&card, A, 0x4_0000, 64);
    let found = bytes(&card, B, 0x3_0000, 64);
    for i in 0..64 {
        let enabled = [1, 15, 16, 32, 63].contains(&i);
        assert_eq!(found[i], if enabled { sent[i] } else { 0 }, "byte {i}");
    }
}

#[test]
fn a_long_transfer_is_split_into_packets_that_each_count() {
    let card = run(&format!(
        "write_to(0, {b}, 0x40000, 0x60000, 40000);
         R(0x20014) = NIU(0, 0, 0x40); R(0x20010) = COUNTER(0, 0x10);
         while (COUNTER(0, 1) != 3) {{}}
         R(0x20018) = COUNTER(0, 0xa); R(0x2001c) = COUNTER(0, 0x10); R(0x20020) = NIU(0, 0, 0); R(0x20024) = NIU(0, 0, 0x20);
         read_from(1, {b}, 0x40040, 0x80000, 16385);
         while (COUNTER(1, 2) != 2) {{}}",
        b = B.hi_word()
    ));
    assert_eq!(bytes(&card, B, 0x6_0000, 40000), bytes(&card, A, 0x4_0000, 40000));
    assert_eq!(bytes(&card, A, 0x8_0000, 16385), bytes(&card, B, 0x4_0040, 16385));
    let word = |i: u64| peek(&card, A, 0x2_0010 + 4 * i);
    assert_eq!([word(0), word(1), word(2), word(3)], [3, 1, 3, 0]);
    assert_eq!(
        [word(4), word(5)],
        [0x4_0000 + 2 * 16384, 40000 - 2 * 16384],
        "the registers stand at the last packet"
    );
}

#[test]
fn each_transaction_id_counts_its_own_and_a_mask_clears_them() {
    let card = run_on(exact(), &format!(
        "auto tagged = [](uint32_t id) {{
             while (NIU(0, 0, 0x40)) {{}}
             NIU(0, 0, 0) = 0x40000; NIU(0, 0, 8) = self(0); NIU(0, 0, 0xc) = 0x30000; NIU(0, 0, 0x14) = {b};
             NIU(0, 0, 4) = 0; NIU(0, 0, 0x10) = 0; NIU(0, 0, 0x24) = 0;
             NIU(0, 0, 0x18) = id << 10; NIU(0, 0, 0x1c) = 0x2092; NIU(0, 0, 0x20) = 1024; NIU(0, 0, 0x40) = 1;
         }};
         tagged(5); tagged(9); tagged(5);
         R(0x20010) = COUNTER(0, 0x15) | COUNTER(0, 0x19) << 8 | COUNTER(0, 0x10) << 16;
         while (COUNTER(0, 0x15) || COUNTER(0, 0x19)) {{}}
         R(0x20014) = COUNTER(0, 1);
         tagged(9);
         NIU(0, 0, 0x60) = 1 << 9;
         R(0x20018) = COUNTER(0, 0x19);
         while (COUNTER(0, 1) != 4) {{}}
         R(0x2001c) = COUNTER(0, 0x19);
         uint32_t all = 0;
         for (int i = 0; i < 64; i++) all |= COUNTER(0, i);
         R(0x20020) = all != 0;",
        b = B.hi_word()
    ));
    let word = |i: u64| peek(&card, A, 0x2_0010 + 4 * i);
    assert_eq!(word(0), 0x102);
    assert_eq!([word(1), word(2)], [3, 0]);
    assert_eq!(word(3), 0xff, "an acknowledgement counts down from what was cleared: 8 bits");
    assert_eq!(word(4), 1);
}

#[test]
fn more_than_255_requests_of_one_transaction_are_right_for_who_counts_responses() {
    let card = run(&format!(
        "for (int i = 0; i < 300; i++) read_from(0, {b}, 0x40000, 0x50000, 16384);
         while (COUNTER(0, 2) != 300) {{}}
         R(0x20010) = COUNTER(0, 0x10);",
        b = B.hi_word()
    ));
    assert_eq!(peek(&card, A, 0x2_0010), 0, "all are answered");
}

#[test]
fn a_linked_transaction_may_last_as_long_as_requests_come() {
    let card = run(&format!(
        "for (int i = 0; i < 6; i++) {{
             send(0, 0, 0x20d2, 0x40000, self(0), 0x30000, {b}, 16384);
             uint32_t start = CLOCK();
             while (CLOCK() - start < 9000) {{}}
         }}
         send(0, 0, 0x2092, 0x40000, self(0), 0x30000, {b}, 64);
         for (uint32_t start = CLOCK(); CLOCK() - start < 30000;) {{}}",
        b = B.hi_word()
    ));
    run_for(&card, 100_000).unwrap();
}

#[test]
fn the_receiving_side_counts_what_came_and_what_it_answered() {
    let card = open(Card::builder());
    let body = format!(
        "write_to(0, {b}, 0x40000, 0x30000, 100); send(0, 0, 0x2082, 0x40000, self(0), 0x31000, {b}, 64);
         read_from(0, {b}, 0x40000, 0x30000, 200); increment(0, {b}, 0x50000, 1, 0x20010);
         while (COUNTER(0, 1) != 1 || COUNTER(0, 2) != 1 || COUNTER(0, 0) != 1) {{}}
         for (int i = 0; i < 1000; i++) R(0x21000); R(0x20000) = 1;",
        b = B.hi_word()
    );
    load(&card, A, 0, &baby(0, &body));
    card.fence(B).unwrap();
    let counted =
        || -> Vec<_> { (0x30..0x3e).map(|i| card.read32(B, 0xffb2_0200 + 4 * i).unwrap()).collect() };
    let before = counted();
    start(&card, A, &[0]);
    wait_for(&card, A, 0x2_0000, 1);
    let came: Vec<_> = counted().iter().zip(&before).map(|(after, before)| after - before).collect();
    assert_eq!(came[..2], [1, 1]);
    // The host's own reads of these 14 registers count too, as requests, reads and answers of one flit.
    assert_eq!(came[2..4], [1 + 14, 4 + 14]);
    assert_eq!(came[6..], [1, 0, 2, 1, 1, 1, 1, 1]);
}

/// Runs 20 seeds of data, then a flag, with two control words; how often the flag was there before the data's last word.
fn early(data: u32, flag: u32) -> usize {
    let b = B.hi_word();
    let watch = "while (R(0x38000) == 0) {} R(0x21000) = R(0x33ffc); R(0x20000) = 1;";
    let early = |seed: &u64| {
        let card = open(Card::builder().seed(*seed));
        let pattern = [1; 16384];
        card.write(A, 0x4_0000, &pattern, Order::Bulk).unwrap();
        card.write32(A, 0x5_0000, 1).unwrap();
        load(&card, B, 0, &baby(0, watch));
        start(&card, B, &[0]);
        let body = format!(
            "send(0, 0, {data:#x}, 0x40000, self(0), 0x30000, {b}, 16384);
             send(0, 2, {flag:#x}, 0x50000, self(0), 0x38000, {b}, 4);"
        );
        load(&card, A, 0, &baby(0, &body));
        start(&card, A, &[0]);
        wait_for(&card, B, 0x2_0000, 1);
        peek(&card, B, 0x2_1000) == 0
    };
    (1..=20).filter(early).count()
}

#[test]
fn one_static_channel_or_a_linked_transaction_keeps_a_flag_behind_its_data_and_nothing_else_does() {
    assert_eq!(early(0x2092, 0x2092), 0, "one static channel");
    assert_eq!(early(0x52, 0x12), 0, "linked");
    assert_ne!(early(0x12, 0x12), 0, "no channel");
    assert_ne!(early(0x2092, 0x92), 0, "two channels");
}
