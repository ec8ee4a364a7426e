//! What the shell macros pass: the program's facts, the crate's path, the program's path, and what the user wrote.

use komorebi_abi::engine::Facts;
use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};

use crate::facts::ProgramFacts;

/// An invocation taken apart.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) program: ProgramFacts,
    /// The path of the crate `komorebi`, as `$crate`.
    pub(crate) krate: TokenStream,
    /// The program as the user named it.
    pub(crate) path: TokenStream,
    pub(crate) body: TokenStream,
}

impl Input {
    /// Reads `"facts" [crate] [program] body`. Facts that cannot be read, from a program of another version, count as those
    /// of a program with errors.
    pub(crate) fn read(tokens: TokenStream) -> Self {
        let mut tokens = tokens.into_iter();
        let text = tokens.next().map(|token| token.to_string()).unwrap_or_default();
        let facts = text
            .parse::<Literal>()
            .ok()
            .and_then(|literal| match syn::Lit::new(literal) {
                syn::Lit::Str(text) => ProgramFacts::read(&text.value()),
                _ => None,
            })
            .unwrap_or_else(unknown);
        let mut group = || match tokens.next() {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => group.stream(),
            _ => TokenStream::new(),
        };
        let (krate, path) = (group(), group());
        Self { program: facts, krate, path, body: tokens.collect() }
    }
}

fn unknown() -> ProgramFacts {
    let facts = Facts {
        program: String::new(),
        handlers: Vec::new(),
        cores: None,
        region_bytes: komorebi_abi::constants::layout::UPLOAD_BYTES,
        typed: true,
        complete: false,
    };
    ProgramFacts { facts, header: None, constants: Vec::new() }
}
