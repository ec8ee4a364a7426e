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

/// C++ keywords that are legal names in Rust.
const CPP: [&str; 50] = [
    "alignas",
    "alignof",
    "and",
    "asm",
    "auto",
    "bool",
    "case",
    "catch",
    "char",
    "class",
    "compl",
    "constexpr",
    "default",
    "delete",
    "double",
    "explicit",
    "export",
    "float",
    "friend",
    "goto",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "nullptr",
    "operator",
    "or",
    "private",
    "protected",
    "public",
    "register",
    "short",
    "signed",
    "sizeof",
    "switch",
    "template",
    "this",
    "throw",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "void",
    "xor",
];

/// Macros that the build of every kernel sets.
pub(super) const INTERNAL: [&str; 5] =
    ["KM_ABI_FINGERPRINT", "KM_THREAD", "KM_OPT_LEVEL", "KM_PROGRAM_HANDLERS", "KM_TRACE"];

/// Is it an identifier of C++?
pub(super) fn is_cpp_name(name: &str) -> bool {
    let mut letters = name.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && letters.all(|c| c.is_ascii_alphanumeric() || c == '_') && !is_cpp_keyword(name)
}

/// Is it a word that C++ keeps for itself?
pub(super) fn is_cpp_keyword(name: &str) -> bool {
    CPP.contains(&name)
}
