//! Any bytes give a header or an error: no panic, no overflow of the stack, no endless loop.
//!
//! `KOMOREBI_HEADER_ROBUST_CASES` sets the number of random inputs of each kind.

use komorebi_headers::{ErrorKind, Header, Memory, Options};
use proptest::prelude::*;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// A bound far above what any input needs, also on a busy machine: what takes longer does not end.
const PATIENCE: Duration = Duration::from_secs(60);

/// Reads a text on a thread with half the stack of a test, and asks for everything in it.
fn read(text: Vec<u8>) -> Result<usize, ErrorKind> {
    let (sender, receiver) = mpsc::channel();
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(move || {
        let files = Memory::new().with("a.h", text).with("b.h", "#pragma once\nconstexpr int kB = 1;\n");
        let result = Header::load(Path::new("a.h"), &files, &Options::new());
        let result = match result {
            Ok(header) => {
                let mut asked = 0;
                for constant in header.constants() {
                    asked += usize::from(header.get(&constant.path).is_ok());
                }
                for constant in header.constants().take(50) {
                    let shown = header.render_at("shown", &constant.location, 3);
                    assert!(shown.contains("-->"), "{shown}");
                }
                for failed in header.unevaluated() {
                    assert!(!failed.error.render().is_empty());
                    assert!(header.get(&failed.path).is_err(), "{} has no value", failed.path);
                }
                Ok(asked)
            }
            Err(error) => {
                assert!(error.render().starts_with("error: "));
                Err(error.kind())
            }
        };
        let _ = sender.send(result);
    });
    let thread = thread.expect("a thread starts");
    match receiver.recv_timeout(PATIENCE) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("reading takes longer than {PATIENCE:?}"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            thread.join().expect("the reader does not panic");
            unreachable!("a reader that ends well has sent its result")
        }
    }
}

