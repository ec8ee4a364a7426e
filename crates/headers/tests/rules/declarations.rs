//! Scopes, enumerations, and finding constants among everything else.

use crate::{read, value, with};
use komorebi_headers::{ConstantKind, ErrorKind, IntType, Memory, Model, Options};

#[test]
fn every_storage_and_integer_type_declares_a_constant() {
    let header = read(
        "#include <stdint.h>
        static const uint32_t kA = 1;  inline constexpr int16_t kB = -2;  constexpr static unsigned long long kC = 3;
        const bool kD = 4;  uint8_t const kE = 5;  constexpr size_t kF = 6;  constexpr auto kG = 7u, kH = 8u;
        [[maybe_unused]] constexpr char kI = '9';  alignas(8) constexpr long int kJ{10};  constexpr std::int8_t kK(11);
        constexpr long unsigned kL [[gnu::unused]] = 12;  __extension__ constexpr int kM = 13;",
    );
    let numbers: Vec<i128> = header.constants().map(|constant| constant.value.number).collect();
    assert_eq!(numbers, [1, -2, 3, 1, 5, 6, 7, 8, 57, 10, 11, 12, 13]);
    assert_eq!(header.get("kB").unwrap().ty(), IntType::I16);
    assert!(header.get("kD").unwrap().ty().is_bool());
    assert!(header.get("kI").unwrap().ty().is_char());
    assert!(header.constants().all(|constant| constant.kind == ConstantKind::Constexpr && constant.own));
}

#[test]
fn constants_come_in_the_order_of_their_declaration() {
    let header = read(
        "#define B 2\nconstexpr int a = 1;\n#define A 0\nenum { e };\n#define C 3\nconstexpr int z = 9;",
    );
    let names: Vec<&str> = header.constants().map(|constant| &*constant.name).collect();
    assert_eq!(names, ["B", "a", "A", "e", "C", "z"]);
}

#[test]
fn the_end_of_a_full_name_is_enough_when_only_one_has_it() {
    let header =
        read("namespace km::abi { constexpr int kA = 1; } namespace b { constexpr int kA = 2, kB = 3; }");
    assert_eq!(value(&header, "km::abi::kA"), 1);
    assert_eq!(value(&header, "abi::kA"), 1);
    assert_eq!(value(&header, "::b::kA"), 2);
    assert_eq!(value(&header, "kB"), 3);
    let error = header.get("kA").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Ambiguous);
    assert_eq!(error.message(), "`kA` may be `km::abi::kA` or `b::kA` in a.h");
    assert_eq!(header.get("c::kA").unwrap_err().help(), Some("did you mean `km::abi::kA`?"));
}

#[test]
fn names_are_looked_up_outwards_and_through_using() {
    let header = read(
        "constexpr int k = 1;
        namespace a { constexpr int k = 2; namespace b { constexpr int k2 = k, k3 = ::k; } }
        namespace c { using namespace a; constexpr int k4 = b::k2 + a::k; }
        namespace d = a::b; constexpr int k5 = d::k2;
        namespace e { using a::b::k2; constexpr int k6 = k2; }
        namespace { constexpr int k7 = 7; } constexpr int k8 = k7;
        inline namespace v1 { constexpr int k9 = 9; } constexpr int k10 = ::k9 + v1::k9;
        namespace f { inline namespace v2 { constexpr int k11 = 11; } } constexpr int k12 = f::k11;
        namespace a { constexpr int k13 = b::k3 + k; }",
    );
    for (name, expected) in [
        ("a::b::k2", 2),
        ("k3", 1),
        ("k4", 4),
        ("k5", 2),
        ("k6", 2),
        ("k7", 7),
        ("k8", 7),
        ("k10", 18),
        ("f::k11", 11),
        ("f::v2::k11", 11),
        ("k12", 11),
        ("k13", 3),
    ] {
        assert_eq!(value(&header, name), expected, "{name}");
    }
}

#[test]
fn a_name_two_namespaces_bring_is_ambiguous_where_it_is_used() {
    let header = read(
        "namespace a { constexpr int k = 1; } namespace b { constexpr int k = 2; }
        using namespace a; using namespace b; constexpr int kBad = k; constexpr int kGood = b::k;",
    );
    assert_eq!(header.get("kBad").unwrap_err().kind(), ErrorKind::Ambiguous);
    assert_eq!(value(&header, "kGood"), 2);
}

