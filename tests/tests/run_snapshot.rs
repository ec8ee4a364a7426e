//! A card with a session's program on it goes on from a snapshot bit for bit, and what a session finds that was open
//! before, or was opened since.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use komorebi as km;
use komorebi_card::{Card as _, CardError};
use komorebi_sim::{Breakage, Card, When};
use komorebi_tests::engine::case::{Case, assert_same};
use komorebi_tests::engine::counting::{adding, cluster, program};
use komorebi_tests::engine::{Random, Side};

const TIMEOUT: Duration = Duration::from_secs(5);

/// Everything that can be seen of a card, in short.
fn look(card: &Card) -> String {
    let mut hasher = DefaultHasher::new();
    let facts = card.description();
    let mut bytes = vec![0; 1 << 20];
    let first = facts.columns[0];
    for tile in (2..12).flat_map(|y| facts.columns[..4].iter().map(move |x| km::NocXy::new(*x, y))) {
        assert!(card.peek(tile, 0, &mut bytes[..0x6_0000]), "L1 of {tile}, the first column is {first}");
        bytes[..0x6_0000].hash(&mut hasher);
        card.pcs(tile).hash(&mut hasher);
    }
    assert!(card.peek(cluster(card), 0x0800_0000, &mut bytes[..0xc_0000]));
    bytes[..0xc_0000].hash(&mut hasher);
    card.pcs(cluster(card)).hash(&mut hasher);
    for bank in &facts.banks {
        assert!(card.peek(bank.noc0, 0, &mut bytes));
        bytes.hash(&mut hasher);
    }
    for region in card.host_regions() {
        (0..region.len()).step_by(8).for_each(|at| region.load_u64(at).hash(&mut hasher));
    }
    format!("{:x} {:?} {:?} {}", hasher.finish(), card.now(), card.counters(), card.calls())
}

/// Lets the card run, as a host that polls does; what it gave, and how the card is then.
fn go(card: &Card, waits: &[u64]) -> Vec<String> {
    let mut story: Vec<_> = waits
        .iter()
        .map(|nanos| format!("{:?}", card.relax(card.now() + Duration::from_nanos(*nanos))))
        .collect();
    story.push(look(card));
    story
}

#[test]
fn random_uploads_go_on_from_any_point_and_end_as_the_interpreter_says() {
    for seed in 0..4 {
        let side = Side::new(seed, km::LoadOptions { event_depth: 64, host_depth: 16, ..Default::default() });
        let kinds = [km::UploadKind::Graph, km::UploadKind::Stream, km::UploadKind::Stream];
        let cases: Vec<Case> = (0..).zip(kinds).map(|(i, kind)| Case::new(kind, 50 * seed + i, i)).collect();
        let started: Vec<_> = cases.iter().enumerate().map(|(i, case)| side.start(i, case)).collect();
        let mut random = Random::new(seed);
        let waits: Vec<u64> = (0..30).map(|_| u64::from(random.between(1, 4_000))).collect();

        let beginning = side.card.snapshot();
        let mut points = Vec::new();
        let mut story = Vec::new();
        for (n, nanos) in waits.iter().enumerate() {
            points.push((n, side.card.snapshot()));
            story.push(format!("{:?}", side.card.relax(side.card.now() + Duration::from_nanos(*nanos))));
        }
        story.push(look(&side.card));
        for (n, snapshot) in points.iter().skip(seed as usize % 4).step_by(4) {
            assert_eq!(
                go(&snapshot.fork().unwrap(), &waits[*n..]),
                story[*n..],
                "seed {seed}: forked at {n}"
            );
        }
        side.card.restore(&beginning).unwrap();
        assert_eq!(go(&side.card, &waits), story, "seed {seed}: restored");

        // The session has made no call since, so it goes on with the card.
        side.card.restore(&beginning).unwrap();
        let interpreter = Side::new(seed + 1000, km::LoadOptions::default());
        for (i, (case, (upload, handle))) in cases.iter().zip(&started).enumerate() {
            assert_same(case, &side.finish(i, case, upload, handle), &interpreter.hostfed(i, case).0);
        }
        side.works();
        side.run.stop(TIMEOUT).unwrap();
    }
}

