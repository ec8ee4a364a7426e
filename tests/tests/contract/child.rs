//! Cases that depend on the environment of the process: this test binary runs itself with another one.

use std::process::Command;

use komorebi as km;

use super::bench::Bench;
use super::table::Told;

/// Names the case to the child.
const VARIABLE: &str = "KM_CONTRACT_CHILD";

/// Runs the child with `variable` set, checks that its open fails with a message that has all of `facts`.
fn open_with(variable: &str, value: &str, facts: &[&str]) {
    let mut child = Command::new(std::env::current_exe().unwrap());
    told(child.args(ARGUMENTS).env(variable, value).env(VARIABLE, "open"), facts);
}

/// What makes this binary run the child's test alone.
const ARGUMENTS: [&str; 3] = ["--exact", "child::the_child_of_a_case", "--nocapture"];

/// Runs the child and checks that it tells all of `facts`.
fn told(child: &mut Command, facts: &[&str]) {
    let child = child.output().unwrap();
    let text = String::from_utf8_lossy(&child.stdout).into_owned();
    let told = text.lines().find_map(|line| line.split_once("child: ")).map(|(_, told)| told);
    let told = told.unwrap_or_else(|| panic!("the child told nothing: {text}"));
    for fact in facts {
        assert!(told.contains(fact), "{told}");
    }
}

#[test]
fn the_child_of_a_case() {
    let Ok(way) = std::env::var(VARIABLE) else { return };
    let met = if way == "open" { km::Session::open().map(|_| ()) } else { km::close_on_signals() };
    match met {
        Ok(()) => println!("child: it worked"),
        Err(km::Error::Signals { cause }) => println!("child: Signals {cause}"),
        Err(km::Error::NotInThisVersion { what, instead }) => {
            println!("child: NotInThisVersion {what} | {instead}")
        }
        Err(km::Error::Environment { value }) => println!("child: Environment {value:?}"),
        Err(error @ km::Error::Firmware(_)) => {
            println!("child: Firmware {}", error.to_string().replace('\n', " "))
        }
        Err(error) => println!("child: another error: {error}"),
    }
}

pub(crate) fn not_in_this_version(_: &Bench) -> Told {
    open_with(
        "KM_CARD",
        "ttsim:/lib/x.so",
        &["NotInThisVersion", "KM_CARD=ttsim:/lib/x.so", "set KM_CARD=sim"],
    );
    Told::BY_A_CHILD
}

/// A process that may open no more files gets no pipe to hear of signals.
pub(crate) fn signals(_: &Bench) -> Told {
    let mut child = Command::new("sh");
    child.args(["-c", "ulimit -n 4; exec \"$@\"", "sh"]).arg(std::env::current_exe().unwrap());
    told(child.args(ARGUMENTS).env(VARIABLE, "signals"), &["Signals ", "open files"]);
    Told::BY_A_CHILD
}

pub(crate) fn environment(_: &Bench) -> Told {
    open_with("KM_CARD", "p150a", &["Environment \"p150a\""]);
    Told::BY_A_CHILD
}

pub(crate) fn firmware(_: &Bench) -> Told {
    open_with("KM_CXX", "/nowhere/riscv-g++", &["Firmware", "/nowhere/riscv-g++"]);
    Told::BY_A_CHILD
}
