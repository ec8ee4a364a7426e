//! Faults of a whole header, and how errors look.

use crate::read;
use komorebi_headers::{ErrorKind, Header, HeaderError, Memory, Options};

fn fault(text: &str) -> HeaderError {
    Header::parse("a.h", text, &Memory::new(), &Options::new()).expect_err(text)
}

#[test]
fn a_header_that_is_no_header_is_refused_with_the_place() {
    for (text, kind, place) in [
        ("\n#if 1\n", ErrorKind::Directive, "a.h:2:1"),
        ("#endif\n", ErrorKind::Directive, "a.h:1:1"),
        ("#else\n", ErrorKind::Directive, "a.h:1:1"),
        ("#if 1\n#else\n#else\n#endif\n", ErrorKind::Directive, "a.h:3:1"),
        ("#if 1 / 0\n#endif\n", ErrorKind::Arithmetic, "a.h:1:7"),
        ("#if\n#endif\n", ErrorKind::Syntax, "a.h:1:2"),
        ("#if 1 2\n#endif\n", ErrorKind::Syntax, "a.h:1:7"),
        ("#if 1.5\n#endif\n", ErrorKind::NotAConstant, "a.h:1:5"),
        ("#if F(1)\n#endif\n", ErrorKind::Directive, "a.h:1:6"),
        ("#define\n", ErrorKind::Directive, "a.h:1:2"),
        ("#define F(a\n", ErrorKind::Directive, "a.h:1:9"),
        ("#define F(1) 2\n", ErrorKind::Directive, "a.h:1:11"),
        ("#define F(a) a\nint x = F(1, 2);\n", ErrorKind::Syntax, "a.h:2:9"),
        ("#include\n", ErrorKind::Directive, "a.h:1:1"),
        ("#error stop here\n", ErrorKind::Directive, "a.h:1:2"),
        ("#pragma push_macro(\"A\")\n", ErrorKind::Directive, "a.h:1:9"),
        ("#nonsense\n", ErrorKind::Directive, "a.h:1:2"),
        ("namespace a {\n", ErrorKind::Syntax, "a.h:1:13"),
        ("}\n", ErrorKind::Syntax, "a.h:1:1"),
        ("void f() {\n", ErrorKind::Syntax, "a.h:1:10"),
        ("/* no end\n", ErrorKind::Syntax, "a.h:1:1"),
        ("auto x = R\"(no end;\n", ErrorKind::Syntax, "a.h:1:10"),
    ] {
        let error = fault(text);
        assert_eq!(error.kind(), kind, "{text}: {error}");
        assert_eq!(error.location().map(ToString::to_string).as_deref(), Some(place), "{text}: {error}");
    }
}

#[test]
fn a_missing_header_is_an_error_without_place() {
    let error = Header::read("no/such/header.h", &Options::new()).unwrap_err();
    assert_eq!((error.kind(), error.location()), (ErrorKind::Unreadable, None));
    assert!(error.to_string().starts_with("cannot read the header no/such/header.h: "), "{error}");
}

#[test]
fn headers_are_read_from_files() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("a.h"),
        b"\xef\xbb\xbf#include \"b.h\"\r\n// caf\xe9\r\nconstexpr int k = kB;\r\n",
    )
    .unwrap();
    std::fs::write(dir.path().join("b.h"), "#pragma once\nconstexpr int kB = 4;").unwrap();
    let header = Header::read(dir.path().join("a.h"), &Options::new()).unwrap();
    assert_eq!(header.get("k").unwrap().value.number, 4);
    assert_eq!(header.get("k").unwrap().doc.as_deref(), Some("caf\u{fffd}"));
    assert_eq!(header.files(), [dir.path().join("a.h"), dir.path().join("b.h")]);
}

#[test]
fn an_error_shows_its_line_with_a_caret() {
    let header = read("\n\nconstexpr unsigned kX = 1 / 0;\n");
    let expected = "\
error: division by zero
 --> a.h:3:27
  |
3 | constexpr unsigned kX = 1 / 0;
  |                           ^
  = help: the divisor is 0: change it, or what it is made of";
    assert_eq!(header.get("kX").unwrap_err().render(), expected);
}

#[test]
fn an_error_in_a_macro_shows_its_use_and_in_an_include_the_way_to_it() {
    let files = Memory::new().with("in.h", "#define F(x) (1 << x)\nconstexpr int k = F(40);\n");
    let header = Header::parse("a.h", "// first\n  #include \"in.h\"\n", &files, &Options::new()).unwrap();
    let expected = "\
error: a shift by 40 is out of range: `int32_t` has 32 bits
 --> in.h:1:17
  |
1 | #define F(x) (1 << x)
  |                 ^^
note: in the expansion of the macro used here
 --> in.h:2:19
  |
2 | constexpr int k = F(40);
  |                   ^
  = note: included from a.h:2:3";
    assert_eq!(header.get("k").unwrap_err().render(), expected);
}

