//! The tools, as a shell runs them: output, status, and what they say of bad input.

mod served;
mod size;
mod trace;

use komorebi_abi::engine::{Arithmetic as _, Facts};
use komorebi_abi::graph::Graph;
use komorebi_abi::program::{Arg, ArgKind, Effect, Handler, ProgramModel, ResultKind};
use komorebi_abi::stream::Stream;
use proptest::prelude::*;
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_cargo-komorebi");

fn run<S: AsRef<std::ffi::OsStr>>(words: impl IntoIterator<Item = S>) -> Output {
    Command::new(BINARY).args(words).output().expect("the binary runs")
}

/// Standard output of a run that ends well.
fn printed<S: AsRef<std::ffi::OsStr>>(words: impl IntoIterator<Item = S>) -> String {
    let output = run(words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Standard error of a run that is refused: status 1, nothing on standard output.
fn refused<S: AsRef<std::ffi::OsStr>>(words: impl IntoIterator<Item = S>) -> String {
    let output = run(words);
    let error = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(error.starts_with("error: ") && !error.contains("panicked"), "{error}");
    error
}

/// A refusal of one line.
fn line<S: AsRef<std::ffi::OsStr>>(words: impl IntoIterator<Item = S>) -> String {
    let error = refused(words);
    assert_eq!(error.lines().count(), 1, "{error}");
    error.trim_end().to_owned()
}

/// A folder with a graph, a stream and their program's header.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let facts = facts();
        folder.write("converge.bin", graph().encode(&facts).unwrap().bytes);
        folder.write("sweep.bin", stream().encode(&facts).unwrap().bytes);
        folder.write("heat.h", HEADER);
        folder
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }
}

const HEADER: &str = "#pragma once
#include <komorebi/command.h>
namespace heat {
enum Kind : uint8_t { kCold, kWarm = 7 };
/// One step of the relaxation.
constexpr uint32_t kHandlerStep = 1;
constexpr uint32_t kHandlerNorm = kHandlerStep + 1;
constexpr uint64_t kFar = ~0ull;
}
#define KM_CORES (km::kCoresMax - 8)
constexpr int32_t kBelow = -5;
constexpr uint32_t kUpload = km::kUploadMagic;
constexpr const char *kName = \"heat\";
";

fn facts() -> Facts {
    let arg = |name: &str, kind, effect| Arg { name: name.into(), kind, effect };
    let mut model = ProgramModel::new("Heat");
    model.grid = Some((12, 10));
    let step =
        vec![arg("state", ArgKind::Address, Some(Effect::InOut)), arg("iteration", ArgKind::U32, None)];
    let norm = vec![arg("state", ArgKind::Address, Some(Effect::Input))];
    model.handlers = vec![
        Handler { name: "step".into(), number: 1, args: step, result: None },
        Handler { name: "norm".into(), number: 2, args: norm, result: Some(ResultKind::U32) },
    ];
    Facts::new(&model)
}

fn graph() -> Graph {
    let mut graph = Graph::new().max_runs(50).req(6);
    let [state, iteration, limit] = graph.bindings(["state", "iteration", "limit"]);
    let error = graph.register();
    let step = graph.command("step", 0..60, [state.into(), iteration.into()]).id();
    let norm = graph.command("norm", 0..60, [state.into()]).after([step]).result(error).id();
    let mut cpu = graph.cpu([norm]);
    let again = cpu.again();
    cpu.add(iteration, iteration, 1).lt(again, error, limit);
    graph.end(iteration, error);
    graph
}

fn stream() -> Stream {
    let mut stream = Stream::new().req(9);
    let [state] = stream.bindings(["state"]);
    stream.submit("step", 0..60, [state.into(), 3.into()]);
    stream.wait_all().halt(state);
    stream
}

