//! The names of types, and qualified names.

use crate::builtin::keyword_type;
use crate::expr::closing;
use crate::name::{Name, Names};
use crate::token::{Token, TokenKind};
use crate::types::{IntType, Model, Type};

/// The words no declaration or expression can use as a name, by their first letter.
const fn keywords(first: u8) -> &'static [&'static str] {
    match first {
        b'a' => &["alignas", "alignof", "asm", "auto"],
        b'b' => &["bool", "break"],
        b'c' => &[
            "case",
            "catch",
            "char",
            "char16_t",
            "char32_t",
            "char8_t",
            "class",
            "concept",
            "const",
            "const_cast",
            "consteval",
            "constexpr",
            "constinit",
            "continue",
        ],
        b'd' => &["decltype", "default", "delete", "do", "double", "dynamic_cast"],
        b'e' => &["else", "enum", "explicit", "export", "extern"],
        b'f' => &["false", "float", "for", "friend"],
        b'g' => &["goto"],
        b'i' => &["if", "inline", "int"],
        b'l' => &["long"],
        b'm' => &["mutable"],
        b'n' => &["namespace", "new", "noexcept", "nullptr"],
        b'o' => &["operator"],
        b'p' => &["private", "protected", "public"],
        b'r' => &["register", "reinterpret_cast", "requires", "return"],
        b's' => &["short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch"],
        b't' => {
            &["template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename"]
        }
        b'u' => &["union", "unsigned", "using"],
        b'v' => &["virtual", "void", "volatile"],
        b'w' => &["wchar_t", "while"],
        _ => &[],
    }
}

/// Can no declaration or expression of C++ use this word as a name?
pub fn is_keyword(word: &str) -> bool {
    word.bytes().next().is_some_and(|first| keywords(first).contains(&word))
}

/// A token that can be a name.
pub(crate) fn is_name(token: &Token<'_>) -> bool {
    token.kind == TokenKind::Ident && !is_keyword(token.text)
}

/// `a`, `a::b`, `::a::b` from `at`, and the index after it.
pub(crate) fn qualified<'a>(tokens: &'a [Token<'a>], mut at: usize) -> Option<(Name<'a>, usize)> {
    let first = tokens.get(at)?.place;
    let global = tokens.get(at)?.is("::");
    if global {
        at += 1;
    }
    let start = at;
    let mut place = first;
    loop {
        let token = tokens.get(at).filter(|token| is_name(token))?;
        place = place.to(token.place);
        at += 1;
        let more =
            tokens.get(at).is_some_and(|next| next.is("::")) && tokens.get(at + 1).is_some_and(is_name);
        if !more {
            return Some((Name { global, tokens: &tokens[start..at], place }, at));
        }
        at += 1;
    }
}

/// Parameters within parameters.
const MOST_PARAMETERS: u32 = 16;

/// What the words of a type have said so far.
#[derive(Default)]
struct Words {
    base: Option<Type>,
    signed: Option<bool>,
    long: u8,
    short: bool,
}

impl Words {
    /// Takes one keyword; false when it is none of a type or does not fit the others.
    fn keyword(&mut self, word: &str, model: Model) -> bool {
        match word {
            "const" | "volatile" | "typename" => {}
            "signed" | "unsigned" if self.signed.is_none() => self.signed = Some(word == "signed"),
            "long" if self.long < 2 && !self.short => self.long += 1,
            "short" if !self.short && self.long == 0 => self.short = true,
            _ => match keyword_type(word, model) {
                Some(ty) if self.base.is_none() => self.base = Some(ty),
                _ => return false,
            },
        }
        true
    }

    fn any(&self) -> bool {
        self.base.is_some() || self.signed.is_some() || self.long > 0 || self.short
    }

    fn finish(&self, model: Model) -> Option<Type> {
        if !self.any() {
            return None;
        }
        let modified = self.signed.is_some() || self.long > 0 || self.short;
        match self.base {
            Some(Type::Float(8)) if self.long == 1 && self.signed.is_none() && !self.short => {
                Some(Type::Float(16))
            }
            Some(base) if !modified => Some(base),
            Some(Type::Int(int)) if int == model.char() && self.long == 0 && !self.short => {
                // `signed char` and `unsigned char` are plain integers, of 8 bits.
                self.signed.map(|signed| Type::Int(if signed { IntType::I8 } else { IntType::U8 }))
            }
            None => Some(self.int(model)),
            Some(Type::Int(int)) if int == model.int() => Some(self.int(model)),
            Some(_) => None,
        }
    }

