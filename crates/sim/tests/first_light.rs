//! The narrow path: a core runs and writes to another tile; a hart runs and writes to the host.

mod support;

use komorebi_card::{Card as _, NocXy, Order};
use support::*;

const A: NocXy = NocXy::new(1, 2);
const B: NocXy = NocXy::new(3, 5);

#[test]
fn a_core_runs_the_code_the_host_wrote() {
    let card = open(komorebi_sim::Card::builder());
    load(&card, A, 0, &baby(0, "R(0x20000) = 42; R(0x20004) = R(0x20000) * 3;"));
    start(&card, A, &[0]);
    wait_for(&card, A, 0x2_0004, 126);
    assert!(card.counters().tensix_instructions > 5);
}

#[test]
fn a_core_writes_to_another_tile_and_hears_the_acknowledgement() {
    let card = open(komorebi_sim::Card::builder());
    let body = format!(
        "R(0x20000) = 0x600d; FENCE(); write_to(0, {}, 0x20000, 0x30000, 4);
         while (COUNTER(0, 1) != 1) {{}}
         R(0x20004) = 1;",
        B.hi_word()
    );
    load(&card, A, 0, &baby(0, &body));
    start(&card, A, &[0]);
    wait_for(&card, A, 0x2_0004, 1);
    assert_eq!(peek(&card, B, 0x3_0000), 0x600d);
}

#[test]
fn a_hart_runs_from_lim_and_stores_through_a_window_to_host_memory() {
    let card = open(exact());
    let memory = card.host_mem(8192).unwrap();
    let low = memory.noc_address() & ((1 << 37) - 1);
    let body = format!(
        "while (!R64(0x08010000)) {{}}
         uint64_t to = 0x80430000000 + {low:#x};
         R64(to) = 0x1234567890; R64(to + 4096) = 7; FENCE(); R64(0x08010008) = 1;"
    );
    release(&card, &hart(0x0800_0000, &body));
    window(&card, 0, memory.tile().hi_word(), memory.noc_address());
    card.write(CLUSTER, 0x0801_0000, &1u64.to_le_bytes(), Order::Strict).unwrap();
    let sent = card.now();
    let seen = card.relax(sent + std::time::Duration::from_millis(1)).unwrap();
    assert_eq!(memory.load_u64(0), 0x12_3456_7890);
    // 3 us to LIM, 1 us to the host, the rest is the harts' polling and stores.
    let nanos = seen.since(sent).as_nanos();
    assert!((4000..4500).contains(&nanos), "{nanos} ns");
    run_for(&card, 1000).unwrap();
    assert_eq!(memory.load_u64(4096), 7);
    wait_for(&card, CLUSTER, 0x0801_0008, 1);
    assert_eq!(card.counters().events, 2);
}
