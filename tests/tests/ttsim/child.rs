//! A job on ttsim in a process of its own: this test binary runs itself. ttsim ends its process at a violation, and a fresh
//! process is the only clean card it has (ttsim.md §1).

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use komorebi_sim::Card;

use crate::machine::Ttsim;
use crate::{floats, images, speed};

/// The library, for who runs these tests.
const LIBRARY: &str = "KM_TTSIM";
/// Names the job to the child, and the folder of what it gets and what it gives.
const JOB: &str = "KM_TTSIM_JOB";
const FOLDER: &str = "KM_TTSIM_FOLDER";

/// What a job does with a fresh simulator: bytes in, bytes out.
pub(crate) type Job = fn(Ttsim, &[u8]) -> Vec<u8>;

const JOBS: [(&str, Job); 5] = [
    (floats::JOB, floats::execute),
    (images::MAP, images::map_job),
    (images::PIPELINE, images::pipeline_job),
    (images::PIPELINE_RATE, images::pipeline_rate_job),
    (speed::JOB, speed::spin_job),
];

/// Runs a job; gives what it gave.
pub(crate) fn run(job: &str, input: &[u8]) -> Vec<u8> {
    let library = std::env::var_os(LIBRARY).unwrap_or_else(|| {
        panic!("set {LIBRARY} to the path of a libttsim.so; docs/judges.md says how to build one")
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("in"), input).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "child::what_the_other_tests_start", "--nocapture"])
        .env(LIBRARY, library)
        .env(JOB, job)
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let violation = said.lines().find(|line| line.contains(" ERROR: "));
    assert!(violation.is_none(), "ttsim refused it: {}", violation.unwrap_or_default());
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(folder.path().join("out")).unwrap()
}

#[test]
#[ignore = "what the other tests start"]
fn what_the_other_tests_start() {
    let Ok(name) = std::env::var(JOB) else { return };
    let variable = |name| std::env::var_os(name).unwrap_or_else(OsString::new);
    let (_, job) = JOBS.iter().find(|(job, _)| *job == name).expect("a job of that name");
    let card = Card::builder().build();
    let ttsim = Ttsim::load(&variable(LIBRARY), komorebi_card::Card::description(&card));
    let folder = variable(FOLDER);
    let output = job(ttsim, &std::fs::read(Path::new(&folder).join("in")).unwrap());
    std::fs::write(Path::new(&folder).join("out"), output).unwrap();
}
