//! Random lives: commands of every kind, one fault, and an account of every event.

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use komorebi as km;
use komorebi_sim::Card;
use komorebi_tests::engine::Random;
use komorebi_tests::engine::counting::counting;

use super::life::{TIMEOUT, program, usable, works};
use super::trouble::{self, Trouble};

/// Lives in CI.
const LIVES: Range<u64> = 0..500;

/// Runs `job` for each of `seeds`, two at a time, and tells every seed that failed.
pub(crate) fn in_parallel(seeds: Range<u64>, job: impl Fn(u64) + Sync) {
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let mut failed = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return failed;
            }
            if catch_unwind(AssertUnwindSafe(|| job(seed))).is_err() {
                failed.push(seed);
            }
        }
    };
    let failed = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let mut failed = work();
        failed.extend(other.join().unwrap());
        failed.sort_unstable();
        failed
    });
    assert!(failed.is_empty(), "these fail, each by itself: {failed:?}");
}

/// What a life has to account for.
#[derive(Default)]
struct Account {
    /// Commands without an event, with the result that a done event must carry.
    open: BTreeMap<u64, Option<u32>>,
    answered: u64,
    /// The run can have engines.
    engines: bool,
    /// Commands that engines may have submitted.
    others: u64,
    /// What happened, with the card's time: the same for the same seed.
    story: String,
}

impl Account {
    fn event(&mut self, trouble: &Trouble, event: &km::Event<u32>) {
        let number = event.handle.number();
        let expected =
            self.open.remove(&number).unwrap_or_else(|| panic!("an event was invented: {event:?}"));
        self.answered += 1;
        if event.kind == km::EventKind::Done && !trouble.corrupts {
            assert_eq!(event.result, expected, "{event:?}");
        }
        self.story += &format!("{number} {:?} {} {:?}\n", event.kind, event.ticks, event.result);
    }
}

fn options(random: &mut Random) -> km::LoadOptions {
    let micros =
        |random: &mut Random, first, last| Duration::from_micros(u64::from(random.between(first, last)));
    km::LoadOptions {
        depth: Some(random.between(1, 16)),
        trace: if random.one_in(4) { random.between(1, 40) } else { 0 },
        deadline: micros(random, 1500, 4000),
        wait: micros(random, 800, 3000),
        idle: Duration::from_millis(400),
        start: micros(random, 3000, 6000),
        host_depth: 1 << random.between(0, 6),
        event_depth: 1 << random.between(1, 7),
        batch: random.between(1, 64),
        settle: Duration::from_micros(u64::from(random.below(3))),
        ..Default::default()
    }
}

/// One command, of any kind, and the result its event must carry.
fn submit(random: &mut Random, run: &km::Run, account: &mut Account) -> km::Result<km::Handle<u32>> {
    let first = random.below(4);
    let count = random.between(1, 4 - first);
    let (a, b) = (random.word() as u32, random.below(1000));
    let cycles = random.below(40_000);
    let (call, expected) = if random.one_in(4) {
        (km::call("spin", &[cycles]), cycles)
    } else {
        (km::call("sum", &[a, b]), a.wrapping_add(b))
    };
    let call = call.result::<u32>();
    let call = match random.below(5) {
        0 => call.queued(count),
        1 => call.on((first, count)).exclusive(),
        _ => call.on((first, count)),
    };
    let handle = run.submit(call)?;
    account.open.insert(handle.number(), Some(expected));
    Ok(handle)
}

/// A stream beside the host's commands, to its end or cancelled on its way.
fn engine(random: &mut Random, run: &km::Run, trouble: &Trouble, account: &mut Account) -> km::Result<()> {
    let count = random.between(1, 9);
    let upload = run.upload(&counting(7, 2))?;
    account.others += u64::from(count);
    let options = km::StartOptions { timeout: TIMEOUT, ..Default::default() };
    let handle = run.start_with(&upload, [count], options)?;
    if random.one_in(3) {
        run.cancel(&handle, TIMEOUT)?;
    }
    let end = match run.wait_engine(&handle, TIMEOUT) {
        Err(km::Error::EngineError(error)) if error.reason_name == "cancelled" => None,
        Ok(end) => Some(end.end()[0]),
        Err(other) => return Err(other),
    };
    let events: Vec<Option<u32>> = handle.events().iter().map(|event| event.value).collect();
    account.story += &format!("{end:?} {events:?}\n");
    if !trouble.corrupts {
        assert!(end.is_none_or(|end| end == count), "{end:?} of {count}");
        let posted = events.len() - 1;
        assert!(end.is_none() || posted == count as usize, "an event was lost: {events:?} of {count}");
        assert!((1..).zip(&events[..posted]).all(|(n, event)| *event == Some(n)), "{events:?}");
    }
    run.release(&upload, TIMEOUT)
}

