//! The tests once more with what a simulated card has that is built without a word about it: no parking, and other seeds.
//!
//! `cargo xtask test` runs every test with seed 0 and with parking. Nothing that a test sees may hang on either: bytes and
//! virtual times are the same without parking, and what a program promises is the same with every seed.

use crate::step::Step;
use crate::step::root;
use std::ops::RangeInclusive;
use std::path::Path;

/// The packages whose tests simulate cards, and their folders.
const PACKAGES: [(&str, &str); 4] = [
    ("komorebi", "komorebi"),
    ("komorebi-sim", "crates/sim"),
    ("komorebi-simcard", "crates/simcard"),
    ("komorebi-tests", "tests"),
];

/// What is not run without parking.
struct Parked {
    /// The test file.
    file: &'static str,
    /// One test of it, or all.
    test: Option<&'static str>,
    why: &'static str,
}

const fn file(file: &'static str, why: &'static str) -> Parked {
    Parked { file, test: None, why }
}

const fn test(file: &'static str, test: &'static str, why: &'static str) -> Parked {
    Parked { file, test: Some(test), why }
}

/// What is not run without parking, and why.
const PARKED: &[Parked] = &[
    file("contract", LONG),
    file("dispatcher_cost", COUNTS),
    file("engine_cost", COUNTS),
    file("engine_hostile", LONG),
    file("engine_interrupted", LONG),
    file("engine_memory", LONG),
    file("exit", LONG),
    test("hostile_kernels", "a_kernel_that_hangs_or_ruins_its_core_is_late_and_the_next_load_works", LONG),
    test(
        "kernels_failure",
        "a_deadline_beyond_the_low_word_of_the_clock_is_kept",
        "it waits for three seconds of the card, until a core's clock has wrapped",
    ),
    file("postmortem", LONG),
    file("random", LONG),
    test("run_commands", "sixteen_commands_in_flight_over_120_cores_all_have_their_events", LONG),
    test("run_engines_end", "a_dispatcher_that_dies_under_an_engine_ends_the_wait_for_it", LONG),
    test(
        "run_engines_end",
        "a_late_command_of_an_engine_ends_the_run_and_is_told_apart_from_the_hosts",
        LONG,
    ),
    test(
        "run_engines_end",
        "a_start_that_is_not_answered_leaves_an_unknown_engine_that_cancel_settles",
        LONG,
    ),
    test("run_engines_end", "a_stop_that_an_engine_outlasts_says_which_and_stops_all_the_same", LONG),
    test(
        "run_engines_end",
        "an_engine_that_is_cancelled_ends_with_that_reason_and_can_be_started_again",
        LONG,
    ),
    test("run_failure", "a_handler_that_never_returns_is_reset_with_its_core", LONG),
    test("run_failure", "a_wait_that_runs_out_tells_what_the_dispatcher_did_and_the_run_goes_on", LONG),
    test("run_failure", "an_abort_names_the_threads_that_do_not_come_back_and_resets_them", LONG),
    test("run_failure", "sixty_late_cores_are_told_in_few_lines_with_their_threads_and_the_option", LONG),
    test("run_failure", "the_dispatchers_idle_timeout_ends_the_run_with_its_result", LONG),
    test("run_failure", "threads_that_gave_up_name_the_option_they_went_by_at_the_start_and_later", LONG),
    test("run_hostfed", "a_stream_that_only_submits_meets_its_deadline_or_the_callers_timeout", LONG),
    test("run_hostfed", "a_stream_that_spins_meets_its_deadline_or_the_callers_timeout", LONG),
    test("run_kept", "a_restart_and_a_release_behind_a_cancel_that_drops_the_graph_find_it_gone", LONG),
    test("run_limits", "a_card_with_more_cores_than_commands_can_name_gives_a_program_those_they_can", LONG),
    test("run_limits", "a_run_that_met_the_close_in_a_wait_tells_what_was_in_flight", LONG),
    test("run_limits", "a_wait_returns_at_its_timeout_within_the_pause_behind_a_fence", LONG),
    file("run_snapshot", LONG),
    test("run_trace", "a_run_that_died_leaves_its_trace_with_what_did_not_end", LONG),
    test("run_trace", "clocks_are_compared_to_within_what_the_trace_says", LONG),
    file("run_worlds", LONG),
    file("scene_parking", "it plays each scenario with and without parking itself"),
    file("scene_seeds", "it plays the scenarios that scene_parking compares without parking"),
    file("shared_card", LONG),
];

/// One test of these takes from ten seconds of a processor to minutes; of a file that is left out, most do.
const LONG: &str = "a grid of hundreds of cores polls for milliseconds of the card, or for many runs";
/// What a parked hart does meanwhile is not in the counts of a card; what one that polls does is.
const COUNTS: &str =
    "it bounds the instructions and loads of a command, without those of harts that wait meanwhile";

/// Test files of `komorebi-tests` that are run with each of [`SEEDS`]: those whose cards have the seed of the environment, and
/// that take a second or two.
const SEEDED: &[&str] = &[
    "dispatcher_end",
    "dispatcher_launch",
    "dispatcher_monitor",
    "dispatcher_rules",
    "engine_reasons",
    "engine_refusals",
    "hostile_commands",
    "hostile_kernels",
    "kernels_commands",
    "kernels_data",
    "kernels_failure",
    "run_commands",
    "run_engines",
    "run_engines_same",
    "run_kept",
    "run_leftovers",
    "run_limits",
    "run_nop",
    "run_rules",
    "run_tensor",
    "run_trace",
    "run_uploads",
];

/// The seeds; every test runs with seed 0 before.
const SEEDS: RangeInclusive<u64> = 1..=32;

