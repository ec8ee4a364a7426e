//! Includes, conditionals, macros.

use crate::{read, value, with};
use komorebi_headers::{ConstantKind, ErrorKind, Header, Memory, Model, Options};

fn chosen(text: &str) -> i128 {
    value(&read(text), "k")
}

#[test]
fn conditionals_choose_lines() {
    for (condition, expected) in [
        ("#if 1", 1),
        ("#if 0", 2),
        ("#ifdef A", 1),
        ("#ifndef A", 2),
        ("#if defined A && defined(B)", 2),
        ("#if A + 1 == 6 && !B", 1),
        ("#if UNKNOWN", 2),
        ("#if true", 1),
        ("#if 'a' == 97", 1),
        ("#if -1 > 0u", 1),
        ("#if (2 || 1 / 0) && 0x7fffffff + 1 > 0", 1),
        ("#if 0\n#elif A == 5", 1),
        ("#if 0\n#elifdef A", 1),
        ("#if __has_include(\"none.h\") || __has_include(<stdint.h>)", 1),
        ("#if __has_cpp_attribute(nodiscard)", 2),
        ("#if A \\\n == 5", 1),
    ] {
        let text =
            format!("#define A 5\n{condition}\nconstexpr int k = 1;\n#else\nconstexpr int k = 2;\n#endif");
        assert_eq!(chosen(&text), expected, "{condition}");
    }
}

#[test]
fn lines_not_chosen_may_hold_anything() {
    let text = "#if 0\n#error no\n#if garbage (((\n# nonsense\n#endif\nit's \"not C++ } {\n#endif\nconstexpr int k = 1;";
    assert_eq!(chosen(text), 1);
    // Once a branch is taken, the later conditions are not evaluated.
    assert_eq!(chosen("#if 1\nconstexpr int k = 1;\n#elif 1 / 0\n#endif"), 1);
}

#[test]
fn a_macro_is_a_constant_when_its_body_is_one() {
    let header = read(
        "#define A 254u\n#define B (A << 4) // shifted\n#define C ((unsigned char)B | LATER)\n#define LATER 1\n\
         #define D\n#define E(x) x\n#define F \"text\"\n#define G inline\n#define H 'h'\n#define I 1,\n#define J A B\n",
    );
    let found: Vec<(&str, i128)> =
        header.constants().map(|found| (&*found.name, found.value.number)).collect();
    assert_eq!(found, [("A", 254), ("B", 4064), ("C", 0xe1), ("LATER", 1), ("H", 104)]);
    assert!(header.constants().all(|found| found.kind == ConstantKind::Define));
    for name in ["D", "E", "F", "G", "I", "J"] {
        assert_eq!(header.get(name).unwrap_err().kind(), ErrorKind::NotAConstant, "{name}");
    }
    let listed: Vec<&str> = header.unevaluated().map(|entry| &*entry.name).collect();
    assert_eq!(listed, ["F", "G", "I", "J"], "guards and macros with parameters are no constants that fail");
}

#[test]
fn undefined_and_redefined_macros() {
    let header =
        read("#define A 1\n#undef A\n#define B 1\n#undef B\n#define B 2\n#define C 1\n#define C 1\n");
    assert_eq!(header.get("A").unwrap_err().kind(), ErrorKind::UnknownName);
    assert_eq!((value(&header, "B"), value(&header, "C")), (2, 1));
    let header = read("#define D 1\n#define D 2\nconstexpr int k = 3;");
    let error = header.get("D").unwrap_err();
    assert_eq!((error.kind(), error.location().map(|at| at.line)), (ErrorKind::Conflict, Some(2)));
    assert_eq!(value(&header, "k"), 3);
}

