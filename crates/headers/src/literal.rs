//! Numbers and character literals: their value, and the type C++ gives them.

use crate::types::{IntType, Model, Typed};

/// Why a literal is no integer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LiteralError {
    /// Floating point.
    Float,
    /// Not written as C++ asks.
    Malformed(String),
    /// Beyond 64 bits.
    TooLarge,
    /// Several characters between the quotes.
    MultiCharacter,
}

/// The value of a preprocessing number: the first type of the list its base and suffix allow that holds it.
pub(crate) fn number(text: &str, model: Model) -> Result<Typed, LiteralError> {
    if let Some(value) = plain(text).filter(|value| model.int().holds(*value)) {
        return Ok(Typed::int(model.int(), value));
    }
    let (base, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        [b'0', _, ..] => (8, &text[1..]),
        _ => (10, text),
    };
    let exponent = if base == 16 { ['p', 'P'] } else { ['e', 'E'] };
    if digits.contains('.') || (base != 2 && digits.contains(exponent)) {
        return Err(LiteralError::Float);
    }
    let (mut value, mut end, mut any, mut separator) = (0_u128, digits.len(), base == 8, false);
    for (at, c) in digits.char_indices() {
        if c == '\'' && !separator && (any || base == 8) {
            separator = true;
        } else if let Some(digit) = c.to_digit(base) {
            value = (value.saturating_mul(u128::from(base))).saturating_add(u128::from(digit));
            (any, separator) = (true, false);
        } else if c.is_ascii_digit() {
            return Err(LiteralError::Malformed(format!("`{c}` is no digit of base {base}")));
        } else {
            end = at;
            break;
        }
    }
    if !any || separator {
        return Err(LiteralError::Malformed("a digit is missing".to_owned()));
    }
    let suffix = Suffix::parse(&digits[end..])?;
    let holds = |ty: &IntType| ty.max() as u128 >= value;
    let ty = suffix.types(base, model).flatten().find(holds).ok_or(LiteralError::TooLarge)?;
    Ok(Typed::int(ty, value as i128))
}

/// A decimal number of few digits without suffix, as most are.
fn plain(text: &str) -> Option<i128> {
    let digits = text.as_bytes();
    if digits.is_empty() || digits.len() > 9 || (digits.len() > 1 && digits[0] == b'0') {
        return None;
    }
    let mut value = 0;
    for digit in digits {
        value = value * 10 + char::from(*digit).to_digit(10)?;
    }
    Some(i128::from(value))
}

#[derive(Clone, Copy, PartialEq)]
enum Length {
    Int,
    Long,
    LongLong,
    Size,
}

struct Suffix {
    unsigned: bool,
    length: Length,
}

impl Suffix {
    fn parse(text: &str) -> Result<Suffix, LiteralError> {
        let length = text.trim_matches(['u', 'U']);
        let unsigned = text.len() - length.len();
        let length = match length {
            "" => Some(Length::Int),
            "l" | "L" => Some(Length::Long),
            "ll" | "LL" => Some(Length::LongLong),
            "z" | "Z" => Some(Length::Size),
            _ => None,
        };
        match length {
            Some(length) if unsigned < 2 => Ok(Suffix { unsigned: unsigned == 1, length }),
            _ => Err(LiteralError::Malformed(format!("`{text}` is no suffix of an integer"))),
        }
    }

    /// The types to try, in order.
    fn types(&self, base: u32, model: Model) -> impl Iterator<Item = Option<IntType>> + use<> {
        let widths = match self.length {
            Length::Int => [Some(model.int), Some(model.long), Some(64)],
            Length::Long => [Some(model.long), Some(64), None],
            Length::LongLong => [Some(64), None, None],
            Length::Size => [Some(model.pointer), None, None],
        };
        // In `#if` gcc takes a decimal number that only fits an unsigned type as unsigned.
        let both = base != 10 || model == Model::DIRECTIVE;
        let (signed, unsigned) = (!self.unsigned, self.unsigned || both);
        widths.into_iter().flatten().flat_map(move |bits| {
            [signed.then(|| IntType::signed(bits)), unsigned.then(|| IntType::unsigned(bits))]
        })
    }
}

