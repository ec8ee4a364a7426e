//! What a failure leaves to read: the file, and the story it tells.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use km::build::Sources;
use komorebi as km;
use komorebi_abi::constants::{core, layout};
use komorebi_sim::{Breakage, Card, When};
use komorebi_tests::engine::Random;
use nix::unistd::gettid;
use serde_json::Value;
use tempfile::TempDir;
use tracing_subscriber::util::SubscriberInitExt as _;

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
        let deadline = Duration::from_millis(2);
        self.load_with(km::LoadOptions { deadline, trace, post_mortem, ..Default::default() })
    }

    fn load_with(&self, options: km::LoadOptions) -> km::Run {
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
        self.session.load_with(program, options).unwrap()
    }

    /// Under these no program comes through its start.
    fn hasty(&self) -> km::LoadOptions {
        let folder = self.folder.path().join("left");
        let (wait, start) = (Duration::from_micros(1), Duration::from_millis(5));
        km::LoadOptions { wait, start, post_mortem: Some(folder), ..Default::default() }
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
            "core 4:\n  writer, in `starve` (sequence number 2), waits for the other cores of its group to be done: 2 of 3 have said so; not core 5\n",
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
fn the_first_wait_of_a_load_that_runs_out_leaves_a_file_though_the_run_goes_on() {
    let bed = Bed::new();
    let (deadline, folder) = (Duration::from_millis(50), bed.folder.path().join("left"));
    let run = bed.load_with(km::LoadOptions { deadline, post_mortem: Some(folder), ..Default::default() });
    let starving = run.submit(km::call("starve", &[5]).on(4..8)).unwrap();
    let short = Duration::from_micros(500);
    let error = run.wait(starving, short).unwrap_err();
    assert!(matches!(error, km::Error::WaitTimeout(_)), "{error}");
    let (file, story) = bed.story(&error);
    says(
        &story,
        &["WaitTimeout: ", "Program `dying`, load ", "Command 1 of the host, on cores 4..8, has no event"],
    );
    assert!(file.cores.is_empty(), "no core is read while a program runs");
    assert_eq!(file.dispatcher.unwrap().busy.len(), 1);

    let again = run.wait(starving, short).unwrap_err();
    assert!(
        matches!(again, km::Error::WaitTimeout(_)) && !again.to_string().contains("post-mortem"),
        "{again}"
    );
    run.wait(run.submit(km::nop().on(0..4)).unwrap(), TIMEOUT).expect("the run goes on");
    let late = run.wait(starving, TIMEOUT).unwrap_err();
    assert!(matches!(late, km::Error::CommandTimeout(_)), "{late}");
    assert!(late.to_string().contains("-2.json"), "its end has a file of its own: {late}");
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
        &["Fault: the card halted: [KF0306] NC at tile ", "reader.cpp:8", "The card did not answer any more"],
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
    let load = |options| bed.session.load_with(km::Program::new("dying").grid(4, 2), options);
    let error = load(bed.hasty()).unwrap_err();
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
fn without_a_folder_nothing_is_written_and_a_folder_that_cannot_be_is_told_and_hides_nothing() {
    let bed = Bed::new();
    let file = bed.folder.path().join("file");
    std::fs::write(&file, "in the way").unwrap();
    let below = file.join("below");
    let asked = [
        (None, None),
        (Some(file.clone()), Some(format!("{}: not a directory", file.display()))),
        (Some(below.clone()), Some(format!("{}: Not a directory (os error 20)", below.display()))),
    ];
    for (folder, told) in asked {
        let run = bed.load_into(0, folder);
        let error = run.wait(run.submit(km::call("endless", &[0])).unwrap(), TIMEOUT).unwrap_err();
        assert!(matches!(error, km::Error::CommandTimeout(_)), "{error}");
        let text = error.to_string();
        let line =
            text.split_once("\n  post-mortem: could not be written to ").map(|(_, line)| line.to_owned());
        assert_eq!(line, told, "{text}");
        assert_eq!(text.contains("post-mortem"), told.is_some(), "{text}");
    }
    let files: Vec<_> = std::fs::read_dir(bed.folder.path()).unwrap().collect();
    assert_eq!(files.len(), 1, "{files:?}");
}

#[test]
fn a_line_about_a_file_in_a_folder_with_a_space_is_one_a_shell_takes() {
    let bed = Bed::new();
    let folder = bed.folder.path().join("left here");
    let run = bed.load_into(0, Some(folder.clone()));
    let error = run.wait(run.submit(km::call("endless", &[0])).unwrap(), TIMEOUT).unwrap_err();
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let last = format!("\n  post-mortem: `cargo komorebi explain '{}'` tells it", file.display());
    assert!(error.to_string().ends_with(&last), "{error}");
    assert!(km::PostMortem::read(file).is_ok());
}

#[test]
fn an_abort_whose_threads_do_not_return_leaves_the_trace_too() {
    let bed = Bed::new();
    let run = bed.load(16);
    run.submit(km::call("endless", &[1]).on(0..2)).unwrap();
    // Behind it, on other cores.
    run.wait(run.submit(km::nop().on(4..8)).unwrap(), TIMEOUT).unwrap();
    let error = run.abort().unwrap_err();
    assert!(matches!(error, km::Error::GridTimeout(_)), "{error}");
    let (file, story) = bed.story(&error);
    says(&story, &["GridTimeout: ", "core 1:\n  reader, in `endless`", "reader.cpp:5"]);
    let trace = file.trace.unwrap();
    assert!(trace["traceEvents"].as_array().unwrap().iter().any(|event| event["name"] == "nop"), "{trace}");
}

#[test]
fn a_start_after_which_the_hart_is_not_back_leaves_a_file() {
    let bed = Bed::new();
    let tile = bed.session.description().l2cpus[0].tile;
    bed.card.break_on(When::Now, Breakage::Freeze { tile, hart: 0, time: None }).unwrap();
    let error = bed.session.load_with(km::Program::new("dying").grid(4, 2), bed.hasty()).unwrap_err();
    assert!(matches!(error, km::Error::StartError(_)), "{error}");
    assert!(matches!(bed.session.load(km::Program::new("next")), Err(km::Error::Unstopped)));
    let (file, story) = bed.story(&error);
    says(&story, &["StartError: ", "The dispatcher is not started"]);
    assert_eq!(file.cores.len(), 8);
}

#[test]
fn what_a_core_wrote_over_its_state_is_told_as_far_as_it_says_anything() {
    let bed = Bed::new();
    let run = bed.load(0);
    let tile = bed.session.nocs().place(km::Core(1)).unwrap();
    for thread in 0..core::THREADS {
        let block = layout::L1_CONTROL + core::CONTROL_THREADS + core::THREAD_STRIDE * thread;
        for (word, value) in [(core::THREAD_PLACE, 1), (core::THREAD_WAIT, u32::MAX)] {
            let address = u64::from(block + 4 * word);
            let hold = Breakage::Hold { tile, address, value, time: Duration::from_secs(10) };
            bed.card.break_on(When::Now, hold).unwrap();
        }
    }
    let error = run.wait(run.submit(km::call("endless", &[0]).on(0..1)).unwrap(), TIMEOUT).unwrap_err();
    let (_, story) = bed.story(&error);
    let unknown = "core 1:\n  reader waits for 4294967295, which this host does not know\n";
    says(&story, &["core 0:\n  reader, in `endless`", unknown]);
}

/// A log in which a line with `text` starts `hook`, which the line waits for.
struct Hook<F> {
    text: &'static str,
    hook: Arc<Mutex<Option<F>>>,
}

impl<F: FnOnce()> Write for Hook<F> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if String::from_utf8_lossy(bytes).contains(self.text)
            && let Some(hook) = self.hook.lock().unwrap().take()
        {
            hook();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Closes the session in a thread of its own, which waits for what uses the session when this returns.
fn close_meanwhile(session: km::Session) -> JoinHandle<km::Result<()>> {
    let (tell, told) = mpsc::channel();
    let closer = std::thread::spawn(move || {
        tell.send(gettid()).unwrap();
        session.close()
    });
    let stat = format!("/proc/self/task/{}/stat", told.recv().unwrap());
    let sleeps = || std::fs::read_to_string(&stat).unwrap().rsplit_once(')').unwrap().1.starts_with(" S");
    while !sleeps() {
        std::thread::yield_now();
    }
    closer
}

#[test]
fn a_start_that_fails_while_another_thread_closes_the_session_leaves_its_file_and_lets_it_close() {
    let bed = Bed::new();
    let (give, given) = mpsc::channel();
    let session = bed.session.clone();
    let hook = Arc::new(Mutex::new(Some(move || give.send(close_meanwhile(session)).unwrap())));
    let writer = move || Hook { text: "the load failed", hook: hook.clone() };
    // A thread without a log that comes to a line first would turn it off for the only log there is: so every thread has one.
    let _ = tracing_subscriber::fmt().with_writer(std::io::sink).try_init();
    let log = tracing_subscriber::fmt().with_writer(writer).set_default();
    let error = bed.session.load_with(km::Program::new("dying").grid(4, 2), bed.hasty()).unwrap_err();
    drop(log);
    given.recv().unwrap().join().unwrap().unwrap();
    let (file, _) = bed.story(&error);
    assert!(file.dispatcher.is_some() && matches!(error, km::Error::StartError(_)), "{error}");
}

/// Every number and text of `value`, in order.
fn leaves<'a>(value: &'a mut Value, found: &mut Vec<&'a mut Value>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| leaves(item, found)),
        Value::Object(fields) => fields.values_mut().for_each(|field| leaves(field, found)),
        leaf => found.push(leaf),
    }
}

#[test]
fn a_file_that_says_anything_is_told_or_refused_in_one_line() {
    let bed = Bed::new();
    let run = bed.load(4);
    let starving = run.submit(km::call("starve", &[5]).on(4..8)).unwrap();
    let error = run.wait(starving, TIMEOUT).unwrap_err();
    let bytes = std::fs::read(bed.file(&error)).unwrap();
    let mut whole: Value = serde_json::from_slice(&bytes).unwrap();
    // What only makes the file long: the words that nothing is told of.
    for words in ["/events", "/dispatcher/ring", "/dispatcher/state", "/trace"] {
        *whole.pointer_mut(words).unwrap() =
            if words == "/trace" { Value::Null } else { Value::Array(Vec::new()) };
    }
    whole["dispatcher"]["busy"] =
        serde_json::json!([{ "slot": 0, "sequence": 1, "handler": 1, "first": u32::MAX, "count": u32::MAX }]);
    whole["commands"][0]["first"] = u32::MAX.into();
    let text = serde_json::to_vec(&whole).unwrap();
    let (mut told, mut refused) = (0, 0);
    let mut read = |bytes: &[u8]| match km::PostMortem::parse(bytes) {
        Ok(file) => {
            assert!(!file.explain().is_empty());
            told += 1;
        }
        Err(error) => {
            assert!(!error.is_empty() && error.lines().count() == 1, "{error}");
            refused += 1;
        }
    };
    read(&text);
    let mut random = Random::new(1);
    let mut below = |end: usize| random.below(end as u32) as usize;
    let odd = [0, 1, 255, u64::from(u32::MAX), u64::MAX].map(Value::from);
    let odd = [&odd[..], &["".into(), "a\nb".into(), Value::Null, Value::Array(Vec::new())]].concat();
    for _ in 0..300 {
        let mut bytes = text.clone();
        let at = below(bytes.len());
        match below(3) {
            0 => bytes.truncate(at),
            1 => bytes[at] = below(256) as u8,
            _ => bytes[at] ^= 1 << below(8),
        }
        read(&bytes);
        let mut value = whole.clone();
        let mut found = Vec::new();
        leaves(&mut value, &mut found);
        for _ in 0..1 + below(3) {
            let at = below(found.len());
            *found[at] = odd[below(odd.len())].clone();
        }
        read(&serde_json::to_vec(&value).unwrap());
    }
    assert!(told > 50 && refused > 50, "{told} told, {refused} refused");
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
        ("{\"format\":\"a\\nb\"}", r"its `format` is a\nb, not `komorebi post-mortem`"),
        (r#"{"format":"komorebi post-mortem","version":1}"#, "missing field"),
    ] {
        let error = km::PostMortem::parse(text.as_bytes()).unwrap_err();
        assert!(error.contains(said), "{text}: {error}");
    }
}
