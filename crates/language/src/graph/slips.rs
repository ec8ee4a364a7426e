//! Statements that belong somewhere else: words of a stream, a name without its `let`. Each is told once, and taken for what
//! was meant.

use komorebi_abi::engine::Facts;
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

use crate::anchor::Anchor;
use crate::engine::scope::Scope;

/// What words of a stream are in a graph.
const OF_STREAMS: [(&str, &str); 9] = [
    ("wait", "a graph waits by itself: name the node in an `after`, as in `cpu after node { .. }`"),
    ("event", "a graph has one event, at its end: `end(a, b)`"),
    ("halt", "a graph halts when `again` is 0: write `end(a, b)` for its event"),
    ("if", "choose between values in a cpu node: `x = if c { a } else { b };`, or write a `km::stream!`"),
    ("while", "let the graph go round with `again = ..` in a cpu node, or write a `km::stream!`"),
    ("loop", "let the graph go round with `again = ..` in a cpu node, or write a `km::stream!`"),
    ("for", "let the graph go round with `again = ..` and `max_runs`, or write a `km::stream!`"),
    ("match", "choose between values in a cpu node: `x = if c { a } else { b };`"),
    ("return", "a graph ends with `end(a, b)`"),
];

/// The statement as it was meant, every slip told. `None`: nothing of it is left.
pub(super) fn meant(tokens: TokenStream, scope: &mut Scope<'_>) -> Option<TokenStream> {
    let list: Vec<TokenTree> = tokens.clone().into_iter().take(4).collect();
    let word = |at: usize| list.get(at).map(ToString::to_string).unwrap_or_default();
    let anchor = |at: usize| Anchor::of(TokenStream::from(list[at].clone()));
    let known = |facts: &Facts, name: &str| facts.handler(name).is_some();
    let facts = &scope.program.facts;
    let named = word(0) == "let" && word(2) == "=";
    let first = if named { 3 } else { 0 };
    let begins = word(first);
    if known(facts, &begins) {
        return Some(tokens);
    }
    if matches!(begins.as_str(), "submit" | "enqueue")
        && matches!(list.get(first + 1), Some(TokenTree::Ident(_)) | None)
    {
        let text = format!("a graph's commands have no `{begins}`");
        let help = match begins.as_str() {
            "submit" => "remove the word: each node is submitted when what it comes after is done",
            _ => "remove the word, and write `queued` behind the arguments",
        };
        scope.syntax(anchor(first), text, help);
        let rest: TokenStream = tokens.into_iter().skip(first + 1).collect();
        let head: TokenStream = list[..first].iter().cloned().collect();
        return Some(quote!(#head #rest));
    }
    if named && matches!(list.get(3), Some(TokenTree::Literal(_))) {
        let (name, value) = (word(1), word(3));
        let ty = if value.contains('.') { "f32" } else { "u32" };
        let help = format!("a number that never changes is a constant: `const {name}: {ty} = {value};`");
        scope.syntax(anchor(3), "`let` names a node, and this is a number".to_owned(), &help);
        scope.mark_broken(&name);
        return None;
    }
    if let Some((_, help)) = OF_STREAMS.iter().find(|(known, _)| *known == begins) {
        scope.syntax(anchor(first), format!("a graph has no `{begins}`"), help);
        scope.gaps = true;
        return None;
    }
    let assigned = matches!(&list[..], [TokenTree::Ident(_), TokenTree::Punct(sign), next, ..]
        if sign.as_char() == '=' && !matches!(next, TokenTree::Punct(_)));
    if assigned && scope.variable(&begins).is_none() {
        let text = format!("the node `{begins}` has no `let`");
        scope.syntax(anchor(0), text, &format!("write `let {begins} = ..`"));
        return Some(quote!(let #tokens));
    }
    if assigned {
        let text = format!("`{begins}` is written outside of a cpu node");
        let help = format!("write `cpu {{ {begins} = ..; }}`, after the nodes that it needs");
        scope.syntax(anchor(0), text, &help);
        scope.lost_writes = true;
        return None;
    }
    Some(tokens)
}
