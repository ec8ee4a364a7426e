//! Times the reading of texts that no header has, an expression of a megabyte in each shape and the like:
//! `cargo run -p komorebi-headers --example shapes`. What a debug build, as macros are, takes for them bounds what a build can
//! wait for; `cargo xtask bench` has the figure of a header that people would write.

use komorebi_headers::{Header, HeaderError, Memory, Options};
use std::time::{Duration, Instant};

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

fn main() {
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
