//! What a failure leaves to read: the file, and the story it tells.

use std::path::PathBuf;
use std::time::Duration;

use km::build::Sources;
use komorebi as km;
use komorebi_sim::{Breakage, Card, When};
use tempfile::TempDir;

const TIMEOUT: Duration = Duration::from_secs(5);

const READER: &str = r#"
#include <komorebi/kernel.h>
KM_HANDLER(Starve) {}
KM_HANDLER(Endless) {
    if (km::core_index() == args.core) for (;;) asm volatile("");
}
KM_HANDLER(Crooked) {
    noc_async_read(km::bank_noc_addr(0, 4), 0x100000, 32);
}
"#;

/// The writer of one core waits for a page that its reader never pushes.
const WRITER: &str = r"
#include <komorebi/kernel.h>
KM_HANDLER(Starve) {
    if (km::core_index() != args.core) return;
    cb_wait_front(3, 1);
}
";

struct Bed {
    folder: TempDir,
    card: Card,
    session: km::Session,
}

impl Bed {
    fn new() -> Self {
        let card = Card::builder().build();
        let session = km::Session::builder().on(&card).open().unwrap();
        Self { folder: TempDir::new().unwrap(), card, session }
    }

    fn load(&self, trace: u32) -> km::Run {
        // The folder is made.
        self.load_into(trace, Some(self.folder.path().join("left")))
    }

    fn load_into(&self, trace: u32, post_mortem: Option<PathBuf>) -> km::Run {
        let word = ("core", km::ArgKind::U32);
        let program = km::Program::new("dying")
            .with_sources(
                Sources::new().file("reader.cpp", READER.as_bytes()).file("writer.cpp", WRITER.as_bytes()),
            )
            .handler_with("starve", 1, &[word], None)
            .handler_with("endless", 2, &[word], None)
            .handler_with("crooked", 3, &[], None)
            .buffer(3, km::Format::Uint32, 64, 2)
            .grid(4, 2);
        let options =
            km::LoadOptions { deadline: Duration::from_millis(2), trace, post_mortem, ..Default::default() };
        self.session.load_with(program, options).unwrap()
    }

    /// The one file, and that the error names it.
    fn file(&self, error: &km::Error) -> PathBuf {
        let files: Vec<_> = std::fs::read_dir(self.folder.path().join("left")).unwrap().collect();
        let [Ok(file)] = &files[..] else { panic!("{files:?}") };
        let last = format!("\n  post-mortem: `cargo komorebi explain {}` tells it", file.path().display());
        assert!(error.to_string().ends_with(&last), "{error}");
        file.path()
    }

    fn story(&self, error: &km::Error) -> (km::PostMortem, String) {
        let file = km::PostMortem::read(self.file(error)).unwrap();
        assert_eq!(file.program, "dying");
        let story = file.explain();
        (file, story)
    }
}

#[track_caller]
fn says(story: &str, words: &[&str]) {
    for word in words {
        assert!(story.contains(word), "no `{word}` in:\n{story}");
    }
}

#[test]
fn a_core_that_hangs_in_cb_wait_front_is_told_with_thread_buffer_and_line() {
    let bed = Bed::new();
    let run = bed.load(16);
    run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
    let starving = run.submit(km::call("starve", &[5]).on(4..8)).unwrap();
    let error = run.wait(starving, TIMEOUT).unwrap_err();
    assert!(matches!(error, km::Error::CommandTimeout(_)), "{error}");
    let (file, story) = bed.story(&error);
    says(
        &story,
        &[
            "CommandTimeout: command 2 (",
            "Program `dying`, load ",
            "The dispatcher is failed",
            "Command 2 of the host, on cores 4..8, has no event: it was sent at ",
            "A command may take 2ms.",
            "core 5:\n",
            "writer, in `starve` (sequence number 2), waits for data in circular buffer 3",
            "writer.cpp:5",
            "core 4:\n  writer, in `starve` (sequence number 2), waits for the other cores of its group to be done: 2 of 3 have said so; not core 5",
        ],
    );
    assert!(!story.contains("core 6"), "{story}");
    // Sent at least the deadline before it was read back.
    let sent = file.commands[0].stored.unwrap();
    assert!(file.at - sent >= 2_000_000, "{} {sent}", file.at);
    assert_eq!((file.kind.as_str(), file.cores.len(), file.deadline), ("CommandTimeout", 8, 2_000_000));
    let dispatcher = file.dispatcher.as_ref().unwrap();
    assert_eq!((dispatcher.ring.len(), file.events.len()), (64 * 8, 256));
    assert!(dispatcher.result.as_ref().unwrap().contains("a group missed its deadline"));
    let trace = file.trace.as_ref().unwrap()["traceEvents"].as_array().unwrap();
    assert!(trace.iter().any(|event| event["name"] == "starve"));
    let cause = run.stop(TIMEOUT).unwrap().cause.unwrap();
    assert_eq!(cause.to_string(), error.to_string(), "every later call names the file, too");
}

