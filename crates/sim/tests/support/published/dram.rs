//! Reads from DRAM.

use komorebi_card::{Board, Card as _};

use super::*;

/// Differs from every port in its row and its column.
const A: NocXy = NocXy::new(3, 8);

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let sizes = [
        (64, 472.0),
        (512, 498.0),
        (1024, 529.0),
        (2048, 603.0),
        (4096, 653.0),
        (8192, 825.0),
        (16384, 1169.0),
    ];
    for (bytes, published) in sizes {
        rows.push(Row {
            what: format!("one read of {bytes} bytes, issue and barrier included"),
            unit: "cycles",
            published,
            model: interleaved(1, bytes, 1)[0],
        });
    }
    let many = [
        (16, 64, 1055.0),
        (16, 2048, 1190.0),
        (64, 64, 2871.0),
        (64, 2048, 3035.0),
        (64, 16384, 17436.0),
        (256, 2048, 10527.0),
    ];
    for (reads, bytes, published) in many {
        rows.push(Row {
            what: format!("{reads} interleaved reads of {bytes} bytes, then a barrier"),
            unit: "cycles",
            published,
            model: interleaved(reads, bytes, 8)[0],
        });
    }
    let [many, issue] = interleaved(64, 64, 8);
    assert!(issue < many);
    rows.push(Row {
        what: "issue of one of them by the core".into(),
        unit: "cycles",
        published: 38.0,
        model: issue,
    });
    rows.push(Row {
        what: "16384 bytes at a time from one channel".into(),
        unit: "bytes a cycle",
        published: 46.3,
        model: channel(),
    });
    rows.push(Row {
        what: "reads of 64 bytes at one port of a channel, four tiles together".into(),
        unit: "cycles a read",
        published: 16.4,
        model: requests(),
    });
    for (board, published) in [(Board::P150a, 512.0), (Board::P100a, 448.0)] {
        rows.push(Row {
            what: format!(
                "all channels of a {board}, two tiles a channel, each channel in a column of its own"
            ),
            unit: "GB/s",
            published,
            model: peak(board),
        });
    }
    rows
}

/// Reads of pages over `banks` channels, then a barrier: cycles in all, and cycles the core took to issue one.
fn interleaved(reads: u32, bytes: u32, banks: u32) -> [f64; 2] {
    let card = open(exact());
    let words: Vec<_> = card.description().banks.iter().map(|bank| bank.noc0.hi_word().to_string()).collect();
    let body = format!(
        "{FAST}
         volatile uint32_t *xys = (volatile uint32_t *)0xffb00500, *offsets = (volatile uint32_t *)0xffb00580;
         const uint32_t table[8] = {{ {table} }};
         for (int i = 0; i < 8; i++) {{ xys[i] = table[i]; offsets[i] = 0x1000; }}
         uint32_t size = {bytes}; USE(size);
         uint32_t banks = {banks}; USE(banks);
         auto page = [&](uint32_t id, uint32_t into) {{
             const uint32_t bank = id & (banks - 1), row = banks == 1 ? id : id >> 3;
             fast_read(AT(xys[bank], row * size + offsets[bank]), into, size);
         }};
         OUT(0, 0);
         for (int turn = 0; turn < 2; turn++) {{
             NOW(start);
             uint32_t into = 0x40000;
             for (uint32_t i = 0; i < {reads}; i++) {{ page(i, into); into += size; }}
             NOW(sent);
             READ_BARRIER();
             NOW(end);
             OUT(0, end - start); OUT(1, sent - start);
         }}",
        table = words.join(", ")
    );
    let out = outcome(&card, A, &[], &body);
    [f64::from(out[0]), f64::from(out[1]) / f64::from(reads)]
}

/// One tile reads long packets from one channel: bytes a cycle once they flow.
fn channel() -> f64 {
    let card = open(exact());
    let xy = card.description().banks[0].noc0.hi_word();
    let body = format!(
        "{FAST}
         uint32_t took[2];
         for (int turn = 0; turn < 2; turn++) {{
             NOW(start);
             for (int i = 0; i < (turn ? 48 : 16); i++) fast_read(AT({xy}, 0x1000 + 16384 * i), 0x40000 + 16384 * i, 16384);
             READ_BARRIER();
             NOW(end);
             took[turn] = end - start;
         }}
         OUT(0, took[1] - took[0]);"
    );
    32.0 * 16384.0 / f64::from(outcome(&card, A, &[], &body)[0])
}

/// Four tiles read small from one port: cycles a read.
fn requests() -> f64 {
    const READS: u32 = 256;
    let card = open(exact());
    let xy = card.description().banks[0].noc0.hi_word();
    let body = format!("for (uint32_t i = 0; i < {READS}; i++) fast_read(AT({xy}, 0x1000), 0x40000, 64);");
    let tiles: Vec<_> = (2..6).map(|y| NocXy::new(3, y)).collect();
    f64::from(together(&card, &tiles, &|_| body.clone())) / f64::from(4 * READS)
}

/// Two tiles read from each channel, over links that no other channel's answers take: gigabytes a second.
fn peak(board: Board) -> f64 {
    const READS: u32 = 32;
    let card = open(exact().board(board));
    let banks = card.description().banks.clone();
    let (mut west, mut east) = ((1..=6).map(|x| (x, 3)), (10..=14).map(|x| (x, 3)));
    let mut tiles = Vec::new();
    for bank in &banks {
        let side: &mut dyn Iterator<Item = (u8, u8)> =
            if raw(&card, bank.noc0).0 == 0 { &mut west } else { &mut east };
        let (x, y) = side.next().expect("four channels are on a side");
        tiles.extend([NocXy::new(x, y), NocXy::new(x, y + 4)]);
    }
    let body = |i: usize| {
        let xy = banks[i / 2].noc0.hi_word();
        format!(
            "for (uint32_t i = 0; i < {READS}; i++) fast_read(AT({xy}, 0x1000 + 16384 * i), 0x40000 + 16384 * i, 16384);"
        )
    };
    let bytes = f64::from(READS) * 16384.0 * tiles.len() as f64;
    bytes / f64::from(together(&card, &tiles, &body)) * 1.35
}

/// Cycles from the moment at which all tiles begin to the last one's end.
fn together(card: &Card, tiles: &[NocXy], body: &dyn Fn(usize) -> String) -> u32 {
    let at = (card.now().as_nanos() * 27 / 20 + 400_000) as u32;
    let program = |i: usize| {
        format!(
            "{FAST}\nwhile (CLOCK() < {at}) {{}}\nNOW(start);\n{}\nREAD_BARRIER();\nNOW(end);\nOUT(0, start); OUT(1, end);",
            body(i)
        )
    };
    let beside: Vec<_> = (1..tiles.len()).map(|i| (tiles[i], program(i))).collect();
    let own = outcome(card, tiles[0], &beside, &program(0));
    run_for(card, 100_000).unwrap();
    tiles.iter().map(|tile| peek(card, *tile, 0x2_0014)).max().expect("there are tiles") - own[0]
}
