//! Programs with X280 threads: both forms give one model, and no session runs them yet.

#[path = "support/null_card.rs"]
mod null_card;

use std::time::Duration;

use komorebi as km;
use null_card::NullCard;

#[km::program(
    kernels = (reader = "threads/scan.cpp", writer = "threads/scan.cpp"),
    threads(
        scan(
            cluster = 1,
            sources = ["threads/scan.cpp"],
            regions(table = 65_536),
            words = 8,
            deadline = 50 ms,
            prefetch = documented,
        ),
    ),
    regions(shared = 4_096),
)]
trait Join {
    #[handler(1)]
    fn probe(#[input] rows: km::Address);
}

fn source(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/threads").join(name)
}

fn built() -> km::Program {
    let scan = km::Thread::on(1)
        .source(source("scan.cpp"))
        .region("table", 65_536)
        .words(8)
        .deadline(Duration::from_millis(50))
        .prefetch(km::Prefetch::Documented);
    km::Program::new("Join").handler("probe", 1).thread(scan).region("shared", 4_096)
}

#[test]
fn the_macro_and_the_builder_give_the_same_threads() {
    let (declared, built) = (Join::program(), built());
    let mut threads = declared.model().threads.clone();
    assert_eq!(threads[0].name.take().as_deref(), Some("scan"));
    // A declaration keeps the paths from its source file's folder, for `#include` from there.
    assert_eq!(threads[0].sources, ["threads/scan.cpp"]);
    threads[0].sources = vec!["scan.cpp".into()];
    assert_eq!(threads, built.model().threads);
    assert_eq!(declared.model().regions, built.model().regions);
    let texts = |files: &[km::build::SourceFile]| {
        let name = |file: &km::build::SourceFile| file.path.rsplit('/').next().unwrap().to_owned();
        files.iter().map(|file| (name(file), file.bytes.to_vec())).collect::<Vec<_>>()
    };
    assert_eq!(texts(declared.thread_sources()), texts(built.thread_sources()));
    let names: Vec<_> = built.thread_sources().iter().map(|file| file.path.as_ref()).collect();
    assert_eq!(names, ["scan.cpp", "table.h"]);
    assert_eq!(built.model().upload_bytes(), 0);
    declared.check().unwrap();
    built.check().unwrap();
}

#[test]
fn a_program_with_a_thread_is_refused_at_load_and_the_session_goes_on() {
    let session = km::Session::builder().on(&NullCard::new()).open().unwrap();
    let error = session.load(Join::program()).unwrap_err();
    assert!(matches!(&error, km::Error::ThreadsNotRun { program, .. } if program == "Join"), "{error}");
    assert_eq!(
        error.to_string(),
        "program `Join` has thread `scan`, and X280 threads do not run yet; load it without"
    );
    let error = session.load(built()).unwrap_err();
    assert!(error.to_string().contains("the thread of cluster 1"), "{error}");
    let run = session.load(km::Program::new("nop")).unwrap();
    run.stop(Duration::from_secs(1)).unwrap();
}

#[test]
fn a_threads_mistakes_are_told_at_once() {
    let program = km::Program::new("Join")
        .thread(km::Thread::on(0).source(source("scna.cpp")).words(17))
        .thread(km::Thread::on(2).deadline(Duration::MAX).region("table", 100))
        .region("table", 64);
    let error = program.check().unwrap_err();
    let mut codes: Vec<&str> = error.problems.iter().map(|problem| problem.rule.code()).collect();
    codes.dedup();
    assert_eq!(codes, ["KM0021", "KM0024", "KM0023", "KM0024", "KM0022"], "{error}");
    assert_eq!(error.messages.len(), 1, "{error}");
    assert!(error.messages[0].contains("scna.cpp"), "{error}");
}

#[test]
fn two_files_of_one_name_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("scan.cpp");
    std::fs::write(&other, "// another\n").unwrap();
    let program = km::Program::new("Join").thread(km::Thread::on(1).source(source("scan.cpp")).source(other));
    let error = program.check().unwrap_err();
    assert!(error.messages[0].contains("both called scan.cpp"), "{error}");
}
