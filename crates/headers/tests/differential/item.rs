//! Random pieces of a header.

use crate::expression::{Condition, Expr, condition, expr};
use proptest::prelude::*;

#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// A constant: storage, type, form of the initializer.
    Constant {
        storage: u8,
        ty: u8,
        init: u8,
        value: Expr,
        twice: Option<Expr>,
    },
    Define {
        value: Expr,
        parentheses: bool,
    },
    /// `#define F(a, b) ...`
    FunctionMacro {
        shape: u8,
    },
    Undef {
        pick: u16,
        value: Option<Expr>,
    },
    Open {
        kind: u8,
    },
    Close,
    Enum {
        scoped: bool,
        ty: Option<u8>,
        members: Vec<Option<Expr>>,
    },
    If {
        condition: Condition,
        second: Condition,
        then: Expr,
        otherwise: Expr,
    },
    Using {
        kind: u8,
        pick: u16,
    },
    Struct {
        values: Vec<Expr>,
    },
    /// One name in many namespaces.
    Alike {
        value: Expr,
    },
    /// The items from here to the end of the part go to another file.
    Include {
        guard: bool,
    },
    /// What is no constant.
    Noise(u8),
}

pub(crate) fn item() -> impl Strategy<Value = Item> {
    prop_oneof![
        14 => (any::<u8>(), any::<u8>(), any::<u8>(), expr(), prop::option::weighted(0.1, expr()))
            .prop_map(|(storage, ty, init, value, twice)| Item::Constant { storage, ty, init, value, twice }),
        4 => (expr(), prop::bool::weighted(0.7)).prop_map(|(value, parentheses)| Item::Define { value, parentheses }),
        1 => any::<u8>().prop_map(|shape| Item::FunctionMacro { shape }),
        1 => (any::<u16>(), prop::option::of(expr())).prop_map(|(pick, value)| Item::Undef { pick, value }),
        2 => any::<u8>().prop_map(|kind| Item::Open { kind }),
        2 => Just(Item::Close),
        2 => (any::<bool>(), prop::option::of(any::<u8>()), prop::collection::vec(prop::option::of(expr()), 0..5))
            .prop_map(|(scoped, ty, members)| Item::Enum { scoped, ty, members }),
        2 => (condition(), condition(), expr(), expr())
            .prop_map(|(condition, second, then, otherwise)| Item::If { condition, second, then, otherwise }),
        2 => (any::<u8>(), any::<u16>()).prop_map(|(kind, pick)| Item::Using { kind, pick }),
        1 => prop::collection::vec(expr(), 1..3).prop_map(|values| Item::Struct { values }),
        1 => expr().prop_map(|value| Item::Alike { value }),
        1 => any::<bool>().prop_map(|guard| Item::Include { guard }),
        2 => any::<u8>().prop_map(Item::Noise),
    ]
}

/// What real headers hold beside their constants; `N` becomes a number of its own.
pub(crate) const NOISE: &[&str] = &[
    "inline uint32_t noiseN(uint32_t x) { return x > 3 ? x + 1 : 0; }",
    "constexpr uint32_t noiseN(uint32_t x, int y = 3) noexcept { return (x + 1) & ~1u; }",
    "template <typename T, int I = (3 > 2)> struct noiseN { T value; static constexpr int inner = I; };",
    "template <class T> constexpr T noiseN = T(3);",
    "struct noiseN { uint32_t a, b[3]; noiseN() : a{1}, b{1, 2, 3} {} uint32_t operator()(int) const { return a; } };",
    "constexpr const char *noiseN = \"}; constexpr int x = 1; // \\\" {\";",
    "constexpr char noiseN[] = R\"x(} \" )\" \\ { )x\";",
    "constexpr float noiseN = 1.5e+3f;",
    "constexpr double noiseN{0x1.8p3};",
    "/* constexpr int noiseN = 1; \n * don't */ // it's \\\n still a comment",
    "constexpr auto noiseN = [](int x) { return x; };",
    "constexpr uint32_t noiseN[] = {1, 2, 3};",
    "extern \"C\" { void noiseN(int, ...); }",
    "extern \"C\" int noiseN(void);",
    "[[maybe_unused]] static int noiseN = 3;",
    "extern const int noiseN;",
    "static_assert(sizeof(int) == 4, \"it's 4; }\");",
    "struct __attribute__((packed)) noiseN final { uint8_t x : 3; uint8_t y : 5; } ;",
    "class noiseN { public: enum { a, b = 4 }; private: int z = 3; const int w = 4; friend struct other; };",
    "inline void noiseN() { asm volatile(\"nop; }\" ::: \"memory\"); }",
    "typedef void (*noiseN)(int, uint32_t);",
    "union noiseN { uint32_t u; float f; };",
    "using noiseN = uint32_t[4];",
    "#pragma GCC diagnostic push",
    "#if 0\n#error no, isn't\n# else\n;\n#endif // 0",
    "#define noiseN inline __attribute__((always_inline))",
    "struct noiseN; enum class noiseN_e : uint8_t;",
    "inline int noiseN = 3, noiseN_b{4};",
    "constexpr uint32_t noiseN();",
    "enum noiseN_e : int {}; inline enum noiseN_e noiseN(int) { return noiseN_e(0); }",
    "enum noiseN_e : int {}; enum noiseN_e inline noiseN(int) { return noiseN_e(0); }",
    "struct noiseN { friend bool operator==(noiseN, noiseN) { return true; } static constexpr int a = 1; };",
    "_Pragma(\"GCC diagnostic push\")",
    "inline int noiseN() { return 1; } [[maybe_unused]] constexpr int noiseN_b = 1;",
    "[[maybe_unused]] inline auto noiseN = [](int x) { return x; }(3);",
    "struct noiseN { int a[2] = {1, 2}, b{3}; noiseN(int x) : a{x, 2}, b(x) { } explicit operator bool() const { return a; } };",
    "template <typename T> concept noiseN = requires(T t) { t + 1; }; template <noiseN T> void noiseN_f(T) {}",
    "inline auto noiseN(int x) -> int { return x; }",
    "struct noiseN { int x; } noiseN_v, *noiseN_p = nullptr;",
    "inline int noiseN(int a[] = nullptr, int b = sizeof(int)) { for (;;) { if (a) { return b; } } }",
    "namespace noiseN { struct s; void f(s &); inline namespace w { } } ;",
    "static inline const volatile uint32_t noiseN = 3;",
];
