//! What the language costs: expanding, checking, reading a header. Wall times, the least of ten, since what is measured is
//! short and everything else on the machine only adds to it.

use crate::BenchError;
use crate::figure::Reading;
use crate::stopwatch::{milliseconds, timed};
use komorebi_abi::constants::layout;
use komorebi_abi::engine::{Arithmetic as _, Facts, Value};
use komorebi_abi::graph::{Graph, Node};
use komorebi_abi::program::{Arg, ArgKind, Effect, Handler};
use komorebi_headers::{Header, Memory, Options};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const RUNS: usize = 10;

/// The least time that `work` takes, in milliseconds.
fn least<T>(mut work: impl FnMut() -> T) -> f64 {
    let times = (0..RUNS).map(|_| milliseconds(timed(&mut work).1));
    times.fold(f64::INFINITY, f64::min)
}

/// The expansion of a `graph!` of 1,000 nodes by the macro as a debug build has it: what `cargo build` pays. A test of
/// that build measures, since this one is optimised.
pub(crate) fn expand_1000() -> Result<Reading, BenchError> {
    let arguments = [
        "test",
        "--quiet",
        "--package",
        "komorebi-language",
        "--lib",
        "expand_1000",
        "--",
        "--ignored",
        "--nocapture",
    ];
    let output = Command::new("cargo")
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .map_err(|error| BenchError::Child(format!("cargo cannot be run: {error}")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let value = text
        .split("expand_1000_ms ")
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    value.map(Reading::from).ok_or_else(|| {
        let said = String::from_utf8_lossy(&output.stderr);
        BenchError::Child(format!(
            "no `expand_1000_ms` of `cargo {}`; it said: {}",
            arguments.join(" "),
            said.trim()
        ))
    })
}

/// A graph of 10,000 nodes: layers of twelve commands on parts of the grid, each on one tensor and after all of the layer
/// before, with a counter between layers.
fn layered() -> Graph {
    let mut graph = Graph::new().max_runs(5);
    let [state] = graph.bindings(["state"]);
    let count = graph.register();
    let mut before: Vec<Node> = vec![graph.cpu([] as [Node; 0]).set(count, 0).id()];
    while graph.model().nodes.len() + 13 <= 10_000 {
        let layer: Vec<Node> = (0..12)
            .map(|i| {
                let args: [Value; 2] = [state.into(), count.into()];
                graph.command("step", i * 10..i * 10 + 10, args).after(before.iter().copied()).id()
            })
            .collect();
        before = vec![graph.cpu(layer).add(count, count, 1).id()];
    }
    graph
}

/// All rules over the graph.
pub(crate) fn check_10000() -> Result<Reading, BenchError> {
    let arg = |name: &str, kind, effect| Arg { name: name.into(), kind, effect };
    let facts = Facts {
        program: "Heat".into(),
        handlers: vec![Handler {
            name: "step".into(),
            number: 1,
            args: vec![
                arg("state", ArgKind::Address, Some(Effect::InOut)),
                arg("iteration", ArgKind::U32, None),
            ],
            result: None,
        }],
        cores: Some(120),
        region_bytes: layout::UPLOAD_BYTES,
        typed: true,
        complete: true,
    };
    let graph = layered();
    match graph.check(&facts).first() {
        Some(problem) => Err(BenchError::Child(format!("the graph is wrong: {}", problem.message))),
        None => Ok(least(|| graph.check(&facts)).into()),
    }
}

/// A header of 5,000 constants, each from the one before it, of the kinds that headers have.
fn header() -> String {
    let mut text =
        String::from("#pragma once\n#include <cstdint>\nnamespace bench {\nconstexpr uint32_t kC0 = 1;\n");
    for i in 1..5_000 {
        let before = i - 1;
        let _ = match i % 4 {
            0 => writeln!(text, "constexpr uint32_t kC{i} = (kC{before} + {i}) * 3 & 0xFFFF;  // bytes"),
            1 => writeln!(text, "static const uint64_t kC{i} = uint64_t{{kC{before}}} << 3 ^ 0x{i:x};"),
            2 => writeln!(text, "enum Part{i} : uint32_t {{ kC{i} = kC{before} % 1021, kNext{i} }};"),
            _ => writeln!(
                text,
                "#define KM_C{i} ({i} * 2)\nconstexpr uint32_t kC{i} = KM_C{i} + (kC{before} > 7 ? 1 : 2);"
            ),
        };
    }
    text.push_str("}\n");
    text
}

/// Reading it.
pub(crate) fn header_5000() -> Result<Reading, BenchError> {
    let text = header();
    let files = Memory::new().with("bench.h", text.as_str());
    let read = || Header::load(Path::new("bench.h"), &files, &Options::default());
    let constants = read().map_err(|error| BenchError::Child(error.to_string()))?.own_constants().count();
    if constants < 5_000 {
        return Err(BenchError::Child(format!("the reader found {constants} of 5000 constants")));
    }
    Ok(least(read).into())
}
