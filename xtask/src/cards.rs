//! The tests once more with what a simulated card has that is built without a word about it: no parking, and other seeds.
//!
//! `cargo xtask test` runs every test with seed 0 and with parking. Nothing that a test sees may hang on either: bytes and
//! virtual times are the same without parking, and what a program promises is the same with every seed.
//!
//! Every test file of the packages below is run both ways unless a list here says why not; the summary of `cargo xtask test` repeats it.

use crate::binaries::{Binary, Target};
use crate::runs::Run;
use std::ops::RangeInclusive;

/// The packages whose tests simulate cards, and their folders.
const PACKAGES: [(&str, &str); 6] = [
    ("komorebi", "komorebi"),
    ("komorebi-sim", "crates/sim"),
    ("komorebi-simcard", "crates/simcard"),
    ("komorebi-tests", "tests"),
    ("komorebi-examples", "examples"),
    ("komorebi-cli", "crates/cli"),
];

/// The names of the two steps.
pub(crate) const PARKING: &str = "tests without parking";
pub(crate) const SHORT: &str = "short tests with seeds 1 to 32";
/// The seeds; every test runs with seed 0 before.
const SEEDS: RangeInclusive<u64> = 1..=32;

/// What is not run.
struct Exception {
    /// The test binary, by its name.
    file: &'static str,
    /// One test of it, or all.
    test: Option<&'static str>,
    why: &'static str,
}

const fn file(file: &'static str, why: &'static str) -> Exception {
    Exception { file, test: None, why }
}

const fn test(file: &'static str, test: &'static str, why: &'static str) -> Exception {
    Exception { file, test: Some(test), why }
}

/// What is not run without parking, and why.
const PARKED: &[Exception] = &[
    file("contract", LONG),
    file("dispatcher_cost", COUNTS),
    file("engine_cost", COUNTS),
    file("engine_hostile", LONG),
    file("engine_interrupted", LONG),
    file("engine_memory", LONG),
    file("exit", LONG),
    test("graph", "a_hole_in_a_slope_is_mended_with_the_slope", LONG),
    test("hostile_kernels", "a_kernel_that_hangs_or_ruins_its_core_is_late_and_the_next_load_works", LONG),
    test(
        "kernels_failure",
        "a_deadline_beyond_the_low_word_of_the_clock_is_kept",
        "it waits for three seconds of the card, until a core's clock has wrapped",
    ),
    test("map", "a_gain_of_zero_makes_every_pixel_black", LONG),
    test("map", "the_neutral_curve_gives_the_picture_back_beside_it", LONG),
    file("order", OWN),
    file("owned", OWN),
    test("postmortem", "a_line_about_a_file_in_a_folder_with_a_space_is_one_a_shell_takes", LONG),
    test("postmortem", "a_start_after_which_the_hart_is_not_back_leaves_a_file", LONG),
    test("postmortem", "a_thread_that_never_comes_back_is_told_with_the_line_it_was_at", LONG),
    test("postmortem", "an_abort_whose_threads_do_not_return_leaves_the_trace_too", LONG),
    test("postmortem", "the_first_wait_of_a_load_that_runs_out_leaves_a_file_though_the_run_goes_on", LONG),
    test("postmortem", "what_a_core_wrote_over_its_state_is_told_as_far_as_it_says_anything", LONG),
    test(
        "postmortem",
        "without_a_folder_nothing_is_written_and_a_folder_that_cannot_be_is_told_and_hides_nothing",
        LONG,
    ),
    file("random", LONG),
    test("reduce", "the_sum_of_the_card_has_the_bits_of_the_same_additions_on_the_host_every_time", LONG),
    test("run_commands", "sixteen_commands_in_flight_over_120_cores_all_have_their_events", LONG),
    test(
        "run_engines_end",
        "a_start_that_is_not_answered_leaves_an_unknown_engine_that_cancel_settles",
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
    test("run_snapshot", "what_a_session_ran_into_comes_again_after_a_restore", LONG),
    test("run_trace", "a_run_that_died_leaves_its_trace_with_what_did_not_end", LONG),
    test("run_trace", "clocks_are_compared_to_within_what_the_trace_says", LONG),
    test("run_worlds", "every_board_and_every_cost_gives_the_same_bytes", LONG),
    test("run_worlds", "every_order_that_the_hardware_allows_gives_the_same_bytes", LONG),
    test("run_worlds", "tensors_lie_in_the_banks_that_a_p100a_has", LONG),
    file("scene_parking", OWN),
    file("scene_seeds", "it plays the scenarios that scene_parking compares without parking"),
    file("shared_card", LONG),
    test("stream", "a_pale_picture_is_stretched_from_0_to_255_beside_it", LONG),
    test("tools", "any_bytes_are_read_or_refused", BYTES),
    test("tools", "served::inspect_and_explain_tell_of_a_wedged_card_while_it_runs_and_afterwards", LONG),
    file("worlds", OWN),
    file("x280_parking", OWN),
];

/// What is not run with [`SEEDS`], and why.
const UNSEEDED: &[Exception] = &[
    file("contract", SECONDS),
    file("dispatcher_commands", SECONDS),
    file("dispatcher_cost", COSTS),
    file("engine_cost", COSTS),
    file("engine_crowd", SECONDS),
    file("engine_differential", SECONDS),
    file("engine_hostile", SECONDS),
    file("engine_interrupted", SECONDS),
    file("engine_memory", SECONDS),
    file("engine_shares", SECONDS),
    file("exit", SECONDS),
    test("graph", "a_hole_in_a_slope_is_mended_with_the_slope", SECONDS),
    file("hostile_ahead", SECONDS),
    file("hostile_fuzz", OWN),
    file("icache", OWN),
    file("kernels_cost", COSTS),
    test("meter", "the_causes_of_every_core_and_hart_are_all_of_its_time_and_no_time_changes", OWN),
    file("order", OWN),
    file("owned", OWN),
    file("postmortem", SECONDS),
    file("published", EXACT),
    file("random", OWN),
    file("run_engines_end", SECONDS),
    file("run_failure", SECONDS),
    file("run_hostfed", SECONDS),
    file("run_profile", SECONDS),
    file("run_snapshot", OWN),
    file("run_worlds", OWN),
    file("scene_parking", OWN),
    file("scene_seeds", OWN),
    file("shared_card", SECONDS),
    file("snapshot", OWN),
    file("tile", OWN),
    file("timing", EXACT),
    test("tools", "any_bytes_are_read_or_refused", BYTES),
    file("worlds", OWN),
    file("x280_parking", OWN),
];

/// Test files of the packages that build no card.
const NO_CARD: &[&str] = &[
    "disassembly",
    "hart_baby_float",
    "hart_control",
    "hart_float",
    "hart_parking",
    "hart_programs",
    "hart_qemu",
    "hart_speed",
    "hart_timing",
    "hart_traps",
    "instructions",
    "pages",
];

/// One test of these takes from ten seconds of a processor to minutes; of a file that is left out, most do.
const LONG: &str = "a grid polls for milliseconds of the card, or for many runs";
/// What a parked hart does meanwhile is not in the counts of a card; what one that polls does is.
const COUNTS: &str =
    "it bounds the instructions and loads of a command, without those of harts that wait meanwhile";
/// The figures it bounds are those of seed 0.
const COSTS: &str = "it bounds what a command costs with the least latencies";
const OWN: &str = "its tests choose seeds or parking themselves, and compare them";
/// In a file whose other tests do.
const BYTES: &str = "it reads random bytes and simulates no card";
const EXACT: &str = "it is about exact times, which are those of seed 0";
/// Thirty-two times that is too much.
const SECONDS: &str = "it takes more than a second of a processor";

/// Every test of a card whose harts can poll all the time.
pub(crate) fn without_parking(tests: &[Binary]) -> Vec<Run<'_>> {
    let simulating = tests.iter().filter(|binary| simulates(binary));
    simulating.filter_map(|binary| Some(allowed(binary, PARKED)?.variable("KM_PARKING", "off"))).collect()
}