#[test]
fn macros_expand_as_in_cpp() {
    for (text, expected) in [
        ("#define F(a, b) ((a) + (b))\nconstexpr int k = F(1, F(2, (3, 4)));", 7),
        ("#define F(a, b) a##b\nconstexpr int k = F(0x, ff) + F(1, 2);", 267),
        ("#define F(a, ...) G(__VA_ARGS__)\n#define G(a, b) a - b\nconstexpr int k = F(9, 5, 3);", 2),
        ("#define F(n) constexpr int n##Bytes = 4;\nF(kA)\nconstexpr int k = kABytes;", 4),
        ("#define A B\n#define B A\nconstexpr int A = 5;\nconstexpr int k = A;", 5),
        ("#define k2 k2 + 1\nnamespace n { constexpr int k2 = 1; }\nconstexpr int k = 0;", 0),
        ("#define F() 3\nconstexpr int k = F ( );", 3),
        ("#define F(x) x\nconstexpr int F = 4;\nconstexpr int k = F;", 4),
        (
            "#define CAT(a, b) CAT2(a, b)\n#define CAT2(a, b) a##b\n#define N 1\nconstexpr int k = CAT(N, N);",
            11,
        ),
        ("#define E(x, y) x##y\nconstexpr int k = E(,7) + E(7,) + 0 E(,);", 14),
        ("#define F \\\n  (1 + \\\n  2)\nconstexpr int k = F;", 3),
        ("#define kA 2\nnamespace n { constexpr int kB = kA; }\nconstexpr int k = n::kB;", 2),
    ] {
        assert_eq!(chosen(text), expected, "{text}");
    }
}

#[test]
fn includes_are_searched_beside_the_file_and_then_in_the_directories() {
    let files = Memory::new()
        .with("lib/a.h", "#include \"b.h\"\n#include <c.h>\n")
        .with("lib/b.h", "#define B 1\n")
        .with("b.h", "#define B 2\n")
        .with("inc/c.h", "#pragma once\nconstexpr int kC = 3;\n")
        .with("more/c.h", "constexpr int kC = 4;\n");
    let options = Options::new().include_dir("inc").include_dir("more");
    let text = "#include \"lib/a.h\"\n#include \"c.h\"\n#define NAME <c.h>\n#include NAME\n#include <vector>\nconstexpr int k = kC;";
    let header = with(text, &files, &options);
    assert_eq!((value(&header, "B"), value(&header, "k")), (1, 3));
    let paths: Vec<String> = header.files().iter().map(|path| path.display().to_string()).collect();
    assert_eq!(paths, ["a.h", "lib/a.h", "lib/b.h", "inc/c.h"]);
    assert_eq!(header.skipped_includes(), ["vector"]);
    assert_eq!(header.text("lib/b.h"), Some("#define B 1\n"));
    let own: Vec<&str> = header.own_constants().map(|constant| &*constant.name).collect();
    assert_eq!(own, ["k"]);
    assert_eq!(header.get("kC").unwrap().location.to_string(), "inc/c.h:2:15");
}

#[test]
fn guards_keep_a_file_from_being_read_twice() {
    let files = Memory::new()
        .with("g.h", "#ifndef G_H\n#define G_H\nconstexpr int kG = 1;\n#include \"g.h\"\n#endif\n")
        .with("d/o.h", "#pragma once\nconstexpr int kO = 2;\n#include \"../a.h\"\n");
    let text =
        "#pragma once\n#include \"g.h\"\n#include \"g.h\"\n#include \"d/o.h\"\n#include \"d/../d/o.h\"\n";
    let header = with(text, &files.with("a.h", text), &Options::new());
    assert_eq!(header.constants().filter(|constant| constant.kind == ConstantKind::Constexpr).count(), 2);
}

#[test]
fn the_caller_and_the_compiler_define_macros() {
    let options = Options::new().define("KM_THREAD", "2").define("KM_EMPTY", "").model(Model::LP64);
    let text = "#if defined(KM_EMPTY) && __SIZEOF_POINTER__ == 8 && __riscv_xlen == 64\nconstexpr int k = KM_THREAD;\n#endif";
    let header = with(text, &Memory::new(), &options);
    assert_eq!(value(&header, "k"), 2);
    // They are no constants of the header.
    assert_eq!(header.constants().count(), 1);
}

#[test]
fn a_missing_include_says_where_it_was_searched() {
    let error = Header::parse(
        "inc/a.h",
        "\n#include \"none.h\"\n",
        &Memory::new(),
        &Options::new().include_dir("dir"),
    )
    .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreadable);
    assert_eq!(error.to_string(), "inc/a.h:2:1: found no file \"none.h\" (searched in inc, dir)");
    let options = Options::new().include_dir("dir");
    let header = with("#include <km/none.h>\nconstexpr int k = kNone;", &Memory::new(), &options);
    let error = header.get("k").unwrap_err();
    assert!(error.notes().any(|note| note.contains("<km/none.h>")), "{}", error.render());
}
