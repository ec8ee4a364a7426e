//! The same program on other boards, other orders of what the hardware leaves open, other costs.

use std::time::Duration;

use km::build::Sources;
use komorebi as km;
use komorebi_sim::{Card, Setting};

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
