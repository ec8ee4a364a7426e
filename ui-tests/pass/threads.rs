//! Threads on the work clusters of the X280 with their regions, declared beside the grid's kernels and built at run time.
#![deny(missing_docs, unsafe_code, warnings)]

use komorebi as km;
use std::time::Duration;

/// Joins rows by a table that a thread keeps.
#[km::program(
    kernels = "kernels",
    threads(
        scan(
            cluster = 1,
            sources = ["threads/scan.cpp"],
            regions(table = 65_536, marks = 64),
            words = 8,
            deadline = 50 ms,
            prefetch = documented,
        ),
        sum(clusters = (2, 3), sources = "threads/scan.cpp"),
    ),
    regions(shared = 4_096),
)]
pub trait Join {
    /// Looks rows up.
    #[handler(1)]
    fn probe(#[input] rows: km::Address, count: u32);
}

fn main() {
    let program = Join::program();
    program.check().unwrap();
    let model = program.model();
    let [scan, twin, sum] = model.threads.as_slice() else { panic!("three threads") };
    assert_eq!((twin.cluster, &twin.sources), (2, &sum.sources));
    assert_eq!((scan.cluster, scan.words, scan.deadline_us), (1, 8, Some(50_000)));
    assert_eq!((sum.cluster, sum.words, sum.deadline_us), (3, 0, None));
    let regions: Vec<_> = scan.regions.iter().map(|region| (region.name.as_str(), region.bytes)).collect();
    assert_eq!(regions, [("table", 65_536), ("marks", 64)]);
    assert_eq!(model.regions.len(), 1);
    assert_eq!(model.upload_bytes(), 0);
    let files: Vec<_> = program.thread_sources().iter().map(|file| file.path.as_ref()).collect();
    assert_eq!(files, ["threads/scan.cpp", "threads/table.h"]);

    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("threads");
    let built = km::Program::new("Join").thread(
        km::Thread::on(1)
            .source(folder.join("scan.cpp"))
            .region("table", 65_536)
            .region("marks", 64)
            .words(8)
            .deadline(Duration::from_millis(50))
            .prefetch(km::Prefetch::Documented),
    );
    assert_eq!(built.model().threads[0].regions, scan.regions);
    let both = km::Program::new("Join").thread(km::Thread::on(2).and_on(3).source(folder.join("scan.cpp")));
    assert_eq!(both.model().threads.iter().map(|thread| thread.cluster).collect::<Vec<_>>(), [2, 3]);
    // Every value of a call stays typed.
    assert_eq!(Join::probe(km::Address(64), 2).words(), [64, 2]);
}
