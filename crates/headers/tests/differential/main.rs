//! The reader against the compiler: random headers, and the project's own.
//!
//! Each constant of a header is looked up by the reader. Where it has a value, an assertion on value, size and sign is written;
//! where it has none, a use of it. One compilation says whether all assertions hold and all those uses are errors.
//!
//! Eight headers, always the same, are the default. `KOMOREBI_HEADER_CASES` sets the number of headers (about 220 constants
//! each, under two data models) and makes them different in each run.

mod compiler;
mod expression;
mod item;
mod write;

use compiler::{Compiler, Verdict, compilers};
use komorebi_headers::{ErrorKind, Header, Options};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use write::{Case, Written};

/// Sign and size of a type, without the standard library.
const TRAITS: &str = "\
template <class T, bool = __is_enum(T)> struct int_of { using type = T; };
template <class T> struct int_of<T, true> { using type = __underlying_type(T); };
template <class T> struct plain { using type = typename int_of<T>::type; };
template <class T> struct plain<const T> { using type = typename int_of<T>::type; };
template <class T> struct plain<T &> : plain<T> {};
template <class T> using plain_t = typename plain<T>::type;
template <class T> constexpr bool has_sign = plain_t<T>(-1) < plain_t<T>(0);
";

/// Where the reader refuses what g++ accepts: the type of the members of an enumeration depends on one without value; values
/// of an enumeration that do not fit 64 bits (g++ takes `__int128`); the size of a function (g++ says 1).
const STRICTER: &[&str] = &[
    "another enumerator",
    "before this one",
    "this enumerator overflows",
    "no integer type holds",
    "a type of functions",
];

/// A line that holds if and only if the constant has this value, size and sign.
fn assertion(path: &str, value: komorebi_headers::Value) -> String {
    format!(
        "static_assert((unsigned long long)({path}) == {}ull && sizeof({path}) == {} && \
         has_sign<decltype({path})> == {}, \"{path}\");\n",
        value.bits(),
        value.ty.bytes(),
        value.ty.is_signed()
    )
}

#[test]
fn random_headers_have_the_values_the_compiler_gives_them() {
    let compilers = compilers();
    let wanted = std::env::var("KOMOREBI_HEADER_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = wanted.unwrap_or(8);
    let config = Config { cases, max_shrink_iters: 40, failure_persistence: None, ..Config::default() };
    let counted = std::cell::Cell::new((0_usize, 0_usize));
    let items = prop::collection::vec(item::item(), 330..360);
    let mut runner = match wanted {
        Some(_) => TestRunner::new(config),
        None => TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)),
    };
    let result = runner.run(&items, |items| {
        for compiler in &compilers {
            // Written again without uses of constants that have no value, until there are none.
            let mut broken = HashSet::new();
            let mut case = write::write(&items, &broken);
            for _ in 0..20 {
                let known = broken.len();
                broken.extend(failing(&case, compiler));
                if broken.len() == known {
                    break;
                }
                case = write::write(&items, &broken);
            }
            let (good, bad) = compare(&case, compiler)?;
            let (all_good, all_bad) = counted.get();
            counted.set((all_good + good, all_bad + bad));
        }
        Ok(())
    });
    let (good, bad) = counted.get();
    if let Err(error) = result {
        // The items say little; the message has the line.
        let text = error.to_string();
        panic!("{}", text.split("minimal failing input").next().unwrap_or(&text));
    }
    println!("{good} constants agree in value, size and sign; {bad} are errors for both");
    assert!(
        good >= 250 * cases as usize,
        "only {good} constants have a value: the generator makes too many errors"
    );
}

/// Writes the files of a case into a directory and reads the header.
fn read(case: &Case, dir: &Path, compiler: &Compiler) -> Result<Header, TestCaseError> {
    for (name, text) in &case.files {
        std::fs::write(dir.join(name), text).map_err(|error| TestCaseError::fail(error.to_string()))?;
    }
    Header::read(dir.join("case.h"), &Options::new().model(compiler.model))
        .map_err(|error| TestCaseError::fail(format!("the header was refused:\n{}", error.render())))
}

