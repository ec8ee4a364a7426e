//! The two views of local DRAM, and what others see of each (host.md §6.6, §6.7).

mod support;

use komorebi_card::{Card as _, NocXy, Order};
use komorebi_sim::Card;
use support::x280::*;
use support::*;

#[test]
fn a_store_through_the_caches_is_not_in_memory_until_it_is_flushed() {
    let program = Program::start(
        exact(),
        "R64(CACHED + 0x1000) = 0x1122334455667788; TELL(1); HEAR(1);
         RESULT(0) = R64(UNCACHED + 0x1000); FLUSH64(CACHED + 0x1000); RESULT(1) = R64(UNCACHED + 0x1000);",
    );
    program.wait(1);
    let looked = |base: u64| peek(&program.card, CLUSTER, base + 0x1000);
    assert_eq!((looked(CACHED), looked(0x3000_0000)), (0x5566_7788, 0));
    assert_eq!((program.dram(0x1000), program.cached(0x1000)), (0, 0x5566_7788));
    assert_eq!(program.card.read32(CLUSTER, 0x3000_1000).unwrap(), 0, "the uncached view of the NoC");
    program.answer(1).finish();
    assert_eq!(program.results(), [0, 0x1122_3344_5566_7788]);
    assert_eq!((program.dram(0x1000), program.dram(0x1004)), (0x5566_7788, 0x1122_3344));
}

#[test]
fn a_line_that_is_held_hides_what_others_write_to_memory() {
    let program = Program::start(
        exact(),
        "RESULT(0) = R(CACHED + 0x2000); TELL(1); HEAR(1); RESULT(1) = R(CACHED + 0x2000);
         RESULT(2) = R(UNCACHED + 0x2000); FLUSH64(CACHED + 0x2008); RESULT(3) = R(CACHED + 0x2000);",
    );
    program.wait(1).set_dram(0x2000, 5);
    assert_eq!((program.cached(0x2000), program.dram(0x2000)), (0, 5));
    program.answer(1).finish();
    assert_eq!(program.results(), [0, 0, 5, 5]);
}

#[test]
fn what_comes_through_the_cluster_is_coherent_with_its_harts() {
    let play = |builder| {
        let program = Program::start(
            builder,
            "R(CACHED + 0x40) = 1; R(CACHED + 0x80) = 2; TELL(1);
             while (R(CACHED + 0x44) != 9) {} RESULT(0) = R(CACHED + 0x40); RESULT(1) = R(CACHED + 0x48);",
        );
        program.wait(1);
        assert_eq!((program.cached(0x40), program.cached(0x80)), (1, 2));
        program.set_cached(0x48, 3);
        program.set_cached(0x44, 9);
        program.finish();
        assert_eq!(program.results(), [1, 3]);
        program
    };
    play(Card::builder());
    // Lines that stay in the caches are not in memory.
    let exact = play(exact());
    assert_eq!((exact.dram(0x44), exact.dram(0x48)), (0, 0));
}

#[test]
fn a_core_reaches_the_caches_through_the_cluster_and_memory_at_its_tile() {
    let program = Program::start(exact(), "R(CACHED + 0x3000) = 77; TELL(1); HEAR(1);");
    program.wait(1);
    let core = NocXy::new(3, 4);
    // The NIU's MID register has the upper half of the address.
    let body = format!(
        "while (NIU(0, 1, 0x40)) {{}} NIU(0, 1, 0) = 0x30003000; NIU(0, 1, 4) = 0x4000; NIU(0, 1, 8) = {cluster};
         NIU(0, 1, 0xc) = 0x30000; NIU(0, 1, 0x10) = 0; NIU(0, 1, 0x14) = self(0); NIU(0, 1, 0x18) = 0;
         NIU(0, 1, 0x1c) = 0x2090; NIU(0, 1, 0x20) = 64; NIU(0, 1, 0x24) = 0; NIU(0, 1, 0x40) = 1;
         while (COUNTER(0, 2) != 1) {{}}
         read_from(0, {channel}, 0x3000, 0x30040, 64); while (COUNTER(0, 2) != 2) {{}} R(0x20000) = 1;",
        cluster = CLUSTER.hi_word(),
        channel = program.channel().hi_word(),
    );
    load(&program.card, core, 0, &baby(0, &body));
    start(&program.card, core, &[0]);
    wait_for(&program.card, core, 0x2_0000, 1);
    assert_eq!((peek(&program.card, core, 0x3_0000), peek(&program.card, core, 0x3_0040)), (77, 0));
}

