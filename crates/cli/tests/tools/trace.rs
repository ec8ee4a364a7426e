//! `trace`: printed and drawn.

use super::{line, printed};
use komorebi_abi::program::ArgKind;
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

/// A run of two handlers on two cores, with commands that follow each other and one that waits for another.
fn traced() -> String {
    const READER: &str = r"
#include <komorebi/kernel.h>
inline void spin(uint32_t cycles) {
    const uint64_t start = km::wall_clock();
    while (km::wall_clock() - start < cycles) {}
}
KM_HANDLER(Load) { spin(args.cycles); }
KM_HANDLER(Blend) { spin(args.cycles); }
";
    let card = komorebi_sim::Card::builder().seed(6).build();
    let session = komorebi::Session::builder().on(&card).open().unwrap();
    let program = komorebi::Program::new("two handlers on four cores")
        .with_sources(komorebi::build::Sources::new().file("reader.cpp", READER.as_bytes()))
        .handler_with("load", 1, &[("cycles", ArgKind::U32)], None)
        .handler_with("blend", 2, &[("cycles", ArgKind::U32)], None)
        .depth(4)
        .grid(4, 1);
    let options = komorebi::LoadOptions { trace: 16, ..Default::default() };
    let run = session.load_with(program, options).unwrap();
    let call = |handler, cycles: u32, first, count| {
        run.submit(komorebi::call(handler, &[cycles]).on((first, count))).unwrap()
    };
    let handles = [
        call("load", 1800, 0, 2),
        call("load", 900, 2, 2),
        call("blend", 1400, 1, 2),
        call("load", 600, 3, 1),
        call("blend", 2000, 0, 4),
    ];
    let second = std::time::Duration::from_secs(1);
    run.wait(handles, second).unwrap();
    run.stop(second).unwrap().trace.unwrap().to_chrome_json()
}

/// The picture of the documentation is one of these: `BLESS=1` writes it anew.
#[test]
fn a_trace_is_printed_and_drawn_with_every_lane_and_span() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("trace.json");
    std::fs::write(&file, traced()).unwrap();
    let path = file.to_str().unwrap();
    let text = printed(["trace", path]);
    assert!(text.starts_with("two handlers on four cores, "), "{text}");
    assert!(text.contains("dispatcher: in flight 1\n") && text.contains("core 3: writer\n"), "{text}");
    let svg = printed(["trace", path, "--svg"]);
    let json: Value = serde_json::from_str(&traced()).unwrap();
    let of =
        |phase: &str| json["traceEvents"].as_array().unwrap().iter().filter(|e| e["ph"] == phase).count();
    assert_eq!(svg.matches("<title>").count(), of("X"));
    assert_eq!(
        svg.matches("stroke-width=\"0.6\"").count(),
        of("t") + of("f"),
        "every arrow goes on from its start"
    );
    assert_eq!(
        svg.matches("text-anchor=\"end\"").count(),
        text.lines().filter(|line| line.contains(": ")).count()
    );
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    let picture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/trace.svg");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&picture, &svg).unwrap();
    }
    let committed = std::fs::read_to_string(picture).unwrap();
    assert!(committed.contains(">two handlers on four cores</text>"), "BLESS=1 draws it");
    let empty = folder.path().join("empty.json");
    std::fs::write(&empty, "").unwrap();
    let error = line([Path::new("trace"), &empty]);
    assert!(error.contains("empty.json is no trace of a run: it is no JSON"), "{error}");
}