fn cases() -> ProptestConfig {
    let cases = std::env::var("KOMOREBI_HEADER_ROBUST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: cases.unwrap_or(3000), failure_persistence: None, ..ProptestConfig::default() }
}

/// A header with everything in it, to be mutated.
const SAMPLE: &str = r###"
#pragma once
#include <stdint.h>
#include "b.h"
#define KM_ONE 1u
#define KM_ADD(a, b) ((a) + (b) * KM_ONE)
#define KM_JOIN(a, ...) a##_##__VA_ARGS__
#define KM_TEXT(a) #a
#if defined(KM_ONE) && KM_ADD(1, 2) > 2 || __has_include("b.h")
namespace km::abi { inline namespace v1 {
/// The lines.
constexpr uint32_t kLines = 64; // of the ring
enum Reason : uint32_t { KMD_A = 1, KMD_B = KMD_A << 3, KMD_C };
enum class Kind : uint8_t { kIdle, kDone = static_cast<uint8_t>(KMD_C) };
static constexpr auto kEnd = kLines * sizeof(uint64_t) + (true ? 'a' : 0x0800'0000ull), kB{3}, kC(4);
struct Ring { static constexpr int kSize = alignof(int16_t); Ring() : a{1} {} int a; };
template <typename T, int N = (3 > 2)> constexpr T f(T x) { return x >> N; }
} }
#elif 0
#else
#error "no"
#endif
namespace other = km::abi;
using namespace km;
using Word = uint16_t;
typedef enum { kFirst, kSecond = -1 } Old;
constexpr Word kWord = (Word)~0 ^ KM_ADD(other::kLines, abi::KMD_B) % 7;
constexpr const char *kText = R"x(text " )x" "\"more\\";
inline void g() { asm volatile("nop" ::: "memory"); }
#undef KM_ONE
/* end */
"###;

#[test]
fn the_sample_is_read() {
    let files = Memory::new().with("b.h", "#pragma once\nconstexpr int kB = 1;\n");
    let header = Header::parse("a.h", SAMPLE, &files, &Options::new()).expect("the sample is a good header");
    let names: Vec<&str> = header.constants().map(|constant| &*constant.path).collect();
    assert!(names.len() > 12, "{names:?}");
    assert_eq!(header.get("kWord").unwrap().value.number, 0xffff ^ ((64 + 8) % 7));
}

/// Words that mean something to the reader, to be strung together.
const WORDS: &[&str] = &[
    "#",
    "\n",
    "\n#if ",
    "\n#elif ",
    "\n#else\n",
    "\n#endif\n",
    "\n#define A ",
    "\n#define F(x) ",
    "\n#undef A\n",
    "\n#include \"b.h\"\n",
    "\n#include \"a.h\"\n",
    "\n#include <x>\n",
    "defined",
    "A",
    "F",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ">>",
    ",",
    ";",
    ":",
    "::",
    "=",
    "==",
    "?",
    "+",
    "-",
    "*",
    "/",
    "%",
    "!",
    "~",
    "&",
    "&&",
    "|",
    "||",
    "^",
    "##",
    "...",
    "constexpr ",
    "const ",
    "static ",
    "inline ",
    "enum ",
    "class ",
    "struct ",
    "namespace ",
    "using ",
    "typedef ",
    "template ",
    "operator",
    "extern \"C\" ",
    "uint32_t ",
    "int ",
    "unsigned ",
    "long ",
    "auto ",
    "bool ",
    "char ",
    "k ",
    "E ",
    "n ",
    "sizeof",
    "alignof",
    "static_cast",
    "decltype",
    "1",
    "0x",
    "0xffffffffffffffff",
    "2147483647",
    "'a'",
    "'",
    "\"",
    "R\"(",
    "/*",
    "*/",
    "//",
    "\\\n",
    "\u{feff}",
    "\u{e9}",
    "\0",
    "1.5",
    "true",
    "__VA_ARGS__",
    "std",
    "numeric_limits",
    "to_underlying",
    "max",
    "final",
    "friend ",
    "public:",
    "[[",
    "]]",
    "__attribute__((x))",
    "alignas(4)",
    "km",
];

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(bytes);
    }

    #[test]
    fn arbitrary_words(words in prop::collection::vec(prop::sample::select(WORDS), 0..120)) {
        let _ = read(words.concat().into_bytes());
    }

    #[test]
    fn line_joins_anywhere_change_nothing(joins in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(&["\\\n", "\\ \t\r\n"])), 1..40)) {
        let raw = SAMPLE.find("R\"x(").expect("its begin")..SAMPLE.find("x\" \"").expect("its end") + 2;
        let mut text = SAMPLE.to_owned();
        let mut places: Vec<(usize, &str)> =
            joins.into_iter().map(|(at, join)| (at.index(SAMPLE.len()), join)).collect();
        // From the end, so that the places before stay where they are. In a raw string a line join is text.
        places.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        for (at, join) in places.into_iter().filter(|(at, _)| !raw.contains(at)) {
            text.insert_str(at, join);
        }
        let files = Memory::new().with("b.h", "#pragma once\nconstexpr int kB = 1;\n");
        let values = |text: &str| -> Vec<(String, i128)> {
            let header = Header::parse("a.h", text, &files, &Options::new()).expect("the sample is a good header");
            header.constants().map(|constant| (constant.path.clone(), constant.value.number)).collect()
        };
        prop_assert_eq!(values(&text), values(SAMPLE), "{}", text);
    }

    #[test]
    fn mutated_headers(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), prop::sample::select(WORDS), 0_usize..60), 1..8)) {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        for (at, what, word, length) in edits {
            let at = at.index(bytes.len().max(1)).min(bytes.len());
            let end = (at + length).min(bytes.len());
            match what % 5 {
                0 => { bytes.drain(at..end); }
                1 => { bytes.splice(at..at, word.bytes()); }
                2 => { bytes.splice(at..end, word.bytes()); }
                3 => { let part = bytes[at..end].to_vec(); bytes.splice(at..at, part); }
                _ => { if let Some(byte) = bytes.get_mut(at) { *byte = what; } }
            }
        }
        let _ = read(bytes);
    }
}