/// Submits and waits in every way, until an error ends the run or the life is over.
fn live(random: &mut Random, run: &km::Run, trouble: &Trouble, account: &mut Account) -> km::Result<()> {
    let mut handles: Vec<km::Handle<u32>> = Vec::new();
    for _ in 0..random.between(3, 14) {
        if let Some(handler) = trouble.handler.filter(|_| random.one_in(4)) {
            let core = random.below(4);
            let stuck = run.submit(km::call(handler, &[core]).on((core, 1)).result::<u32>())?;
            account.open.insert(stuck.number(), None);
            handles.push(stuck);
        }
        match random.below(7) {
            0 | 1 => {
                for _ in 0..random.between(1, 12) {
                    handles.push(submit(random, run, account)?);
                }
            }
            2 if !handles.is_empty() => {
                let some = handles.len().min(random.between(1, 6) as usize);
                let waited = run.wait(&handles[..some], TIMEOUT)?;
                handles.drain(..some);
                waited.iter().for_each(|event| account.event(trouble, event));
            }
            3 if !handles.is_empty() => {
                let event = run.wait_any(&handles, TIMEOUT)?;
                handles.retain(|handle| *handle != event.handle);
                account.event(trouble, &event);
            }
            4 => {
                let expected = handles.len() as u64;
                let counted = run.drain(TIMEOUT)?;
                assert!(counted <= expected, "{counted} events for {expected} commands");
                for handle in handles.drain(..) {
                    let event = run.event(handle)?.expect("it was drained");
                    account.event(trouble, &event);
                    run.forget(handle)?;
                }
            }
            5 if account.engines => engine(random, run, trouble, account)?,
            _ if !handles.is_empty() => {
                let at = random.below(handles.len() as u32) as usize;
                if let Some(event) = run.event(handles[at])? {
                    account.event(trouble, &event);
                    run.forget(handles.remove(at))?;
                }
            }
            _ => {}
        }
    }
    run.wait(&handles, TIMEOUT)?.iter().for_each(|event| account.event(trouble, event));
    assert!(account.open.is_empty(), "events were lost: {:?}", account.open);
    Ok(())
}

/// The end of a run that is well so far.
fn end(
    random: &mut Random,
    run: km::Run,
    trouble: &Trouble,
    account: &Account,
    well: bool,
) -> km::Result<()> {
    let report = match random.below(3) {
        0 | 1 if well => run.stop(Duration::from_millis(40))?,
        2 => {
            drop(run);
            return Ok(());
        }
        _ => run.abort()?,
    };
    let Some(result) = report.result.filter(|_| well && report.cause.is_none() && !trouble.corrupts) else {
        return Ok(());
    };
    assert_eq!(result.abandoned, 0, "{result}");
    let commands = result.commands - account.answered;
    assert!(commands <= 1 + account.others, "the host's and EXIT: {result}, {} answered", account.answered);
    Ok(())
}

/// A whole life; its story.
fn one(seed: u64) -> String {
    let mut random = Random::new(seed);
    let card = Card::builder().columns(1).seed(if random.one_in(3) { 0 } else { seed + 1 }).build();
    let client = card.client();
    let mut account = Account::default();
    let mut trouble = None;
    let met = (|| -> km::Result<()> {
        let early = random.one_in(5);
        let mut plan = |random: &mut Random, calls, micros| {
            trouble = Some(trouble::plan(random, &client, calls, Duration::from_micros(micros)));
        };
        if early {
            plan(&mut random, 330, 4000); // from the open on
        }
        let session = km::Session::builder().on(&client).grid_timeout(Duration::from_millis(4)).open()?;
        let options = options(&mut random);
        account.engines = options.host_depth > 1;
        let run = session.load_with(program(), options)?;
        if !early {
            plan(&mut random, 90, 400);
        }
        let trouble = trouble.as_ref().expect("it is planned");
        let lived = live(&mut random, &run, trouble, &mut account);
        let ended = end(&mut random, run, trouble, &account, lived.is_ok());
        let closed = if random.one_in(2) { session.close() } else { Ok(()) };
        lived.and(ended).and(closed)
    })();
    let trouble = trouble.expect("it is planned");
    account.story += &format!("{} at {:?}: {met:?}\n", trouble.name, km::Card::now(&card));
    if let Err(error) = &met {
        assert!(trouble.explains(error), "seed {seed}: {} does not explain {error}", trouble.name);
    }
    card.mend();
    // What is late arrives before the card is used again: packets of one run are not for the next.
    let late = km::Card::now(&card) + trouble::LATEST;
    while km::Card::relax(&card, late).is_ok_and(|now| now < late) {}
    if trouble.resets && usable(&card).is_err() {
        card.reset();
    }
    works(&card, &format!("seed {seed}, {}: {met:?}", trouble.name));
    account.story
}

#[test]
fn every_life_ends_well_or_with_an_error_that_its_fault_explains() {
    let seeds = std::env::var("KM_SEEDS").map_or(LIVES, |seeds| {
        let (first, end) = seeds.split_once("..").expect("KM_SEEDS=first..end");
        first.parse().unwrap()..end.parse().unwrap()
    });
    in_parallel(seeds, |seed| drop(one(seed)));
}

#[test]
fn a_seed_gives_the_same_life_again() {
    in_parallel(0..12, |seed| {
        let story = one(seed);
        assert!(story.lines().count() > 1 || seed > 0, "{story}");
        assert_eq!(one(seed), story, "seed {seed}");
    });
}
