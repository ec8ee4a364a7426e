//! The links between routers: long packets that share one share its rate, and nothing else is slowed (tensix.md §4, §6).
//!
//! The columns of the card here are 1 to 6 in the west, 7 and 10 to 14 in the east, which are 11 and 12 to 16 of the grid.

mod support;

use komorebi_card::{Card as _, NocXy, Order};
use komorebi_sim::{Builder, Card};
use support::*;

/// Packets of 16 KiB that each flow sends.
const PACKETS: u32 = 48;
/// Bytes a cycle of a port or a link (tensix.md §6).
const FULL: f64 = 60.9;

/// A stream of packets from one tile.
#[derive(Clone, Copy)]
struct Flow {
    from: NocXy,
    noc: usize,
    control: u32,
    /// The HI register.
    to: u32,
    /// Tiles that acknowledge each packet.
    acks: u32,
}

fn xy(x: u8, y: u8) -> NocXy {
    NocXy::new(x, y)
}

fn write(noc: usize, from: (u8, u8), to: (u8, u8)) -> Flow {
    Flow { from: xy(from.0, from.1), noc, control: 0x2092, to: xy(to.0, to.1).hi_word(), acks: 1 }
}

/// A multicast on NoC 0 with its major axis, 1 for y.
fn multicast(major: u32, from: (u8, u8), start: (u8, u8), end: (u8, u8), acks: u32) -> Flow {
    let to = xy(end.0, end.1).hi_word() | xy(start.0, start.1).hi_word() << 12;
    Flow { from: xy(from.0, from.1), noc: 0, control: 0x81b2 | major << 16, to, acks }
}