/// Inputs made to nest, repeat or grow without end, of about `size` repetitions.
fn hostile(size: usize) -> Vec<(&'static str, String)> {
    let many = |text: &str| text.repeat(size);
    let numbered = |make: &dyn Fn(usize) -> String| (0..size).map(make).collect::<String>();
    vec![
        ("parentheses", format!("constexpr int k = {}1{};", many("("), many(")"))),
        ("open parentheses", format!("constexpr int k = {}", many("("))),
        ("unary operators", format!("constexpr int k = {}1;", many("- "))),
        ("casts", format!("constexpr int k = {}1;", many("(int)"))),
        ("functional casts", format!("constexpr int k = {}1{};", many("int("), many(")"))),
        ("braces in casts", format!("constexpr int k = {}1{};", many("int{"), many("}"))),
        ("conditionals", format!("constexpr int k = {}1;", many("1 ? 2 : "))),
        ("sizes", format!("constexpr int k = {}1;", many("sizeof "))),
        ("a sum", format!("constexpr unsigned k = 1{};", many(" + 1u"))),
        ("rising precedence", format!("constexpr int k = 1{};", many(" || 1 && 1 | 1 ^ 1 & 1 == 1 < 1 << 1 + 1 * 1"))),
        ("namespaces", format!("{}{}", many("namespace n {"), many("}"))),
        ("one long namespace", format!("namespace n{} {{}}", many("::n"))),
        ("classes", format!("{}{}", many("struct s {"), many("};"))),
        ("blocks", format!("void f() {}{}", many("{"), many("}"))),
        ("open blocks", format!("void f() {}", many("{"))),
        ("conditions", format!("{}{}", many("#if 1\n"), many("#endif\n"))),
        ("a long condition", format!("#if 1{}\n#endif", many(" + 1"))),
        ("a deep condition", format!("#if {}1{}\n#endif", many("("), many(")"))),
        ("macros in a chain", format!("{}int x = M0;", numbered(&|at| format!("#define M{at} M{}\n", at + 1)))),
        ("macros that double", format!("{}int x = M0;", numbered(&|at| format!("#define M{at} M{} M{}\n", at + 1, at + 1)))),
        ("constants of macros that double", {
            let doubling = |at: usize| format!("#define M{at} (M{n} + M{n})\n", n = at + 1);
            (0..size.min(2000)).map(doubling).collect::<String>()
        }),
        ("calls in calls", format!("#define F(x) x\nint x = {}1{};", many("F("), many(")"))),
        ("open calls", format!("#define F(x) x\nint x = {}", many("F("))),
        ("calls that grow", format!("#define F(x) x x\nint x = {}1{};", many("F("), many(")"))),
        ("a macro of itself", format!("#define A A A\nint x = {};", many("A "))),
        ("two macros of each other", format!("#define A B B\n#define B A A\nint x = {};", many("A "))),
        ("pasting", format!("#define P(a, b) a##b\nint x = {}1{};", many("P(x,"), many(")"))),
        ("long pastes", format!("#define P(a) a##a\n#define Q(a) P(a)\nint {};", many("Q(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) "))),
        ("stringizing", format!("#define S(a) #a\n#define T(a) S(a)\nint x = {}1{};", many("T("), many(")"))),
        ("including itself", "#include \"a.h\"\n".to_owned()),
        ("including itself twice", "#include \"a.h\"\n#include \"a.h\"\n".to_owned()),
        ("constants without a value", numbered(&|at| format!("constexpr int k{} = k{at} + z;\n", at + 1))),
        ("using directives", format!("{}constexpr int k = zz;", numbered(&|at| format!("namespace n{at} {{}} using namespace n{at};\n")))),
        ("using directives of each other", "namespace a { namespace b {} } namespace a::b { using namespace a; } namespace a { using namespace b; } constexpr int k = a::z;".to_owned()),
        ("enumerators", format!("enum E {{ {} }};", numbered(&|at| format!("e{at},")))),
        ("one line", format!("constexpr int k{} = x;", many("k"))),
        ("comments", many("/**/ // \n")),
        ("quotes", many("'\n\"\n")),
        ("line joins", many("\\\n")),
        ("templates", format!("template {}", many("<"))),
        ("types", format!("constexpr {}k = 1;", many("unsigned "))),
        ("qualified", format!("constexpr int k = a{};", many("::a"))),
        ("digits", format!("constexpr int k = {}; constexpr char c = '\\x{}';", many("9"), many("f"))),
    ]
}

#[test]
fn nesting_and_growth_end_in_an_error_or_a_value() {
    for size in [10, 300, 10_000] {
        for (what, text) in hostile(size) {
            let result = std::panic::catch_unwind(|| read(text.into_bytes()));
            assert!(result.is_ok(), "{what} of {size}");
        }
    }
}

#[test]
fn a_file_that_includes_itself_is_an_error_with_the_way_to_it() {
    let files = Memory::new().with("a.h", "\n#include \"b.h\"\n").with("b.h", "#include \"a.h\"\n");
    let error = Header::load(Path::new("a.h"), &files, &Options::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert!(error.message().contains("does this file include itself?"), "{error}");
    assert!(error.notes().any(|note| note == "included from a.h:2:1"), "{}", error.render());
}

#[test]
fn a_header_is_sent_between_threads() {
    fn sent<T: Send + Sync + 'static>() {}
    sent::<Header>();
    sent::<komorebi_headers::HeaderError>();
}
