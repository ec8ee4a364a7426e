//! Brackets that nobody sees: an argument of a `macro_rules!` macro, `$cores:expr`, comes in one, so that what stands around
//! it does not tear it apart. Those that hold nothing together are taken away, for whoever reads tokens.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The tokens without the unseen brackets that change nothing: those around one token, a block among them, and those around
/// all of a statement, an argument or what stands in brackets. An `1 + 2` that is multiplied keeps its own.
pub(crate) fn without_unseen(tokens: TokenStream) -> TokenStream {
    let mut out: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let TokenTree::Group(group) = token else {
            out.push(token);
            continue;
        };
        let inner = without_unseen(group.stream());
        if group.delimiter() == Delimiter::None {
            let inner: Vec<TokenTree> = inner.into_iter().collect();
            if inner.len() < 2 || ends_part(out.last()) && ends_part(tokens.peek()) {
                out.extend(inner);
                continue;
            }
            out.push(rebuilt(&group, inner.into_iter().collect()));
        } else {
            out.push(rebuilt(&group, inner));
        }
    }
    out.into_iter().collect()
}

/// Does nothing stand here, or what parts statements and arguments?
fn ends_part(token: Option<&TokenTree>) -> bool {
    match token {
        None => true,
        Some(TokenTree::Punct(punct)) => matches!(punct.as_char(), ';' | ','),
        Some(_) => false,
    }
}

fn rebuilt(group: &Group, tokens: TokenStream) -> TokenTree {
    let mut rebuilt = Group::new(group.delimiter(), tokens);
    rebuilt.set_span(group.span());
    rebuilt.into()
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    /// `text` with `argument` in unseen brackets in place of `_`, shown with `<..>` for those that are left.
    fn flat(text: &str, argument: &str) -> String {
        fn fill(tokens: TokenStream, argument: &TokenStream) -> TokenStream {
            let fill = |token| match token {
                TokenTree::Ident(name) if name == "_" => Group::new(Delimiter::None, argument.clone()).into(),
                TokenTree::Group(group) => rebuilt(&group, fill(group.stream(), argument)),
                token => token,
            };
            tokens.into_iter().map(fill).collect()
        }
        fn show(tokens: TokenStream) -> TokenStream {
            let show = |token| match token {
                TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                    let inner = show(group.stream());
                    quote!(< #inner >)
                }
                TokenTree::Group(group) => rebuilt(&group, show(group.stream())).into(),
                token => token.into(),
            };
            tokens.into_iter().map(show).collect()
        }
        let filled = fill(text.parse().unwrap(), &argument.parse().unwrap());
        show(without_unseen(filled)).to_string().replace(' ', "")
    }

    #[test]
    fn brackets_that_nobody_sees_go_where_they_hold_nothing_together() {
        for (text, argument, shown) in [
            ("touch[_](_, 1);", "0..3", "touch[0..3](0..3,1);"),
            ("cpu _ touch();", "{ x = 1; }", "cpu{x=1;}touch();"),
            ("x = _ * 3;", "y", "x=y*3;"),
            ("x = _ * 3;", "(1 + 2)", "x=(1+2)*3;"),
            ("x = _ * 3;", "1 + 2", "x=<1+2>*3;"),
            ("x = y - _;", "1 + 2", "x=y-<1+2>;"),
            ("f(-_);", "-1.5", "f(-<-1.5>);"),
            ("f(_.min(y));", "-1.5", "f(<-1.5>.min(y));"),
            ("_; _;", "x = y + 1", "x=y+1;x=y+1;"),
            ("_ x = 1;", "", "x=1;"),
            ("group edge = _;", "0..3", "groupedge=<0..3>;"),
        ] {
            assert_eq!(flat(text, argument), shown, "{text} with {argument}");
        }
    }
}
