//! The README's program is one that runs: `pass/readme/main.rs`, which `messages.rs` compiles and runs.

#[test]
fn the_program_of_the_readme_is_the_one_that_is_compiled_and_run() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let read = |name: &str| std::fs::read_to_string(format!("{folder}{name}")).unwrap();
    let (readme, program) = (read("../README.md"), read("pass/readme/main.rs"));
    let blocks: Vec<&str> =
        readme.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(
        blocks,
        [program],
        "the README's Rust block and ui-tests/pass/readme/main.rs differ: mend either"
    );
}
