//! Refuses texts so deep that whoever parses them would run out of stack, which no error message survives.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::anchor::Anchor;

/// Round and square brackets inside each other.
const DEPTH: u32 = 32;
/// Blocks inside each other: the steps of a stream nest in them, which is all that limits how deep those are.
pub(crate) const BLOCKS: u32 = 64;
/// Signs and prefix words in a row: each is a level for a parser.
const RUN: u32 = 16;
/// Signs between two `;` or `,`: assignments and closures nest without brackets.
const SIGNS: u32 = 256;
/// `else` between two `;`.
const ELSES: u32 = 48;

/// What a text has too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excess {
    /// Brackets inside each other.
    Brackets,
    /// Blocks inside each other.
    Blocks,
    /// Signs in a row.
    Run,
    /// Signs in one statement.
    Signs,
    /// `else` in one statement.
    Elses,
}

impl Excess {
    /// What was found.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Brackets => format!("more than {DEPTH} brackets stand inside each other here"),
            Self::Blocks => format!("more than {BLOCKS} blocks stand inside each other here"),
            Self::Run => format!("more than {RUN} signs stand in a row here"),
            Self::Signs => format!("more than {SIGNS} signs stand in one statement here"),
            Self::Elses => format!("more than {ELSES} `else` stand in one statement here"),
        }
    }

    /// What to do about it in the body of a graph or a stream.
    pub(crate) fn help(self, noun: &str) -> &'static str {
        match self {
            Self::Brackets => "compute a part of it into a register first, and drop brackets that do nothing",
            Self::Blocks if noun == "stream" => {
                "join conditions with `&&`, and leave early with `continue`, `break` or `halt(..)`; a `km::Stream` that is built at run time has no such limit"
            }
            Self::Blocks => "compute a part of it into a register first",
            Self::Run => "drop the signs that do nothing",
            Self::Signs => "compute a part of it into a register first",
            Self::Elses => {
                "begin a new `if` after some of them, with a register that says whether one was taken"
            }
        }
    }
}

/// What a text is like that is about to be parsed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nesting {
    /// Where it is too deep, if it is.
    pub(crate) excess: Option<(Anchor, Excess)>,
    /// Are there brackets that nobody sees, as a macro's arguments bring them?
    pub(crate) unseen: bool,
}

/// Looks at `tokens`, up to the first place where they are too deep.
pub(crate) fn nesting(tokens: &TokenStream) -> Nesting {
    let mut nesting = Nesting::default();
    nesting.walk(tokens, (0, 0));
    nesting
}

/// Where `tokens` are too deep, if they are.
pub(crate) fn too_deep(tokens: &TokenStream) -> Option<Anchor> {
    nesting(tokens).excess.map(|(anchor, _)| anchor)
}

impl Nesting {
    fn walk(&mut self, tokens: &TokenStream, (brackets, blocks): (u32, u32)) {
        let (mut run, mut signs, mut elses) = (0, 0, 0);
        for token in tokens.clone() {
            match &token {
                TokenTree::Group(group) => {
                    run = 0;
                    let block = group.delimiter() == Delimiter::Brace;
                    let excess = match block {
                        true => (blocks == BLOCKS).then_some(Excess::Blocks),
                        false => (brackets == DEPTH).then_some(Excess::Brackets),
                    };
                    if let Some(excess) = excess {
                        self.excess = Some((Anchor::at(group.span_open()), excess));
                        return;
                    }
                    self.unseen |= group.delimiter() == Delimiter::None;
                    let inner = if block { (brackets, blocks + 1) } else { (brackets + 1, blocks) };
                    self.walk(&group.stream(), inner);
                    if self.excess.is_some() {
                        return;
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
                    "return" | "break" | "yield" | "move" | "static" | "const" | "async" | "unsafe"
                    | "dyn" | "impl" | "mut" | "let" | "become" => run += 1,
                    _ => run = 0,
                },
                TokenTree::Literal(_) => run = 0,
            }
            let excess = match () {
                () if run > RUN => Excess::Run,
                () if signs > SIGNS => Excess::Signs,
                () if elses > ELSES => Excess::Elses,
                () => continue,
            };
            self.excess = Some((Anchor::of(token), excess));
            return;
        }
    }
}
