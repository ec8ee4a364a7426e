//! The L0 data cache goes stale, as on silicon.

mod support;

use komorebi_card::{Card as _, NocXy, Order};
use komorebi_sim::Card;
use support::*;

const A: NocXy = NocXy::new(1, 2);

/// Whether a core that polls an L1 word sees the host's write.
fn sees(image: &[u8], seed: u64, parking: bool) -> bool {
    let card = open(Card::builder().seed(seed).parking(parking));
    load(&card, A, 0, image);
    start(&card, A, &[0]);
    run_for(&card, 10_000).unwrap();
    card.write(A, 0x2_0000, &1u32.to_le_bytes(), Order::Strict).unwrap();
    run_for(&card, 20_000).unwrap();
    peek(&card, A, 0x2_0004) == 1
}

#[test]
fn a_polling_loop_needs_a_fence_or_the_cache_off() {
    let poll = |turn: &str| format!("while (!R(0x20000)) {{ {turn} }} R(0x20004) = 1;");
    for parking in [true, false] {
        assert!(!sees(&cached(0, &poll("")), 0, parking));
        assert!(!sees(&cached(0, &poll("waiting(0);")), 0, parking));
        assert!(sees(&cached(0, &poll("FENCE();")), 0, parking));
        assert!(sees(&cached(0, &poll("FENCE(); waiting(0);")), 0, parking));
        assert!(sees(&baby(0, &poll("waiting(0);")), 0, parking));
    }
}

#[test]
fn a_seed_flushes_the_cache_now_and_then_so_that_a_missing_fence_may_pass() {
    for parking in [true, false] {
        assert!(sees(&cached(0, "while (!R(0x20000)) { waiting(0); } R(0x20004) = 1;"), 3, parking));
    }
}
