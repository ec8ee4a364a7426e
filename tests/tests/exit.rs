//! The end of a process that has a session open: this test binary runs itself as the process that ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::{Barrier, Once, OnceLock};
use std::time::Duration;

use km::build::Sources;
use komorebi as km;
use komorebi_sim::Card;
use komorebi_simcard::Server;
use komorebi_tests::life;
use nix::sys::signal::{Signal, kill, raise};
use nix::unistd::Pid;

/// Tells the child how to end.
const VARIABLE: &str = "KM_EXIT_CHILD";

const TIMEOUT: Duration = Duration::from_secs(5);
/// As good as for ever.
const DAY: Duration = Duration::from_secs(86_400);

static CARD: OnceLock<Card> = OnceLock::new();

fn card() -> &'static Card {
    CARD.get_or_init(|| Card::builder().columns(1).build())
}

/// After the sessions were closed by the end of the process: the next one works on the same card.
fn check() {
    let worked = (|| -> km::Result<()> {
        let session = km::Session::builder().on(card()).open()?;
        let run = session.load(km::Program::new("after"))?;
        run.wait(run.submit(km::nop())?, TIMEOUT)?;
        run.stop(TIMEOUT)?;
        Ok(())
    })();
    println!("after: {worked:?}");
}

const READER: &str = "#include <komorebi/kernel.h>\nKM_HANDLER(Stuck) { noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(0x100000), 1); }\n";

/// A run with a command that never ends.
fn stuck() -> (km::Session, km::Run, km::Handle) {
    let session = km::Session::builder().on(card()).open().unwrap();
    let program = km::Program::new("stuck")
        .with_sources(Sources::new().file("reader.cpp", READER.as_bytes()))
        .handler_with("stuck", 1, &[], None)
        .grid(1, 2);
    let options = km::LoadOptions { deadline: DAY, wait: DAY, ..Default::default() };
    let run = session.load_with(program, options).unwrap();
    let handle = run.submit(km::call("stuck", &[])).unwrap();
    run.wait(handle, Duration::from_micros(100)).unwrap_err();
    (session, run, handle)
}

/// Hands each line of the log at INFO to its function.
#[derive(Clone, Copy)]
struct Log(fn(&str));

impl Log {
    fn install(self) {
        tracing_subscriber::fmt()
            .with_max_level(tracing_subscriber::filter::LevelFilter::INFO)
            .with_writer(move || self)
            .init();
    }
}

impl Write for Log {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        (self.0)(&String::from_utf8_lossy(line));
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Where a signal's thread has begun to close, and where the end of the process has begun.
static CLOSING: Barrier = Barrier::new(2);
static EXITING: Barrier = Barrier::new(2);

/// Gets the signal, and `main` ends while the session is being closed for it.
fn exit_meanwhile() -> ! {
    Log(|line| {
        static FIRST: Once = Once::new();
        if line.contains("a run is loaded: stopping it") {
            FIRST.call_once(|| {
                CLOSING.wait();
                EXITING.wait();
            });
        }
    })
    .install();
    let _kept = stuck();
    let exiting = || {
        EXITING.wait();
    };
    komorebi_exit::at_exit(exiting).unwrap();
    println!("ready");
    CLOSING.wait();
    std::process::exit(7);
}

/// Gets the signal while the session's last clone is dropped.
fn signal_in_a_drop() -> ! {
    Log(|line| {
        static FIRST: Once = Once::new();
        if line.contains("closing every session") {
            CLOSING.wait();
        }
        if line.contains("the card is released") {
            FIRST.call_once(|| {
                kill(Pid::this(), Signal::SIGTERM).unwrap();
                CLOSING.wait();
                (0..10_000_000).for_each(|_| std::hint::spin_loop()); // more than a process needs to end
                println!("the drop goes on");
            });
        }
    })
    .install();
    drop(stuck());
    loop {
        std::thread::park();
    }
}

/// Gets the signal at the end of `main`, when its session is closed.
fn signal_at_exit() -> ! {
    Log(|line| {
        if line.contains("closing every session") {
            CLOSING.wait();
        }
    })
    .install();
    let (session, run, _) = stuck();
    session.close().unwrap();
    let signal = || {
        kill(Pid::this(), Signal::SIGTERM).unwrap();
        CLOSING.wait();
    };
    komorebi_exit::at_exit(signal).unwrap();
    println!("ready");
    let _kept = (session, run);
    std::process::exit(7);
}

#[test]
fn the_child() {
    let Ok(way) = std::env::var(VARIABLE) else { return };
    if way == "signal in a drop" {
        km::close_on_signals().unwrap();
        println!("ready");
        signal_in_a_drop();
    }
    // Noted first, so done last.
    komorebi_exit::at_exit(check).unwrap();
    if way == "signals with no thread" {
        println!("ready: {:?}", km::close_on_signals());
        raise(Signal::SIGTERM).unwrap();
        println!("the signal did nothing");
        std::process::exit(1);
    }
    if way.starts_with("signal") {
        km::close_on_signals().unwrap();
        km::close_on_signals().unwrap();
    }
    match way.as_str() {
        "signal and an exit meanwhile" => exit_meanwhile(),
        "signal at the exit" => signal_at_exit(),
        "exit with a subscriber" => Log(|_| ()).install(),
        _ => {}
    }
    let (session, run, handle) = stuck();
    println!("ready");
    match way.as_str() {
        "exit" | "exit with a subscriber" | "exit with no thread" => std::process::exit(7),
        "exit with a run that was forgotten" => {
            std::mem::forget((session, run));
            std::process::exit(7);
        }
        "signal in a wait" => {
            let ended = run.wait(handle, DAY);
            println!("the wait ended: {ended:?}");
            std::process::exit(1);
        }
        "signal" => loop {
            std::thread::park();
        },
        other => panic!("{other}"),
    }
}

/// Runs the child; its status and what it said.
fn child(way: &str, signal: Option<Signal>) -> (Option<i32>, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "the_child", "--nocapture", "--test-threads=1"])
        .env(VARIABLE, way)
        .stdout(Stdio::piped());
    if way.ends_with("no thread") {
        command.env("RUST_MIN_STACK", (1_u64 << 60).to_string()); // no address space has room for one
    }
    let mut child = command.spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    while !said.contains("ready") {
        assert_ne!(out.read_line(&mut said).unwrap(), 0, "{way}: {said}");
    }
    if let Some(signal) = signal {
        kill(Pid::from_raw(child.id() as i32), signal).unwrap();
    }
    out.read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code(), said)
}