/// The constants the reader gives no value.
fn failing(case: &Case, compiler: &Compiler) -> HashSet<String> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    match read(case, dir.path(), compiler) {
        Ok(header) => {
            let all = case.constants.iter().map(|constant| constant.path.clone());
            all.filter(|path| header.get(path).is_err()).collect()
        }
        Err(_) => HashSet::new(),
    }
}

/// Compares one header with the compiler; gives the numbers of values and errors that agree.
fn compare(case: &Case, compiler: &Compiler) -> Result<(usize, usize), TestCaseError> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let header = read(case, dir.path(), compiler)?;
    let mut text = format!("#include \"case.h\"\n{TRAITS}");
    let mut line = text.matches('\n').count();
    let mut expected = Vec::new();
    for constant in &case.constants {
        let got = header.get(&constant.path);
        match &got {
            Ok(found) => text += &assertion(&spelled(constant), found.value),
            Err(_) => {
                let _ = writeln!(text, "constexpr auto use_{line} = ({});", spelled(constant));
            }
        }
        line += 1;
        expected.push((constant, got, line));
    }
    let source = dir.path().join("check.cc");
    std::fs::write(&source, text).expect("the temporary directory is writable");
    let verdict = compiler.check(&source, &[], &[]);
    let (mut good, mut bad) = (0, 0);
    let mut failed = false;
    for (constant, got, line) in expected {
        let first_failed = std::mem::replace(&mut failed, got.is_err());
        if constant.second && first_failed {
            // After an error the compiler may pass over the rest of the declaration.
            continue;
        }
        let lines = constant.line - constant.branches..=constant.line;
        let declared = lines.clone().any(|line| verdict.is_error(&constant.file, line));
        let overflows = lines.into_iter().any(|line| verdict.overflows(&constant.file, line))
            || verdict.overflows("check.cc", line);
        // An error in a macro's text may come from any use of it, and g++ does not always say where the use is.
        let used = verdict.is_error("check.cc", line);
        let refused = used || (declared && !(constant.is_macro && got.is_ok()));
        match got {
            Ok(found) => {
                if refused {
                    let what = format!("the reader says {} ({})", found.value, found.ty());
                    return Err(differ(case, constant, &what, &verdict));
                }
                good += 1;
            }
            Err(_) if refused => bad += 1,
            Err(error) if error.kind() == ErrorKind::Arithmetic && overflows => bad += 1,
            Err(error) if STRICTER.iter().any(|text| error.message().contains(text)) => {}
            Err(error) => {
                let what = format!("the reader says: {}", error.render());
                return Err(differ(case, constant, &what, &verdict));
            }
        }
    }
    Ok((good, bad))
}

fn spelled(constant: &Written) -> String {
    if constant.is_macro { constant.path.clone() } else { format!("::{}", constant.path) }
}

fn differ(case: &Case, constant: &Written, what: &str, verdict: &Verdict) -> TestCaseError {
    let text = case.files.iter().find(|(name, _)| *name == constant.file).map_or("", |(_, text)| text);
    let line = text.lines().nth(constant.line - 1).unwrap_or("");
    let mut lines =
        (constant.line - constant.branches..=constant.line).map(|line| format!("{}:{line}:", constant.file));
    let places: Vec<String> = lines
        .by_ref()
        .chain([format!(" \"{}\"", spelled(constant)), format!(": {} ", spelled(constant))])
        .collect();
    let about: Vec<&str> = verdict
        .text
        .lines()
        .filter(|line| !line.contains(": warning: ") && places.iter().any(|place| line.contains(place)))
        .take(12)
        .collect();
    if let Ok(dir) = std::env::var("KOMOREBI_HEADER_KEEP") {
        for (name, text) in &case.files {
            let _ = std::fs::write(PathBuf::from(&dir).join(name), text);
        }
    }
    TestCaseError::fail(format!(
        "{} at {}:{}\n  {line}\n{what}\nthe compiler says:\n{}\n",
        constant.path,
        constant.file,
        constant.line,
        about.join("\n")
    ))
}