/// A session on a fork of a card that another session had loaded.
#[test]
fn a_session_opens_on_a_fork_whose_claim_was_given_back() {
    let card = Card::builder().seed(3).build();
    let run = km::Session::builder().on(&card).open().unwrap().load(program()).unwrap();
    let upload = run.upload(&adding(8)).unwrap();
    run.start(&upload, [1, 1_000, 0, 0]).unwrap();
    let snapshot = card.snapshot();
    let forks = [(); 2].map(|()| {
        let fork = snapshot.fork().unwrap();
        assert!(matches!(km::Session::builder().on(&fork.client()).open(), Err(km::Error::CardBusy { .. })));
        fork.release();
        let session = km::Session::builder().on(&fork).open().unwrap();
        let run = session.load(program()).unwrap();
        let sum = run.submit(km::call("sum", &[4, 5]).on(0..8).result::<u32>()).unwrap();
        assert_eq!(run.wait(sum, TIMEOUT).unwrap().value(), 9);
        run.stop(TIMEOUT).unwrap();
        session.close().unwrap();
        look(&fork)
    });
    assert_eq!(forks[0], forks[1], "two forks, the same calls");
    assert_eq!(run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap().kind, km::EventKind::Done);
}

#[test]
fn what_a_session_ran_into_comes_again_after_a_restore() {
    let card = Card::builder().seed(9).build();
    let snapshot = card.snapshot();
    let live = || {
        let session = km::Session::builder().on(&card).open()?;
        let run = session.load_with(
            program(),
            km::LoadOptions { deadline: Duration::from_millis(1), ..Default::default() },
        )?;
        let tile = km::NocXy::new(card.description().columns[1], 2);
        let freeze = Breakage::Freeze { tile, hart: 1, time: None };
        card.break_on(When::At(card.now() + Duration::from_micros(9)), freeze).unwrap();
        loop {
            run.wait(run.submit(km::nop())?, TIMEOUT)?;
        }
    };
    let story = |end: km::Result<()>| format!("{} {}", end.unwrap_err(), look(&card));
    let first = story(live());
    assert!(first.contains("missed its deadline"), "{first}");
    for _ in 0..2 {
        card.restore(&snapshot).unwrap();
        assert_eq!(story(live()), first);
    }
}

/// What it held is closed for it first: nobody is left who would.
#[test]
fn a_session_opens_behind_one_of_the_snapshot_that_was_closed_since() {
    let card = Card::builder().seed(5).build();
    let session = km::Session::builder().on(&card.client()).open().unwrap();
    let run = session.load(program()).unwrap();
    run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
    let snapshot = card.snapshot();
    run.stop(TIMEOUT).unwrap();
    session.close().unwrap();
    let story = || {
        card.restore(&snapshot).unwrap();
        let session = km::Session::builder().on(&card).open().unwrap();
        let run = session.load(program()).unwrap();
        let sum = run.submit(km::call("sum", &[4, 5]).on(0..8).result::<u32>()).unwrap();
        assert_eq!(run.wait(sum, TIMEOUT).unwrap().value(), 9);
        run.stop(TIMEOUT).unwrap();
        session.close().unwrap();
        look(&card)
    };
    assert_eq!(story(), story());
}

#[test]
fn a_session_that_was_opened_since_is_told_and_another_one_opens() {
    let card = Card::builder().build();
    let snapshot = card.snapshot();
    let session = km::Session::builder().on(&card).open().unwrap();
    let run = session.load(program()).unwrap();
    card.restore(&snapshot).unwrap();
    // What is batched goes to the card with a wait.
    let error = run.submit(km::nop()).and_then(|handle| run.wait(handle, TIMEOUT)).unwrap_err();
    let told = |error: &km::Error| match error {
        km::Error::Card(of) => **of == CardError::Restored { to: snapshot.at() },
        _ => false,
    };
    assert!(told(&error), "{error}");
    let again = run.drain(TIMEOUT).unwrap_err();
    assert!(again.to_string().contains(&error.to_string()), "{again}");
    let error = session.close().unwrap_err();
    assert!(told(&error), "{error}");
    drop(run);
    assert!(card.holder().is_none());
    let session = km::Session::builder().on(&card).open().unwrap();
    let run = session.load(program()).unwrap();
    run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
    run.stop(TIMEOUT).unwrap();
    session.close().unwrap();
}
