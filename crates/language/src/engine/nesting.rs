//! Refuses texts so deep that whoever parses them would run out of stack, which no error message survives.

use proc_macro2::{TokenStream, TokenTree};

use crate::anchor::Anchor;

/// Brackets inside each other.
const DEPTH: u32 = 32;
/// Signs and prefix words in a row: each is a level for a parser.
const RUN: u32 = 16;
/// Signs between two `;` or `,`: assignments and closures nest without brackets.
const SIGNS: u32 = 256;
/// `else` between two `;`.
const ELSES: u32 = 48;

/// Where `tokens` are too deep, if they are.
pub(crate) fn too_deep(tokens: &TokenStream) -> Option<Anchor> {
    walk(tokens, 0)
}

fn walk(tokens: &TokenStream, depth: u32) -> Option<Anchor> {
    let (mut run, mut signs, mut elses) = (0, 0, 0);
    for token in tokens.clone() {
        match &token {
            TokenTree::Group(group) => {
                run = 0;
                if depth == DEPTH {
                    return Some(Anchor::at(group.span_open()));
                }
                if let Some(found) = walk(&group.stream(), depth + 1) {
                    return Some(found);
                }
            }
            // The sign of an attribute nests nothing, and documentation has many.
            TokenTree::Punct(punct) if punct.as_char() == '#' => {}
            TokenTree::Punct(punct) => {
                (run, signs) = (run + 1, signs + 1);
                if matches!(punct.as_char(), ';' | ',') {
                    (run, signs, elses) = (0, 0, 0);
                }
            }
            TokenTree::Ident(word) => match word.to_string().as_str() {
                "else" => elses += 1,
                "return" | "break" | "yield" | "move" | "static" | "const" | "async" | "unsafe" | "dyn"
                | "impl" | "mut" | "let" | "become" => run += 1,
                _ => run = 0,
            },
            TokenTree::Literal(_) => run = 0,
        }
        if run > RUN || signs > SIGNS || elses > ELSES {
            return Some(Anchor::of(token));
        }
    }
    None
}
