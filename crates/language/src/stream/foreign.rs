//! What somebody writes who knows another language, seen by its first words before it is read: one message each, with the
//! step that is meant.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Pat, Token};

use crate::anchor::Anchor;
use crate::engine::number::name_of;
use crate::engine::scope::Scope;
use crate::parts::split;

/// A statement as steps are written, if it can be made one; what is wrong with it is reported. `None`: it is no step.
pub(super) fn repair(tokens: TokenStream, scope: &mut Scope<'_>) -> Option<TokenStream> {
    let tokens = typed_result(tokens, scope);
    let list: Vec<TokenTree> = tokens.clone().into_iter().collect();
    if let Some((text, help)) = no_step(&list) {
        let first = list.first().map_or_else(|| Anchor::of(&tokens), |first| Anchor::at(first.span()));
        scope.syntax(first, text, &help);
        return None;
    }
    if let Some((wrong, text, help)) = bad_call(&list) {
        scope.syntax(wrong, text, &help);
        return None;
    }
    let word = |at: usize| ident(list.get(at));
    // `let mut count = 3`, `let count: u32 = 3`.
    let changes = word(1).as_deref() == Some("mut");
    let typed = matches!(list.get(2), Some(TokenTree::Punct(sign)) if sign.as_char() == ':');
    if let (Some("let"), Some(name), true) =
        (word(0).as_deref(), word(1 + usize::from(changes)), changes || typed)
    {
        let text = "`let` names a command, and this one a value".to_owned();
        scope.syntax(Anchor::at(list[0].span()), text, &register_for(&name, &tokens));
        scope.mark_broken(&name);
        return None;
    }
    let handler = |at: usize, scope: &Scope<'_>| match word(at) {
        Some(name) if is_command(&list[at..], scope) => Some((name, list[at].span())),
        _ => None,
    };
    // `let job = handler[..](..)`, `handler[..](..)`.
    let named = matches!((word(0).as_deref(), list.get(2)), (Some("let"), Some(TokenTree::Punct(sign))) if sign.as_char() == '=');
    let at = if named { 3 } else { 0 };
    if let Some((name, span)) = handler(at, scope) {
        let text = format!("`{name}` is a handler, and this does not say what happens to its command");
        let help = match word(1).filter(|_| named) {
            Some(job) => format!("write `let {job} = submit {name}[0..8](..);`"),
            None => format!(
                "write `submit {name}[0..8](..);`, or `enqueue {name}(..) queued(8);` for cores of the dispatcher's choice"
            ),
        };
        scope.syntax(Anchor::at(span), text, &help);
        let submit = Ident::new("submit", span);
        let (before, behind) = list.split_at(at);
        return Some(quote!(#(#before)* #submit #(#behind)*));
    }
    // `job = submit handler[..](..)`.
    if let (Some(name), Some(TokenTree::Punct(sign)), Some(verb)) = (word(0), list.get(1), word(2))
        && sign.as_char() == '='
        && (verb == "submit" || verb == "enqueue")
    {
        let text = format!("`{name} =` does not name a command");
        let help = format!(
            "write `let {name} = {verb} ..`; a result goes to a register behind the arguments: `{verb} ..(..) -> {name};`"
        );
        scope.syntax(Anchor::at(list[0].span()), text, &help);
        scope.mark_broken(&name);
        scope.gaps = true;
        return Some(list.into_iter().skip(2).collect());
    }
    Some(tokens)
}

/// Takes `-> u32` away: behind a command stands the register that its result goes to, not its type.
fn typed_result(tokens: TokenStream, scope: &mut Scope<'_>) -> TokenStream {
    let list: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let sign =
        |token: &TokenTree, wanted| matches!(token, TokenTree::Punct(sign) if sign.as_char() == wanted);
    let at = list.windows(3).position(|three| sign(&three[0], '-') && sign(&three[1], '>'));
    let ty = at.and_then(|at| ident(list.get(at + 2)));
    let (Some(at), Some(ty)) = (at, ty) else { return tokens };
    if !matches!(ty.as_str(), "u32" | "i32" | "f32") || scope.variable(&ty).is_some() {
        return tokens;
    }
    let text = format!("`{ty}` is a type, and a register's name is expected");
    let help = format!("write `-> result`, with `reg result: {ty};` declared before");
    scope.syntax(Anchor::at(list[at + 2].span()), text, &help);
    scope.gaps = true;
    let (before, behind) = (&list[..at], &list[at + 3..]);
    quote!(#(#before)* #(#behind)*)
}

/// What no stream has: what to say, and what to do.
fn no_step(list: &[TokenTree]) -> Option<(String, String)> {
    let first = ident(list.first())?;
    let call =
        matches!(list.get(1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
    let no = |help: &str| Some((format!("a stream has no `{first}`"), help.to_owned()));
    match first.as_str() {
        "for" => no(&count_of(list)),
        "match" => {
            let subject = short(list.get(1..2).filter(|_| list.len() == 3)).unwrap_or_else(|| "x".to_owned());
            no(&format!("write `if {subject} == 1 {{ .. }} else if {subject} == 2 {{ .. }}`"))
        }
        "elif" | "elsif" | "elseif" => no("write `else if .. { .. }` right behind the block of its `if`"),
        "else" => {
            let help = "write it right behind the block of its `if`, without a `;` between them";
            Some(("this `else` has no `if`".to_owned(), help.to_owned()))
        }
        "return" => {
            let value =
                short(list.get(1..)).unwrap_or_else(|| if list.len() < 2 { "0" } else { ".." }.to_owned());
            no(&format!("end it with `halt({value});`"))
        }
        "end" if call => {
            let help = "write `halt(x);` with one value, and post others before it with `event(y);`";
            Some(("`end` is a graph's: a stream ends with a `halt`".to_owned(), help.to_owned()))
        }
        "cpu" if list.len() > 1 && !matches!(list[1], TokenTree::Punct(_)) => {
            let help = "write what it computes as steps of their own: `x += 1;`";
            Some(("`cpu` is a graph's".to_owned(), help.to_owned()))
        }
        "fn" => no("write the steps in place; a `loop` or a `while` repeats them"),
        "wait_all" if call => Some(("there is no `wait_all`".to_owned(), "write `wait(all);`".to_owned())),
        "wait" | "event" | "halt" if !call && !matches!(list.get(1), Some(TokenTree::Punct(_))) => {
            let other = if first == "wait" { "all" } else { "0" };
            let value = short(list.get(1..)).unwrap_or_else(|| other.to_owned());
            Some((format!("`{first}` takes its value in parentheses"), format!("write `{first}({value});`")))
        }
        _ => match list.get(1..) {
            Some([TokenTree::Punct(one), TokenTree::Punct(two)])
                if one.as_char() == two.as_char() && matches!(one.as_char(), '+' | '-') =>
            {
                let sign = one.as_char();
                let text = format!("a stream has no `{sign}{sign}`");
                Some((text, format!("write `{first} {sign}= 1;`")))
            }
            _ => None,
        },
    }
}

/// `halt(..)` or `event(..)` with another number of values than one.
fn bad_call(list: &[TokenTree]) -> Option<(Anchor, String, String)> {
    let [TokenTree::Ident(word), TokenTree::Group(group), ..] = list else { return None };
    let (word, anchor) = (word.to_string(), Anchor::at(word.span()));
    if !matches!(word.as_str(), "halt" | "event") || group.delimiter() != Delimiter::Parenthesis {
        return None;
    }
    let values = split(group.stream());
    let texts: Vec<String> = values.iter().map(|value| plain(value.clone())).collect();
    match (values.as_slice(), texts.as_slice()) {
        ([], _) => Some((anchor, format!("`{word}` has no value"), format!("write `{word}(0);`"))),
        ([_], _) => None,
        ([_, second, ..], [first @ .., last]) => {
            let help = if word == "halt" {
                let before: Vec<String> = first.iter().map(|value| format!("`event({value});`")).collect();
                format!(
                    "write `halt({last});`, and {} before it for what else the host is to see",
                    before.join(", ")
                )
            } else {
                let all: Vec<String> = texts.iter().map(|value| format!("`event({value});`")).collect();
                format!("post each of them: {}", all.join(" "))
            };
            Some((
                Anchor::of(second),
                format!("`{word}` takes one value, and is given {}", values.len()),
                help,
            ))
        }
        _ => None,
    }
}

/// What to write for `let name = value`, where a register is meant.
pub(super) fn register_for(name: &str, tokens: &TokenStream) -> String {
    let list: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let sign = list.iter().position(|token| matches!(token, TokenTree::Punct(sign) if sign.as_char() == '='));
    let value = sign.and_then(|at| short(list.get(at + 1..)));
    let ty = match &list[..sign.unwrap_or(0)] {
        [.., TokenTree::Punct(colon), TokenTree::Ident(ty)] if colon.as_char() == ':' => ty.to_string(),
        _ if value.as_ref().is_some_and(|value| value.contains('.')) => "f32".to_owned(),
        _ => "u32".to_owned(),
    };
    match value {
        Some(value) => format!("for a register, write `reg {name}: {ty} = {value};`"),
        None => format!("for a register, write `reg {name}: {ty} = ..;` with its value"),
    }
}

/// A handler with cores in brackets or arguments in parentheses behind it.
fn is_command(list: &[TokenTree], scope: &Scope<'_>) -> bool {
    let group = |at: usize, delimiter| matches!(list.get(at), Some(TokenTree::Group(group)) if group.delimiter() == delimiter);
    let call =
        group(1, Delimiter::Parenthesis) || group(1, Delimiter::Bracket) && group(2, Delimiter::Parenthesis);
    let known = |name: &str| scope.program.facts.handler(name).is_some();
    call && ident(list.first()).is_some_and(|name| known(&name))
}

/// The loop that counts as a `for` does, with the user's own name and bounds where they are short.
fn count_of(list: &[TokenTree]) -> String {
    let head = |input: ParseStream<'_>| {
        input.parse::<Token![for]>()?;
        let name = match input.call(Pat::parse_single)? {
            Pat::Ident(name) => name.ident.to_string(),
            _ => "i".to_owned(),
        };
        input.parse::<Token![in]>()?;
        let over = input.call(Expr::parse_without_eager_brace)?;
        input.parse::<TokenStream>()?;
        Ok((name, Some(over)))
    };
    let (name, over) = head.parse2(list.iter().cloned().collect()).unwrap_or_else(|_| ("i".to_owned(), None));
    let simple = |bound: Option<&Expr>| match bound? {
        Expr::Lit(literal) => Some(literal.to_token_stream().to_string()),
        bound => name_of(bound),
    };
    let (from, sign, to) = match &over {
        Some(Expr::Range(range)) => {
            let sign = if matches!(range.limits, syn::RangeLimits::Closed(_)) { "<=" } else { "<" };
            (simple(range.start.as_deref()), sign, simple(range.end.as_deref()))
        }
        _ => (None, "<", None),
    };
    let [from, to] = [from, to].map(|bound| bound.unwrap_or_else(|| "..".to_owned()));
    format!("count yourself: `reg {name}: u32 = {from}; while {name} {sign} {to} {{ ..; {name} += 1; }}`")
}

/// Tokens as somebody would write them, if they are few.
fn short(list: Option<&[TokenTree]>) -> Option<String> {
    let list = list.filter(|list| (1..=3).contains(&list.len()))?;
    let grouped = list.iter().any(|token| matches!(token, TokenTree::Group(_)));
    (!grouped).then(|| plain(list.iter().cloned().collect()))
}

fn plain(tokens: TokenStream) -> String {
    tokens.to_string()
}

fn ident(token: Option<&TokenTree>) -> Option<String> {
    match token {
        Some(TokenTree::Ident(word)) => Some(word.unraw().to_string()),
        _ => None,
    }
}
