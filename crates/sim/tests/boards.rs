//! Every board, and cards with any columns: what the description says is there and answers, and what is off does not.

mod support;

use komorebi_card::{Board, Card as _, CardError, NocXy, Order, Rect, Rule, TENSIX_ROWS};
use komorebi_sim::{Builder, Card, HarvestError};
use support::*;

/// Physical column of each bit of ENABLED_TENSIX_COL (host.md §3.4).
const COLUMN_OF_BIT: [u32; 14] = [1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10];
/// Translated columns, as far as a card has them.
const COLUMNS: [u8; 14] = [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16];

fn boards() -> Vec<(Builder, Board, u16, Option<u8>)> {
    let mut boards = Vec::new();
    let masked = |mask: u16| Card::builder().column_mask(mask).unwrap();
    boards.push((Card::builder(), Board::P150a, 0x0fff, None));
    boards.push((Card::builder().columns(14), Board::P150a, 0x3fff, None));
    for mask in [0x3ffc, 0x2fbf, 0x1555, 0x0001, 0x2000, 0x3f80] {
        boards.push((masked(mask), Board::P150a, mask, None));
    }
    boards.push((Card::builder().board(Board::P100a), Board::P100a, 0x0fff, Some(1)));
    for off in 0..8 {
        let builder = Card::builder().board(Board::P100a).channel_off(off).unwrap();
        boards.push((builder, Board::P100a, 0x0fff, Some(off)));
    }
    boards
}

/// Telemetry by tag, as a driver reads it.
fn telemetry(card: &Card, tag: u32) -> u32 {
    let read = |address: u32| card.read32(ARC, u64::from(address)).unwrap();
    let (table, data) = (read(0x8003_0400 + 4 * 13), read(0x8003_0400 + 4 * 12));
    let entry = (0..read(table + 4)).map(|i| read(table + 8 + 4 * i)).find(|entry| entry & 0xffff == tag);
    read(data + 4 * (entry.unwrap_or_else(|| panic!("tag {tag} is there")) >> 16))
}

#[test]
fn the_description_telemetry_and_translation_tables_agree_with_the_columns_that_work() {
    for (builder, board, mask, off) in boards() {
        let card = open(builder);
        let description = card.description().clone();
        let count = mask.count_ones() as usize;
        assert_eq!((description.board, &description.columns[..]), (board, &COLUMNS[..count]));
        assert_eq!(telemetry(&card, 34), u32::from(mask));
        // A cluster whose own DRAM is off is not one to use.
        let clusters: Vec<_> = description.l2cpus.iter().map(|l2cpu| l2cpu.index).collect();
        let local = [5, 6, 7, 7];
        let usable = |index: &u8| Some(local[usize::from(*index)]) != off;
        assert_eq!(clusters, (0..4).filter(usable).collect::<Vec<_>>());
        assert_eq!(telemetry(&card, 36), off.map_or(0xff, |off| 0xff & !(1 << off)));
        let mut good: Vec<_> =
            (0..14).filter(|bit| mask >> bit & 1 == 1).map(|bit| COLUMN_OF_BIT[bit as usize]).collect();
        good.sort_unstable();
        for (x, physical) in description.columns.iter().zip(&good) {
            let tile = NocXy::new(*x, 7);
            for noc in 0..2 {
                let niu = |offset: u64| card.read32(tile, 0xffb2_0000 + 0x1_0000 * noc + offset).unwrap();
                let own = if noc == 0 { *physical } else { 16 - physical };
                assert_eq!(niu(0x44) & 63, own, "{mask:#x}, {tile}, NoC {noc}");
                assert_eq!(niu(0x148), tile.hi_word());
                // The table's entry for this column: six of 5 bits a word.
                let entry = niu(0x118 + 4 * u64::from(x / 6)) >> (5 * (x % 6)) & 31;
                assert_eq!(entry, own);
                assert_eq!(niu(0x108) >> own & 1, 0, "a column that works takes multicasts");
                assert_eq!(niu(0x108).count_ones(), 17 - count as u32);
            }
        }
    }
}

