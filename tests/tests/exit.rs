//! The end of a process that has a session open: this test binary runs itself as the process that ends.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use km::build::Sources;
use komorebi as km;
use komorebi_sim::Card;
use komorebi_simcard::Server;
use komorebi_tests::life;
use nix::sys::signal::{Signal, kill};
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

#[test]
fn the_child() {
    let Ok(way) = std::env::var(VARIABLE) else { return };
    // Noted first, so done last.
    komorebi_exit::at_exit(check).unwrap();
    if way.starts_with("signal") {
        km::close_on_signals().unwrap();
        km::close_on_signals().unwrap();
    }
    let (session, run, handle) = stuck();
    println!("ready");
    match way.as_str() {
        "exit" => std::process::exit(7),
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
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_child", "--nocapture", "--test-threads=1"])
        .env(VARIABLE, way)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
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
    for way in ["exit", "exit with a run that was forgotten"] {
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