    fn int(&self, model: Model) -> Type {
        let bits = match (self.short, self.long) {
            (true, _) => 16,
            (_, 0) => model.int,
            (_, 1) => model.long,
            _ => 64,
        };
        Type::Int(IntType { signed: self.signed.unwrap_or(true), ..IntType::signed(bits) })
    }
}

/// The words of a type without `*` and `&`, and the index after them.
pub(crate) fn simple_type(
    tokens: &[Token<'_>],
    start: usize,
    names: &dyn Names,
    model: Model,
) -> Option<(Type, usize)> {
    let mut words = Words::default();
    let mut at = start;
    while let Some(token) = tokens.get(at) {
        if token.kind == TokenKind::Ident && words.keyword(token.text, model) {
            at += 1;
            continue;
        }
        if words.any() {
            break;
        }
        if token.is_word("struct")
            || token.is_word("class")
            || token.is_word("enum")
            || token.is_word("union")
        {
            at += 1;
            continue;
        }
        if token.is_word("decltype") || token.is_word("underlying_type_t") {
            return None;
        }
        let (name, after) = qualified(tokens, at)?;
        words.base = Some(names.type_named(&name)?);
        at = after;
    }
    words.finish(model).map(|ty| (ty, at))
}

/// A type as in a cast or `sizeof`, and the index after it.
pub(crate) fn type_id(
    tokens: &[Token<'_>],
    start: usize,
    names: &dyn Names,
    model: Model,
) -> Option<(Type, usize)> {
    let (mut ty, mut at) = simple_type(tokens, start, names, model)?;
    while let Some(token) = tokens.get(at) {
        if token.is("*") {
            ty = Type::Pointer;
        } else if !(token.is("&") || token.is("&&") || (ty == Type::Pointer && token.is_word("const"))) {
            break;
        }
        at += 1;
    }
    Some((ty, at))
}

/// Are these tokens a type of functions, as `int(uint8_t(k))` is wherever a type may stand: one that takes a `uint8_t` called
/// `k`? C++ prefers that to the two casts.
pub(crate) fn is_function_type(tokens: &[Token<'_>], names: &dyn Names, model: Model) -> bool {
    let Some((_, after)) = type_id(tokens, 0, names, model) else { return false };
    parenthesized(&tokens[after..])
        .is_some_and(|inside| inside.is_empty() || is_parameter(inside, names, model, 0))
}

/// A parameter: a type with a name, which may stand in parentheses, or with parameters of its own.
fn is_parameter(tokens: &[Token<'_>], names: &dyn Names, model: Model, depth: u32) -> bool {
    let Some((_, after)) = type_id(tokens, 0, names, model).filter(|_| depth < MOST_PARAMETERS) else {
        return false;
    };
    let mut rest = &tokens[after..];
    loop {
        match rest {
            [] => return true,
            [name] if is_name(name) => return true,
            _ => {}
        }
        let Some(inside) = parenthesized(rest) else { return false };
        if is_parameter(inside, names, model, depth + 1) {
            return true;
        }
        rest = inside;
    }
}

/// What stands in the parentheses that are all of the tokens.
fn parenthesized<'a>(tokens: &'a [Token<'a>]) -> Option<&'a [Token<'a>]> {
    let whole = tokens.first()?.is("(") && closing(tokens, 0) == Some(tokens.len() - 1);
    whole.then(|| &tokens[1..tokens.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_stands_with_its_first_letter() {
        let all: Vec<&str> = (0..=u8::MAX).flat_map(|first| keywords(first).iter().copied()).collect();
        assert!(all.len() > 70 && all.iter().all(|word| is_keyword(word)));
        assert!(!is_keyword("kLines") && !is_keyword("constant") && !is_keyword(""));
    }
}
