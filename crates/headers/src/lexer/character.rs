//! Kinds of characters.

use super::punctuator::is_punctuator;

/// Is it white space? g++ counts NUL as such, with a warning, outside of literals and comments.
pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0b' | b'\x0c' | b'\r' | 0)
}

/// What the first byte tells of what begins with it.
#[derive(Clone, Copy)]
pub(super) enum Begins {
    LineEnd,
    Blank,
    Word,
    Number,
    Punctuator,
    /// One of several things, which `token` tells apart; also all that is not ASCII.
    Several,
}

pub(super) const BEGINS: [Begins; 256] = {
    let mut all = [Begins::Several; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        all[byte as usize] = match byte {
            b'\n' => Begins::LineEnd,
            b'u' | b'U' | b'L' | b'R' | b'.' | b'/' => Begins::Several,
            b'0'..=b'9' => Begins::Number,
            _ if is_blank(byte) => Begins::Blank,
            _ if is_word_start(byte as char) => Begins::Word,
            _ if is_punctuator(byte as char) => Begins::Punctuator,
            _ => Begins::Several,
        };
        byte += 1;
    }
    all
};

/// By a byte: is it an ASCII character that can stand in a word?
pub(super) const IN_WORD: [bool; 256] = {
    let mut all = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        all[byte] = is_word_start(byte as u8 as char) || (byte as u8).is_ascii_digit();
        byte += 1;
    }
    all
};

pub(super) const fn is_word_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$' || (!c.is_ascii() && c != '\u{feff}')
}
