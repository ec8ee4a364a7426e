//! Cuts a body into statements, so that one that cannot be read does not hide the others.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Words that begin a statement which ends with its block.
const BLOCKS: [&str; 6] = ["cpu", "if", "while", "loop", "for", "match"];

/// The statements of a body, without their semicolons; each with whether it had one.
pub(crate) fn split_statements(tokens: TokenStream) -> Vec<TokenStream> {
    let mut statements = Vec::new();
    let mut current: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == ';' => {
                if !current.is_empty() {
                    statements.push(std::mem::take(&mut current).into_iter().collect());
                }
                continue;
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let goes_on = match tokens.peek() {
                    Some(TokenTree::Ident(next)) => *next == "else",
                    _ => false,
                };
                current.push(token);
                if !goes_on && ends_with_block(&current) {
                    statements.push(std::mem::take(&mut current).into_iter().collect());
                }
                continue;
            }
            _ => {}
        }
        current.push(token);
    }
    if !current.is_empty() {
        statements.push(current.into_iter().collect());
    }
    statements
}

/// The statements from the first of `words` on: where reading goes on behind what could not be read.
pub(crate) fn next_statements(tokens: TokenStream, words: &[&str]) -> Vec<TokenStream> {
    let begins = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if words.iter().any(|known| word == known));
    let rest: Vec<TokenTree> = tokens.into_iter().skip_while(|token| !begins(token)).collect();
    split_statements(rest.into_iter().collect())
}

/// `cpu {..}`, `let name = cpu {..}`, `if c {..}`, `while c {..}`, `loop {..}`.
fn ends_with_block(tokens: &[TokenTree]) -> bool {
    let word = |at: usize| match tokens.get(at) {
        Some(TokenTree::Ident(ident)) => ident.to_string(),
        Some(TokenTree::Punct(punct)) => punct.as_char().to_string(),
        _ => String::new(),
    };
    let first = if word(0) == "let" && word(2) == "=" { word(3) } else { word(0) };
    // A value that is chosen is no statement of its own: `let x = if ..` is refused later, whole.
    BLOCKS.contains(&first.as_str()) && (word(0) != "let" || first == "cpu")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        split_statements(text.parse().unwrap()).iter().map(|part| part.to_string().replace(' ', "")).collect()
    }

    #[test]
    fn semicolons_and_blocks_end_statements_and_values_that_are_chosen_do_not() {
        assert_eq!(split("a; let b = c(d; e);; f"), ["a", "letb=c(d;e)", "f"]);
        assert_eq!(split("cpu after m { x = 1; } end(x);"), ["cpuafterm{x=1;}", "end(x)"]);
        assert_eq!(split("let n = cpu { x = 1; } a"), ["letn=cpu{x=1;}", "a"]);
        assert_eq!(split("x = if c { a } else { b } + 1; y"), ["x=ifc{a}else{b}+1", "y"]);
        assert_eq!(split("if c { a; } else if d { b; } else { e; } f;"), ["ifc{a;}elseifd{b;}else{e;}", "f"]);
        assert_eq!(split("while c { a; } loop { break; }"), ["whilec{a;}", "loop{break;}"]);
    }
}
