//! Clients that die at their n-th call: the next session opens without a reset and uses every core.

use std::time::Duration;

use komorebi as km;
use komorebi_sim::{Breakage, Card, When};
use komorebi_tests::engine::counting::counting;

use super::life::{program, works};
use super::lives::in_parallel;

/// Deaths in CI.
const KILLS: u64 = 200;

/// What a client does in its life; the error of the call that meets its death ends it.
fn live(card: &Card) -> km::Result<()> {
    let timeout = Duration::from_millis(20);
    let session = km::Session::builder().on(card).grid_timeout(Duration::from_millis(5)).open()?;
    let options = km::LoadOptions { deadline: Duration::from_millis(5), ..Default::default() };
    let run = session.load_with(program(), options.clone())?;
    let handles: Vec<_> = (0..12)
        .map(|i| run.submit(km::call("sum", &[i, 1]).on((i % 4, 1)).result::<u32>()))
        .collect::<km::Result<_>>()?;
    run.wait(&handles[..3], timeout)?;
    run.submit(km::call("spin", &[40_000]).on(0..4))?;
    run.submit(km::nop().on(0..2).exclusive())?;
    run.submit(km::nop().queued(2))?;
    run.drain(timeout)?;
    let upload = run.upload(&counting(7, 2))?;
    let engine = run.start(&upload, [3_u32])?;
    run.wait_engine(&engine, timeout)?;
    let engine = run.start(&upload, [1_000_u32])?;
    run.cancel(&engine, timeout)?;
    run.stop(timeout)?;
    let run = session.load_with(program(), options)?;
    run.submit(km::call("spin", &[1_000_000]))?;
    let _ = run.drain(Duration::from_micros(50));
    run.abort()?;
    session.close()
}

/// A client of `card` that dies at its call `n`; the calls it made.
fn die(card: &Card, n: u64) -> u64 {
    let client = card.client();
    client.break_on(When::Call(n), Breakage::KillClient).unwrap();
    let _ = live(&client);
    client.calls()
}

#[test]
fn a_session_opens_after_a_client_that_died_at_any_of_its_calls_without_a_reset() {
    let kills = std::env::var("KM_KILLS").map_or(KILLS, |count| count.parse().unwrap());
    let whole = Card::builder().columns(1).build();
    live(&whole).unwrap();
    let calls = whole.calls();
    assert!(calls > 200, "{calls}");
    // Over all calls, and over them again on cards with other delays.
    let step = (calls / kills).max(1);
    in_parallel(0..kills, |index| {
        let n = 1 + index * step % calls;
        let card = Card::builder().columns(1).seed(index * step / calls).build();
        die(&card, n);
        works(&card, &format!("a client that died at its call {n} of {calls}"));
    });
}

#[test]
fn clients_that_die_one_after_the_other_leave_the_card_usable() {
    let card = Card::builder().columns(1).seed(5).build();
    for n in (7..500).step_by(31) {
        die(&card, n);
    }
    works(&card, "many clients that died");
}
