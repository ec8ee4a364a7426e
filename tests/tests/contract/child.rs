//! Cases that depend on the environment of the process: this test binary runs itself with another one.

use std::process::Command;

use komorebi as km;

use super::bench::Bench;
use super::table::Told;

/// Names the case to the child.
const VARIABLE: &str = "KM_CONTRACT_CHILD";

/// Runs the child with `variable` set, checks that its open fails with a message that has all of `facts`.
fn open_with(variable: &str, value: &str, facts: &[&str]) {
    let exe = std::env::current_exe().unwrap();
    let child = Command::new(exe)
        .args(["--exact", "child::the_child_of_a_case", "--nocapture"])
        .env(VARIABLE, "1")
        .env(variable, value)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&child.stdout).into_owned();
    let told = text.lines().find_map(|line| line.split_once("child: ")).map(|(_, told)| told);
    let told = told.unwrap_or_else(|| panic!("the child told nothing: {text}"));
    for fact in facts {
        assert!(told.contains(fact), "{variable}={value}: {told}");
    }
}

#[test]
fn the_child_of_a_case() {
    if std::env::var_os(VARIABLE).is_none() {
        return; // not run as a child
    }
    match km::Session::open() {
        Ok(_) => println!("child: it opened"),
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

pub(crate) fn environment(_: &Bench) -> Told {
    open_with("KM_CARD", "p150a", &["Environment \"p150a\""]);
    Told::BY_A_CHILD
}

pub(crate) fn firmware(_: &Bench) -> Told {
    open_with("KM_CXX", "/nowhere/riscv-g++", &["Firmware", "/nowhere/riscv-g++"]);
    Told::BY_A_CHILD
}