#[test]
fn a_declaration_sees_only_what_stands_before_it_and_not_itself() {
    let header = read("constexpr int kA = kB; constexpr int kB = 1; namespace n { constexpr int kB = kB; }");
    assert_eq!(header.get("kA").unwrap_err().kind(), ErrorKind::UnknownName);
    assert!(header.get("n::kB").is_err());
    // An enumerator is declared after its value.
    assert_eq!(value(&read("constexpr int e = 5; enum E { e2 = e, e = e2 + 1 };"), "E::e"), 6);
}

#[test]
fn enumerators_count_on_and_have_the_underlying_type() {
    let header = read(
        "#include <stdint.h>
        enum Reason : uint32_t { A = 1, B, C = B << 4, D, };
        enum class Kind : uint8_t { kIdle, kDone = kIdle + 3, kLast };
        enum { kMinus = -1, kNext };
        enum Plain { kP = 0xffffffff };
        constexpr Kind kKind = Kind::kLast;
        constexpr auto kBits = static_cast<uint32_t>(Kind::kDone) | D;
        typedef enum Old { kOld = 7 } Older; constexpr Older kOlder = kOld;
        using Alias = Kind; constexpr auto kAlias = Alias::kDone;",
    );
    for (name, expected, ty) in [
        ("D", 33, IntType::U32),
        ("Reason::C", 32, IntType::U32),
        ("Kind::kLast", 4, IntType::U8),
        ("kDone", 3, IntType::U8),
        ("kMinus", -1, IntType::I32),
        ("kNext", 0, IntType::I32),
        ("kP", 0xffff_ffff, IntType::U32),
        ("kKind", 4, IntType::U8),
        ("kBits", 35, IntType::U32),
        ("kOlder", 7, IntType::U32),
        ("kAlias", 3, IntType::U8),
    ] {
        let found = header.get(name).unwrap_or_else(|error| panic!("{}", error.render()));
        assert_eq!((found.value.number, found.value.ty), (expected, ty), "{name}");
    }
    assert_eq!(header.get("kIdle").unwrap().path, "Kind::kIdle");
    assert_eq!(header.get("Reason::B").unwrap().path, "B");
    assert_eq!(header.get("B").unwrap().kind, ConstantKind::Enumerator);
}

#[test]
fn a_scoped_enumeration_is_no_number_by_itself() {
    let header = read(
        "enum class E { a = 1, b };
        constexpr int kA = E::a; constexpr int kB = E::a + 1; constexpr bool kC = E::a < E::b; constexpr int kD = a;
        constexpr int kE = !E::a; constexpr E kF = 1; constexpr E kG{2}; constexpr auto kH = true ? E::a : E::b;",
    );
    for name in ["kA", "kB", "kE", "kF"] {
        assert_eq!(header.get(name).unwrap_err().kind(), ErrorKind::Type, "{name}");
    }
    assert_eq!(header.get("kD").unwrap_err().kind(), ErrorKind::UnknownName);
    assert_eq!((value(&header, "kC"), value(&header, "kG"), value(&header, "kH")), (1, 2, 1));
}

#[test]
fn an_enumerator_that_does_not_fit_or_fails_is_an_error_of_its_own() {
    let header = read("enum E : unsigned char { a = 255, b, c = 3, d = 256, e = 1 / 0, f, g = 9 };");
    for (name, kind) in [
        ("b", ErrorKind::Arithmetic),
        ("d", ErrorKind::Narrowing),
        ("e", ErrorKind::Arithmetic),
        ("f", ErrorKind::NotAConstant),
    ] {
        assert_eq!(header.get(name).unwrap_err().kind(), kind, "{name}");
    }
    assert_eq!((value(&header, "c"), value(&header, "g")), (3, 9));
    // Without a declared type, that of the others would be a guess.
    let header = read("enum E { a = 1, b = f(2) };");
    assert!(header.get("a").unwrap_err().message().starts_with("another enumerator has no value"));
    let header = read("enum E { a = -1, b = 0xffffffffffffffff };");
    assert_eq!(
        header.get("b").unwrap_err().message(),
        "no integer type holds all values of this enumeration"
    );
}

