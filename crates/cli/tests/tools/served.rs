//! `sim-card`, `inspect` and `explain FILE`: a card that is served, and what is left of one that stood.

use super::{BINARY, line, printed};
use komorebi_abi::program::ArgKind;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A tool that runs until it is killed.
struct Serving(std::process::Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn sim_card_serves_the_card_it_was_asked_for_and_a_path_in_use_is_refused() {
    let folder = TempDir::new().unwrap();
    let socket = folder.path().join("card");
    let mut command = Command::new(BINARY);
    command.arg("sim-card").arg(&socket).args(["--board", "p100a", "--columns", "3", "--seed", "9"]);
    let mut serving = Serving(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut said = String::new();
    BufReader::new(serving.0.stdout.take().unwrap()).read_line(&mut said).unwrap();
    let variable = format!("sim:{}", socket.display());
    assert_eq!(said, format!("a simulated card is served; open it with KM_CARD={variable}\n"));
    let session = komorebi::Session::builder().sim_card(&socket).open().unwrap();
    let description = session.description();
    assert_eq!((description.board, description.columns.len()), (komorebi::Board::P100a, 3));
    let run = session.load(komorebi::Program::new("nop")).unwrap();
    let second = std::time::Duration::from_secs(1);
    run.wait(run.submit(komorebi::nop()).unwrap(), second).unwrap();
    run.stop(second).unwrap();
    drop(session);
    assert_eq!(printed(["inspect", &variable]), "Nobody holds the card: nothing runs on it.\n");
    let error = line([std::ffi::OsStr::new("sim-card"), socket.as_os_str()]);
    assert!(error.starts_with("error: no card can be served at ") && error.contains("in use"), "{error}");
}

/// A program whose command waits for a semaphore that nobody sets, and how long it may.
fn wedge() -> (komorebi::Program, komorebi::LoadOptions) {
    const READER: &str = r"
#include <komorebi/kernel.h>
KM_HANDLER(Stuck) {
    if (km::core_index() == args.core) noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(0x100000), 1);
}
";
    let program = komorebi::Program::new("wedge")
        .with_sources(komorebi::build::Sources::new().file("reader.cpp", READER.as_bytes()))
        .handler_with("stuck", 7, &[("core", ArgKind::U32)], None)
        .grid(4, 2);
    (program, komorebi::LoadOptions { deadline: std::time::Duration::from_millis(100), ..Default::default() })
}

#[test]
fn inspect_and_explain_tell_of_a_wedged_card_while_it_runs_and_afterwards() {
    let folder = TempDir::new().unwrap();
    let socket = folder.path().join("card");
    let mut command = Command::new(BINARY);
    let mut serving = Serving(command.arg("sim-card").arg(&socket).stdout(Stdio::piped()).spawn().unwrap());
    BufReader::new(serving.0.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    let header = folder.path().join("wedge.h");
    std::fs::write(&header, "constexpr unsigned kHandlerStuck = 7;\n").unwrap();
    let card = format!("sim:{}", socket.display());
    let inspect = || printed(["inspect", &card, "--header", header.to_str().unwrap()]);

    let session = komorebi::Session::builder().sim_card(&socket).open().unwrap();
    let (program, mut options) = wedge();
    options.post_mortem = Some(folder.path().join("left"));
    let run = session.load_with(program, options).unwrap();
    let stuck = run.submit(komorebi::call("stuck", &[6]).on(4..8)).unwrap();
    run.wait(stuck, std::time::Duration::from_millis(1)).unwrap_err();
    let before = run.session().description().clone();
    let story = inspect();
    let me = format!("Inspection: the card is held by process {} (", std::process::id());
    assert!(story.starts_with(&me), "{story}");
    for words in [
        "on 4 x 2 cores of a simulated card p150a",
        "The dispatcher is running",
        "hart 0: running",
        "in flight: command with sequence number 1, `stuck`, on cores 4..8 (slot 0)",
        "read when the program has ended. A command may take 100ms",
    ] {
        assert!(story.contains(words), "no `{words}` in:\n{story}");
    }
    assert_eq!(story, inspect(), "a look changes nothing");
    assert_eq!(&before, session.description());

    // The run dies of its deadline; the session keeps the card.
    let error = run.wait(stuck, std::time::Duration::from_secs(1)).unwrap_err();
    let story = inspect();
    for words in [
        "The dispatcher is failed",
        "core 6:\n  reader, in `stuck` (sequence number 1), waits for the semaphore at 0x100000 to be 1 (it is 0)",
    ] {
        assert!(story.contains(words), "no `{words}` in:\n{story}");
    }
    // One file is of the wait that ran out, one of the end.
    let files: Vec<_> =
        std::fs::read_dir(folder.path().join("left")).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 2, "{files:?}");
    let named = files.iter().find(|file| error.to_string().contains(file.to_str().unwrap()));
    let file = named.unwrap_or_else(|| panic!("{error}"));
    let told = printed([std::ffi::OsStr::new("explain"), file.as_os_str()]);
    assert!(told.starts_with("CommandTimeout: command 1") && told.contains("reader.cpp:4"), "{told}");
}

#[test]
fn explain_refuses_a_file_that_is_no_post_mortem_and_inspect_a_card_that_is_not_served() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("other.json");
    std::fs::write(&file, r#"{"format":"else"}"#).unwrap();
    let error = line([std::ffi::OsStr::new("explain"), file.as_os_str()]);
    assert!(
        error
            .ends_with("other.json is no post-mortem file: its `format` is else, not `komorebi post-mortem`"),
        "{error}"
    );
    assert!(line(["explain", "no/such.json"]).starts_with("error: no/such.json cannot be read"));
    assert!(line(["inspect", "card:0"]).starts_with("error: no `card:0` can be inspected: give `sim:PATH`"));
    assert!(line(["inspect", "sim:/nowhere"]).starts_with("error: no simulated card is served at /nowhere"));
}
