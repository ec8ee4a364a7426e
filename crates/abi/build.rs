//! Reads the device headers and writes their constants as Rust, a module a header, with the fingerprint of all.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use komorebi_headers::{Constant, ConstantKind, Header, Options};

/// The headers, in the order of the generated modules. `monitor` is frozen and outside the fingerprint.
const HEADERS: [&str; 9] =
    ["monitor", "command", "event", "launch", "core", "layout", "engine", "graph", "stream"];
const FROZEN: &str = "monitor";

fn main() {
    let include = Path::new(&var("CARGO_MANIFEST_DIR")).join("../../firmware/include/komorebi");
    let mut modules = String::new();
    let mut lines = BTreeSet::new();
    for stem in HEADERS {
        let path = include.join(format!("{stem}.h"));
        println!("cargo::rerun-if-changed={}", path.display());
        let header = Header::read(&path, &Options::new()).unwrap_or_else(|error| fail(&error.render()));
        let own: Vec<&Constant> = header.constants().filter(|constant| declared_in(constant, stem)).collect();
        assert!(!own.is_empty(), "{} declares no constants", path.display());
        modules.push_str(&module(stem, &own));
        if stem != FROZEN {
            lines.extend(own.iter().map(|constant| fingerprint_line(constant)));
        }
    }
    write!(
        modules,
        "/// Hash of every name and value above but the monitor's: compiled into image, kernels and host, and refused\n\
         /// at load where two differ.\npub const FINGERPRINT: u32 = {:#010x};\n",
        fingerprint(&lines)
    )
    .expect("writing to a string");
    let out = PathBuf::from(var("OUT_DIR")).join("constants.rs");
    std::fs::write(&out, modules).unwrap_or_else(|error| fail(&format!("{}: {error}", out.display())));
}

fn declared_in(constant: &Constant, stem: &str) -> bool {
    constant.location.file.file_stem().is_some_and(|found| found == stem)
}

fn fingerprint_line(constant: &Constant) -> String {
    format!("{}:{}={}", constant.path, constant.value.ty.bytes(), constant.value.number)
}

/// 64-bit FNV-1a over the sorted lines, folded to 32 bits: what a launch word can carry.
fn fingerprint(lines: &BTreeSet<String>) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in lines.iter().flat_map(|line| line.bytes().chain([b'\n'])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (hash >> 32) as u32 ^ hash as u32
}

fn module(stem: &str, constants: &[&Constant]) -> String {
    let mut text = format!("/// Constants of `firmware/include/komorebi/{stem}.h`.\npub mod {stem} {{\n");
    for constant in constants {
        let ty = &constant.value.ty;
        let doc = constant.doc.clone().unwrap_or_else(|| format!("`{}`.", constant.path));
        for line in doc.lines() {
            // `[15:0]` is a range of bits, not a link.
            let line = line.replace('[', "\\[").replace(']', "\\]");
            writeln!(text, "    #[doc = {line:?}]").expect("writing to a string");
        }
        let rust = format!("{}{}", if ty.is_signed() { 'i' } else { 'u' }, ty.bytes() * 8);
        writeln!(text, "    pub const {}: {rust} = {};", rust_name(&constant.name), constant.value.number)
            .expect("writing to a string");
    }
    text.push_str(&names(constants, "KMD_REJECT_", "REJECT_NAMES"));
    text.push_str(&names(constants, "KM_STREAM_ERROR_", "STREAM_ERROR_NAMES"));
    text.push_str(&names(constants, "kOp", "OPCODES"));
    text.push_str("}\n\n");
    text
}

/// A table of the enumerators with `prefix`: each number with its suffix in lower case. Empty when there are none.
fn names(constants: &[&Constant], prefix: &str, table: &str) -> String {
    let entries: Vec<String> = constants
        .iter()
        .filter(|constant| constant.kind == ConstantKind::Enumerator)
        .filter_map(|constant| {
            let name = constant.name.strip_prefix(prefix)?.to_lowercase();
            Some(format!("({}, {name:?})", constant.value.number))
        })
        .collect();
    if entries.is_empty() {
        return String::new();
    }
    format!(
        "    /// Each `{prefix}*` number with its suffix in lower case.\n    pub const {table}: [(u32, &str); {}] = [{}];\n",
        entries.len(),
        entries.join(", ")
    )
}

/// `kLimBase` is `LIM_BASE`, `KM_FLAG_RESULT` stays.
fn rust_name(name: &str) -> String {
    let Some(rest) = name.strip_prefix('k').filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
    else {
        return name.to_owned();
    };
    let mut text = String::new();
    let mut lower_before = false;
    for letter in rest.chars() {
        if letter.is_ascii_uppercase() && lower_before {
            text.push('_');
        }
        lower_before = !letter.is_ascii_uppercase();
        text.push(letter.to_ascii_uppercase());
    }
    text
}

fn var(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|error| fail(&format!("{name}: {error}")))
}

fn fail(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(1)
}