/// A card on which all flows begin at one moment.
fn begin(builder: Builder, flows: &[Flow]) -> Card {
    let card = open(builder);
    let at = (card.now().as_nanos() * 27 / 20 + 100_000) as u32;
    for Flow { from, noc, control, to, acks } in flows {
        let body = format!(
            "while (CLOCK() < {at}) {{}}
             uint32_t start = CLOCK();
             for (int i = 0; i < {PACKETS}; i++) send({noc}, 0, {control:#x}, 0x40000, self({noc}), 0x60000, {to:#x}, 16384);
             while (COUNTER({noc}, 1) != {PACKETS} * {acks}) {{}}
             R(0x20010) = CLOCK() - start; FENCE(); R(0x20000) = 1;"
        );
        load(&card, *from, 0, &baby(0, &body));
        start(&card, *from, &[0]);
    }
    card
}

/// Cycles that each flow took.
fn ends(card: &Card, flows: &[Flow]) -> Vec<u32> {
    let took = |flow: &Flow| {
        wait_for(card, flow.from, 0x2_0000, 1);
        peek(card, flow.from, 0x2_0010)
    };
    flows.iter().map(took).collect()
}

/// The rate of each flow, as a part of a link's.
fn shares(flows: &[Flow]) -> Vec<f64> {
    let card = begin(exact(), flows);
    let rate = |took: u32| f64::from(PACKETS) * 16384.0 / f64::from(took) / FULL;
    ends(&card, flows).into_iter().map(rate).collect()
}

/// Each flow has its part of a link's rate, within 6 %: the last acknowledgement comes a way there and back later.
#[track_caller]
fn assert_shares(flows: &[Flow], expected: &[f64]) {
    let shares = shares(flows);
    let near = |(share, expected): (&f64, &f64)| (share / expected - 1.0).abs() < 0.06;
    assert!(shares.iter().zip(expected).all(near), "{shares:.3?}, expected {expected:.3?}");
    assert_eq!(shares.len(), expected.len());
}

#[test]
fn two_flows_over_one_link_have_half_of_it_each() {
    assert_shares(&[write(0, (1, 4), (4, 4)), write(0, (2, 4), (5, 4))], &[0.5, 0.5]);
    // Along a column, on NoC 1 to the north.
    assert_shares(&[write(1, (3, 9), (3, 4)), write(1, (3, 7), (3, 5))], &[0.5, 0.5]);
}

#[test]
fn flows_over_links_of_their_own_have_all_of_them() {
    assert_shares(&[write(0, (1, 4), (2, 4)), write(0, (2, 4), (5, 4))], &[1.0, 1.0]);
    // They cross in the router of (3, 4), from the west to the east and from the north to the south.
    assert_shares(&[write(0, (2, 4), (5, 4)), write(0, (3, 2), (3, 6))], &[1.0, 1.0]);
}

#[test]
fn the_two_nocs_share_nothing() {
    assert_shares(&[write(0, (1, 4), (4, 4)), write(1, (1, 4), (4, 4))], &[1.0, 1.0]);
    assert_shares(&[write(0, (1, 4), (4, 4)), write(1, (5, 4), (2, 4))], &[1.0, 1.0]);
}

#[test]
fn a_way_around_the_torus_takes_the_links_of_its_edge() {
    // East from column 16 of the grid by 0, and west from 1.
    assert_shares(&[write(0, (14, 4), (2, 4)), write(0, (13, 4), (1, 4))], &[0.5, 0.5]);
    assert_shares(&[write(1, (1, 4), (13, 4)), write(1, (2, 4), (14, 4))], &[0.5, 0.5]);
    // South from row 11 by 0.
    assert_shares(&[write(0, (3, 11), (3, 3)), write(0, (3, 10), (3, 2))], &[0.5, 0.5]);
    assert_shares(&[write(0, (14, 4), (2, 4)), write(0, (2, 4), (3, 4))], &[1.0, 1.0]);
}

#[test]
fn a_multicast_and_a_packet_to_one_tile_share_the_links_of_its_tree() {
    let lone = multicast(0, (1, 2), (2, 2), (4, 6), 15);
    assert_shares(&[lone], &[1.0]);
    // With x as its major axis it goes down column 2, and east from there in each row.
    let (row, column) = (write(0, (3, 5), (6, 5)), write(0, (4, 3), (4, 7)));
    assert_shares(&[lone, row], &[0.5, 0.5]);
    assert_shares(&[lone, column], &[1.0, 1.0]);
    // With y it goes along row 2, and down in each column.
    let other = multicast(1, (1, 2), (2, 2), (4, 6), 15);
    assert_shares(&[other, row], &[1.0, 1.0]);
    assert_shares(&[other, column], &[0.5, 0.5]);
}

#[test]
fn a_hot_spot_slows_who_has_to_pass_and_nobody_beside_it() {
    let mut flows: Vec<_> = (2..=5).map(|y| write(0, (3, y), (3, 8))).collect();
    flows.extend([write(0, (3, 6), (3, 7)), write(0, (2, 9), (5, 9))]);
    // At each router the one that joins has half of the link and all from behind it the other half, so that the last to join is
    // done first; together they have the whole of it.
    assert_shares(&flows, &[1.0 / 5.0, 1.0 / 5.0, 1.0 / 4.0, 1.0 / 3.0, 1.0 / 2.0, 1.0]);
}

#[test]
fn single_flits_pass_between_the_packets_of_others() {
    let took = |beside: &[Flow]| {
        let card = begin(exact(), beside);
        let body = format!(
            "while (CLOCK() < {at}) {{}}
             uint32_t start = CLOCK();
             for (int i = 1; i <= 16; i++) {{ write_to(0, {to}, 0x40000, 0x70000, 64); while (COUNTER(0, 1) != i) {{}} }}
             R(0x20010) = CLOCK() - start; R(0x20000) = 1;",
            at = (card.now().as_nanos() * 27 / 20 + 102_000) as u32,
            to = xy(6, 4).hi_word()
        );
        load(&card, xy(3, 4), 0, &baby(0, &body));
        start(&card, xy(3, 4), &[0]);
        wait_for(&card, xy(3, 4), 0x2_0000, 1);
        peek(&card, xy(3, 4), 0x2_0010)
    };
    assert_eq!(took(&[]), took(&[write(0, (1, 4), (4, 4)), write(0, (2, 4), (5, 4))]));
}

/// Runs some seeds of data, then a flag, over a link that others fill; how often the flag was there first.
fn early(data: u32, flag: u32) -> usize {
    let early = |seed: &u64| {
        let others = [write(0, (1, 4), (5, 4)), write(0, (2, 4), (5, 4))];
        let card = begin(Card::builder().seed(*seed), &others);
        card.write(xy(3, 4), 0x4_0000, &[1; 16384], Order::Bulk).unwrap();
        card.write32(xy(3, 4), 0x5_0000, 1).unwrap();
        let watch = "while (R(0x38000) == 0) {} R(0x21000) = R(0x33ffc); R(0x20000) = 1;";
        load(&card, xy(6, 4), 0, &baby(0, watch));
        start(&card, xy(6, 4), &[0]);
        let body = format!(
            "while (CLOCK() < {at}) {{}}
             send(0, 0, {data:#x}, 0x40000, self(0), 0x30000, {to}, 16384);
             send(0, 2, {flag:#x}, 0x50000, self(0), 0x38000, {to}, 4);",
            at = (card.now().as_nanos() * 27 / 20 + 102_000) as u32,
            to = xy(6, 4).hi_word(),
        );
        load(&card, xy(3, 4), 0, &baby(0, &body));
        start(&card, xy(3, 4), &[0]);
        wait_for(&card, xy(6, 4), 0x2_0000, 1);
        peek(&card, xy(6, 4), 0x2_1000) == 0
    };
    (0..4).filter(early).count()
}

#[test]
fn a_flag_stays_behind_data_that_waits_for_a_link_on_one_static_channel_or_linked() {
    assert_eq!(early(0x2092, 0x2092), 0, "one static channel");
    assert_eq!(early(0x52, 0x12), 0, "linked");
    assert_ne!(early(0x12, 0x12), 0, "no channel");
}

/// Many flows that meet each other on both NoCs.
fn crowd() -> Vec<Flow> {
    let mut flows =
        vec![multicast(0, (1, 2), (2, 2), (14, 6), 54), multicast(1, (5, 7), (1, 2), (14, 11), 119)];
    for (i, x) in [2, 3, 4, 6, 10, 13].into_iter().enumerate() {
        let y = 2 + i as u8;
        flows.push(write(i % 2, (x, y), (14 - x % 4, 11 - i as u8 % 3)));
        flows.push(write((i + 1) % 2, (x, y + 4), (1 + x % 4, 3)));
    }
    flows
}

#[test]
fn what_happens_on_links_hangs_neither_on_parking_nor_on_when_the_host_looks() {
    let flows = crowd();
    let run = |builder: Builder, step: u64| {
        let card = begin(builder, &flows);
        for _ in 0..200_000 / step {
            run_for(&card, step).unwrap();
        }
        (ends(&card, &flows), card.digest())
    };
    for seed in 0..2 {
        let parked = run(Card::builder().seed(seed), 200_000);
        assert_eq!(parked, run(Card::builder().seed(seed).parking(false), 200_000), "seed {seed}");
        assert_eq!(parked, run(Card::builder().seed(seed), 1_000), "seed {seed}");
    }
}

#[test]
fn a_snapshot_goes_on_with_packets_that_wait() {
    let flows = crowd();
    let card = begin(exact(), &flows);
    let under_way = card.counters().noc_packets + 10 * flows.len() as u64;
    while card.counters().noc_packets < under_way {
        run_for(&card, 500).unwrap();
    }
    assert!(flows.iter().all(|flow| peek(&card, flow.from, 0x2_0000) == 0), "none is done");
    let snapshot = card.snapshot();
    let fork = snapshot.fork().unwrap();
    let first = (ends(&card, &flows), card.now(), card.digest());
    assert_eq!((ends(&fork, &flows), fork.now(), fork.digest()), first);
    card.restore(&snapshot).unwrap();
    assert_eq!((ends(&card, &flows), card.now(), card.digest()), first);
}