#[test]
fn a_process_that_exits_closes_its_sessions_first_and_keeps_its_status() {
    for way in ["exit", "exit with a run that was forgotten", "exit with a subscriber", "exit with no thread"]
    {
        let (status, said) = child(way, None);
        assert_eq!(status, Some(7), "{way}: {said}");
        assert!(said.contains("after: Ok(())"), "{way}: {said}");
    }
}

#[test]
fn sigterm_and_sigint_close_the_sessions_and_end_with_their_status() {
    for (signal, status) in [(Signal::SIGTERM, 143), (Signal::SIGINT, 130)] {
        for way in ["signal", "signal in a wait"] {
            let (ended, said) = child(way, Some(signal));
            assert_eq!(ended, Some(status), "{signal} {way}: {said}");
            assert!(said.contains("after: Ok(())"), "{signal} {way}: {said}");
            assert!(!said.contains("the wait ended"), "a call meanwhile ends with the process: {said}");
        }
    }
}

#[test]
fn an_exit_meanwhile_waits_for_the_sessions_that_a_signal_closes() {
    let (status, said) = child("signal and an exit meanwhile", Some(Signal::SIGTERM));
    assert_eq!(status, Some(7), "{said}");
    assert!(said.contains("after: Ok(())"), "{said}");
}

#[test]
fn a_signal_waits_for_the_drop_of_a_session_that_is_under_way() {
    let (status, said) = child("signal in a drop", None);
    assert_eq!(status, Some(143), "{said}");
    assert!(said.contains("the drop goes on"), "{said}");
}

#[test]
fn a_signal_at_the_exit_does_not_hold_it_up() {
    let (status, said) = child("signal at the exit", None);
    assert_eq!(status, Some(7), "{said}");
    assert!(said.contains("after: Ok(())"), "{said}");
}

#[test]
fn signals_that_are_refused_a_thread_still_end_the_process() {
    let (status, said) = child("signals with no thread", None);
    assert!(said.contains("ready: Err(signals cannot be listened to"), "{said}");
    assert_eq!(status, None, "by the signal itself: {said}");
}

#[test]
fn a_process_that_a_signal_ends_leaves_the_card_to_another_process() {
    let folder = tempfile::TempDir::new().unwrap();
    let socket = folder.path().join("card");
    let server = Server::bind(socket.clone(), Card::builder().columns(4).build()).unwrap();
    std::thread::spawn(move || server.run());
    for (signal, status) in [(Signal::SIGTERM, 143), (Signal::SIGINT, 130)] {
        let mut client = Command::new(env!("CARGO_BIN_EXE_client"))
            .arg(&socket)
            .arg("obedient")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(client.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n", "its commands run");
        kill(Pid::from_raw(client.id() as i32), signal).unwrap();
        let mut rest = String::new();
        out.read_to_string(&mut rest).unwrap();
        assert_eq!(client.wait().unwrap().code(), Some(status), "{signal}");
        let session = km::Session::builder().sim_card(&socket).open().unwrap();
        life::nop_everywhere(&session).unwrap();
        session.close().unwrap();
    }
}
