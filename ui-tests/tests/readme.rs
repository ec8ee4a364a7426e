//! What the README shows is what is tested: its program is compiled and run (`pass/readme`), its graph is that of
//! `pass/graph.rs`, and its errors are those of `fail/readme_graph.rs`. `messages.rs` judges all three.

fn read(name: &str) -> String {
    std::fs::read_to_string(format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The blocks of the README in a language; "" for those without one.
fn blocks(language: &str) -> Vec<String> {
    let readme = read("../README.md");
    let parts: Vec<&str> = readme.split("```").collect();
    let blocks = parts.iter().skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
    blocks.filter(|(tag, _)| *tag == language).map(|(_, text)| text.to_owned()).collect()
}

/// The first item of a file that starts with `start`, to the brace that closes it.
fn item(file: &str, start: &str) -> String {
    let from = file.find(start).unwrap();
    let end = file[from..].find("\n}\n").unwrap();
    file[from..from + end + 3].to_owned()
}

#[test]
fn the_programs_of_the_readme_are_compiled() {
    let graph = item(&read("pass/graph.rs"), "km::graph! {");
    assert_eq!(
        blocks("rust"),
        [read("pass/readme/main.rs"), graph],
        "the README's Rust blocks, and ui-tests/pass/readme/main.rs and pass/graph.rs, differ: mend either"
    );
}

#[test]
fn the_errors_of_the_readme_are_those_of_the_compiler() {
    assert!(
        blocks("").contains(&read("fail/readme_graph.stderr")),
        "the README does not show ui-tests/fail/readme_graph.stderr"
    );
}
