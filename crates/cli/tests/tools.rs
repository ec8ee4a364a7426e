//! The tools, as a shell runs them: output, status, and what they say of bad input.

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
    refused(["constants", "/dev/zero"]);
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
    assert!(line(["graph", "/dev/zero"]).contains("more than 707840 bytes"));
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
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    let list = printed(["explain"]);
    assert!(list.lines().count() > 50, "{list}");
    for entry in list.lines() {
        let code = entry.split_whitespace().next().unwrap();
        let page = std::fs::read_to_string(pages.join(format!("{code}.md"))).unwrap();
        assert_eq!(printed(["explain", code]), page);
        assert!(page.starts_with(&format!("# {}: {}", code, entry[8..].trim())), "{entry}");
    }
    for spelling in ["km0013", "13", "0013", "[KM0013]", "KM13"] {
        assert!(printed(["explain", spelling]).starts_with("# KM0013: "), "{spelling}");
    }
}

#[test]
fn an_unknown_code_brings_the_nearest() {
    assert!(line(["explain", "KM0130"]).contains("the nearest is KM0128 (more than ten argument words)"));
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

/// Address, bytes and name of each row of a map's section.
fn rows(section: &str) -> Vec<(u64, u64, String)> {
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let address = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
        let bytes = words.next()?.parse().ok()?;
        Some((address, bytes, words.skip(2).collect::<Vec<_>>().join(" ")))
    };
    section.lines().filter_map(row).collect()
}

#[test]
fn the_map_of_a_program_accounts_for_every_byte() {
    let folder = Folder::new();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/01_map/program.rs");
    let (upload, program) = (folder.text("converge.bin"), program.display().to_string());
    let text = printed(["size", &program, "--trace", "64", "--upload", &upload]);
    let (l1, region) = text.split_once("\n\n").unwrap();
    for (section, all) in [(l1, 1_572_864), (region, 707_840)] {
        let mut end = 0;
        for (address, bytes, what) in rows(section) {
            assert!(
                (end..end + 64).contains(&address),
                "{what} begins where the part before it ends: {text}"
            );
            end = address + bytes;
        }
        assert_eq!(end, all, "{text}");
    }
    let bytes = |name: &str| rows(&text).iter().find(|row| row.2.contains(name)).map(|row| (row.0, row.1));
    assert_eq!(bytes("buffer `source`"), Some(((41_088 + 70_656), 4 * 2048)), "{text}");
    assert_eq!(bytes("trace: 64").map(|row| row.1), Some(1024));
    assert!(bytes("kernel: reader").is_some_and(|row| row.0 == 41_088 && row.1 > 0), "{text}");
    let length = std::fs::metadata(&upload).unwrap().len();
    assert_eq!(bytes("converge.bin"), Some((0, length + 64)));
}

const PROGRAMS: &str = r#"
mod inner {
    #[komorebi::program(kernels = (reader = "k/reader.cpp", writer = "k/writer.cpp"), header = "k/tiles.h", buffers(
        large(index = 0, format = uint32, page_bytes = kPage, pages = 200),
    ), defines(TILES = 3), opt(reader = Os), compile_args(reader = [kPage]),
    compute(fp32_dest_acc_en, unpack_to_dest_mode(large = UnpackToDestFp32)))]
    pub trait Large {
        fn go(#[input] from: km::Address, pair: [u16; 2], far: u64) -> u32;
    }
}
#[km::program(kernels = "k")]
pub trait Small {
    #[handler(7)]
    fn go();
}
#[km::program(kernels = "k", threads(scan(cluster = 1, sources = ["k/reader.cpp"])))]
pub trait Threaded {
    #[handler(7)]
    fn go();
}
"#;

