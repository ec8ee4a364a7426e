//! Host memory as the card reaches it: windows of the PCIe tile, and the regions of its iATU.

mod support;

use komorebi_card::{Card as _, CardError, NocXy, Order, Rule};
use komorebi_sim::Card;
use support::*;

const A: NocXy = NocXy::new(2, 3);

/// A program that writes 64 bytes to host memory at `address`, reads them back and says so at 0x20000.
fn through(card: &Card, address: u64) -> Result<(), CardError> {
    let (lo, mid) = (address as u32, (address >> 32) as u32);
    let xy = card.description().pcie.hi_word();
    let body = format!(
        "auto go = [](int buf, uint32_t ctrl, uint32_t tlo, uint32_t tmid, uint32_t thi, uint32_t rlo, uint32_t rmid, uint32_t rhi) {{
             while (NIU(0, buf, 0x40)) {{}}
             NIU(0, buf, 0) = tlo; NIU(0, buf, 4) = tmid; NIU(0, buf, 8) = thi;
             NIU(0, buf, 0xc) = rlo; NIU(0, buf, 0x10) = rmid; NIU(0, buf, 0x14) = rhi;
             NIU(0, buf, 0x18) = 0; NIU(0, buf, 0x1c) = ctrl; NIU(0, buf, 0x20) = 64; NIU(0, buf, 0x24) = 0;
             NIU(0, buf, 0x40) = 1;
         }};
         go(0, 0x2092, 0x40000, 0, self(0), {lo:#x}, {mid:#x}, {xy});
         while (COUNTER(0, 1) != 1) {{}}
         for (int i = 0; i < 5000; i++) R(0x21000);
         go(1, 0x2090, {lo:#x}, {mid:#x}, {xy}, 0x30000, 0, self(0));
         while (COUNTER(0, 2) != 1) {{}}
         R(0x20000) = 1;"
    );
    card.write(A, 0x4_0000, &[9; 64], Order::Bulk).unwrap();
    load(card, A, 0, &baby(0, &body));
    start(card, A, &[0]);
    run_for(card, 100_000)
}

#[test]
fn four_windows_lead_to_the_same_host_memory() {
    for window in [0u64, 1, 4, 5] {
        let card = open(Card::builder());
        let memory = card.host_mem(4096).unwrap();
        let low = memory.noc_address() & ((1 << 58) - 1);
        through(&card, window << 58 | low | 128).unwrap();
        let mut bytes = [0; 64];
        memory.read(128, &mut bytes);
        assert_eq!(bytes, [9; 64], "window {window}");
        assert_eq!((peek(&card, A, 0x2_0000), peek(&card, A, 0x3_0000)), (1, 0x0909_0909), "window {window}");
    }
}

#[test]
fn windows_past_the_caches_and_those_nobody_uses_are_refused() {
    let refused = |window: u64| {
        let card = open(Card::builder());
        let memory = card.host_mem(4096).unwrap();
        match through(&card, window << 58 | memory.noc_address() & ((1 << 58) - 1)).unwrap_err() {
            CardError::Fault(fault) => fault.rule,
            other => panic!("{other}"),
        }
    };
    assert_eq!([2, 3, 6, 7].map(refused), [Rule::HostUncached; 4]);
    assert_eq!([8, 61, 62].map(refused), [Rule::HostReach; 3]);
}

#[test]
fn a_card_has_sixteen_outbound_regions_and_a_close_gives_them_back() {
    let card = open(Card::builder());
    let regions: Vec<_> = (0..16).map(|_| card.host_mem(4096).unwrap()).collect();
    let error = card.host_mem(4096).unwrap_err();
    assert!(
        matches!(&error, CardError::HostMemory { bytes: 4096, cause } if cause.contains("16 outbound")),
        "{error}"
    );
    drop(regions);
    card.release();
    card.claim(POWER).unwrap();
    card.host_mem(4096).unwrap();
}
