//! Random expressions: their shape as proptest draws it. Names are drawn as numbers and bound when a header is written.

use proptest::prelude::*;

/// The types constants are declared with and cast to.
pub(crate) const TYPES: &[&str] = &[
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "short",
    "unsigned short",
    "signed char",
    "unsigned char",
    "char",
    "bool",
    "size_t",
    "uintptr_t",
    "ptrdiff_t",
    "char16_t",
    "wchar_t",
    "long unsigned int",
    "short int",
    "uint_least16_t",
];

/// Suffixes; those from index 7 on say unsigned.
const SUFFIXES: &[&str] = &["", "", "", "l", "L", "ll", "z", "u", "U", "ul", "LU", "ull", "LLU", "uLL", "zu"];
const FIRST_UNSIGNED: usize = 7;

const CHARS: &[&str] = &[
    "'a'",
    "'Z'",
    "'0'",
    "' '",
    "'\\n'",
    "'\\0'",
    "'\\x41'",
    "'\\xff'",
    "'\\x80'",
    "'\\101'",
    "'\\377'",
    "'\\''",
    "'\"'",
    "'\\\\'",
    "u8'q'",
    "u'\\xffff'",
    "U'x'",
    "L'y'",
    "'\\t'",
    "'\\7'",
];

pub(crate) const UNARY: &[&str] = &["-", "~", "!", "+"];
pub(crate) const BINARY: &[&str] = &[
    "+", "-", "*", "/", "%", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&", "^", "|", "&&", "||", "or",
    "bitand",
];

#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Literal { value: u64, base: u8, suffix: u8, separator: bool },
    Char(u8),
    Bool(bool),
    Name { pick: u16, style: u8 },
    Unary(u8, Box<Expr>),
    Binary { operator: u8, left: Box<Expr>, right: Box<Expr>, parentheses: bool, tame: bool },
    Conditional(Box<[Expr; 3]>),
    Cast { style: u8, ty: u8, operand: Box<Expr> },
    SizeOfType { ty: u8, align: bool },
    SizeOf(Box<Expr>),
    Call { pick: u16, a: Box<Expr>, b: Box<Expr> },
    Comma(Box<Expr>, Box<Expr>),
}

pub(crate) fn expr() -> impl Strategy<Value = Expr> {
    let value = prop_oneof![
        4 => 0_u64..16,
        3 => 0_u64..1000,
        2 => (0_u32..64, 0_u64..3).prop_map(|(bit, less)| (1_u64 << bit).wrapping_sub(less)),
        1 => any::<u64>(),
    ];
    let leaf = prop_oneof![
        5 => (value, any::<u8>(), any::<u8>(), any::<bool>())
            .prop_map(|(value, base, suffix, separator)| Expr::Literal { value, base, suffix, separator }),
        1 => any::<u8>().prop_map(Expr::Char),
        1 => any::<bool>().prop_map(Expr::Bool),
        6 => (any::<u16>(), any::<u8>()).prop_map(|(pick, style)| Expr::Name { pick, style }),
        1 => (any::<u8>(), any::<bool>()).prop_map(|(ty, align)| Expr::SizeOfType { ty, align }),
    ];
    leaf.prop_recursive(4, 20, 2, |inner| {
        let boxed = inner.prop_map(Box::new);
        prop_oneof![
            2 => (any::<u8>(), boxed.clone()).prop_map(|(operator, operand)| Expr::Unary(operator, operand)),
            8 => (any::<u8>(), boxed.clone(), boxed.clone(), any::<bool>(), prop::bool::weighted(0.9)).prop_map(
                |(operator, left, right, parentheses, tame)| Expr::Binary { operator, left, right, parentheses, tame }
            ),
            1 => (boxed.clone(), boxed.clone(), boxed.clone())
                .prop_map(|(a, b, c)| Expr::Conditional(Box::new([*a, *b, *c]))),
            3 => (any::<u8>(), any::<u8>(), boxed.clone())
                .prop_map(|(style, ty, operand)| Expr::Cast { style, ty, operand }),
            1 => boxed.clone().prop_map(Expr::SizeOf),
            1 => (any::<u16>(), boxed.clone(), boxed.clone()).prop_map(|(pick, a, b)| Expr::Call { pick, a, b }),
            1 => (boxed.clone(), boxed).prop_map(|(a, b)| Expr::Comma(a, b)),
        ]
    })
}

pub(crate) fn literal(value: u64, base: u8, suffix: u8, separator: bool) -> String {
    let index = suffix as usize % SUFFIXES.len();
    let suffix = SUFFIXES[index];
    let value = if suffix.contains('z') { value & 0x7fff_ffff } else { value };
    let separated = |digits: String| match digits.len() {
        2.. if separator => format!("{}'{}", &digits[..1], &digits[1..]),
        _ => digits,
    };
    let digits = match base % 8 {
        0..=3 if index >= FIRST_UNSIGNED => separated(format!("{value}")),
        // A decimal number without `u` must fit a signed type.
        0..=3 => separated(format!("{}", value & (u64::MAX >> 1))),
        4 | 5 => format!("0x{}", separated(format!("{value:x}"))),
        6 => format!("0b{}", separated(format!("{value:b}"))),
        _ => format!("0{value:o}"),
    };
    format!("{digits}{suffix}")
}

pub(crate) fn character(pick: u8) -> &'static str {
    CHARS[pick as usize % CHARS.len()]
}

/// Conditions of `#if` whose value is defined: no signed overflow, no division by zero.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    Number { value: u32, unsigned: bool },
    Defined { pick: u16, parentheses: bool },
    Macro(u16),
    Undeclared,
    Unary(u8, Box<Condition>),
    Binary { operator: u8, left: Box<Condition>, right: Box<Condition> },
    Conditional(Box<[Condition; 3]>),
}

pub(crate) const CONDITION_BINARY: &[&str] = &[
    "+", "-", "<", "<=", ">", ">=", "==", "!=", "&", "^", "|", "&&", "||", "<< 3 >>", "/ 7 +", "* 3 -",
    "% 5 ^",
];

pub(crate) fn condition() -> impl Strategy<Value = Condition> {
    let leaf = prop_oneof![
        (any::<u32>(), any::<bool>()).prop_map(|(value, unsigned)| Condition::Number { value, unsigned }),
        (0_u32..4, any::<bool>()).prop_map(|(value, unsigned)| Condition::Number { value, unsigned }),
        (any::<u16>(), any::<bool>())
            .prop_map(|(pick, parentheses)| Condition::Defined { pick, parentheses }),
        any::<u16>().prop_map(Condition::Macro),
        Just(Condition::Undeclared),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        let boxed = inner.prop_map(Box::new);
        prop_oneof![
            1 => (any::<u8>(), boxed.clone()).prop_map(|(operator, operand)| Condition::Unary(operator, operand)),
            4 => (any::<u8>(), boxed.clone(), boxed.clone())
                .prop_map(|(operator, left, right)| Condition::Binary { operator, left, right }),
            1 => (boxed.clone(), boxed.clone(), boxed)
                .prop_map(|(a, b, c)| Condition::Conditional(Box::new([*a, *b, *c]))),
        ]
    })
}