#[test]
fn the_constants_of_a_header_are_printed_with_the_runtime_s_known() {
    let folder = Folder::new();
    let text = printed(["constants", &folder.text("heat.h")]);
    let line = |name: &str| {
        let mut lines = text.lines().filter(|line| line.split_whitespace().next() == Some(name));
        lines.next().unwrap_or_else(|| panic!("{name} in {text}")).to_owned()
    };
    assert!(line("heat::kHandlerStep").contains("= 1 "), "{text}");
    assert!(line("heat::kHandlerStep").ends_with("heat.h:6:20  // One step of the relaxation."), "{text}");
    assert!(line("KM_CORES").contains("= 120 "), "{text}");
    assert!(line("kBelow").contains("= -5 "), "{text}");
    assert!(line("kUpload").contains(&format!("= {} ", 0x3155_4D4B)), "{text}");
    assert!(
        !text.contains("kCoresMax") && !text.contains("kName"),
        "those of the runtime, and no integers: {text}"
    );
}

#[test]
fn constants_are_json_that_holds_all_64_bits() {
    let folder = Folder::new();
    let json: Value =
        serde_json::from_str(&printed(["constants", "--json", &folder.text("heat.h")])).unwrap();
    assert_eq!(json["heat::kFar"]["value"], u64::MAX);
    assert_eq!(json["kBelow"]["value"], -5);
    assert_eq!(json["heat::kWarm"]["value"], 7);
    assert_eq!(json["heat::kWarm"]["kind"], "enumerator");
    assert_eq!(json["heat::kHandlerStep"]["line"], 6);
    assert_eq!(json["heat::kHandlerStep"]["doc"], "One step of the relaxation.");
}

#[test]
fn includes_and_defines_are_given_as_to_a_compiler() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("more")).unwrap();
    folder.write("more/tiles.h", "#ifdef WIDE\nconstexpr int kTiles = WIDE * 4;\n#endif\n");
    folder.write("map.h", "#include <tiles.h>\nconstexpr int kAll = kTiles + 1;\n");
    let (map, more) = (folder.text("map.h"), folder.text("more"));
    let text = printed(["constants", &map, "-I", &more, "-D", "WIDE=3"]);
    assert!(text.lines().any(|line| line.starts_with("kAll") && line.contains("= 13 ")), "{text}");
    let error = refused(["constants", &map, "-I", &more]);
    assert!(error.contains("kTiles") && error.contains("map.h:2:22"), "{error}");
}

#[test]
fn a_header_that_cannot_be_read_is_refused() {
    let folder = Folder::new();
    assert!(line(["constants", &folder.text("no.h")]).contains("no.h"));
    assert!(line(["constants", &folder.text("")]).contains("cannot read the header"));
    let broken = folder.write("broken.h", "constexpr int kA = 1 / 0;\nconstexpr int kB = kZ;\n");
    let error = refused([Path::new("constants"), &broken]);
    assert!(error.contains("division by zero") && error.contains("kZ"), "all at once: {error}");
}

#[test]
fn a_constant_with_a_long_name_is_printed_and_moves_no_other() {
    let folder = Folder::new();
    let name = format!("k{}", "x".repeat(65_536));
    let path = folder.write("long.h", format!("constexpr int {name} = 1;\nconstexpr int kShort = 2;\n"));
    let text = printed([Path::new("constants"), &path]);
    assert!(text.starts_with(&format!("{name} = 1 ")), "the long one stands first");
    assert!(text.lines().any(|line| line.starts_with("kShort = 2 ")), "the short one is not filled up");
}

#[test]
fn what_is_no_regular_file_is_refused_as_what_it_is_and_not_waited_for() {
    let folder = Folder::new();
    let fifo = folder.text("fifo.h");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let includes = folder.text("incfifo.h");
    std::fs::write(&includes, "#include \"fifo.h\"\n").unwrap();
    for tool in ["constants", "graph", "stream", "explain", "size", "trace"] {
        for (path, kind) in [(&*fifo, "a FIFO"), ("/dev/zero", "a character device")] {
            let error = line([tool, path]);
            assert!(
                error.contains(path) && error.contains(&format!("it is {kind}, not a regular file")),
                "{error}"
            );
        }
    }
    let error = refused(["constants", &includes]);
    assert!(error.contains("fifo.h: it is a FIFO") && error.contains("incfifo.h:1:1"), "{error}");
    for with in [&fifo, &includes] {
        let error = refused(["graph", &folder.text("converge.bin"), "--header", with]);
        assert!(error.contains("it is a FIFO, not a regular file"), "{error}");
    }
}

