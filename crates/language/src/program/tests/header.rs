//! Numbers that a header gives: what is wrong with one shows its line, and is mended there.

use super::program_errors;

fn buffers(parts: &str) -> Vec<String> {
    program_errors(&format!("header = \"kernels/buffers.h\", {parts}"), "fn clean();")
}

/// A buffer of that name and index, with good pages.
fn buffer(name: &str, index: &str) -> String {
    format!("{name}(index = {index}, format = bfloat16, page_bytes = 2048, pages = 4)")
}

#[test]
fn two_buffers_of_one_index_show_the_headers_lines_and_are_mended_there() {
    let two = format!("buffers({}, {})", buffer("raw", "kBufferRaw"), buffer("clean", "kBufferClean"));
    let found = buffers(&two);
    assert_eq!(found.len(), 2, "{found:#?}");
    for says in [
        "buffer `raw` and buffer `clean` both have index 0",
        "constexpr uint32_t kBufferRaw = 0;",
        "constexpr uint32_t kBufferClean = 0;",
        "index 1 is free: write `kBufferClean = 1` in the header, which the kernels use too",
    ] {
        assert!(found[0].contains(says), "{says}: {}", found[0]);
    }
    // Only one of the two has a constant to change.
    let found = buffers(&format!("buffers({}, {})", buffer("raw", "kBufferRaw"), buffer("other", "0")));
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(
        found[0].contains("kBufferRaw = 0;") && found[0].ends_with("help: index 1 is free"),
        "{found:#?}"
    );
}

#[test]
fn two_buffers_with_one_constant_show_its_line_once_and_want_another_constant() {
    let found =
        buffers(&format!("buffers({}, {})", buffer("left", "kBufferRaw"), buffer("right", "kBufferRaw")));
    assert_eq!(found.len(), 2, "{found:#?}");
    assert_eq!(found[0].matches("constexpr uint32_t kBufferRaw").count(), 1, "{}", found[0]);
    let help = "give `right` a constant of its own, as in `constexpr uint32_t kBufferRight = 1;`";
    assert!(found[0].contains(help), "{}", found[0]);
}

#[test]
fn an_index_against_the_constant_of_the_buffers_name_is_refused() {
    let found = buffers(&format!("buffers({}, {})", buffer("raw", "kBufferRaw"), buffer("clean", "1")));
    assert_eq!(found.len(), 1, "{found:#?}");
    for says in [
        "[KM0007] buffer `clean` has index 1, and `kBufferClean` of the header is 0",
        "constexpr uint32_t kBufferClean = 0;",
        "write `kBufferClean = 1` in the header and `index = kBufferClean` here",
    ] {
        assert!(found[0].contains(says), "{says}: {}", found[0]);
    }
    let found = buffers(&format!("buffers({})", buffer("raw", "0")));
    assert_eq!(found, [""; 0], "they agree");
    let found = buffers(&format!("buffers({})", buffer("clean", "kHandlerClean")));
    assert!(found.len() == 1 && found[0].contains("kBufferClean = 0;"), "another constant: {found:#?}");
}

#[test]
fn a_number_of_an_included_header_shows_its_line_wherever_it_is_used() {
    for (parts, code, line, help) in [
        (
            "buffers(a(index = 0, format = bfloat16, page_bytes = kOddPage, pages = 4))",
            "KM0008",
            "kOddPage = 24;",
            "write `kOddPage = 32` in the header",
        ),
        (
            "buffers(a(index = 0, format = bfloat16, page_bytes = 16, pages = kManyPages))",
            "KM0008",
            "kManyPages = 40000;",
            "write `kManyPages = 2` in the header",
        ),
        (
            "buffers(a(index = kBufferTrace, format = bfloat16, page_bytes = 2048, pages = 4))",
            "KM0007",
            "kBufferTrace = 30;",
            "index 0 is free: write `kBufferTrace = 0` in the header",
        ),
        ("depth = kDeep", "KM0002", "kDeep = 17;", "write `kDeep = 16` in the header"),
        ("kernel_bytes = kOddPage", "KM0010", "kOddPage = 24;", "write `kOddPage = 64` in the header"),
        ("grid = (kOddPage, kManyPages)", "KM0001", "kManyPages = 40000;", "make the grid smaller"),
    ] {
        let found = buffers(parts);
        assert_eq!(found.len(), 1, "{parts}: {found:#?}");
        assert!(found[0].starts_with(&format!("[{code}]")), "{parts}: {found:#?}");
        for says in [line, help] {
            assert!(found[0].contains(says), "{parts}, {says}: {}", found[0]);
        }
    }
}

#[test]
fn names_of_functions_and_of_statements_are_no_names_of_handlers() {
    for (name, says) in [
        ("program", "`Run` or the program's type has a function of that name"),
        ("submit", "`Run` or the program's type has a function of that name"),
        ("end", "a statement that begins with `end` is another one\nhelp: rename it, as in `end_`"),
        ("cpu", "in `graph!` or `stream!`"),
        ("halt", "in `graph!` or `stream!`"),
        ("enqueue", "in `graph!` or `stream!`"),
        ("bind", "in `graph!` or `stream!`"),
    ] {
        let text = format!(
            "#[km::program(kernels = \"kernels\")] pub trait Heat {{ #[handler(1)] fn {name}(a: u32); }}"
        );
        let found = super::errors(&text, Some(super::goldens()));
        assert_eq!(found.len(), 1, "{name}: {found:#?}");
        assert!(found[0].starts_with("[KM0006]") && found[0].contains(says), "{name}: {found:#?}");
        let expanded = super::expand_text(&text, Some(super::goldens())).to_string();
        assert_eq!(expanded.matches(&format!("fn {name} (")).count(), if name == "program" { 1 } else { 3 });
    }
}

#[test]
fn slips_of_somebody_who_writes_rust_get_the_word_that_is_meant() {
    for (parts, says) in [
        ("buffers(a(index = 0, format = u32, page_bytes = 64, pages = 4))", "did you mean `uint32`?"),
        ("buffers(a(index = 0, format = bf16, page_bytes = 64, pages = 4))", "did you mean `bfloat16`?"),
        ("grid: (4, 4)", "expected `=` behind `grid` in the program"),
        ("defines(for)", "`for` cannot be defined: it is a keyword of the kernels' C++"),
        ("defines(volatile)", "`volatile` cannot be defined: it is a keyword of the kernels' C++"),
    ] {
        let found = buffers(parts);
        assert_eq!(found.len(), 1, "{parts}: {found:#?}");
        assert!(found[0].contains(says), "{parts}: {found:#?}");
    }
}

#[test]
fn two_handlers_of_one_name_are_one_mistake() {
    let found = program_errors("header = \"kernels/buffers.h\"", "fn clean(); fn clean();");
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].contains("two handlers are called `clean`"), "{found:#?}");
    assert!(found[1].contains("the other end: `clean` is declared first here"), "{found:#?}");
}
