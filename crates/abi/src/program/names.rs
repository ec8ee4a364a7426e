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

/// The keywords of C++; those of Rust are names there when they are written `r#for`, and names of defines.
const CPP: [&str; 92] = [
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
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

/// Is it a word that C++ keeps for itself?
pub(super) fn is_cpp_keyword(name: &str) -> bool {
    CPP.contains(&name)
}