/// The headers of a folder, folders within it included.
fn headers_in(dir: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            headers_in(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "h") {
            found.push(path);
        }
    }
    found.sort();
}

#[test]
fn the_projects_own_headers_have_the_values_the_compiler_gives_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let include = [root.join("firmware/include"), root.join("kernels/include")];
    let include: Vec<&Path> = include.iter().map(PathBuf::as_path).collect();
    let mut headers = Vec::new();
    for dir in &include {
        headers_in(&dir.join("komorebi"), &mut headers);
    }
    assert!(!headers.is_empty(), "no headers found under {include:?}");
    // What the runtime gives a kernel's compilation.
    let defines = ["KM_THREAD=0", "KM_CONTROL=0", "KM_ABI_FINGERPRINT=0"];
    let mut compared = 0;
    for compiler in compilers() {
        let mut options = Options::new().model(compiler.model);
        for dir in &include {
            options = options.include_dir(*dir);
        }
        for define in defines {
            let (name, body) = define.split_once('=').expect("name=body");
            options = options.define(name, body);
        }
        for path in &headers {
            let header = Header::read(path, &options).unwrap_or_else(|error| panic!("{}", error.render()));
            let mistakes: Vec<String> = header
                .unevaluated()
                .filter(|entry| entry.is_mistake())
                .map(|entry| entry.error.render())
                .collect();
            assert!(mistakes.is_empty(), "{}", mistakes.join("\n\n"));
            let mut text = format!("#include \"{}\"\n{TRAITS}", path.display());
            for constant in header.constants() {
                match header.get(&constant.path) {
                    Ok(found) => text += &assertion(&constant.path, found.value),
                    Err(error) => assert_eq!(error.kind(), ErrorKind::Ambiguous, "{}", error.render()),
                }
                compared += 1;
            }
            let dir = tempfile::tempdir().expect("a temporary directory");
            let source = dir.path().join("check.cc");
            std::fs::write(&source, text).expect("the temporary directory is writable");
            let verdict = compiler.check(&source, &include, &defines);
            let wrong = verdict.errors("check.cc");
            assert!(wrong.is_empty(), "{}: {}", path.display(), verdict.text);
        }
    }
    println!("{compared} constants of {} headers compared", headers.len());
}

/// A NUL is white space for g++, with a warning, and so it is here: what follows one is not lost.
#[test]
fn a_nul_between_tokens_is_white_space_as_it_is_for_the_compiler() {
    let text = "constexpr int kA = 1;\n\0\nconstexpr int kB = 2;\nconstexpr int kC = 3;\0constexpr int kD = 4;\n\
        \0#define kE 5\n#\0define\0kF\0+6\n#define kG 1 + \\\0\n 6\n// \0 kH\n\
        constexpr int kJ = '\0' + 1;\n#define F(x) x + 1\nconstexpr int kK = F\0(10);\n#define kL\0(12)\n\
        constexpr int kM = 1 + \\\x0c\x0b\n 12;\nenum Kind {\0kN\0=\0+7\0};\n";
    let names = ["kA", "kB", "kC", "kD", "kE", "kF", "kG", "kJ", "kK", "kL", "kM", "kN"];
    let dir = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(dir.path().join("nul.h"), text).expect("the temporary directory is writable");
    for compiler in compilers() {
        let options = Options::new().model(compiler.model);
        let header = Header::read(dir.path().join("nul.h"), &options)
            .unwrap_or_else(|error| panic!("{}", error.render()));
        let mut check = format!("#include \"nul.h\"\n{TRAITS}");
        for name in names {
            let found = header.get(name).unwrap_or_else(|error| panic!("{}", error.render()));
            check += &assertion(name, found.value);
        }
        let source = dir.path().join("check.cc");
        std::fs::write(&source, check).expect("the temporary directory is writable");
        let verdict = compiler.check(&source, &[], &[]);
        let wrong = [verdict.errors("check.cc"), verdict.errors("nul.h")].concat();
        assert!(wrong.is_empty(), "{}", verdict.text);
    }
}