/// Every test of a card whose harts can poll all the time.
pub(crate) fn without_parking() -> Step {
    let packages = PACKAGES.iter().flat_map(|(name, _)| ["--package".to_string(), (*name).into()]);
    let tests = test_files(&root()).into_iter().filter(|test| !is_left_out(test));
    let skipped = PARKED.iter().filter_map(|parked| parked.test);
    Step::cargo("tests without parking")
        .variable("KM_PARKING", "off")
        .words("test --no-fail-fast")
        .arguments(packages)
        .arguments(tests.flat_map(|test| ["--test".to_string(), test]))
        .words("-- --exact")
        .arguments(skipped.flat_map(|test| ["--skip".to_string(), test.into()]))
}

/// What is not run without parking, a line for each reason.
pub(crate) fn left_out() -> Vec<String> {
    let mut reasons: Vec<&str> = Vec::new();
    for parked in PARKED {
        if !reasons.contains(&parked.why) {
            reasons.push(parked.why);
        }
    }
    let name = |parked: &Parked| match parked.test {
        Some(test) => format!("{}::{test}", parked.file),
        None => parked.file.to_string(),
    };
    let line = |why: &str| {
        let names: Vec<String> = PARKED.iter().filter(|parked| parked.why == why).map(name).collect();
        format!("not without parking ({why}): {}", names.join(", "))
    };
    reasons.into_iter().map(line).collect()
}

/// True of a test file that is not run without parking at all.
fn is_left_out(name: &str) -> bool {
    PARKED.iter().any(|parked| parked.test.is_none() && parked.file == name)
}

/// The short tests with one seed after the other.
pub(crate) fn with_seeds() -> Vec<Step> {
    let with_seed = |seed: u64| {
        Step::cargo(&format!("tests with seed {seed}"))
            .variable("KM_SEED", &seed.to_string())
            .words("test --quiet --no-fail-fast --package komorebi-tests")
            .arguments(SEEDED.iter().flat_map(|test| ["--test".to_string(), (*test).into()]))
    };
    SEEDS.map(with_seed).collect()
}

/// The name of these steps together.
pub(crate) fn seeds() -> String {
    format!("short tests with seeds {} to {}, {} files each", SEEDS.start(), SEEDS.end(), SEEDED.len())
}

/// The names of all test files, sorted.
fn test_files(root: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        PACKAGES.iter().flat_map(|(_, folder)| tests_in(&root.join(folder))).collect();
    names.sort();
    names
}

/// The test files of the package in a folder: `tests/name.rs`, and `tests/name/main.rs`.
fn tests_in(package: &Path) -> impl Iterator<Item = String> + use<> {
    let entries = std::fs::read_dir(package.join("tests")).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let path = entry.path();
        let is_test =
            path.extension().is_some_and(|extension| extension == "rs") || path.join("main.rs").is_file();
        let name = path.file_stem()?.to_str()?.to_string();
        is_test.then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_test_files_are_found_and_have_names_of_their_own() {
        let all = test_files(&root());
        let names: BTreeSet<&String> = all.iter().collect();
        assert_eq!(names.len(), all.len(), "cargo runs all files of a name: {all:?}");
        for known in ["run_nop", "contract", "settle", "posted", "host_path"] {
            assert!(names.contains(&known.to_string()), "{known} is not among {names:?}");
        }
        assert!(!names.contains(&"support".to_string()), "no test file");
    }

    /// What a test file says, `tests/name.rs` or all of `tests/name`.
    fn text_of(name: &str) -> String {
        let folders = PACKAGES.iter().map(|(_, folder)| root().join(folder).join("tests"));
        let in_folder = |folder: &Path| std::fs::read_dir(folder.join(name)).into_iter().flatten().flatten();
        let files = folders.flat_map(|folder| {
            let parts = in_folder(&folder).map(|entry| entry.path()).collect::<Vec<_>>();
            parts.into_iter().chain([folder.join(format!("{name}.rs"))])
        });
        files.filter_map(|file| std::fs::read_to_string(file).ok()).collect()
    }

    #[test]
    fn the_lists_name_test_files_and_the_first_one_says_why() {
        let all = test_files(&root());
        for Parked { file, test, why } in PARKED {
            assert!(all.contains(&(*file).to_string()), "there is no test file {file}");
            assert!(why.len() > 20, "{file}: why is it not run?");
            let has = |test: &str| text_of(file).contains(&format!("fn {test}()"));
            assert!(test.is_none_or(has), "there is no test {test:?} in {file}");
        }
        let own: Vec<String> = tests_in(&root().join("tests")).collect();
        for name in SEEDED {
            assert!(own.contains(&(*name).to_string()), "there is no test file {name} of komorebi-tests");
        }
    }

    #[test]
    fn a_seed_that_fails_is_named_with_the_command_that_repeats_it() {
        let steps = with_seeds();
        assert_eq!(steps.len(), 32);
        assert_eq!(steps[6].name(), "tests with seed 7");
        let command = steps[6].command();
        assert!(command.starts_with("KM_SEED=7 cargo test "), "{command}");
        assert!(command.contains("--package komorebi-tests --test "), "{command}");
    }

    #[test]
    fn what_is_left_out_is_told_with_its_reason() {
        let told = left_out().join("\n");
        for Parked { file, test, why } in PARKED {
            assert!(told.contains(file) && told.contains(why), "{file}");
            assert!(test.is_none_or(|test| told.contains(&format!("{file}::{test}"))), "{test:?}");
        }
    }

    #[test]
    fn without_parking_every_test_file_runs_that_is_no_exception() {
        let command = without_parking().command();
        assert!(command.starts_with("KM_PARKING=off cargo test "), "{command}");
        for test in test_files(&root()) {
            let runs = format!("{command} ").contains(&format!("--test {test} "));
            assert_eq!(runs, !is_left_out(&test), "{test}");
        }
    }
}
