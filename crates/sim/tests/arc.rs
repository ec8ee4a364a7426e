//! The management core as a driver sees it: telemetry, and messages through its queues.

mod support;

use komorebi_card::{Card as _, CardError, NocXy, Order, Rule};
use komorebi_sim::Card;
use support::*;

const A: NocXy = NocXy::new(4, 4);

fn read(card: &Card, address: u32) -> u32 {
    card.read32(ARC, u64::from(address)).unwrap()
}

/// Sends a message through a queue, as tt-kmd or tt-umd do, and waits for the answer (host.md §4.4).
fn ask(card: &Card, queue: u32, request: [u32; 8], umd: bool) -> Result<[u32; 8], CardError> {
    let block = read(card, 0x8003_0400 + 4 * 11);
    let (first, info) = (read(card, block), read(card, block + 4));
    let (entries, queues) = (info & 0xff, info >> 8 & 0xff);
    assert_eq!((entries, queues), (4, 4));
    let base = first + queue * (32 + 2 * entries * 32);
    let write = |address: u32, value: u32| card.write32(ARC, u64::from(address), value);
    let written = read(card, base);
    let slot = u64::from(base + 32 + 32 * (written % entries));
    let bytes: Vec<u8> = request.iter().flat_map(|word| word.to_le_bytes()).collect();
    card.write(ARC, slot, &bytes, Order::Strict).unwrap();
    write(base, (written + 1) % (2 * entries)).unwrap();
    if umd { write(0x8003_0100, 0x1_0000) } else { write(0x800b_0000, 0) }.unwrap();
    let taken = read(card, base + 4);
    for _ in 0..100 {
        if card.read32(ARC, u64::from(base) + 20)? != taken {
            break;
        }
    }
    assert_eq!(read(card, base + 20), (taken + 1) % (2 * entries), "it answers");
    let slot = base + 32 + 32 * entries + 32 * (taken % entries);
    let answer = std::array::from_fn(|i| read(card, slot + 4 * i as u32));
    write(base + 4, (taken + 1) % (2 * entries)).unwrap();
    Ok(answer)
}

fn one(word: u32) -> [u32; 8] {
    [word, 0, 0, 0, 0, 0, 0, 0]
}

#[test]
fn every_queue_answers_more_messages_than_it_has_entries() {
    let card = open(Card::builder());
    for i in 0..20 {
        let answer = ask(&card, i % 4, [0x90, 41 + i, 0, 0, 0, 0, 0, 0], i % 3 == 0).unwrap();
        assert_eq!(answer[..2], [0, 42 + i]);
    }
    for command in [0x52, 0x54, 0xa0, 0xc1] {
        assert_eq!(ask(&card, 3, one(command), false).unwrap()[0], 0, "{command:#x}");
    }
    assert_eq!(ask(&card, 3, one(0x34), false).unwrap()[..2], [0, 1350]);
    for command in [0x33, 0x20, 0x56, 0xee] {
        assert_eq!(ask(&card, 3, one(command), false).unwrap()[0] & 0xff, 0xff, "{command:#x}");
    }
}

#[test]
fn without_a_kick_nothing_is_answered() {
    let card = open(Card::builder());
    let base = read(&card, read(&card, 0x8003_0400 + 4 * 11)) + 3 * 288;
    card.write32(ARC, u64::from(base) + 32, 0x90).unwrap();
    card.write32(ARC, u64::from(base), 1).unwrap();
    run_for(&card, 100_000).unwrap();
    assert_eq!((read(&card, base + 16), read(&card, base + 20)), (0, 0));
}

#[test]
fn a_power_message_brings_the_x280_back_to_800_mhz_and_gates_the_tensix_tiles() {
    let card = open(Card::builder());
    clock(&card, 80, 1);
    let mhz = |card: &Card| {
        let (table, data) = (read(card, 0x8003_0400 + 4 * 13), read(card, 0x8003_0400 + 4 * 12));
        let entries = (0..read(card, table + 4)).map(|i| read(card, table + 8 + 4 * i));
        let entry = entries.into_iter().find(|entry| entry & 0xffff == 17).unwrap();
        read(card, data + 4 * (entry >> 16))
    };
    assert_eq!(mhz(&card), 1000);
    // Fifteen valid flags; Tensix, GDDR and L2CPU on.
    ask(&card, 0, one(0x000e_0f21), false).unwrap();
    assert_eq!(mhz(&card), 800);
    card.read32(A, 0x1000).unwrap();
    ask(&card, 0, one(0x000a_0f21), false).unwrap();
    let fault = card.read32(A, 0x1000).unwrap_err();
    assert!(matches!(&fault, CardError::Fault(fault) if fault.rule == Rule::TensixClock), "{fault}");
}

#[test]
fn a_message_that_breaks_cards_and_a_store_beside_the_queues_are_faults() {
    for command in [0x12, 0x13, 0x39, 0x19, 0x1a, 0xc2, 0xc3, 0x15, 0xa3] {
        let card = open(Card::builder());
        let fault = ask(&card, 3, one(command), false).unwrap_err();
        assert!(
            matches!(&fault, CardError::Fault(fault) if fault.rule == Rule::ManagementCommand),
            "{command:#x}: {fault}"
        );
    }
    for offset in [0, 0x400, 0x1000, 0x1040 + 16, 0x1040 + 32 + 4 * 32] {
        let card = open(Card::builder());
        card.write32(ARC, 0x1000_0000 + offset, 1).unwrap();
        let fault = card.fence(ARC).unwrap_err();
        assert!(
            matches!(&fault, CardError::Fault(fault) if fault.rule == Rule::ManagementMemory),
            "{offset:#x}: {fault}"
        );
    }
}

#[test]
fn telemetry_has_the_tags_that_drivers_read_and_a_heart_that_beats() {
    let card = open(Card::builder());
    let (table, data) = (read(&card, 0x8003_0400 + 4 * 13), read(&card, 0x8003_0400 + 4 * 12));
    assert_eq!(read(&card, table), 0x100);
    let tags: Vec<_> = (0..read(&card, table + 4)).map(|i| read(&card, table + 8 + 4 * i)).collect();
    let value = |tag: u32| {
        let entry = tags.iter().find(|entry| *entry & 0xffff == tag);
        read(&card, data + 4 * (entry.unwrap_or_else(|| panic!("tag {tag}")) >> 16))
    };
    for tag in [1, 2].into_iter().chain(5..=11).chain(14..=23).chain(28..=32).chain(34..=38).chain(40..=51) {
        value(tag);
    }
    for tag in [55, 56, 60, 61, 62, 63, 64] {
        value(tag);
    }
    assert_eq!((value(1), value(2) >> 16), (0x40 << 4, 1));
    let before = value(32);
    run_for(&card, 1_000_000_000).unwrap();
    assert_eq!(value(32) - before, 10);
    assert_eq!(read(&card, 0x8003_0064) >> 16, 0xcab1);
    assert_eq!(read(&card, 0x8005_0044) & 0xfff, 8, "its NIU");
}