/// The short tests with one seed after the other.
pub(crate) fn with_seeds(tests: &[Binary]) -> Vec<Run<'_>> {
    let simulating = tests.iter().filter(|binary| simulates(binary));
    let short: Vec<Run<'_>> = simulating.filter_map(|binary| allowed(binary, UNSEEDED)).collect();
    let with = |seed: u64| {
        let seed = seed.to_string();
        short.iter().map(move |run| run.clone().variable("KM_SEED", &seed))
    };
    SEEDS.flat_map(with).collect()
}

/// What is run neither with seeds nor without parking, a line for each reason.
pub(crate) fn left_out() -> Vec<String> {
    let without_parking = PARKED.iter().map(|exception| ("not without parking", exception));
    let with_seeds = UNSEEDED.iter().map(|exception| ("not with seeds", exception));
    let all: Vec<_> = without_parking.chain(with_seeds).collect();
    let mut lines: Vec<(&str, &str, Vec<String>)> = Vec::new();
    for (how, Exception { file, test, why }) in all {
        let name = test.map_or_else(|| (*file).to_string(), |test| format!("{file}::{test}"));
        match lines.iter_mut().find(|line| (line.0, line.1) == (how, *why)) {
            Some(line) => line.2.push(name),
            None => lines.push((how, why, vec![name])),
        }
    }
    lines.iter().map(|(how, why, names)| format!("{how} ({why}): {}", names.join(", "))).collect()
}

/// True of the integration tests of a package whose tests simulate cards.
fn simulates(binary: &Binary) -> bool {
    let listed = PACKAGES.iter().any(|(package, _)| *package == binary.package);
    listed && matches!(binary.target, Target::Test(_)) && !NO_CARD.contains(&binary.name().as_str())
}