/// The value of a character literal.
pub(crate) fn character(text: &str, model: Model) -> Result<Typed, LiteralError> {
    let malformed = |what: &str| Err(LiteralError::Malformed(what.to_owned()));
    let Some(quote) = text.find('\'') else { return malformed("a quote is missing") };
    let ty = match &text[..quote] {
        "" => model.char(),
        "u8" => IntType::char(8, false),
        "u" => IntType::char(16, false),
        "U" => IntType::char(32, false),
        _ => IntType::char(32, true),
    };
    let Some(inside) = text[quote + 1..].strip_suffix('\'') else {
        return malformed("a suffix of the user's own is not evaluated");
    };
    let mut chars = inside.chars().peekable();
    let Some(first) = chars.next() else { return malformed("nothing stands between the quotes") };
    let mut digits = |base: u32, most: usize| {
        let mut value = None;
        for _ in 0..most {
            let Some(digit) = chars.peek().and_then(|c| c.to_digit(base)) else { break };
            chars.next();
            value = Some(value.unwrap_or(0_i128).saturating_mul(i128::from(base)) + i128::from(digit));
        }
        value
    };
    // A numeric escape is a unit of the type; everything else is a character that must fit one unit.
    let (value, unit) = if first != '\\' {
        (i128::from(u32::from(first)), false)
    } else if let Some(octal) = digits(8, 3) {
        (octal, true)
    } else {
        match chars.next() {
            Some('n') => (10, true),
            Some('t') => (9, true),
            Some('r') => (13, true),
            Some('a') => (7, true),
            Some('b') => (8, true),
            Some('f') => (12, true),
            Some('v') => (11, true),
            Some(c @ ('\'' | '"' | '\\' | '?')) => (i128::from(u32::from(c)), true),
            Some(c @ ('x' | 'u' | 'U')) => {
                let mut value = None;
                let most = match c {
                    'x' => 16,
                    'u' => 4,
                    _ => 8,
                };
                let mut count = 0;
                while let Some(digit) = chars.peek().and_then(|c| c.to_digit(16)).filter(|_| count < most) {
                    chars.next();
                    count += 1;
                    value = Some(value.unwrap_or(0_i128) * 16 + i128::from(digit));
                }
                match value {
                    Some(value) if c == 'x' || count == most => (value, c == 'x'),
                    _ => return malformed("the escape lacks digits"),
                }
            }
            _ => return malformed("this escape is unknown"),
        }
    };
    if chars.next().is_some() {
        return Err(LiteralError::MultiCharacter);
    }
    let most = (1 << ty.bits) - 1;
    let fits = if unit { value <= most } else { value <= if ty.bits == 8 { 0x7f } else { most } };
    if !fits {
        // A character of several bytes in a plain literal is one of several characters.
        return if unit {
            malformed("the escape does not fit the type")
        } else {
            Err(LiteralError::MultiCharacter)
        };
    }
    Ok(Typed::int(ty, ty.wrap(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, model: Model) -> Result<(i128, u8, bool), LiteralError> {
        let typed = number(text, model)?;
        let ty = typed.ty.stored().expect("numbers are integers");
        Ok((typed.number, ty.bits, ty.signed))
    }

    #[test]
    fn the_type_of_a_number_is_the_first_that_holds_it() {
        for (text, value, bits, signed) in [
            ("0", 0, 32, true),
            ("2147483647", 0x7fff_ffff, 32, true),
            ("2147483648", 0x8000_0000, 64, true),
            ("0x7fffffff", 0x7fff_ffff, 32, true),
            ("0x80000000", 0x8000_0000, 32, false),
            ("0x100000000", 0x1_0000_0000, 64, true),
            ("0xffff'ffff'ffff'ffff", u64::MAX as i128, 64, false),
            ("0b1010'1010", 0xaa, 32, true),
            ("0777", 0o777, 32, true),
            ("0'17", 0o17, 32, true),
            ("1u", 1, 32, false),
            ("1Ull", 1, 64, false),
            ("1llU", 1, 64, false),
            ("18446744073709551615u", u64::MAX as i128, 64, false),
        ] {
            assert_eq!(of(text, Model::ILP32), Ok((value, bits, signed)), "{text}");
        }
    }

    #[test]
    fn long_and_size_follow_the_model() {
        assert_eq!(of("1L", Model::ILP32), Ok((1, 32, true)));
        assert_eq!(of("1L", Model::LP64), Ok((1, 64, true)));
        assert_eq!(of("1uz", Model::ILP32), Ok((1, 32, false)));
        assert_eq!(of("1Z", Model::LP64), Ok((1, 64, true)));
    }

    #[test]
    fn what_is_no_integer_says_why() {
        assert_eq!(of("1.5f", Model::ILP32), Err(LiteralError::Float));
        assert_eq!(of("1e3", Model::ILP32), Err(LiteralError::Float));
        assert_eq!(of("0x1p3", Model::ILP32), Err(LiteralError::Float));
        assert_eq!(of("18446744073709551615", Model::LP64), Err(LiteralError::TooLarge));
        assert_eq!(
            of("99999999999999999999999999999999999999999999u", Model::LP64),
            Err(LiteralError::TooLarge)
        );
        for text in ["0x", "0b2", "089", "1lL", "1uu", "1_km", "1'", "0xg", "1''2", "1ulu"] {
            assert!(matches!(of(text, Model::ILP32), Err(LiteralError::Malformed(_))), "{text}");
        }
    }

    #[test]
    fn characters_and_their_escapes() {
        for (text, value) in [
            ("'a'", 97),
            ("'\\n'", 10),
            ("'\\0'", 0),
            ("'\\x41'", 0x41),
            ("'\\101'", 65),
            ("'\\''", 39),
            ("'\"'", 34),
            ("u8'z'", 122),
            ("u'\\uffff'", 0xffff),
            ("U'\u{1f600}'", 0x1f600),
            ("L'\u{e9}'", 0xe9),
            ("'\\xff'", 255),
        ] {
            assert_eq!(character(text, Model::ILP32).map(|typed| typed.number), Ok(value), "{text}");
        }
        assert_eq!(character("'\\xff'", Model::LP64.with_signed_char()).map(|typed| typed.number), Ok(-1));
        assert_eq!(character("'ab'", Model::ILP32), Err(LiteralError::MultiCharacter));
        assert_eq!(character("'\u{e9}'", Model::ILP32), Err(LiteralError::MultiCharacter));
        for text in ["''", "'\\x'", "'\\q'", "'\\u12'", "'a'_x", "'\\x100'"] {
            assert!(matches!(character(text, Model::ILP32), Err(LiteralError::Malformed(_))), "{text}");
        }
    }
}
