//! Data through a core: DRAM pages, circular buffers, the compute threads' pages, other cores, semaphores.

mod kernels_bench;

use kernels_bench::{Setup, Submit, model};
use komorebi::build::Sources;
use komorebi_card::{Board, Card as _};
use komorebi_sim::Card;

const PAGE: usize = 2048;

const READER: &str = r#"#include <komorebi/kernel.h>
using namespace km::program;

// Four pages of buffer, up to `window` of them in flight.
KM_HANDLER(Map) {
    const TensorAccessor input{args.input, 2048};
    for (uint32_t page = command.index; page < args.pages; page += args.window * command.count) {
        cb_reserve_back(kBufferInput, args.window);
        for (uint32_t i = 0; i < args.window; ++i) {
            const uint32_t p = page + i * command.count;
            if (p < args.pages) noc_async_read_page(p, input, get_write_ptr(kBufferInput) + 2048 * i);
        }
        noc_async_read_barrier();
        cb_push_back(kBufferInput, args.window);
    }
}
"#;

const COMPUTE: &str = r#"#include <komorebi/kernel.h>
using namespace km::program;

static uint32_t rounds(const Map& args, const km::Command& command) {
    const uint32_t mine = (args.pages - command.index + command.count - 1) / command.count;
    return (mine + args.window - 1) / args.window * args.window;
}

KM_HANDLER(Map) {
    km::map_pages(kBufferInput, kBufferOutput, rounds(args, command), [](const uint32_t* in, uint32_t* out, uint32_t words) {
        for (uint32_t i = 0; i < words; ++i) out[i] = 3 * in[i] + i;
    });
}
"#;

const WRITER: &str = r#"#include <komorebi/kernel.h>
using namespace km::program;

KM_HANDLER(Map) {
    const TensorAccessor output{args.output, 2048};
    const uint32_t mine = (args.pages - command.index + command.count - 1) / command.count;
    const uint32_t all = (mine + args.window - 1) / args.window * args.window;
    for (uint32_t i = 0; i < all; ++i) {
        cb_wait_front(kBufferOutput, 1);
        const uint32_t page = command.index + i * command.count;
        if (page < args.pages) noc_async_write_page(page, output, get_read_ptr(kBufferOutput));
        noc_async_writes_flushed();
        cb_pop_front(kBufferOutput, 1);
    }
}
"#;