#[test]
fn a_graph_is_listed_with_its_handlers_named_by_a_header() {
    let folder = Folder::new();
    let file = folder.text("converge.bin");
    let text = printed(["graph", &file]);
    for part in ["req 6", "handler 1[0..60]", "after", "cpu"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let named = printed(["graph", &file, "--header", &folder.text("heat.h")]);
    assert!(named.contains("step[0..60]") && named.contains("norm[0..60]"), "{named}");
    let facts = Facts { typed: false, ..facts() };
    let model = komorebi_abi::graph::decode(&std::fs::read(&file).unwrap(), 120).unwrap();
    assert_eq!(named, komorebi_abi::graph::listing(&model, Some(&facts)));
}

#[test]
fn a_graph_is_drawn() {
    let folder = Folder::new();
    let file = folder.text("converge.bin");
    let dot = printed(["graph", &file, "--dot"]);
    assert!(
        dot.starts_with("digraph {") && dot.contains("n0 -> n1;") && dot.trim_end().ends_with('}'),
        "{dot}"
    );
    let out = folder.text("converge.svg");
    assert_eq!(printed(["graph", &file, "--svg", "-o", &out]), "");
    let svg = std::fs::read_to_string(out).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("again") && svg.trim_end().ends_with("</svg>"), "{svg}");
    let nowhere = folder.text("no/such/folder.svg");
    assert!(line(["graph", &file, "--svg", "-o", &nowhere]).contains("cannot be written"));
}

#[test]
fn a_stream_is_disassembled() {
    let folder = Folder::new();
    let text = printed(["stream", &folder.text("sweep.bin"), "--header", &folder.text("heat.h")]);
    for part in ["stream, req 9", "c0: step[0..60](r0, 0x3)", "submit", "halt"] {
        assert!(text.to_lowercase().contains(part), "{part} in {text}");
    }
}

#[test]
fn a_file_that_is_no_upload_is_refused_with_what_it_is() {
    let folder = Folder::new();
    let no_file = line(["graph", &folder.text("no.bin")]);
    assert!(no_file.contains("no.bin cannot be read"), "{no_file}");
    assert!(line(["graph", &folder.text("")]).contains("cannot be read"));
    let empty = folder.write("empty.bin", "");
    assert!(line([Path::new("graph"), &empty]).contains("it is empty"));
    assert!(
        line(["stream", &folder.text("heat.h")]).contains("is no upload: it begins with the bytes #pragma ")
    );
    let large = folder.write("large.bin", vec![0; 707_841]);
    assert!(line([Path::new("graph"), &large]).contains("more than 707840 bytes"));
    let stream = line(["graph", &folder.text("sweep.bin")]);
    assert!(stream.ends_with("is the upload of a stream: read it with `cargo komorebi stream`"), "{stream}");
    let graph = line(["stream", &folder.text("converge.bin")]);
    assert!(graph.ends_with("is the upload of a graph: read it with `cargo komorebi graph`"), "{graph}");
}

#[test]
fn an_upload_that_the_dispatcher_would_refuse_is_refused_with_its_reason() {
    let folder = Folder::new();
    let whole = std::fs::read(folder.path("converge.bin")).unwrap();
    for length in [8, 64, 128, whole.len() - 1, whole.len() - 64] {
        let cut = folder.write("cut.bin", &whole[..length]);
        let error = line([Path::new("graph"), &cut]);
        assert!(error.contains("is refused by the dispatcher: `"), "{error}");
    }
    let error = line(["graph", &folder.text("converge.bin"), "--cores", "40"]);
    assert!(
        error.contains("`group` at node 0: a command's group has no cores or some outside the grid; "),
        "{error}"
    );
    assert!(error.contains("--cores"), "{error}");
    assert!(line(["graph", &folder.text("converge.bin"), "--cores", "0"]).contains("1 to 128 cores"));
}