#[test]
fn clusters_that_share_a_channel_do_not_see_each_other() {
    // Clusters 2 and 3 are at channel 7 both; what one has read stays as it was.
    let card = open(Card::builder());
    let body = |body: &str| {
        harts(0x0800_0000, &format!("{X280}\nif (id) for (;;) asm volatile(\"wfi\");\n{body}\nTELL(1000);"))
    };
    prepare(&card, 2, &body("HEAR(1); R(CACHED) = 5; FLUSH64(CACHED);"), 0x0800_0000);
    prepare(
        &card,
        3,
        &body("R(CACHED); TELL(1); HEAR(1); RESULT(0) = R(CACHED); RESULT(1) = R(UNCACHED);"),
        0x0800_0000,
    );
    clock(&card, 128, 15);
    card.write32(ARC, 0x8003_0014, 0xcf).unwrap();
    clock(&card, 80, 1);
    let answer =
        |index: u8| card.write(cluster(index), 0x0801_1008, &1u64.to_le_bytes(), Order::Strict).unwrap();
    wait_for(&card, cluster(3), 0x0801_1000, 1);
    answer(2);
    wait_for(&card, cluster(2), 0x0801_1000, 1000);
    answer(3);
    wait_for(&card, cluster(3), 0x0801_1000, 1000);
    assert_eq!((peek(&card, cluster(3), 0x0801_0000), peek(&card, cluster(3), 0x0801_0008)), (0, 5));
}

#[test]
fn the_uncached_view_is_memory_itself_in_every_width_and_in_the_order_of_the_hart() {
    for seed in 0..4 {
        let program = Program::start(
            Card::builder().seed(seed),
            "R64(UNCACHED + 8) = 0x1122334455667788; *(volatile uint8_t *)(UNCACHED + 9) = 0xaa;
             *(volatile uint16_t *)(UNCACHED + 14) = 0xbbcc; RESULT(0) = R64(UNCACHED + 8);
             R(UNCACHED + 8) = 5; RESULT(1) = R(UNCACHED + 8); R(UNCACHED + (1ull << 32) + 12) = 6; RESULT(2) = R(UNCACHED + 12);",
        );
        assert_eq!(program.finish().results(), [0xbbcc_3344_5566_aa88, 5, 6], "seed {seed}");
    }
}

#[test]
fn aliases_of_a_line_are_lines_of_their_own() {
    let program = Program::start(
        Card::builder(),
        "R(CACHED); R(CACHED + (1ull << 32)) = 4; RESULT(0) = R(CACHED); RESULT(1) = R(CACHED + (1ull << 32));",
    );
    assert_eq!(program.finish().results(), [0, 4]);
}

#[test]
fn a_large_read_through_the_cluster_is_memory_with_what_the_caches_have_newer() {
    let program =
        Program::start(exact(), "for (int i = 0; i < 300; i++) R(CACHED + 128 * i) = 1; TELL(1); HEAR(1);");
    let bytes: Vec<u8> = (0..65536).map(|i| (i % 251) as u8).collect();
    program.wait(1);
    program.card.write(program.channel(), 0, &bytes, Order::Bulk).unwrap();
    program.card.fence(program.channel()).unwrap();
    let mut read = vec![0; bytes.len()];
    program.card.read(CLUSTER, CACHED, &mut read).unwrap();
    for (i, (ours, memory)) in read.chunks(128).zip(bytes.chunks(128)).enumerate() {
        let expected = if i < 300 {
            [vec![1, 0, 0, 0], vec![0; 60], memory[64..].to_vec()].concat()
        } else {
            memory.to_vec()
        };
        assert_eq!(ours, expected, "line {}", 2 * i);
    }
    // Written the same way, it is coherent, and memory stays behind.
    program.card.write(CLUSTER, CACHED, &vec![9; 4096], Order::Bulk).unwrap();
    program.card.read(CLUSTER, CACHED, &mut read[..4096]).unwrap();
    assert_eq!(
        (&read[..4096], program.dram(64)),
        (&[9; 4096][..], u32::from_le_bytes(bytes[64..68].try_into().unwrap()))
    );
}
