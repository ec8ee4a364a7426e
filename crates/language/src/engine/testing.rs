//! What the tests of graphs and streams share: a program, and texts of random tokens.

use komorebi_abi::engine::Facts;
use komorebi_abi::program::{Arg, ArgKind, Effect, Handler, ResultKind};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use proptest::prelude::*;
use quote::quote;

use crate::facts::{HeaderConstant, ProgramFacts};

/// The program of the documents, with a constant of its header and a handler of every type.
pub(crate) fn heat() -> ProgramFacts {
    let arg = |name: &str, kind, effect| Arg { name: name.to_owned(), kind, effect };
    let state = |effect| arg("state", ArgKind::Address, Some(effect));
    let handler = |name: &str, number, args, result| Handler { name: name.to_owned(), number, args, result };
    let handlers = vec![
        handler("step", 1, vec![state(Effect::InOut), arg("iteration", ArgKind::U32, None)], None),
        handler("left", 2, vec![state(Effect::InOut)], None),
        handler("right", 3, vec![state(Effect::InOut)], None),
        handler(
            "norm",
            4,
            vec![state(Effect::Input), arg("cores", ArgKind::U32, None)],
            Some(ResultKind::U32),
        ),
        handler("scale", 5, vec![arg("by", ArgKind::F32, None)], Some(ResultKind::F32)),
        handler(
            "mix",
            6,
            vec![
                arg("a", ArgKind::I32, None),
                arg("b", ArgKind::U64, None),
                arg("c", ArgKind::U16Pair, None),
                arg("d", ArgKind::Bf16Pair, None),
                arg("e", ArgKind::Core, None),
            ],
            Some(ResultKind::I32),
        ),
        handler("touch", 7, Vec::new(), None),
    ];
    let facts = Facts {
        program: "Heat".to_owned(),
        handlers,
        cores: Some(120),
        region_bytes: 707_840,
        typed: true,
        complete: true,
    };
    let edge = HeaderConstant {
        name: "kEdge".to_owned(),
        value: 30,
        place: "kernels/heat.h:9".to_owned(),
        line: "constexpr uint32_t kEdge = 30;".to_owned(),
    };
    ProgramFacts { facts, header: Some("kernels/heat.h".to_owned()), constants: vec![edge] }
}

/// The tokens with `unseen(..)` as brackets that nobody sees, as those around the argument of a macro.
pub(crate) fn unseen(tokens: TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let marked = matches!(&token, TokenTree::Ident(word) if word == "unseen");
        let token = match tokens.next_if(|next| marked && matches!(next, TokenTree::Group(_))) {
            Some(TokenTree::Group(group)) => Group::new(Delimiter::None, unseen(group.stream())).into(),
            _ => match token {
                TokenTree::Group(group) => Group::new(group.delimiter(), unseen(group.stream())).into(),
                token => token,
            },
        };
        out.extend([token]);
    }
    out
}

/// The codes of messages.
pub(crate) fn codes(texts: &[String]) -> Vec<&str> {
    texts.iter().map(|text| text.get(1..7).unwrap_or("none")).collect()
}

/// For what must not panic whatever comes: a thousand cases, or `PROPTEST_CASES`.
pub(crate) fn adversarial() -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { 1000 };
    ProptestConfig { cases, failure_persistence: None, ..default }
}

/// Texts of tokens that graphs and streams are made of, in any order, with brackets that close.
pub(crate) fn any_tokens() -> impl Strategy<Value = String> {
    let words = [
        "let",
        "bind",
        "reg",
        "const",
        "group",
        "cpu",
        "after",
        "exclusive",
        "unseen",
        "queued",
        "end",
        "again",
        "submit",
        "enqueue",
        "wait",
        "all",
        "event",
        "halt",
        "if",
        "else",
        "while",
        "loop",
        "break",
        "continue",
        "step",
        "norm",
        "state",
        "x",
        "y",
        "u32",
        "f32",
        "i32",
        "km::Address",
        "=",
        ":",
        ";",
        ",",
        "->",
        "..",
        "..=",
        "+",
        "-",
        "*",
        "/",
        "<",
        "<<",
        ">>",
        "==",
        "&&",
        "!",
        "+=",
        ">>=",
        "as",
        ".",
        "min",
        "max",
        "0",
        "1",
        "60",
        "4294967296",
        "1.5",
        "2f32",
        "3i32",
        "9u8",
        "'a'",
        "\"t\"",
        "#[doc = \"d\"]",
        "/// d\n",
        "kEdge",
        "LIMIT",
        "crate::LIMIT",
        "|",
        "^",
        "&",
        "true",
        "match",
        "r#match",
        "_",
        "'label",
        "$",
        "@",
        "::",
        "?",
        "340282366920938463463374607431768211456",
    ];
    let word = prop::sample::select(words.to_vec()).prop_map(str::to_owned);
    word.prop_recursive(5, 120, 12, |inner| {
        (prop::sample::select(vec![("(", ")"), ("[", "]"), ("{", "}")]), prop::collection::vec(inner, 0..12))
            .prop_map(|((open, close), parts)| format!("{open} {} {close}", parts.join(" ")))
    })
}

/// A body of such tokens.
pub(crate) fn any_body() -> impl Strategy<Value = String> {
    prop::collection::vec(any_tokens(), 0..60).prop_map(|parts| parts.join(" "))
}

/// Compares the expansion of `tests/expand/<name>.rs`, one macro call for the program `Heat`, with the file beside it.
/// `BLESS=1` writes that anew.
pub(crate) fn golden(name: &str, expand: fn(TokenStream) -> TokenStream) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expand");
    let source = std::fs::read_to_string(folder.join(format!("{name}.rs"))).unwrap();
    let expanded = expand(invocation(&source, &heat()));
    let text = prettyplease::unparse(&syn::parse2(expanded).expect("an expansion is items"));
    let path = folder.join(format!("{name}.expanded.rs"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == expected, "{} differs; BLESS=1 writes it anew. found:\n{text}", path.display());
}

/// What the shells pass on for a source of one macro call, `km::graph! { <Heat> .. }`.
pub(crate) fn invocation(source: &str, program: &ProgramFacts) -> TokenStream {
    let call: syn::ItemMacro = syn::parse_str(source).unwrap();
    let body: TokenStream = call.mac.tokens.into_iter().skip(3).collect();
    let facts = program.write();
    quote!(#facts [::komorebi] [Heat] #body)
}
