//! Variables that name what is not there, as a person meets them: through an example.
#![cfg(unix)]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::process::Command;

/// What 01_map says on standard error with `variables` set, once it has ended with status 1.
fn refused(variables: &[(&str, &OsStr)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_01_map"));
    command.arg("--out").arg(folder.path().join("never.png"));
    command.env_remove("KM_CARD").env_remove("KM_CXX").envs(variables.iter().copied());
    let output = command.output().expect("the example starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    said
}

#[test]
fn a_variable_that_is_not_utf_8_is_named_and_never_ignored() {
    let value = OsString::from_vec(b"sim\xFF".to_vec());
    for name in ["KM_CARD", "KM_CXX"] {
        let said = refused(&[(name, &value)]);
        assert!(said.contains(&format!(r#"{name} is "sim\xFF""#)), "{said}");
    }
}

#[test]
fn a_card_that_the_variable_names_is_told_by_the_variable() {
    let said = refused(&[("KM_CARD", OsStr::new("card:4096"))]);
    assert!(
        said.contains("there is no card at /dev/tenstorrent/4096, which KM_CARD=card:4096 asks for"),
        "{said}"
    );
    assert!(said.contains("unset KM_CARD") && !said.contains("card(..)"), "{said}");
}

#[test]
fn a_compiler_that_compiles_nothing_is_told_so() {
    let cache = tempfile::tempdir().unwrap();
    let said = refused(&[("KM_CXX", OsStr::new("/bin/true")), ("KMR_CACHE", cache.path().as_os_str())]);
    assert!(said.contains("`/bin/true` ended well and made no probe.o") && said.contains("KM_CXX"), "{said}");
}