#[test]
fn every_tile_and_bank_of_every_board_answers_and_keeps_what_it_is_given() {
    for (builder, _, mask, off) in boards() {
        let card = open(builder);
        let description = card.description().clone();
        let tiles: Vec<_> =
            TENSIX_ROWS.flat_map(|y| description.columns.iter().map(move |x| NocXy::new(*x, y))).collect();
        for (i, tile) in tiles.iter().enumerate() {
            card.write32(*tile, 0x1000, i as u32).unwrap();
        }
        let all = Rect { start: tiles[0], end: *tiles.last().unwrap() };
        card.multicast(all, 0x2000, &[7; 4]).unwrap();
        for (i, tile) in tiles.iter().enumerate() {
            assert_eq!(card.read32(*tile, 0x1000).unwrap(), i as u32, "{mask:#x}, {tile}");
            assert_eq!(card.read32(*tile, 0x2000).unwrap(), 0x0707_0707, "{mask:#x}, {tile}");
        }
        let channels: Vec<_> = description.banks.iter().map(|bank| bank.channel).collect();
        assert_eq!(channels, (0..8).filter(|channel| Some(*channel) != off).collect::<Vec<_>>());
        for bank in &description.banks {
            card.write(bank.noc0, 0x1000, &[bank.channel + 1; 64], Order::Bulk).unwrap();
        }
        for bank in &description.banks {
            for port in [bank.noc0, bank.noc1] {
                assert_eq!(card.read32(port, 0x1000).unwrap(), u32::from(bank.channel + 1) * 0x0101_0101);
            }
        }
    }
}

#[test]
fn the_registers_of_a_dram_port_and_of_the_pcie_tile_say_where_they_are() {
    let card = open(Card::builder());
    for bank in card.description().banks.clone() {
        let rows = [[0, 1, 11], [2, 10, 3], [9, 4, 8], [5, 7, 6]][usize::from(bank.channel % 4)];
        for port in [bank.noc0, bank.noc1] {
            let id = card.read32(port, 0xffb2_0044).unwrap();
            assert_eq!(id & 63, if bank.channel < 4 { 0 } else { 9 });
            assert_eq!(id >> 6 & 63, rows[usize::from((port.y - 12) % 3)], "channel {}", bank.channel);
            assert_eq!(card.read32(port, 0xffb2_0048).unwrap(), u32::from(bank.channel) | 0x0008_0000);
            assert_eq!(card.read32(port, 0xffb3_0100).unwrap(), 1 << 14);
        }
    }
    // The check that the NoC is alive (host.md §7).
    assert_eq!(card.read32(card.description().pcie, 0xffff_ffff_ff00_0044).unwrap(), 0x1061_1002);
    assert_eq!(card.read32(ARC, 0xffff_ffff_ffb2_0044).unwrap() & 0xfff, 8);
}

#[test]
fn a_disabled_column_answers_with_its_nius_and_nothing_else() {
    let card = open(Card::builder());
    for x in [15, 16] {
        let tile = NocXy::new(x, 4);
        assert_eq!(card.read32(tile, 0xffb2_0100).unwrap(), 1 << 14 | 1 << 12);
        assert_eq!(card.read32(tile, 0xffb2_0044).unwrap() & 63, if x == 15 { 10 } else { 7 });
    }
    let fault = card.read32(NocXy::new(15, 4), 0x1000).unwrap_err();
    assert!(matches!(&fault, CardError::Fault(fault) if fault.rule == Rule::DisabledTile), "{fault}");
}

#[test]
fn a_channel_that_is_off_is_an_absent_tile() {
    let card = open(Card::builder().board(Board::P100a));
    let fault = card.read32(NocXy::new(18, 21), 0x1000).unwrap_err();
    assert!(matches!(&fault, CardError::Fault(fault) if fault.rule == Rule::AbsentTile), "{fault}");
}

#[test]
fn a_mask_that_no_card_has_is_refused() {
    assert_eq!(Card::builder().column_mask(0).unwrap_err(), HarvestError::Columns { mask: 0 });
    assert_eq!(Card::builder().column_mask(0x4001).unwrap_err(), HarvestError::Columns { mask: 0x4001 });
    assert_eq!(Card::builder().channel_off(8).unwrap_err(), HarvestError::Channel { channel: 8 });
}
