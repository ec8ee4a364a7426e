//! Tells the tests whether this is the compiler whose messages they expect.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=../rust-toolchain.toml");
    println!("cargo::rerun-if-env-changed=RUSTC");
    println!("cargo::rustc-check-cfg=cfg(pinned_compiler)");
    let toolchain = std::fs::read_to_string("../rust-toolchain.toml").unwrap_or_default();
    let pinned = toolchain.lines().find_map(|line| line.strip_prefix("channel = \"")?.strip_suffix('"'));
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version =
        Command::new(rustc).arg("--version").output().map(|output| output.stdout).unwrap_or_default();
    let version = String::from_utf8_lossy(&version).into_owned();
    if version.split_whitespace().nth(1).is_some_and(|version| Some(version) == pinned) {
        println!("cargo::rustc-cfg=pinned_compiler");
    }
}
