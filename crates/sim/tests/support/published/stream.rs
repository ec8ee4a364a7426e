//! What a port carries.

use super::*;

const A: NocXy = NocXy::new(3, 4);
/// Four tiles around one.
const AROUND: [NocXy; 4] = [NocXy::new(2, 4), NocXy::new(4, 4), NocXy::new(3, 3), NocXy::new(3, 5)];

pub(super) fn rows() -> Vec<Row> {
    let published = [
        (128, 6.0),
        (256, 12.1),
        (512, 24.2),
        (1024, 48.0),
        (2048, 57.7),
        (4096, 58.7),
        (8192, 60.4),
        (16384, 60.9),
    ];
    let mut rows: Vec<_> = published
        .into_iter()
        .map(|(bytes, published)| Row {
            what: format!("writes of {bytes} bytes, one after the other"),
            unit: "bytes a cycle",
            published,
            model: writes(bytes),
        })
        .collect();
    let mut row = |what: &str, model| {
        rows.push(Row { what: what.to_owned(), unit: "bytes a cycle", published: 60.9, model });
    };
    row("absorption: four tiles write 16384 bytes at a time to one", together(true));
    row("injection of answers: four tiles read 16384 bytes at a time from one", together(false));
    rows
}

/// A stream of writes by one core.
fn writes(bytes: u32) -> f64 {
    let body = format!(
        "{FAST}
         to_one({xy}, {bytes});
         uint32_t from = 0x40000, to = 0x60000; USE(from); USE(to);
         for (int i = 0; i < 4; i++) fast_write(from, to);
         NOW(start);
         for (int i = 0; i < 64; i++) fast_write(from, to);
         NOW(end);
         WRITE_BARRIER();
         OUT(0, end - start);",
        xy = NocXy::new(5, 6).hi_word()
    );
    64.0 * f64::from(bytes) / f64::from(outcome(&open(exact()), A, &[], &body)[0])
}

/// Four tiles at once: bytes a cycle at the one in their middle.
fn together(write: bool) -> f64 {
    const PACKETS: u32 = 24;
    let card = open(exact());
    let xy = A.hi_word();
    let one = match write {
        true => "fast_write(0x40000, 0x60000)".to_owned(),
        false => format!("fast_read(AT({xy}, 0x40000), 0x60000, 16384)"),
    };
    let barrier = if write { "WRITE_BARRIER()" } else { "READ_BARRIER()" };
    let body = |at: u32| {
        format!(
            "{FAST}
             to_one({xy}, 16384);
             while (CLOCK() < {at}) {{}}
             NOW(start);
             for (uint32_t i = 0; i < {PACKETS}; i++) {one};
             {barrier};
             NOW(end);
             OUT(0, start); OUT(1, end);"
        )
    };
    // All begin at one moment of their clocks, which are the same.
    let at = (card_cycles(&card) + 200_000) as u32;
    let beside: Vec<_> = AROUND[1..].iter().map(|tile| (*tile, body(at))).collect();
    let own = outcome(&card, AROUND[0], &beside, &body(at));
    run_for(&card, 100_000).unwrap();
    let ends = AROUND.iter().map(|tile| peek(&card, *tile, 0x2_0014));
    let took = ends.max().expect("four tiles") - own[0];
    f64::from(4 * PACKETS * 16384) / f64::from(took)
}

/// Cycles of the AI clock so far.
fn card_cycles(card: &Card) -> u64 {
    komorebi_card::Card::now(card).as_nanos() * 27 / 20
}
