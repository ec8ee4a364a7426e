//! The same program on other boards, other orders of what the hardware leaves open, other costs.

use std::time::Duration;

use km::build::Sources;
use komorebi as km;
use komorebi_card::Card as _;
use komorebi_sim::{Card, Setting};
use komorebi_tests::engine::counting::{adding, program};

const TIMEOUT: Duration = Duration::from_secs(5);

/// Each core writes its index into its word of a page of the tensor; the leader gives the group's size.
const WRITER: &str = r"
#include <komorebi/kernel.h>
KM_HANDLER(Mark) {
    const TensorAccessor to{args.to, 64};
    cb_reserve_back(0, 1);
    const uint32_t l1 = get_write_ptr(0);
    for (uint32_t i = 0; i < 16; ++i) reinterpret_cast<volatile uint32_t*>(l1)[i] = args.base + km::core_index();
    noc_async_write_page(km::core_index(), to, l1);
    noc_async_write_barrier();
    command.set_result(command.count);
}
";

fn marks(card: &Card) -> Vec<u32> {
    let session = km::Session::builder().on(card).open().unwrap();
    let cores = session.grid().cores();
    let to = session.empty(&[cores as usize, 16], km::DType::Uint32).unwrap();
    let program = km::Program::new("worlds")
        .with_sources(Sources::new().file("writer.cpp", WRITER.as_bytes()))
        .handler_with(
            "mark",
            1,
            &[("to", km::ArgKind::Address), ("base", km::ArgKind::U32)],
            Some(km::ResultKind::U32),
        )
        .buffer(0, km::Format::Uint32, 64, 1)
        .grid(session.grid().width.min(12), 10)
        .depth(16);
    let run = session.load(program).unwrap();
    let cores = run.grid().cores();
    let handles: Vec<_> = (0..3)
        .flat_map(|round| (0..cores / 5).map(move |group| (round, group * 5)))
        .map(|(round, first)| {
            let call = km::call("mark", &[to.address().0, 1000 * round]).on((first, 5)).result::<u32>();
            run.submit(call).unwrap()
        })
        .collect();
    assert!(
        run.wait(&handles, TIMEOUT)
            .map_err(|error| error.to_string())
            .unwrap()
            .iter()
            .all(|event| event.value() == 5)
    );
    let marks = to.read::<u32>().unwrap();
    run.stop(TIMEOUT).unwrap();
    (0..cores as usize).map(|core| marks[[core, 15]]).collect()
}

#[test]
fn every_order_that_the_hardware_allows_gives_the_same_bytes() {
    let expected: Vec<u32> = (0..120).map(|core| 2000 + core).collect();
    for seed in 1..5 {
        assert_eq!(marks(&Card::builder().seed(seed).build()), expected, "seed {seed}");
    }
}

#[test]
fn every_board_and_every_cost_gives_the_same_bytes() {
    for (board, columns) in [(km::Board::P100a, 12), (km::Board::P150a, 14), (km::Board::P150a, 3)] {
        let cores = u32::from(columns).min(12) * 10;
        let expected: Vec<u32> = (0..cores).map(|core| 2000 + core).collect();
        assert_eq!(marks(&Card::builder().board(board).columns(columns).build()), expected, "{board}");
    }
    for costs in [Setting::Low, Setting::High] {
        let expected: Vec<u32> = (0..120).map(|core| 2000 + core).collect();
        assert_eq!(marks(&Card::builder().costs(costs).seed(1).build()), expected, "{costs:?}");
    }
}

/// A session, a program's command and a kept graph, on a card.
fn graph_sums(card: &Card) -> u32 {
    let session = km::Session::builder().on(card).open().unwrap();
    let run = session.load(program()).unwrap();
    let own = run.submit(km::call("sum", &[40, 2]).result::<u32>()).unwrap();
    assert_eq!(run.wait(own, TIMEOUT).unwrap().value(), 42);
    let upload = run.upload(&adding(8)).unwrap();
    let handle = run.start(&upload, [3_u32, 10, 0, 0]).unwrap();
    let event = run.wait_engine(&handle, TIMEOUT).unwrap();
    run.stop(TIMEOUT).unwrap();
    event.end()[1]
}

#[test]
fn a_session_a_program_and_a_graph_run_on_every_board_with_any_columns_and_any_other_bank_off() {
    let mut cards = vec![Card::builder().columns(14)];
    // The seven columns of the middle, every other one, and four of them.
    for mask in [0x3f80, 0x0fff, 0x1555, 0x1111] {
        cards.push(Card::builder().column_mask(mask).unwrap());
    }
    for off in [0, 1, 2, 3, 4, 6, 7] {
        cards.push(Card::builder().board(km::Board::P100a).channel_off(off).unwrap());
    }
    for builder in cards {
        let card = builder.build();
        assert_eq!(graph_sums(&card), 12, "{card:?}");
    }
}

#[test]
fn tensors_lie_in_the_banks_that_a_p100a_has() {
    for off in [2, 7] {
        let builder = Card::builder().board(km::Board::P100a).channel_off(off).unwrap();
        let expected: Vec<u32> = (0..120).map(|core| 2000 + core).collect();
        assert_eq!(marks(&builder.build()), expected, "channel {off} off");
    }
}

#[test]
fn a_card_whose_dispatcher_would_have_no_dram_is_refused() {
    let card = Card::builder().board(km::Board::P100a).channel_off(5).unwrap().build();
    let error = km::Session::builder().on(&card).open().unwrap_err();
    assert!(error.to_string().contains("X280 cluster 0 is disabled on this card"), "{error}");
}

// The program's check needs the channels without a card, and the simulated card has no part in the wires that
// `komorebi-abi` is: each has them from host.md §6.1.
#[test]
fn the_threads_of_a_cluster_have_their_regions_in_the_channel_that_the_card_calls_local() {
    let card = Card::builder().build();
    let clusters = &card.description().l2cpus;
    assert_eq!(clusters.len(), 4);
    for l2cpu in clusters {
        let thread = komorebi_abi::program::Thread::new(l2cpu.index.into());
        assert_eq!(thread.channel(), u32::from(l2cpu.channel), "cluster {}", l2cpu.index);
    }
}