#[test]
fn a_program_that_does_not_fit_is_shown_with_what_is_too_much() {
    let folder = Folder::new();
    let file = folder.write("programs.rs", PROGRAMS).display().to_string();
    std::fs::create_dir(folder.path("k")).unwrap();
    folder.write(
        "k/reader.cpp",
        "#include \"tiles.h\"\nstatic_assert(TILES == 3 && kPage == 8192, \"the program's\");\n",
    );
    folder.write("k/writer.cpp", "");
    folder.write("k/tiles.h", "#pragma once\n#include <stdint.h>\nconstexpr uint32_t kHandlerGo = 7;\nconstexpr uint32_t kPage = 8192;\n");
    let both = line(["size", &file]);
    assert!(
        both.ends_with("it declares `Large`, `Small`, `Threaded`: choose one with `--program`"),
        "{both}"
    );
    assert!(
        line(["size", &file, "--program", "Lrage"])
            .ends_with("no program `Lrage`; there are `Large`, `Small`, `Threaded`")
    );
    let text = printed(["size", &file, "--program", "Large"]);
    assert!(text.contains("buffer `large` (index 0): 200 pages of 8192 bytes"), "{text}");
    assert!(text.contains(&format!("{} bytes too many", 41_088 + 70_656 + 200 * 8192 - 1_572_864)), "{text}");
    folder.write("k/reader.cpp", "");
    let small = printed(["size", &file, "--program", "Small"]);
    assert!(
        small.contains("upload region of the X280, 707840 bytes\n  0x000000     707840  100.0 %  free"),
        "{small}"
    );
    // A thread's ring takes the upload region.
    let threaded = printed(["size", &file, "--program", "Threaded"]);
    let (_, region) = threaded.split_once("\n\n").unwrap();
    assert_eq!(
        region,
        "upload region of the X280, 0 bytes\n  a program with a thread has none: the thread's ring lies there\n"
    );
    let upload = folder.text("converge.bin");
    let text = printed(["size", &file, "--program", "Threaded", "--upload", &upload]);
    let length = std::fs::metadata(&upload).unwrap().len() + 64;
    assert!(text.contains(&format!("{length} bytes too many")) && !text.contains("NaN"), "{text}");
}

#[test]
fn a_program_that_cannot_be_measured_is_refused() {
    let folder = Folder::new();
    assert!(line(["size", &folder.text("no.rs")]).contains("no.rs cannot be read"));
    assert!(line(["size", &folder.text("heat.h")]).contains("heat.h: it declares no program"));
    let open = folder.write("open.rs", "fn main() {\n    (\n");
    assert!(line([Path::new("size"), &open]).contains("open.rs: line 2, column 5: "));
    // However deep, however long.
    let deep = format!("fn f() -> u32 {{ {}1{} }}", "(".repeat(20_000), ")".repeat(20_000));
    let deep = folder.write("deep.rs", &deep);
    assert!(line([Path::new("size"), &deep]).contains("declares no program"));
    assert!(line(["size", &folder.text("converge.bin")]).contains("converge.bin: "));
    let empty = folder.write("empty.rs", "fn main() {}\n");
    assert!(line([Path::new("size"), &empty]).contains("declares no program"));
    let file = folder.write("programs.rs", PROGRAMS).display().to_string();
    // What a build refuses is refused in the same words, all of it, at its place.
    let nowhere = refused(["size", &file, "--program", "Small"]);
    assert!(nowhere.contains("programs.rs:11:25: [KM0019] there is no folder \"k\" of kernels"), "{nowhere}");
    let wrong = refused(["size", &file, "--program", "Large"]);
    assert!(wrong.contains("[KM0012] there is no header \"k/tiles.h\""), "{wrong}");
    std::fs::create_dir(folder.path("k")).unwrap();
    let empty = refused(["size", &file, "--program", "Small"]);
    assert!(
        empty.contains("there is no reader kernel") && empty.contains("there is no writer kernel"),
        "{empty}"
    );
    folder.write("k/reader.cpp", "");
    folder.write("k/writer.cpp", "");
    let words = line(["size", &file, "--program", "Small", "--compile-args", "raeder=1"]);
    assert!(words.contains("`raeder=1` gives no words to a kernel"), "{words}");
}

