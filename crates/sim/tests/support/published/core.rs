//! What a core's instructions take (tensix.md §2), and its start (§3).

use super::*;

const A: NocXy = NocXy::new(3, 4);

pub(super) fn rows() -> Vec<Row> {
    // What is measured, the published cycles, what is repeated 64 times, and what leads to the repeated value.
    let local = "uint32_t a = 0xffb00600; R(a) = a; R(0x21004) = 0x21004;";
    let cases: [(&str, f64, &str, &str); 13] = [
        ("an ALU operation", 1.0, "addi t1, t1, 1", ""),
        ("a product that the next instruction uses", 2.0, "mul t1, t1, t1", ""),
        ("a quotient by 1", 2.0, "div t1, t1, t2", "li t1, 1000; li t2, 1"),
        ("a quotient by 0", 2.0, "divu t1, t3, zero", "li t3, 1000"),
        ("a quotient of the largest dividend", 33.0, "divu t1, t3, t2", "li t3, -1; li t2, 3"),
        ("a branch predicted wrong: its bubble and itself", 5.0, "beq zero, zero, 3f; nop; 3:", ""),
        ("a load of local RAM that the next instruction uses", 2.0, "lw t1, 0(t1)", "li t1, 0xffb00600"),
        ("the same of L1, missing the L0", 8.0, "lw t1, 0(t1)", "li t1, 0x21004"),
        (
            "the same of a NIU register, and an addition",
            8.0,
            "lw t1, 0(t3); add t3, t3, t1",
            "li t3, 0xffb20064",
        ),
        (
            "the same of a semaphore, and an addition",
            4.0,
            "lw t1, 0(t3); add t3, t3, t1",
            "li t3, 0xffe80020",
        ),
        (
            "an atomic instruction on L1",
            12.0,
            ".insn r 0x2f, 2, 0, t1, t3, zero; add t3, t3, t1",
            "li t3, 0x21008",
        ),
        ("a store to a NIU register", 1.0, "sw zero, 0(t3)", "li t3, 0xffb20028"),
        ("a store to L1, another line each", 5.0, "sw zero, 0(t3); addi t3, t3, 16", "li t3, 0x22000"),
    ];
    let mut rows = Vec::new();
    for (what, published, repeated, prepare) in cases {
        // An atomic's and a register's row have the addition that ties one to the next.
        let add = if repeated.contains("0x2f") { 1.0 } else { 0.0 };
        let model = cycles(local, repeated, prepare) - add;
        rows.push(Row { what: what.to_owned(), unit: "cycles", published, model });
    }
    rows.push(Row {
        what: "from NC's release to its first instruction".into(),
        unit: "cycles",
        published: 2048.0,
        model: release(),
    });
    rows
}

/// Cycles of one of 64 repetitions, on T0.
fn cycles(first: &str, repeated: &str, prepare: &str) -> f64 {
    let lines = |code: &str| code.replace("; ", "\\n");
    let code = |count: u32| {
        format!(
            "asm volatile(\"{}\\n .rept {count}\\n {}\\n .endr\\n mv t1, t1\" ::: \"t1\", \"t2\", \"t3\", \"memory\");",
            lines(prepare),
            lines(repeated)
        )
    };
    let body = format!(
        "{first} R(0x21008) = 0; R(0xffb20028) = 0;
         uint32_t took[2];
         {{ NOW(start); {short} FENCE(); NOW(end); took[0] = end - start; }}
         FENCE();
         {{ NOW(start); {long} FENCE(); NOW(end); took[1] = end - start; }}
         OUT(0, took[0]); OUT(1, took[1]);",
        short = code(64),
        long = code(128),
    );
    let out = outcome_on(&open(exact()), A, 2, &[], &body);
    f64::from(out[1] - out[0]) / 64.0
}

/// B releases NC, whose first instruction reads the clock.
fn release() -> f64 {
    let card = open(exact());
    let nc = baby(1, "uint32_t at = CLOCK(); R(0x20040) = at;");
    load(&card, A, 1, &nc);
    let body = "NOW(start); R(0xffb121b0) = 0x7000; while (!R(0x20040)) {} OUT(0, R(0x20040) - start - D);";
    f64::from(outcome(&card, A, &[], body)[0])
}
