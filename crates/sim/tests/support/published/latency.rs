//! How long one request takes.

use super::*;

/// The tile that asks.
const A: NocXy = NocXy::new(3, 4);

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let places = [
        (A, "itself", 65.0),
        (NocXy::new(3, 9), "the same column", 177.0),
        (NocXy::new(12, 4), "the same row", 217.0),
        (NocXy::new(1, 2), "elsewhere", 329.0),
    ];
    for (to, where_, published) in places {
        for noc in 0..2 {
            let what = format!("read of 4 bytes of L1 of {where_}, NoC {noc}");
            rows.push(Row { what, unit: "cycles", published, model: read(noc, to) });
        }
    }
    for (noc, to) in [(0, (4, 4)), (0, (3, 9)), (0, (12, 6)), (1, (2, 4)), (0, (1, 2))] {
        let card = open(exact());
        let to = NocXy::new(to.0, to.1);
        let hops = hops(&card, noc, A, to);
        let what = format!("write of 4 bytes over {hops} hops of NoC {noc}");
        let published = f64::from(40 + 11 * hops);
        rows.push(Row { what, unit: "cycles", published, model: write(&card, noc, to, false) });
    }
    for to in [(4, 5), (14, 11)] {
        let card = open(exact());
        let to = NocXy::new(to.0, to.1);
        let hops = hops(&card, 0, A, to);
        let what = format!("multicast of 4 bytes to the whole grid, at the tile {hops} hops away");
        let published = f64::from(40 + 11 * hops);
        rows.push(Row { what, unit: "cycles", published, model: write(&card, 0, to, true) });
    }
    rows
}

/// From CMD_CTRL of a read to its counter: the least over 16 phases of the loop that waits.
fn read(noc: u32, to: NocXy) -> f64 {
    let body = format!(
        "uint32_t best = ~0u;
         #define DONE COUNTER({noc}, 2)
         POLL(C, DONE);
         for (uint32_t k = 0; k < 18; k++) {{
             send({noc}, 1, 0x2090, 0x40000, {xy}, 0x30000, self({noc}), 4);
             for (int i = 0; i < 1000; i++) R(0x21000);
             uint32_t before = DONE;
             NOW(start);
             NIU({noc}, 1, 0x40) = 1;
             SLED(k & 15);
             while (DONE == before) {{}}
             NOW(end);
             if (k > 1 && end - start < best) best = end - start;
         }}
         OUT(0, best - C - D);",
        xy = to.hi_word()
    );
    f64::from(outcome(&open(exact()), A, &[], &body)[0])
}

/// From CMD_CTRL of a write to its word's being seen by a core of the other tile, whose clock is the same.
fn write(card: &Card, noc: u32, to: NocXy, multicast: bool) -> f64 {
    const ROUNDS: u32 = 24;
    let watch = format!(
        "#define DONE R(0x30000)
         POLL(C, DONE);
         R(0x31000) = C;
         for (uint32_t n = 1; n <= {ROUNDS}; n++) {{
             while (DONE != n) {{}}
             NOW(end);
             R(0x31000 + 4 * n) = end;
         }}"
    );
    let (control, to_hi) = match multicast {
        true => (0x81b2, NocXy::new(14, 11).hi_word() | NocXy::new(1, 2).hi_word() << 12),
        false => (0x2092, to.hi_word()),
    };
    let body = format!(
        "OUT(0, D);
         NOW(base);
         for (uint32_t n = 1; n <= {ROUNDS}; n++) {{
             while (CLOCK() - base < 4001 * n) {{}}
             R(0x40000) = n; FENCE(); R(0x40000);
             while (NIU({noc}, 0, 0x40)) {{}}
             NIU({noc}, 0, 0x00) = 0x40000; NIU({noc}, 0, 0x04) = 0; NIU({noc}, 0, 0x08) = self({noc});
             NIU({noc}, 0, 0x0c) = 0x30000; NIU({noc}, 0, 0x10) = 0; NIU({noc}, 0, 0x14) = {to_hi};
             NIU({noc}, 0, 0x1c) = {control:#x}; NIU({noc}, 0, 0x20) = 4;
             SLED(n & 15);
             NOW(start);
             NIU({noc}, 0, 0x40) = 1;
             R(0x32000 + 4 * n) = start;
         }}
         for (int i = 0; i < 1000; i++) R(0x21000);"
    );
    let d = outcome(card, A, &[(to, watch)], &body)[0];
    let c = peek(card, to, 0x3_1000);
    let took = (1..=u64::from(ROUNDS))
        .map(|n| peek(card, to, 0x3_1000 + 4 * n).wrapping_sub(peek(card, A, 0x3_2000 + 4 * n)))
        .min();
    f64::from(took.expect("there are rounds") - c - d)
}
