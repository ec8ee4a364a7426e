//! A card that is shared by processes: who holds it, what becomes of it when its holder dies at any moment.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, SystemTime};

use km::Card as _;
use komorebi as km;
use komorebi_sim::{Builder, Card};
use komorebi_simcard::{Look, RemoteCard, Server};
use komorebi_tests::life;
use komorebi_tests::mortal::{Death, Mortal};
use tempfile::TempDir;

const CLIENT: &str = env!("CARGO_BIN_EXE_client");

/// A card that this process serves, for clients in others.
struct Bed {
    folder: TempDir,
    /// The card behind the socket, to count what it did.
    card: Card,
}

impl Bed {
    fn new(card: Builder) -> Self {
        let bed = Self { folder: TempDir::new().unwrap(), card: card.build() };
        let server = Server::bind(bed.socket(), bed.card.clone()).unwrap();
        std::thread::spawn(move || server.run());
        bed
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("card")
    }

    fn start(&self, words: &[&str]) -> Process {
        Process::start(&self.socket(), words)
    }

    fn open(&self) -> km::Result<km::Session> {
        km::Session::builder().sim_card(self.socket()).open()
    }

    /// The next session finds a card that works.
    fn works(&self, when: &str) {
        let session = self.open().unwrap_or_else(|error| panic!("{when}: {error}"));
        life::nop_everywhere(&session).unwrap_or_else(|error| panic!("{when}: {error}"));
        session.close().unwrap_or_else(|error| panic!("{when}: {error}"));
    }
}