/// A tool that runs until it is killed.
struct Serving(std::process::Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn sim_card_serves_the_card_it_was_asked_for_and_a_path_in_use_is_refused() {
    let folder = TempDir::new().unwrap();
    let socket = folder.path().join("card");
    let mut command = Command::new(BINARY);
    command.arg("sim-card").arg(&socket).args(["--board", "p100a", "--columns", "3", "--seed", "9"]);
    let mut serving = Serving(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut said = String::new();
    BufReader::new(serving.0.stdout.take().unwrap()).read_line(&mut said).unwrap();
    let variable = format!("sim:{}", socket.display());
    assert_eq!(said, format!("a simulated card is served; open it with KM_CARD={variable}\n"));
    let session = komorebi::Session::builder().sim_card(&socket).open().unwrap();
    let description = session.description();
    assert_eq!((description.board, description.columns.len()), (komorebi::Board::P100a, 3));
    let run = session.load(komorebi::Program::new("nop")).unwrap();
    let second = std::time::Duration::from_secs(1);
    run.wait(run.submit(komorebi::nop()).unwrap(), second).unwrap();
    run.stop(second).unwrap();
    drop(session);
    assert_eq!(printed(["inspect", &variable]), "Nobody holds the card: nothing runs on it.\n");
    let error = line([std::ffi::OsStr::new("sim-card"), socket.as_os_str()]);
    assert!(error.starts_with("error: no card can be served at ") && error.contains("in use"), "{error}");
}

/// A program whose command waits for a semaphore that nobody sets, and how long it may.
fn wedge() -> (komorebi::Program, komorebi::LoadOptions) {
    const READER: &str = r"
#include <komorebi/kernel.h>
KM_HANDLER(Stuck) {
    if (km::core_index() == args.core) noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(0x100000), 1);
}
";
    let program = komorebi::Program::new("wedge")
        .with_sources(komorebi::build::Sources::new().file("reader.cpp", READER.as_bytes()))
        .handler_with("stuck", 7, &[("core", ArgKind::U32)], None)
        .grid(4, 2);
    (program, komorebi::LoadOptions { deadline: std::time::Duration::from_millis(100), ..Default::default() })
}

#[test]
fn inspect_and_explain_tell_of_a_wedged_card_while_it_runs_and_afterwards() {
    let folder = TempDir::new().unwrap();
    let socket = folder.path().join("card");
    let mut command = Command::new(BINARY);
    let mut serving = Serving(command.arg("sim-card").arg(&socket).stdout(Stdio::piped()).spawn().unwrap());
    BufReader::new(serving.0.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    let header = folder.path().join("wedge.h");
    std::fs::write(&header, "constexpr unsigned kHandlerStuck = 7;\n").unwrap();
    let card = format!("sim:{}", socket.display());
    let inspect = || printed(["inspect", &card, "--header", header.to_str().unwrap()]);

    let session = komorebi::Session::builder().sim_card(&socket).open().unwrap();
    let (program, mut options) = wedge();
    options.post_mortem = Some(folder.path().join("left"));
    let run = session.load_with(program, options).unwrap();
    let stuck = run.submit(komorebi::call("stuck", &[6]).on(4..8)).unwrap();
    run.wait(stuck, std::time::Duration::from_millis(1)).unwrap_err();
    let before = run.session().description().clone();
    let story = inspect();
    let me = format!("Inspection: the card is held by process {} (", std::process::id());
    assert!(story.starts_with(&me), "{story}");
    for words in [
        "on 4 x 2 cores of a simulated card p150a",
        "The dispatcher is running",
        "hart 0: running",
        "in flight: command with sequence number 1, `stuck`, on cores 4..8 (slot 0)",
        "read when the program has ended. A command may take 100ms",
    ] {
        assert!(story.contains(words), "no `{words}` in:\n{story}");
    }
    assert_eq!(story, inspect(), "a look changes nothing");
    assert_eq!(&before, session.description());

    // The run dies of its deadline; the session keeps the card.
    let error = run.wait(stuck, std::time::Duration::from_secs(1)).unwrap_err();
    let story = inspect();
    for words in [
        "The dispatcher is failed",
        "core 6:\n  reader, in `stuck` (sequence number 1), waits for the semaphore at 0x100000 to be 1 (it is 0)",
    ] {
        assert!(story.contains(words), "no `{words}` in:\n{story}");
    }
    // One file is of the wait that ran out, one of the end.
    let files: Vec<_> =
        std::fs::read_dir(folder.path().join("left")).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 2, "{files:?}");
    let named = files.iter().find(|file| error.to_string().contains(file.to_str().unwrap()));
    let file = named.unwrap_or_else(|| panic!("{error}"));
    let told = printed([std::ffi::OsStr::new("explain"), file.as_os_str()]);
    assert!(told.starts_with("CommandTimeout: command 1") && told.contains("reader.cpp:4"), "{told}");
}

#[test]
fn explain_refuses_a_file_that_is_no_post_mortem_and_inspect_a_card_that_is_not_served() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("other.json");
    std::fs::write(&file, r#"{"format":"else"}"#).unwrap();
    let error = line([std::ffi::OsStr::new("explain"), file.as_os_str()]);
    assert!(
        error
            .ends_with("other.json is no post-mortem file: its `format` is else, not `komorebi post-mortem`"),
        "{error}"
    );
    assert!(line(["explain", "no/such.json"]).starts_with("error: no/such.json cannot be read"));
    assert!(line(["inspect", "card:0"]).starts_with("error: no `card:0` can be inspected: give `sim:PATH`"));
    assert!(line(["inspect", "sim:/nowhere"]).starts_with("error: no simulated card is served at /nowhere"));
}

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
    let error = line(["trace", "/dev/null"]);
    assert!(error.starts_with("error: /dev/null is no trace of a run: it is no JSON"), "{error}");
}