#[test]
fn what_follows_from_an_error_names_the_first_one() {
    let header = read("constexpr int a = 1 % 0;\nconstexpr int b = a + 1;\nconstexpr int c = b;\n");
    let error = header.get("c").unwrap_err();
    assert_eq!(error.message(), "`b` has no value");
    assert_eq!(error.notes().collect::<Vec<_>>(), ["remainder by zero"]);
    assert!(error.render().contains("--> a.h:1:21"), "{}", error.render());
}

#[test]
fn an_unknown_name_has_a_suggestion() {
    let header = read(
        "namespace km { constexpr int kRingLines = 1; }\nconstexpr int a = km::kRingLine;\nconstexpr int b = kRingLines;",
    );
    assert_eq!(header.get("a").unwrap_err().help(), Some("did you mean `kRingLines`?"));
    assert_eq!(header.get("b").unwrap_err().help(), Some("did you mean `km::kRingLines`?"));
    let error = header.get("kRingLinse").unwrap_err();
    assert_eq!(error.to_string(), "a.h declares no constant `kRingLinse` (did you mean `kRingLines`?)");
}

#[test]
fn the_callers_own_message_is_shown_at_a_constant() {
    let header = read("constexpr int kHandlerStep = 300;");
    let at = header.get("kHandlerStep").unwrap().location.clone();
    let shown = header.render_at("handler numbers are 1 to 239", &at, 12);
    let expected = "handler numbers are 1 to 239\n --> a.h:1:15\n  |\n1 | constexpr int kHandlerStep = 300;\n  |               ^^^^^^^^^^^^";
    assert_eq!(shown, expected);
}

#[test]
fn a_long_line_is_shown_around_the_place() {
    let text = format!("{}constexpr int k = 1 / 0; {}", "/* wide */ ".repeat(100), "int x; ".repeat(100));
    let shown = read(&text).get("k").unwrap_err().render();
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[3].len() < 200, "{shown}");
    assert_eq!(lines[3].as_bytes()[lines[4].find('^').unwrap()], b'/', "{shown}");
}

#[test]
fn an_expression_or_a_text_of_a_size_that_no_header_has_is_refused() {
    let sum = |terms: usize| format!("constexpr unsigned k = 1{};", "+1".repeat(terms - 1));
    assert_eq!(crate::value(&read(&sum(32_768)), "k"), 32_768);
    let error = read(&sum(32_769)).get("k").unwrap_err().to_string();
    assert_eq!(error, "a.h:1:65560: the expression has more than 65536 tokens");

    let text = "//".repeat(3 << 20);
    let error = Header::parse("a.h", &text, &Memory::new(), &Options::new()).unwrap_err();
    assert_eq!(error.to_string(), "a.h:1:1: more than 2000 includes or 4 MiB of text");
    assert_eq!(error.kind(), ErrorKind::Limit);
}

#[test]
fn names_that_would_not_fit_into_memory_are_refused() {
    let deep = |constants: usize| {
        let open: String = (0..100).map(|at| format!("namespace {}{at} {{", "n".repeat(4000))).collect();
        let inside =
            |form: &str| (0..constants).map(|at| form.replace('#', &at.to_string())).collect::<String>();
        let (plain, enumerated) = (inside("constexpr int k#=#;\n"), inside("e#,\n"));
        [plain, format!("enum {{{enumerated}}};")].map(|text| format!("{open}\n{text}{}", "}".repeat(100)))
    };
    for text in deep(160) {
        assert_eq!(read(&text).constants().count(), 160);
    }
    for text in deep(20_000) {
        let error = Header::parse("a.h", &text, &Memory::new(), &Options::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
        let message = "the names of the constants, with their namespaces, are longer than 64 MiB together";
        assert_eq!(error.message(), message);
    }
}

#[test]
#[cfg(unix)]
fn what_is_no_regular_file_is_named_and_not_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    assert!(std::process::Command::new("mkfifo").arg(at("fifo.h")).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", at("zero.h")).unwrap();
    std::fs::create_dir(at("folder.h")).unwrap();
    for (name, kind) in [("fifo.h", "a FIFO"), ("zero.h", "a character device"), ("folder.h", "a folder")] {
        let text = format!("it is {kind}, not a regular file");
        let error = Header::read(at(name), &Options::new()).unwrap_err();
        assert!(error.kind() == ErrorKind::Unreadable && error.message().contains(&text), "{error}");
        std::fs::write(at("a.h"), format!("\n#include \"{name}\"\n")).unwrap();
        let error = Header::read(at("a.h"), &Options::new()).unwrap_err();
        assert_eq!((error.kind(), error.location().unwrap().line), (ErrorKind::Unreadable, 2), "{error}");
        // As for g++, a folder is no file of that name, and the search goes on.
        assert!(error.message().contains(&text) != (name == "folder.h"), "{error}");
    }
    let header = Header::parse(
        at("b.h"),
        "#if __has_include(\"fifo.h\")\n#endif\n",
        &komorebi_headers::Files,
        &Options::new(),
    );
    assert!(header.is_ok(), "{header:?}");
}
