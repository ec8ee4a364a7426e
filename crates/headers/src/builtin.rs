//! What the reader brings itself: the standard headers' integer macros, the compiler's macros, the fixed-width types.

use crate::types::{IntType, Model, Type};

/// The text of a standard header whose macros are integer constants; `None` for the others, which are passed over.
pub(crate) fn standard_header(name: &str) -> Option<&'static str> {
    match name {
        "stdint.h" | "cstdint" | "inttypes.h" | "cinttypes" => Some(STDINT),
        "limits.h" | "climits" => Some(LIMITS),
        _ => None,
    }
}

/// The compiler's own macros under a model.
pub(crate) fn predefined(model: Model) -> String {
    let long = model.long / 8;
    let pointer = model.pointer / 8;
    let mut text = format!(
        "#define __cplusplus 201703L\n#define __CHAR_BIT__ 8\n#define __SIZEOF_SHORT__ 2\n#define __SIZEOF_INT__ 4\n\
         #define __SIZEOF_LONG__ {long}\n#define __SIZEOF_LONG_LONG__ 8\n#define __SIZEOF_POINTER__ {pointer}\n\
         #define __SIZEOF_SIZE_T__ {pointer}\n#define __ORDER_LITTLE_ENDIAN__ 1234\n#define __ORDER_BIG_ENDIAN__ 4321\n\
         #define __BYTE_ORDER__ 1234\n#define __GNUC__ 12\n#define __GNUC_MINOR__ 2\n#define __GNUC_PATCHLEVEL__ 0\n"
    );
    if model.long == 64 {
        text += "#define __LP64__ 1\n#define _LP64 1\n";
    }
    if !model.char_signed {
        text += &format!(
            "#define __CHAR_UNSIGNED__ 1\n#define __riscv 1\n#define __riscv_xlen {}\n",
            model.pointer
        );
    }
    text
}

const STDINT: &str = "#pragma once
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT64_MAX 9223372036854775807LL
#define UINT64_MAX 18446744073709551615ULL
#define INTMAX_MIN INT64_MIN
#define INTMAX_MAX INT64_MAX
#define UINTMAX_MAX UINT64_MAX
#if __SIZEOF_POINTER__ == 8
#define SIZE_MAX 18446744073709551615UL
#define UINTPTR_MAX 18446744073709551615UL
#define INTPTR_MAX 9223372036854775807L
#define INTPTR_MIN (-9223372036854775807L - 1)
#else
#define SIZE_MAX 4294967295U
#define UINTPTR_MAX 4294967295U
#define INTPTR_MAX 2147483647
#define INTPTR_MIN (-2147483647 - 1)
#endif
#define PTRDIFF_MAX INTPTR_MAX
#define PTRDIFF_MIN INTPTR_MIN
#define INT8_C(x) x
#define INT16_C(x) x
#define INT32_C(x) x
#define INT64_C(x) x##LL
#define UINT8_C(x) x
#define UINT16_C(x) x
#define UINT32_C(x) x##U
#define UINT64_C(x) x##ULL
#define INTMAX_C(x) x##LL
#define UINTMAX_C(x) x##ULL
";

const LIMITS: &str = "#pragma once
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#ifdef __CHAR_UNSIGNED__
#define CHAR_MIN 0
#define CHAR_MAX 255
#else
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#endif
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#if __SIZEOF_LONG__ == 8
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#else
#define LONG_MIN (-2147483647L - 1)
#define LONG_MAX 2147483647L
#define ULONG_MAX 4294967295UL
#endif
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
";

/// The types of `<stdint.h>` and `<stddef.h>`, in the global namespace and in `std`.
pub(crate) fn named_types(model: Model) -> Vec<(&'static str, Type)> {
    let (signed, unsigned) = (IntType::signed, IntType::unsigned);
    let pointer = model.pointer;
    [
        ("int8_t", signed(8)),
        ("int16_t", signed(16)),
        ("int32_t", signed(32)),
        ("int64_t", signed(64)),
        ("uint8_t", unsigned(8)),
        ("uint16_t", unsigned(16)),
        ("uint32_t", unsigned(32)),
        ("uint64_t", unsigned(64)),
        ("int_least8_t", signed(8)),
        ("int_least16_t", signed(16)),
        ("int_least32_t", signed(32)),
        ("int_least64_t", signed(64)),
        ("uint_least8_t", unsigned(8)),
        ("uint_least16_t", unsigned(16)),
        ("uint_least32_t", unsigned(32)),
        ("uint_least64_t", unsigned(64)),
        ("intmax_t", signed(64)),
        ("uintmax_t", unsigned(64)),
        ("intptr_t", signed(pointer)),
        ("uintptr_t", unsigned(pointer)),
        ("ptrdiff_t", signed(pointer)),
        ("size_t", unsigned(pointer)),
    ]
    .map(|(name, ty)| (name, Type::Int(ty)))
    .to_vec()
}

/// A type spelled by one keyword, or the part it has in one of several.
pub(crate) fn keyword_type(word: &str, model: Model) -> Option<Type> {
    Some(match word {
        "bool" => Type::Int(IntType::BOOL),
        "wchar_t" => Type::Int(IntType::char(32, true)),
        "char8_t" => Type::Int(IntType::char(8, false)),
        "char16_t" => Type::Int(IntType::char(16, false)),
        "char32_t" => Type::Int(IntType::char(32, false)),
        "char" => Type::Int(model.char()),
        "int" => Type::Int(model.int()),
        "float" => Type::Float(4),
        "double" => Type::Float(8),
        "void" => Type::Void,
        _ => return None,
    })
}