/// A client in a process of its own, which does not outlive its test.
struct Process {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Process {
    fn start(socket: &Path, words: &[&str]) -> Self {
        let mut command = Command::new(CLIENT);
        let mut child = command.arg(socket).args(words).stdout(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_run_over_the_socket_is_the_run_of_the_card_itself_to_the_nanosecond() {
    for seed in [0, 7] {
        let local = Card::builder().seed(seed).build();
        let session = km::Session::builder().on(&local).open().unwrap();
        life::live(&session).unwrap();
        session.close().unwrap();

        let bed = Bed::new(Card::builder().seed(seed));
        let remote = RemoteCard::connect(bed.socket()).unwrap();
        assert_eq!(remote.description(), local.description());
        let session = km::Session::builder().on(&remote).open().unwrap();
        life::live(&session).unwrap();
        session.close().unwrap();
        assert_eq!(remote.now(), local.now(), "seed {seed}");
        assert_eq!(bed.card.counters(), local.counters(), "seed {seed}");
    }
}

#[test]
fn a_second_client_is_told_who_holds_the_card_and_since_when() {
    let before = SystemTime::now();
    let bed = Bed::new(Card::builder());
    assert_eq!(Look::connect(bed.socket()).unwrap().holder().unwrap(), None);
    let mut client = bed.start(&["nops"]);
    assert_eq!(client.line(), "ready");
    let error = bed.open().unwrap_err();
    let km::Error::CardBusy { holder } = &error else { panic!("{error}") };
    assert_eq!((holder.pid, holder.command.as_str()), (client.child.id(), "client"));
    assert!((before..=SystemTime::now()).contains(&holder.since.unwrap()), "{error}");
    let message = error.to_string();
    let start = format!("the card is held by process {} (`client`) since 2", holder.pid);
    assert!(message.starts_with(&start) && message.ends_with("; close its session first"), "{message}");
    assert_eq!(Look::connect(bed.socket()).unwrap().holder().unwrap().as_ref(), Some(holder));
    // The refusal left the holder alone: it goes on, and then another process takes its turn.
    assert_eq!(client.line(), "ready");
    client.kill();
    let mut next = bed.start(&["once"]);
    assert!(next.child.wait().unwrap().success());
    bed.works("after both");
}

#[test]
fn a_holder_that_died_is_not_taken_for_one_even_while_its_child_keeps_the_connection() {
    let bed = Bed::new(Card::builder());
    let mut client = bed.start(&["leave"]);
    let heir: i32 = client.line().parse().unwrap();
    // A zombie first: nobody has waited for it.
    let look = Look::connect(bed.socket()).unwrap();
    while look.holder().unwrap().is_some() {
        std::thread::yield_now();
    }
    assert!(client.child.try_wait().is_ok());
    bed.works("the heir has the connection");
    let heir = nix::unistd::Pid::from_raw(heir);
    nix::sys::signal::kill(heir, nix::sys::signal::Signal::SIGKILL).unwrap();
    bed.works("the heir is gone, too");
}

/// `count` of the numbers from 1 to `total`, spread by `seed`, the first and the last among them.
fn moments(seed: u64, count: u64, total: u64) -> impl Iterator<Item = u64> {
    let step = total.div_ceil(count).max(1);
    let spread = move |at: u64| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed) % step;
    (0..count).map(move |at| (1 + at * step + spread(at)).min(total)).chain([1, total])
}

/// More calls than any client makes.
const FAR: u64 = u64::MAX;

/// Calls of the card that a client makes in its life: the first client, which starts the monitor, and one after it.
fn calls(card: Builder) -> [u64; 2] {
    let card = card.build();
    [(); 2].map(|()| {
        let card = Mortal::new(card.clone(), Death::Close, FAR);
        let session = km::Session::builder().on(&card).open().unwrap();
        life::live(&session).unwrap();
        session.close().unwrap();
        card.calls()
    })
}

/// 48 deaths, beside those at the calls of an open below; `KM_KILLS=1000` makes them one at every call.
#[test]
fn whatever_call_of_the_card_a_client_dies_at_the_next_session_needs_no_reset() {
    let small = Card::builder().columns(4);
    let [first, later] = calls(small.clone());
    let count = std::env::var("KM_KILLS").map_or(12, |count| count.parse().unwrap());
    for (seed, at_once, new) in [(0, false, true), (1, true, true), (5, false, false), (9, true, false)] {
        let builder = small.clone().seed(seed).clock_stops_at_once(at_once);
        let mut card = builder.clone().build();
        life::nop_everywhere(&km::Session::builder().on(&card).open().unwrap()).unwrap();
        let total = if new { first } else { later };
        for last in moments(seed, count, total - total / 10) {
            if new {
                card = builder.clone().build();
            }
            let when = format!("died at call {last} of {total}, seed {seed}, at once: {at_once}, new: {new}");
            let mortal = Mortal::new(card.clone(), Death::Close, last);
            let lived = km::Session::builder().on(&mortal).open().and_then(|session| life::live(&session));
            assert!(lived.is_err(), "{when}: it did not");
            let session =
                km::Session::builder().on(&card).open().unwrap_or_else(|error| panic!("{when}: {error}"));
            life::nop_everywhere(&session).unwrap_or_else(|error| panic!("{when}: {error}"));
            session.close().unwrap_or_else(|error| panic!("{when}: {error}"));
        }
    }
}

/// The open of a card's first client, and one that takes over what a dead client's dispatcher runs on: every call of its
/// beginning, every third one of the long rest.
#[test]
fn a_client_may_die_anywhere_in_its_open_also_behind_one_that_died() {
    for (at_once, behind) in [(true, false), (false, true)] {
        let builder = Card::builder().columns(4).clock_stops_at_once(at_once);
        for last in (1..16).chain((16..).step_by(3)) {
            let card = builder.clone().build();
            if behind {
                let mortal = Mortal::new(card.clone(), Death::Close, FAR);
                let session = km::Session::builder().on(&mortal).open().unwrap();
                let run = session.load(life::program()).unwrap();
                let spin = run.submit(km::call("spin", &[100_000_000]).on(0..4)).unwrap();
                run.wait(spin, Duration::from_micros(50)).unwrap_err();
                mortal.die();
            }
            let mortal = Mortal::new(card.clone(), Death::Close, last);
            let opened = km::Session::builder().on(&mortal).open();
            let lives = opened.is_ok();
            drop(opened);
            let when =
                format!("died at call {last} of its open, at once: {at_once}, behind a dead one: {behind}");
            let session =
                km::Session::builder().on(&card).open().unwrap_or_else(|error| panic!("{when}: {error}"));
            life::nop_everywhere(&session).unwrap_or_else(|error| panic!("{when}: {error}"));
            if lives {
                assert!(last > 10, "{when}");
                break;
            }
        }
    }
}

#[test]
fn a_process_killed_at_any_call_leaves_a_card_that_works() {
    let [first, later] = calls(Card::builder());
    for (seed, at_once, new) in [(3, false, true), (4, true, false)] {
        let builder = Card::builder().seed(seed).clock_stops_at_once(at_once);
        let mut bed = Bed::new(builder.clone());
        bed.works("a card after a reset");
        let total = if new { first } else { later };
        // A seed changes when the card answers, and so how often it is asked: the last calls may not come.
        for last in moments(seed, 16, total - total / 10) {
            if new {
                bed = Bed::new(builder.clone());
            }
            let when = format!("killed at call {last} of {total}, seed {seed}, at once: {at_once}");
            let status = bed.start(&["call", &last.to_string()]).child.wait().unwrap();
            assert_eq!(status.signal(), Some(nix::sys::signal::Signal::SIGKILL as i32), "{when}");
            bed.works(&when);
        }
    }
}

#[test]
fn a_process_killed_from_outside_while_its_commands_run_leaves_a_card_that_works() {
    for (batches, at_once) in [(1, false), (2, true), (5, false), (9, true)] {
        let bed = Bed::new(Card::builder().seed(batches).clock_stops_at_once(at_once));
        for round in 0..3 {
            let mut client = bed.start(&["nops"]);
            (0..batches + round).for_each(|_| assert_eq!(client.line(), "ready"));
            client.kill();
            bed.works(&format!("killed behind {batches} batches, at once: {at_once}"));
        }
    }
}

#[test]
fn lim_that_is_lost_with_the_clock_is_told_with_what_to_do() {
    let bed = Bed::new(Card::builder().lim_lost(true));
    bed.works("a card after a reset");
    let error = bed.open().unwrap_err();
    let km::Error::StartError(start) = &error else { panic!("{error}") };
    assert!(
        start.what.contains("its memory (LIM) is empty") && start.what.contains("reset the card"),
        "{error}"
    );
    let again = bed.open().unwrap_err();
    assert!(matches!(again, km::Error::StartError(_)), "the failed open holds nothing: {again}");
}

#[test]
fn a_server_that_is_gone_is_a_lost_device_and_its_socket_is_replaced() {
    let folder = TempDir::new().unwrap();
    let socket = folder.path().join("card");
    let error = km::Session::builder().sim_card(&socket).open().unwrap_err();
    assert!(matches!(error, km::Error::NoSimCard { .. }), "{error}");
    let message = error.to_string();
    assert!(message.contains(&format!("cargo komorebi sim-card {}", socket.display())), "{message}");
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    let server = Server::bind(&socket, Card::builder().build()).unwrap();
    let taken = Server::bind(&socket, Card::builder().build()).err().unwrap();
    assert_eq!(taken.kind(), std::io::ErrorKind::AddrInUse);
    drop(server);
    assert!(!socket.exists());
}