#[test]
fn everything_else_is_passed_over() {
    let header = read(
        r#"
        #include <cstdint>
        template <typename T, int N = (3 > 2)> struct Array { T data[N]; static constexpr int kInner = N; };
        template <> struct Array<int, 3> { int x; };
        constexpr uint32_t align(uint32_t x, uint32_t to = 4) noexcept { return (x + to - 1) / to * to; }
        struct Record { uint32_t a : 3; Record() : a{1}, b(2) {} ~Record() = default; bool operator()(int) { return 1; }
            static constexpr uint32_t kSize = 8; enum { kMember = kSize * 2 }; const int b = 3; Record &operator=(int); };
        class __attribute__((packed)) Hidden final : public Record { private: int z; };
        static inline void f() { asm volatile("}" ::: "memory"); if (1) { constexpr int kLocal = 1; } }
        constexpr auto kLambda = [](int x) { return x; };
        constexpr const char *kText = R"x(constexpr int kNot = 1; } ")x";
        constexpr float kPi = 3.14f;  constexpr double kE{2.7};  constexpr int kTable[2] = {1, 2};
        constexpr Record kRecord{};  constexpr std::array<int, 2> kArray = {1, 2};
        extern const int kElsewhere;  static int counter = 0;  volatile const int kVolatile = 3;
        extern "C" { void g(int, ...); constexpr int kInC = 1; }
        static_assert(sizeof(int) == 4, "; }");
        constexpr uint32_t kAfter = Record::kMember + align(3);
        constexpr uint32_t kLast = Record::kMember;
        "#,
    );
    let found: Vec<&str> = header.constants().map(|constant| &*constant.path).collect();
    assert_eq!(found, ["Record::kSize", "Record::kMember", "kInC", "kLast"]);
    let mut failed: Vec<&str> = header.unevaluated().map(|entry| &*entry.name).collect();
    failed.sort_unstable();
    let expected = ["kAfter", "kArray", "kE", "kLambda", "kPi", "kRecord", "kTable", "kText"];
    assert_eq!(failed, expected);
    assert!(header.unevaluated().all(|entry| !entry.is_mistake()));
    assert_eq!(value(&header, "kLast"), 16);
}

#[test]
fn known_constants_are_names_but_not_constants_of_the_header() {
    let options = Options::new().known("km::kArgs", 16, IntType::U32).known("KM_LIMIT", 300, IntType::U8);
    let header = with("constexpr auto k = km::kArgs * 2 + KM_LIMIT;", &Memory::new(), &options);
    assert_eq!(value(&header, "k"), 32 + 44);
    assert_eq!(header.constants().count(), 1);
    assert_eq!(header.get("kArgs").unwrap_err().kind(), ErrorKind::UnknownName);
    // A declaration replaces what is known.
    let header = with(
        "namespace km { constexpr int kArgs = 1; } constexpr int k = km::kArgs;",
        &Memory::new(),
        &options,
    );
    assert_eq!(value(&header, "k"), 1);
    let again = with("constexpr int k2 = k;", &Memory::new(), &Options::new().known_from(&header));
    assert_eq!(value(&again, "k2"), 1);
}

#[test]
fn one_name_with_two_values_is_an_error_only_when_asked() {
    let header =
        read("constexpr int kA = 1;\nconstexpr int kA = 2;\nconstexpr int kB = 3;\nconstexpr int kC = kA;");
    let error = header.get("kA").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(error.location().map(|at| at.line), Some(2));
    assert_eq!(value(&header, "kB"), 3);
    assert_eq!(header.get("kC").unwrap_err().kind(), ErrorKind::Conflict);
}

#[test]
fn aliases_of_types_are_types() {
    let header = with(
        "using Word = unsigned short; typedef long Long, *Pointer; namespace n { using W = Word; }
        constexpr Word kA = -1; constexpr auto kB = n::W(0x12345); constexpr auto kC = sizeof(Long);",
        &Memory::new(),
        &Options::new().model(Model::LP64),
    );
    assert_eq!((value(&header, "kA"), value(&header, "kB")), (0xffff, 0x2345));
    // One declaration of several names gives no type: better none than a wrong one.
    assert!(header.get("kC").is_err());
}

#[test]
fn what_stands_behind_a_function_is_not_lost() {
    let header = read(
        "enum E { e }; enum E f(int) { return e; } constexpr int k1 = 1;
        struct S { friend bool operator==(S, S) { return true; } static constexpr int k2 = 2; };
        inline void g() {} [[maybe_unused]] constexpr int k3 = 3;
        _Pragma(\"GCC diagnostic push\") constexpr int k4 = 4;
        [[nodiscard]] inline int h() { return 1; } [[deprecated]] enum class D { k5 = 5 };
        struct [[gnu::packed]] P { P() : a{1}, b(2) {} int a, b; static constexpr int k6 = 6; } p, *q; constexpr int k7 = 7;",
    );
    let numbers: Vec<i128> = header.constants().map(|constant| constant.value.number).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 7]);
}
