//! Operators and punctuators.

/// The operators and punctuators of several characters, by their first one, longest first. What
/// [`is_punctuator`] takes is one too.
pub(super) const fn punctuators(first: char) -> &'static [&'static str] {
    match first {
        '.' => &["...", ".*"],
        '-' => &["->*", "->", "--", "-="],
        '<' => &["<<=", "<=>", "<<", "<="],
        '>' => &[">>=", ">>", ">="],
        ':' => &["::"],
        '+' => &["++", "+="],
        '=' => &["=="],
        '!' => &["!="],
        '&' => &["&&", "&="],
        '|' => &["||", "|="],
        '*' => &["*="],
        '/' => &["/="],
        '%' => &["%="],
        '^' => &["^="],
        '#' => &["##"],
        _ => &[],
    }
}

/// Is it an operator or punctuator of one character?
pub(super) const fn is_punctuator(c: char) -> bool {
    matches!(c, '{' | '}' | '[' | ']' | '(' | ')' | '#' | ';' | ':' | '?' | '.' | '~' | '!' | '+' | '-')
        || matches!(c, '*' | '/' | '%' | '^' | '&' | '|' | '=' | '<' | '>' | ',')
}

/// Operators spelled as words.
pub(super) fn word_operator(word: &str) -> Option<&'static str> {
    Some(match word {
        "and" => "&&",
        "or" => "||",
        "not" => "!",
        "xor" => "^",
        "bitand" => "&",
        "bitor" => "|",
        "compl" => "~",
        "not_eq" => "!=",
        _ => return None,
    })
}
