//! Where the cycles of a program's cores go, by function: the meter of the simulated card and the symbols of the run.

use std::time::Duration;

use komorebi as km;
use komorebi_card::Card as _;
use komorebi_sim::Card;
use komorebi_sim::hart::Cause;
use komorebi_tests::engine::counting::program;

const TIMEOUT: Duration = Duration::from_secs(5);

#[test]
fn a_core_tells_where_its_cycles_went_by_function_and_nothing_else_changes() {
    let play = |card: &Card| {
        let session = km::Session::builder().on(card).open().unwrap();
        let run = session.load(program()).unwrap();
        run.wait(run.submit(km::call("spin", &[20_000]).on(0..8)).unwrap(), TIMEOUT).unwrap();
        let sums = (0..20).map(|i| km::call("sum", &[i, 1]).on(0..8).result::<u32>());
        run.wait(run.submit_many(sums).unwrap(), TIMEOUT).unwrap();
        (run, card.now())
    };
    let tile = km::NocXy::new(Card::builder().build().description().columns[0], 2);
    let card = Card::builder().meter(tile).build();
    let (run, now) = play(&card);
    assert_eq!(play(&Card::builder().build()).1, now, "a meter takes no time of the card");

    // NC runs the reader.
    let profile = card.profile(tile, 1).unwrap();
    let function = |pc| run.locate("NC", pc).map_or_else(|| format!("{pc:#x}"), |place| place.function);
    let gathered = profile.by(function);
    let told = card.core_counters(tile)[1].metered.clone().unwrap();
    println!("{gathered}\n{}", told.spent);
    assert_eq!(profile.total().time, told.elapsed);
    let time = |words: &str| -> u64 {
        let rows = gathered.rows.iter().filter(|(name, _)| name.contains(words));
        rows.map(|(_, cost)| cost.time / gathered.cycle).sum()
    };
    let known: u64 =
        gathered.rows.iter().filter(|(name, _)| !name.starts_with("0x")).map(|row| row.1.time).sum();
    assert!(known * 10 > told.elapsed * 9, "most of it has a function:\n{gathered}");
    assert!((20_000..21_000).contains(&time("Spin")), "{}\n{gathered}", time("Spin"));
    assert!(told.spent[Cause::Wait] > 0, "it has waited for commands");
}