/// A run of the tests of a file that are no exceptions; `None` when it is one itself.
fn allowed<'a>(binary: &'a Binary, exceptions: &[Exception]) -> Option<Run<'a>> {
    let name = binary.name();
    let mut run = Run::of(binary);
    for exception in exceptions.iter().filter(|exception| exception.file == name) {
        run = run.without(exception.test?);
    }
    Some(run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::root;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// The test files of the package in a folder: `tests/name.rs`, and `tests/name/main.rs`.
    fn tests_in(package: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(package.join("tests")).into_iter().flatten().flatten();
        let name = |entry: std::fs::DirEntry| {
            let path = entry.path();
            let is_test =
                path.extension().is_some_and(|extension| extension == "rs") || path.join("main.rs").is_file();
            is_test.then(|| path.file_stem()?.to_str().map(String::from)).flatten()
        };
        entries.filter_map(name).collect()
    }

    /// What cargo would build of all packages, without building it.
    fn binaries() -> Vec<Binary> {
        let of = |(package, folder): &(&str, &str)| {
            let folder = root().join(folder);
            let binary = |name: String| Binary {
                package: (*package).into(),
                target: Target::Test(name),
                executable: "/no/such/binary".into(),
                folder: folder.clone(),
            };
            tests_in(&folder).into_iter().map(binary).collect::<Vec<_>>()
        };
        PACKAGES.iter().flat_map(of).collect()
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
    fn the_test_files_are_found_and_have_names_of_their_own() {
        let all: Vec<String> = binaries().iter().map(Binary::name).collect();
        let names: BTreeSet<&String> = all.iter().collect();
        assert_eq!(names.len(), all.len(), "an exception is named by its file: {all:?}");
        for known in ["run_nop", "contract", "settle", "posted", "host_path", "map", "tools"] {
            assert!(names.contains(&known.to_string()), "{known} is not among {names:?}");
        }
        assert!(!names.contains(&"support".to_string()), "no test file");
    }

    #[test]
    fn the_lists_name_tests_and_say_why() {
        let all: Vec<String> = binaries().iter().map(Binary::name).collect();
        for Exception { file, test, why } in PARKED.iter().chain(UNSEEDED) {
            assert!(all.contains(&(*file).to_string()), "there is no test file {file}");
            assert!(!NO_CARD.contains(file), "{file} is left out already");
            assert!(why.len() > 20, "{file}: why is it not run?");
            let has = |test: &str| {
                let name = test.rsplit("::").next().unwrap_or(test);
                text_of(file).contains(&format!("fn {name}("))
            };
            assert!(test.is_none_or(has), "there is no test {test:?} in {file}");
        }
        for file in NO_CARD {
            assert!(all.contains(&(*file).to_string()), "there is no test file {file}");
            let text = text_of(file);
            let builds =
                ["Card::builder", "Session::", "CARGO_BIN_EXE"].iter().any(|word| text.contains(word));
            assert!(!builds, "{file} does simulate cards");
        }
    }

    #[test]
    fn a_seed_that_fails_is_named_with_the_command_that_repeats_it() {
        let binaries = binaries();
        let runs = with_seeds(&binaries);
        let commands: Vec<String> = runs.iter().map(|run| run.command(&[])).collect();
        for seed in 1..=32 {
            let command = format!("KM_SEED={seed} cargo test --package komorebi-tests --test run_nop");
            assert!(commands.contains(&command), "{command}");
        }
        assert_eq!(commands.len() % 32, 0);
    }

    #[test]
    fn what_is_left_out_is_told_with_its_reason() {
        let told = left_out().join("\n");
        for Exception { file, test, why } in PARKED.iter().chain(UNSEEDED) {
            assert!(told.contains(file) && told.contains(why), "{file}");
            assert!(test.is_none_or(|test| told.contains(&format!("{file}::{test}"))), "{test:?}");
        }
    }

    #[test]
    fn every_test_file_is_run_both_ways_that_is_no_exception() {
        let binaries = binaries();
        let whole = |exceptions: &[Exception], file: &str| {
            !NO_CARD.contains(&file)
                && !exceptions.iter().any(|exception| exception.file == file && exception.test.is_none())
        };
        let [parking, seeds] = [without_parking(&binaries), with_seeds(&binaries)];
        for binary in &binaries {
            let name = binary.name();
            let runs = |runs: &[Run<'_>]| {
                let end = format!("--package {} --test {name}", binary.package);
                runs.iter().any(|run| format!("{} ", run.command(&[])).contains(&format!("{end} ")))
            };
            assert_eq!(runs(&parking), whole(PARKED, &name), "{name} without parking");
            assert_eq!(runs(&seeds), whole(UNSEEDED, &name), "{name} with seeds");
        }
        for exception in PARKED.iter().filter_map(|exception| exception.test) {
            let skip = format!("--skip {exception}");
            assert!(parking.iter().any(|run| run.command(&[]).contains(&skip)), "{exception} is skipped");
        }
    }
}
