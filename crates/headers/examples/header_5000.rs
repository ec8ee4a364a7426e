//! Times the reading of large headers: `cargo run --release -p komorebi-headers --example header_5000 [-- shapes]`.
//!
//! `header_5000` is the figure: a header of 5,000 constants as people write them, least of ten. `shapes` are expressions of a
//! megabyte in one shape each, which no header has: they show what bounds the time.

use komorebi_headers::{Header, HeaderError, Memory, Options};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// A header of 5,000 constants: enumerators, macros and `constexpr` in namespaces, each with a comment and made of others.
fn header_5000() -> String {
    let mut text = String::from("#pragma once\n#include <stdint.h>\nnamespace km {\n");
    for part in 0..500 {
        let _ = writeln!(
            text,
            "enum Reason{part} : uint32_t {{ kFirst{part} = {part}, kSecond{part}, kThird{part} }};"
        );
        let _ = writeln!(text, "#define KM_SIZE_{part} (km::kStep{part} * sizeof(uint64_t))");
        let _ = writeln!(text, "constexpr uint32_t kStep{part} = 1u << ({part} % 24);  // bytes of a step");
        let _ = writeln!(text, "constexpr uint32_t kEnd{part} = kStep{part} + 0x{part:x} * 64;");
        let _ = writeln!(
            text,
            "/// The most that step {part} may take.\nconstexpr uint64_t kMost{part} = KM_SIZE_{part} - 1;"
        );
        let _ = writeln!(
            text,
            "constexpr bool kFits{part} = kEnd{part} <= (kFirst{part} ? kMost{part} : 4096ull);"
        );
        let _ = writeln!(
            text,
            "static constexpr int16_t kLeft{part}{{-{part}}}, kRight{part} = static_cast<int16_t>(~{part});"
        );
    }
    text.push_str("}\n");
    text
}

/// An expression of about a million bytes that repeats `unit`.
fn long(unit: &str) -> String {
    let times = 1_000_000 / unit.len();
    format!("constexpr uint32_t kLong = {}1;\n", unit.repeat(times))
}

/// Reads `text` and says how long that took.
fn timed(text: &str) -> (Duration, Result<Header, HeaderError>) {
    #[allow(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
    let start = Instant::now();
    let header = Header::parse("large.h", text, &Memory::new(), &Options::new());
    (start.elapsed(), header)
}

fn main() -> Result<(), HeaderError> {
    let text = header_5000();
    let mut least = Duration::MAX;
    for _ in 0..10 {
        let (taken, header) = timed(&text);
        let header = header?;
        assert_eq!((header.constants().count(), header.unevaluated().count()), (5000, 0));
        least = least.min(taken);
    }
    println!("header_5000 {:.2} ms", least.as_secs_f64() * 1e3);
    if std::env::args().nth(1).as_deref() == Some("shapes") {
        shapes();
    }
    Ok(())
}

fn shapes() {
    let unknown: String = (0..30_000).map(|i| format!("constexpr int kLong{i} = kMissing{i};\n")).collect();
    shape("unknown", &unknown);
    let doubled: String = (1..30).map(|i| format!("#define A{i} A{0} + A{0}\n", i - 1)).collect();
    shape("doubled", &format!("#define A0 1\n{doubled}constexpr uint32_t kLong = A29;\n"));
    for (name, unit) in [
        ("sum", "1 + "),
        ("dense sum", "1+"),
        ("two levels", "1+2*3+"),
        ("parentheses", "((1+2)*3)+"),
        ("casts", "(uint32_t)1+"),
        ("conditions", "0?1:"),
        ("prefixes", "- "),
        ("names", "kLong|"),
        ("braces", "uint32_t{1}+"),
        ("opened", "("),
        ("commas", "1,"),
        ("angles", "1<2>"),
    ] {
        shape(name, &long(unit));
    }
}

fn shape(name: &str, text: &str) {
    let (taken, header) = timed(text);
    let found = match header.and_then(|header| header.get("kLong").cloned()) {
        Ok(constant) => constant.value.number.to_string(),
        Err(error) => error.message().to_owned(),
    };
    println!("{name:12} {:9.1} ms  {found}", taken.as_secs_f64() * 1e3);
}