#[test]
fn every_page_is_explained_and_listed() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let list = printed(["explain"]);
    let codes = list.lines().filter_map(|line| line.split_whitespace().next());
    let faults: Vec<&str> = codes.filter(|code| code.starts_with("KF")).collect();
    let rules: Vec<&str> = komorebi_card::Rule::ALL.iter().map(|rule| rule.code()).collect();
    assert_eq!(faults, rules);
    assert!(list.lines().filter(|line| line.starts_with("KM")).count() > 50, "{list}");
    for entry in list.lines() {
        let code = entry.split_whitespace().next().unwrap();
        let folder = if code.starts_with("KF") { "strict-faults" } else { "errors" };
        let page = std::fs::read_to_string(docs.join(folder).join(format!("{code}.md"))).unwrap();
        assert_eq!(printed(["explain", code]), page);
        assert!(page.starts_with(&format!("# {}: {}", code, entry[8..].trim())), "{entry}");
    }
    for spelling in ["km0013", "13", "0013", "[KM0013]", "KM13"] {
        assert!(printed(["explain", spelling]).starts_with("# KM0013: "), "{spelling}");
    }
    for spelling in ["KF0306", "kf306", "[KF0306]"] {
        assert!(printed(["explain", spelling]).starts_with("# KF0306: "), "{spelling}");
    }
}

#[test]
fn an_unknown_code_brings_the_nearest() {
    assert!(line(["explain", "KM0130"]).contains("the nearest is KM0128 (more than ten argument words)"));
    assert!(line(["explain", "KF0306x"]).contains("no rule has the code `KF0306x`"));
    assert!(line(["explain", "KF0001"]).contains("the nearest is KF0101"));
    assert!(line(["explain", "E0308"]).contains("no rule has the code `E0308`"));
    assert!(line(["explain", "99999999999999999999"]).contains("the nearest is KM0204"));
    assert!(line(["explain", "Größe"]).contains("no rule has the code `Größe`"));
}

#[test]
fn cargo_runs_it_under_its_own_name() {
    assert_eq!(printed(["komorebi", "explain", "KM0109"]), printed(["explain", "KM0109"]));
    let help = printed(["komorebi", "--help"]);
    assert!(help.contains("Usage: cargo komorebi"), "{help}");
    let unknown = run(["komorebi", "exlpain"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("'explain'"));
}

#[test]
fn a_reader_that_stops_is_no_error() {
    let folder = Folder::new();
    let mut large = Graph::new();
    for _ in 0..10_000 {
        large.command("step", 0..60, [0.into(), 0.into()]);
    }
    folder.write("large.bin", large.encode(&Facts { typed: false, ..facts() }).unwrap().bytes);
    let mut child = Command::new(BINARY)
        .args(["graph", &folder.text("large.bin")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(first.contains("graph"), "{first}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(
        noise in prop::collection::vec(any::<u8>(), 0..700),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        what in 0_usize..6,
    ) {
        let folder = Folder::new();
        let mut bytes = match what % 3 {
            0 => noise,
            1 => std::fs::read(folder.path("converge.bin")).unwrap(),
            _ => std::fs::read(folder.path("sweep.bin")).unwrap(),
        };
        for (at, byte) in flips {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        let file = folder.write("any.bin", &bytes);
        let file = file.to_str().unwrap();
        for words in [vec!["graph", file], vec!["graph", file, "--svg"], vec!["stream", file], vec!["constants", file]] {
            let output = run(&words);
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            prop_assert!(matches!(output.status.code(), Some(0 | 1)), "{words:?}: {error}");
            prop_assert!(!error.contains("panicked"), "{words:?}: {error}");
            prop_assert_eq!(output.status.success(), error.is_empty());
        }
    }
}