#[test]
fn a_thread_that_never_comes_back_is_told_with_the_line_it_was_at() {
    let bed = Bed::new();
    let run = bed.load(0);
    let endless = run.submit(km::call("endless", &[1]).on(0..2)).unwrap();
    let error = run.wait(endless, TIMEOUT).unwrap_err();
    let (file, story) = bed.story(&error);
    says(
        &story,
        &[
            "core 1:\n  reader, in `endless` (sequence number 1), runs on and waits for nobody, in ",
            "reader.cpp:5",
        ],
    );
    assert!(file.trace.is_none());
}

#[test]
fn a_broken_rule_in_a_kernel_is_told_with_core_function_and_line() {
    let bed = Bed::new();
    let run = bed.load(0);
    let crooked = run.submit(km::call("crooked", &[]).on(2..3)).unwrap();
    let error = run.wait(crooked, TIMEOUT).unwrap_err();
    assert!(matches!(error, km::Error::Fault(_)), "{error}");
    let (file, story) = bed.story(&error);
    says(
        &story,
        &["Fault: the card halted: NC at tile ", "reader.cpp:8", "The card did not answer any more"],
    );
    says(&story, &["Command 1 of the host, on core 2, has no event: it was sent at "]);
    assert!(file.dispatcher.is_none() && file.cores.is_empty());
}

#[test]
fn a_dispatcher_that_is_gone_is_told_with_its_trap() {
    let bed = Bed::new();
    let run = bed.load(0);
    run.wait(run.submit(km::nop()).unwrap(), TIMEOUT).unwrap();
    let tile = bed.session.description().l2cpus[0].tile;
    bed.card.break_on(When::Now, Breakage::Trap { tile, hart: 0, cause: 5, value: 0x1234 }).unwrap();
    let late = run.submit(km::nop()).unwrap();
    let error = run.wait(late, TIMEOUT).unwrap_err();
    assert!(matches!(error, km::Error::KernelFailed(_)), "{error}");
    let (file, story) = bed.story(&error);
    says(
        &story,
        &[
            "KernelFailed: the dispatcher failed: an exception ended it",
            "trap of hart 0: mcause 0x5",
            "mtval 0x1234",
        ],
    );
    says(&story, &["Command 2 of the host, on cores 0..8, has no event", "Every core had done its commands"]);
    assert!(file.dispatcher.unwrap().harts.iter().any(|hart| hart.starts_with("trapped")));
}

#[test]
fn a_start_that_fails_and_a_stop_that_does_not_leave_a_file_and_none() {
    let bed = Bed::new();
    let folder = bed.folder.path().join("left");
    let options = km::LoadOptions {
        wait: Duration::from_micros(1),
        start: Duration::from_millis(5),
        post_mortem: Some(folder.clone()),
        ..Default::default()
    };
    let load = |options| bed.session.load_with(km::Program::new("dying").grid(4, 2), options);
    let error = load(options).unwrap_err();
    assert!(matches!(error, km::Error::StartError(_)), "{error}");
    let (_, story) = bed.story(&error);
    says(
        &story,
        &["StartError: ", "The dispatcher is failed", "waits for ", "it gave up: load option `wait`"],
    );
    std::fs::remove_dir_all(&folder).unwrap();
    let run = load(km::LoadOptions { post_mortem: Some(folder.clone()), ..Default::default() }).unwrap();
    run.stop(TIMEOUT).unwrap();
    assert!(!folder.exists());
}

#[test]
fn without_a_folder_nothing_is_written_and_a_folder_that_cannot_be_hides_nothing() {
    let bed = Bed::new();
    let file = bed.folder.path().join("file");
    std::fs::write(&file, "in the way").unwrap();
    for folder in [None, Some(file.join("below"))] {
        let run = bed.load_into(0, folder);
        let error = run.wait(run.submit(km::call("endless", &[0])).unwrap(), TIMEOUT).unwrap_err();
        assert!(matches!(error, km::Error::CommandTimeout(_)), "{error}");
        assert!(!error.to_string().contains("post-mortem"), "{error}");
    }
}

#[test]
fn what_is_no_post_mortem_is_refused_with_what_it_is() {
    for (text, said) in [
        ("{", "it is no JSON"),
        ("[]", "its `format` is missing"),
        (
            r#"{"format":"komorebi post-mortem","version":9}"#,
            "its `version` is 9, and this program reads version 1",
        ),
        (r#"{"format":"komorebi post-mortem","version":1}"#, "missing field"),
    ] {
        let error = km::PostMortem::parse(text.as_bytes()).unwrap_err();
        assert!(error.contains(said), "{text}: {error}");
    }
}