fn words(pages: usize) -> Vec<u32> {
    (0..pages * PAGE / 4).map(|i| (i as u32).wrapping_mul(2_654_435_761)).collect()
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn mapped(words: &[u32]) -> Vec<u32> {
    words
        .iter()
        .enumerate()
        .map(|(i, word)| word.wrapping_mul(3).wrapping_add((i % (PAGE / 4)) as u32))
        .collect()
}

/// Maps 23 pages on a card, in a group of three cores, with `window` pages in flight.
fn map(card: Card, window: u32) {
    let sources = Sources::new()
        .file("reader.cpp", READER.as_bytes())
        .file("compute.cpp", COMPUTE.as_bytes())
        .file("writer.cpp", WRITER.as_bytes());
    let model = model(&[("map", 1, &["input", "output", "pages", "window"])]);
    let mut bench = Setup::on(card, 3, 1).start(&sources, &model);
    bench.wait_ready();
    let (pages, input, output) = (23, 64, 0x10_0000);
    let data = words(pages);
    bench.write_pages(input, PAGE, &bytes(&data));
    for _ in 0..2 {
        bench.call(Submit::to(1, 0, 3, &[input as u32, output as u32, pages as u32, window]));
    }
    assert!(
        bench.read_pages(output, PAGE, pages) == bytes(&mapped(&data)),
        "the done event means that the output is there"
    );
}

#[test]
fn pages_go_from_dram_through_five_threads_back_to_dram() {
    for window in [1, 2, 4] {
        map(Card::builder().build(), window);
    }
}

#[test]
fn parked_wait_loops_change_neither_bytes_nor_times() {
    let [parked, polling] = [true, false].map(|parking| {
        let card = Card::builder().seed(3).parking(parking).build();
        map(card.clone(), 2);
        card.now()
    });
    assert_eq!(parked, polling);
}

#[test]
fn seven_banks_and_any_order_of_packets_give_the_same_bytes() {
    map(Card::builder().board(Board::P100a).build(), 2);
    for seed in 1..6 {
        map(Card::builder().seed(seed).build(), 2);
    }
}

#[test]
fn two_inputs_are_zipped_consumed_and_produced_page_by_page() {
    let reader = r#"#include <komorebi/kernel.h>
using namespace km::program;
static void fill(uint32_t cb, uint32_t pages, uint32_t value) {
    for (uint32_t p = 0; p < pages; ++p) {
        cb_reserve_back(cb, 1);
        auto* page = reinterpret_cast<uint32_t*>(get_write_ptr(cb));
        for (uint32_t i = 0; i < 16; ++i) page[i] = value + 100 * p + i;
        cb_push_back(cb, 1);
    }
}
KM_HANDLER(Zip) {
    for (uint32_t p = 0; p < args.pages; ++p) { fill(0, 1, 1000 * p); fill(1, 1, 7); }
    fill(0, args.pages, 0);
}
"#;
    let compute = r#"#include <komorebi/kernel.h>
KM_HANDLER(Zip) {
    km::zip_pages(0, 1, 16, args.pages, [](const uint32_t* a, const uint32_t* b, uint32_t* out, uint32_t words) {
        for (uint32_t i = 0; i < words; ++i) out[i] = a[i] + b[i];
    });
    uint32_t sum = 0;
    km::consume_pages(0, args.pages, [&](const uint32_t* in, uint32_t words) {
        for (uint32_t i = 0; i < words; ++i) sum += in[i];
    });
    km::produce_pages(16, 1, [&](uint32_t* out, uint32_t words) {
        for (uint32_t i = 0; i < words; ++i) out[i] = sum;
    });
    command.set_result(sum);
}
"#;
    let writer = r#"#include <komorebi/kernel.h>
KM_HANDLER(Zip) {
    auto* to = reinterpret_cast<uint32_t*>(args.to);
    for (uint32_t p = 0; p <= args.pages; ++p) {
        cb_wait_front(16, 1);
        auto* page = reinterpret_cast<const uint32_t*>(get_read_ptr(16));
        *to++ = page[0];
        *to++ = page[15];
        cb_pop_front(16, 1);
    }
}
"#;
    let sources = Sources::new()
        .file("reader.cpp", reader.as_bytes())
        .file("compute.cpp", compute.as_bytes())
        .file("writer.cpp", writer.as_bytes());
    let mut model = model(&[("zip", 1, &["pages", "to"])]);
    let mut second = model.buffers[0].clone();
    (second.name, second.index) = (None, 1);
    model.buffers.push(second);
    model.buffers.iter_mut().for_each(|buffer| buffer.page_bytes = 64);
    let mut bench = Setup::new(1, 1).start(&sources, &model);
    bench.wait_ready();
    let (pages, to) = (9, 0x10_0000);
    let sum: u32 = (0..pages).flat_map(|p| (0..16).map(move |i| 100 * p + i)).sum();
    assert_eq!(bench.call(Submit::to(1, 0, 1, &[pages, to]).result()), sum);
    for p in 0..pages {
        assert_eq!(bench.l1_word(0, to + 8 * p), 1000 * p + 7);
        assert_eq!(bench.l1_word(0, to + 8 * p + 4), 1000 * p + 7 + 30);
    }
    assert_eq!(bench.l1_word(0, to + 8 * pages), sum);
}

#[test]
fn long_transfers_are_split_and_multicast_reaches_every_other_core() {
    let reader = r#"#include <komorebi/kernel.h>
KM_HANDLER(Spread) {
    if (!command.is_leader()) return;
    auto* own = reinterpret_cast<volatile uint32_t*>(args.from);
    for (uint32_t i = 0; i < args.bytes / 4; ++i) own[i] = i ^ args.from;
    const uint64_t all = km::grid_multicast_addr(0, 0, km::grid_width() - 1, km::grid_height() - 1, args.to);
    if (args.self) {
        noc_async_write_multicast_loopback_src(args.from, all, args.bytes, km::core_count());
    } else {
        noc_async_write_multicast(args.from, all, args.bytes, km::core_count() - 1);
    }
}
"#;
    // The same on both NoCs: the writer's rectangle starts at the other corner.
    for file in ["reader.cpp", "writer.cpp"] {
        let sources = Sources::new().file(file, reader.as_bytes());
        let mut bench =
            Setup::new(3, 2).start(&sources, &model(&[("spread", 1, &["from", "to", "bytes", "self"])]));
        bench.wait_ready();
        let (from, bytes) = (0x10_0000, 40_000);
        for (to, own) in [(0x12_0000, 0), (0x14_0000, 1)] {
            bench.call(Submit::to(1, 0, 6, &[from, to, bytes, own]));
            for index in 0..6 {
                for word in [0, 4095, 4096, 9999] {
                    let expected = if index == 0 && own == 0 { 0 } else { word ^ from };
                    assert_eq!(
                        bench.l1_word(index, to + 4 * word),
                        expected,
                        "{file}, core {index}, word {word}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_ring_of_cores_passes_a_token_by_data_then_flag() {
    let writer = r#"#include <komorebi/kernel.h>
// Word 0: data; word 4: flag; word 8: what the flag is sent from; word 12: semaphore.
KM_HANDLER(Pass) {
    auto* words = reinterpret_cast<volatile uint32_t*>(args.at);
    const uint32_t next = (km::core_index() + 1) % km::core_count();
    if (!command.is_leader()) noc_semaphore_wait(words + 4, args.round);
    words[0] = words[0] + 1;
    noc_async_write(args.at, km::core_noc_addr(next, args.at), 4);
    noc_async_write_barrier();
    words[8] = args.round;
    noc_semaphore_set_remote(args.at + 32, km::core_noc_addr(next, args.at + 16));
    noc_semaphore_inc(km::core_noc_addr(0, args.at + 48), 1);
    if (command.is_leader()) {
        noc_semaphore_wait(words + 4, args.round);
        noc_semaphore_wait_min(words + 12, args.round * km::core_count());
        command.set_result(words[0]);
    }
}
"#;
    for seed in [0, 1, 2] {
        let sources = Sources::new().file("writer.cpp", writer.as_bytes());
        let setup = Setup::on(Card::builder().seed(seed).build(), 4, 2);
        let mut bench = setup.start(&sources, &model(&[("pass", 1, &["at", "round"])]));
        bench.wait_ready();
        for round in 1..4 {
            assert_eq!(bench.call(Submit::to(1, 0, 8, &[0x10_0000, round]).result()), 8 * round);
        }
    }
}

#[test]
fn tile_regs_hand_sets_from_math_to_pack_and_operands_from_unpack_to_math() {
    let compute = r#"#include <komorebi/kernel.h>
KM_HANDLER(Hand) {
    auto* scratch = reinterpret_cast<volatile uint32_t*>(args.at);
    UNPACK((scratch[64] = 5));
    for (uint32_t i = 0; i < 20; ++i) {
        UNPACK((km::detail::l1_stores_landed(args.at)));
        km::unpack_commit();
        km::math_wait_unpack();
        tile_regs_acquire();
        MATH((scratch[i % 2] = i * scratch[64]));
        tile_regs_commit();
        tile_regs_wait();
        PACK((scratch[16 + i] = scratch[i % 2]));
        tile_regs_release();
    }
}
"#;
    let sources = Sources::new().file("compute.cpp", compute.as_bytes());
    let mut bench = Setup::new(1, 1).start(&sources, &model(&[("hand", 1, &["at"])]));
    bench.wait_ready();
    bench.call(Submit::to(1, 0, 1, &[0x10_0000]));
    let seen: Vec<u32> = (0..20).map(|i| bench.l1_word(0, 0x10_0000 + 64 + 4 * i)).collect();
    assert_eq!(seen, (0..20).map(|i| 5 * i).collect::<Vec<_>>());
}
