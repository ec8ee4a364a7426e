//! Every fixture, against its expected messages.

#[test]
#[cfg_attr(
    not(pinned_compiler),
    ignore = "the messages are those of the compiler in rust-toolchain.toml; this is another"
)]
fn every_refusal_says_what_was_found_and_what_to_do() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("fail/*.rs");
    cases.pass("pass/*.rs");
    cases.pass("pass/readme/main.rs");
}
