//! Arithmetic and types.

use crate::{number, of, read, refused, value};
use komorebi_headers::{ErrorKind, Header, IntType, Memory, Model, Options};

#[test]
fn operators_bind_as_in_cpp() {
    for (text, expected) in [
        ("1 + 2 * 3 - 4 / 2 % 3", 5),
        ("1 << 2 + 1", 8),
        ("1 | 2 ^ 6 & 3", 1),
        ("7 & 3 == 3", 1),
        ("1 < 2 == true", 1),
        ("0 || 1 && 0", 0),
        ("1 ? 2 : 0 ? 3 : 4", 2),
        ("10 - 3 - 2", 5),
        ("100 / 10 / 5", 2),
        ("- 2 * - 3", 6),
        ("!0 + !5", 1),
        ("~0 & 0xf", 15),
        ("(1, 2)", 2),
        ("not 0 and compl 0 bitand 6 or 0", 1),
    ] {
        assert_eq!(number(text), expected, "{text}");
    }
}

#[test]
fn unsigned_arithmetic_wraps_and_signed_arithmetic_is_refused() {
    assert_eq!(number("0u - 1"), 0xffff_ffff);
    assert_eq!(number("0xffffffffffffffffu * 0xffffffffffffffffu"), 1);
    assert_eq!(number("-1 < 0u"), 0);
    for text in
        ["2147483647 + 1", "-2147483647 - 2", "65536 * 65536", "-(-2147483647 - 1)", "(-2147483647 - 1) / -1"]
    {
        assert_eq!(refused(text), ErrorKind::Arithmetic, "{text}");
    }
    assert_eq!(refused("(-2147483647 - 1) % -1"), ErrorKind::Arithmetic);
    assert_eq!(number("2147483647ll + 1"), 1 << 31);
}

#[test]
fn division_by_zero_and_shifts_out_of_range_are_refused() {
    for text in ["1 / 0", "1 % 0", "1 << 32", "1 >> -1", "1ull << 64"] {
        assert_eq!(refused(text), ErrorKind::Arithmetic, "{text}");
    }
    assert_eq!(number("1u << 31"), 1 << 31);
    assert_eq!(number("-8 >> 1"), -4);
    assert_eq!(number("-7 / 2"), -3);
    assert_eq!(number("-7 % 2"), -1);
}

#[test]
fn the_side_that_is_not_evaluated_may_fail() {
    for (text, expected) in [
        ("false && 1 / 0", 0),
        ("true || 1 << 99", 1),
        ("true ? 3 : 1 / 0", 3),
        ("false && some_call(3)[1].x", 0),
        ("sizeof(1 / 0)", 4),
    ] {
        let text = text.replace("some_call", "::f");
        let header = read(&format!("int f(int);\nconstexpr auto k = {text};"));
        assert_eq!(value(&header, "k"), expected, "{text}");
    }
    // But its names must exist, and its type must be known where it is that of the whole.
    assert_eq!(refused("false && nothing"), ErrorKind::UnknownName);
    assert_eq!(refused("true ? 1 : 1.5"), ErrorKind::NotAConstant);
}

#[test]
fn narrow_types_are_promoted() {
    assert_eq!(of("uint8_t(200) + uint8_t(100)", Model::ILP32), Ok((300, 32, true)));
    assert_eq!(of("uint8_t(3)", Model::ILP32), Ok((3, 8, false)));
    assert_eq!(of("~uint8_t(0)", Model::ILP32), Ok((-1, 32, true)));
    assert_eq!(of("true ? uint8_t(1) : uint8_t(2)", Model::ILP32), Ok((1, 8, false)));
    assert_eq!(of("true ? uint8_t(1) : int8_t(2)", Model::ILP32), Ok((1, 32, true)));
    assert_eq!(of("1 == 1", Model::ILP32), Ok((1, 8, false)));
    assert_eq!(of("1u + 1ll", Model::ILP32), Ok((2, 64, true)));
    assert_eq!(of("'a'", Model::ILP32), Ok((97, 8, false)));
}

