//! Names that are taken: by what is generated, by C++, by the build.

/// Names that a generated item, a method of `Run` or C++ would collide with.
pub(super) const RESERVED: [&str; 26] = [
    "program",
    "nop",
    "submit",
    "submit_many",
    "wait",
    "wait_any",
    "drain",
    "event",
    "sequence",
    "group",
    "forget",
    "stop",
    "abort",
    "result",
    "state",
    "state_words",
    "trace",
    "upload",
    "release",
    "start",
    "restart",
    "cancel",
    "wait_engine",
    "run_hostfed",
    "thread_result",
    "sizes",
];

/// Words that begin a statement of `graph!` or `stream!`, where a handler of that name could not be called.
pub(super) const STATEMENTS: [&str; 6] = ["bind", "cpu", "end", "enqueue", "halt", "reg"];

/// Keywords of C++ that the header reader does not look for, since no constant of a header is called so.
const FURTHER: [&str; 14] = [
    "and",
    "and_eq",
    "bitand",
    "bitor",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "not",
    "not_eq",
    "or",
    "or_eq",
    "xor",
    "xor_eq",
];

/// Macros that the build of every kernel sets.
pub(super) const INTERNAL: [&str; 5] =
    ["KM_ABI_FINGERPRINT", "KM_THREAD", "KM_OPT_LEVEL", "KM_PROGRAM_HANDLERS", "KM_TRACE"];

/// A name of Rust as names of the kernels have it: `big_step` is `BigStep`.
pub(super) fn capitals(name: &str) -> String {
    name.split('_')
        .filter(|part| !part.is_empty())
        .map(|part| {
            let mut letters = part.chars();
            letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
        })
        .collect()
}

/// Is it an identifier of C++?
pub(super) fn is_cpp_name(name: &str) -> bool {
    let mut letters = name.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && letters.all(|c| c.is_ascii_alphanumeric() || c == '_') && !is_cpp_keyword(name)
}

/// Is it a word that C++ keeps for itself? Those of Rust are names there when they are written `r#for`, and names of defines.
pub(super) fn is_cpp_keyword(name: &str) -> bool {
    komorebi_headers::is_keyword(name) || FURTHER.contains(&name)
}