#[test]
fn long_and_pointers_follow_the_model() {
    assert_eq!(number("sizeof(long)"), 4);
    assert_eq!(of("sizeof(long)", Model::LP64), Ok((8, 64, false)));
    assert_eq!(of("sizeof(void*)", Model::LP64), Ok((8, 64, false)));
    assert_eq!(of("(unsigned long)-1", Model::ILP32), Ok((0xffff_ffff, 32, false)));
    assert_eq!(of("SIZE_MAX", Model::LP64), Ok((i128::from(u64::MAX), 64, false)));
    assert_eq!(of("SIZE_MAX", Model::ILP32), Ok((0xffff_ffff, 32, false)));
    assert_eq!(of("'\\xff'", Model::LP64.with_signed_char()), Ok((-1, 8, true)));
}

#[test]
fn every_form_of_cast_converts() {
    for text in ["static_cast<uint8_t>(300)", "(uint8_t)300", "uint8_t(300)", "(const uint8_t)300"] {
        assert_eq!(of(text, Model::ILP32), Ok((44, 8, false)), "{text}");
    }
    assert_eq!(number("bool(300)"), 1);
    assert_eq!(number("int8_t(200)"), -56);
    assert_eq!(number("uint32_t{} + int()"), 0);
    assert_eq!(number("(unsigned short)-1"), 0xffff);
    assert_eq!(number("std::uint16_t(70000)"), 4464);
}

#[test]
fn braces_refuse_what_does_not_fit_and_the_equals_sign_wraps() {
    assert_eq!(refused("uint8_t{256}"), ErrorKind::Narrowing);
    assert_eq!(refused("uint32_t{-1}"), ErrorKind::Narrowing);
    assert_eq!(number("uint8_t{255}"), 255);
    let header =
        read("constexpr unsigned char kA = 300; constexpr unsigned char kB{300}, kC = {300}, kD(300), kE{};");
    assert_eq!((value(&header, "kA"), value(&header, "kD"), value(&header, "kE")), (44, 44, 0));
    for name in ["kB", "kC"] {
        assert_eq!(header.get(name).unwrap_err().kind(), ErrorKind::Narrowing, "{name}");
    }
}

#[test]
fn limits_and_underlying_values_of_the_standard_library() {
    assert_eq!(number("std::numeric_limits<uint16_t>::max()"), 65535);
    assert_eq!(number("std::numeric_limits<int8_t>::min() + std::numeric_limits<int8_t>::lowest()"), -256);
    assert_eq!(number("std::numeric_limits<int>::digits"), 31);
    let header = read("enum class E : unsigned char { a = 3 }; constexpr auto k = std::to_underlying(E::a);");
    assert_eq!(header.get("k").unwrap().value.ty, IntType::U8);
}

#[test]
fn what_is_not_evaluated_says_what_it_is() {
    for (text, what) in [
        ("1.5f", "floating point"),
        ("\"text\"", "a string"),
        ("[](int x) { return x; }(3)", "a lambda"),
        ("std::min(1, 2)", "unknown name"),
        ("'ab'", "a literal of several characters"),
        ("nullptr", "this keyword"),
        ("reinterpret_cast<uintptr_t>(3)", "this kind of cast"),
    ] {
        let header = read(&format!("constexpr auto k = {text};"));
        let error = header.get("k").unwrap_err();
        assert!(
            error.message().starts_with(what) || error.message().contains("is not evaluated"),
            "{text}: {error}"
        );
    }
}

#[test]
fn a_type_of_functions_in_parentheses_is_no_cast_of_a_cast() {
    for text in [
        "(int(uint8_t(k))) + 1",
        "(int(uint8_t(k))) & 1",
        "(int()) - 1",
        "sizeof(int(uint8_t(k)))",
        "(int(int(int(k)))) (1)",
    ] {
        assert!(
            Header::parse(
                "a.h",
                &format!("constexpr int k = 3; constexpr int x = {text};"),
                &Memory::new(),
                &Options::new()
            )
            .unwrap()
            .get("x")
            .is_err(),
            "{text}"
        );
    }
    for (text, expected) in [
        ("(int(uint8_t(k))) / 1", 3),
        ("(int(uint8_t(k)))", 3),
        ("(int(uint8_t(k) + 0)) + 1", 4),
        ("(int(k)) + 1", 4),
        ("(int(uint8_t(3))) + 1", 4),
        ("1 + (int(uint8_t(k)))", 4),
    ] {
        let header = Header::parse(
            "a.h",
            &format!("#include <stdint.h>\nconstexpr int k = 3; constexpr int x = {text};"),
            &Memory::new(),
            &Options::new(),
        )
        .unwrap();
        assert_eq!(header.get("x").unwrap().value.number, expected, "{text}");
    }
}
