//! Expansions compared with files, and the texts of errors.
//!
//! `BLESS=1 cargo test -p komorebi-language` writes the expected files anew.

mod header;

use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use proptest::prelude::*;
use quote::{ToTokens, quote};
use syn::{Item, Meta};

use super::expand;
use crate::context::Context;
use crate::engine::testing::adversarial;

fn context(folder: Option<PathBuf>) -> Context {
    Context { folder, krate: quote!(::komorebi) }
}

fn goldens() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expand")
}

/// The expansion of a source text with one program in it, standing in `folder`.
fn expand_text(text: &str, folder: Option<PathBuf>) -> TokenStream {
    let mut item: Item = syn::parse_str(text).unwrap();
    let attrs = match &mut item {
        Item::Trait(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        other => panic!("no program: {}", other.to_token_stream()),
    };
    let at = attrs.iter().position(|attr| attr.path().segments.last().unwrap().ident == "program").unwrap();
    let Meta::List(list) = attrs.remove(at).meta else { panic!("an attribute without parts") };
    expand(list.tokens, item.into_token_stream(), &context(folder))
}

/// The messages of all `compile_error!`s, and that what stands beside them is items.
fn errors(text: &str, folder: Option<PathBuf>) -> Vec<String> {
    let file: syn::File = syn::parse2(expand_text(text, folder)).expect("an expansion is items");
    file.items
        .iter()
        .filter_map(|item| match item {
            Item::Macro(call) if call.mac.path.segments.last().unwrap().ident == "compile_error" => {
                Some(syn::parse2::<syn::LitStr>(call.mac.tokens.clone()).unwrap().value())
            }
            _ => None,
        })
        .collect()
}

/// A program around `parts` and `functions`, with the kernels and headers of the expected expansions.
fn program_errors(parts: &str, functions: &str) -> Vec<String> {
    let text = format!("#[km::program(kernels = \"kernels\", {parts})] pub trait Heat {{ {functions} }}");
    errors(&text, Some(goldens()))
}

fn golden(name: &str) {
    let source = std::fs::read_to_string(goldens().join(format!("{name}.rs"))).unwrap();
    let expanded = expand_text(&source, Some(goldens()));
    let file = syn::parse2(expanded).expect("an expansion is items");
    let text = without_hashes(&prettyplease::unparse(&file));
    let path = goldens().join(format!("{name}.expanded.rs"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == expected, "{} differs; BLESS=1 writes it anew. found:\n{text}", path.display());
}

/// The hash in an exported name depends on where the source lies.
fn without_hashes(text: &str) -> String {
    let mut parts = text.split("__km_");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('_').unwrap();
        out.push_str("__km_");
        out.push_str(name);
        out.push_str("_HASH");
        out.push_str(rest.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
    }
    out
}

#[test]
fn a_program_expands_to_its_type_declaration_calls_and_submit_trait() {
    golden("heat");
}

#[test]
fn every_type_of_argument_and_result_expands() {
    golden("kinds");
}

#[test]
fn every_option_of_a_declaration_reaches_the_model() {
    golden("options");
}

#[test]
fn threads_with_their_sources_and_regions_reach_the_model() {
    golden("join");
}

#[test]
fn every_choice_of_every_option_reaches_the_model() {
    use komorebi_abi::program::{Compute, Format, OptLevel};

    let expanded = |parts: &str| {
        let text = format!(
            "#[km::program(kernels = \"kernels\", {parts})] pub trait Heat {{ #[handler(1)] fn step(); }}"
        );
        assert_eq!(errors(&text, Some(goldens())), [] as [String; 0], "{parts}");
        expand_text(&text, Some(goldens())).to_string().replace(' ', "")
    };
    for level in OptLevel::ALL.map(OptLevel::name) {
        let found = expanded(&format!("opt(reader = {level}, compute = {level}, writer = {level})"));
        assert_eq!(found.matches(&format!("OptLevel::{level})")).count(), 3, "{level}");
    }
    for fidelity in ["LoFi", "HiFi2", "HiFi3", "HiFi4"] {
        let found = expanded(&format!("compute(math_fidelity = {fidelity})"));
        assert!(found.contains(&format!("MathFidelity::{fidelity},")), "{fidelity}");
    }
    for flag in Compute::FIELDS.into_iter().skip(2) {
        for (written, value) in [(flag.to_owned(), true), (format!("{flag} = false"), false)] {
            let found = expanded(&format!("compute({written})"));
            assert!(found.contains(&format!("{flag}:{value},")), "{written}");
        }
    }
    let found = expanded("compute(unpack_to_dest_mode = UnpackToDestFp32)");
    assert_eq!(found.matches("UnpackMode::UnpackToDestFp32").count(), 32);
    assert_eq!(expanded("compute(unpack_to_dest_mode = Default)").matches("UnpackMode").count(), 0);
    for format in Format::ALL {
        let (name, bytes) = (format.name(), format.page_step());
        let found =
            expanded(&format!("buffers(b(index = 28, format = {name}, page_bytes = {bytes}, pages = 1))"));
        let variant = format!("{format:?}");
        assert!(found.contains(&format!("Format::{variant},page_bytes:{bytes}u32")), "{name}: {found}");
    }
}

/// What is wrong with the thread `scan` of `parts`.
fn thread_errors(parts: &str) -> Vec<String> {
    let parts = format!("header = \"kernels/heat.h\", threads(scan({parts}))");
    program_errors(&parts, "fn step(); fn left(); fn right(); fn norm();")
}

#[test]
fn every_part_of_a_thread_is_told_at_its_own() {
    let sources = "sources = \"threads/scan.cpp\"";
    for (parts, code, says) in [
        ("cluster = 1", "KM0023", "has no sources"),
        ("cluster = 1, sources = []", "KM0023", "has no sources"),
        ("cluster = 1, sources = [\"threads/scn.cpp\"]", "KM0023", "did you mean \"threads/scan.cpp\"?"),
        ("cluster = 1, sources = [\"threads/scan.cpp\", \"threads/./scan.cpp\"]", "KM0023", "twice"),
        (
            "cluster = 1, sources = [\"threads/scan.cpp\", \"threads/scn.cpp\"]",
            "KM0023",
            "\"threads/scan.cpp\" is in the list already",
        ),
        ("cluster = 1, sources = 3", "KM0017", "is a list of paths"),
        ("cluster = 1, sources = [scan]", "KM0017", "is a path"),
        (sources, "KM0017", "has no `cluster`"),
        ("cluster = one, SOURCES", "KM0020", "`one`"),
        ("cluster = 0, SOURCES", "KM0021", "the dispatcher's"),
        ("cluster = 4, SOURCES", "KM0021", "which no card has"),
        ("clusters = 2, SOURCES", "KM0017", "a list of clusters, found `2`"),
        ("clusters = (), SOURCES", "KM0017", "a list of clusters"),
        ("clusters = (1, 2), cluster = 3, SOURCES", "KM0017", "`cluster` and `clusters`"),
        ("clusters = (1, 4), SOURCES", "KM0021", "cluster 4, which no card has"),
        ("cluster = 1, SOURCES, host_fallback = scan", "KM0017", "is not supported"),
        (
            "cluster = 1, SOURCES, regions(table = \"table.bin\")",
            "KM0020",
            "first contents are not supported",
        ),
        ("cluster = 1, SOURCES, words = 17", "KM0024", "17 argument words"),
        ("cluster = 1, SOURCES, deadline = 0 s", "KM0024", "0 lets nothing run"),
        ("cluster = 1, SOURCES, deadline = 72 min", "KM0024", "`71 min`"),
        ("cluster = 1, SOURCES, deadline = 50", "KM0017", "has no unit, in thread `scan`"),
        ("cluster = 1, SOURCES, deadline = 50 hours", "KM0017", "unit `hours`"),
        ("cluster = 1, SOURCES, deadline =", "KM0017", "no value"),
        ("cluster = 1, SOURCES, prefetch = \"documented\"", "KM0018", "a prefetch setting"),
        ("cluster = 1, SOURCES, prefetch = eager", "KM0018", "the only one is `documented`"),
        ("cluster = 1, SOURCES, regions(table = 100)", "KM0022", "write `table = 128`"),
        ("cluster = 1, SOURCES, regions(table)", "KM0020", "the bytes of region `table`"),
        ("cluster = 1, SOURCES, regions = 64", "KM0017", "names with their bytes"),
        ("cluster = 1, SOURCES, region(table = 64)", "KM0017", "did you mean `regions`?"),
        ("cluster = 1, SOURCES, word = 1, words = 2", "KM0017", "thread `scan` has `words` already"),
        ("cluster = 1, SOURCES, deadlne = 1 ms, deadline = 2 ms", "KM0017", "has `deadline` already"),
    ] {
        let found = thread_errors(&parts.replace("SOURCES", sources));
        assert_eq!(found.len(), 1, "{parts}: {found:#?}");
        assert!(found[0].starts_with(&format!("[{code}]")) && found[0].contains(says), "{parts}: {found:#?}");
    }
    let found = thread_errors(&"clusters = (1, 2, 1), SOURCES".replace("SOURCES", sources));
    assert!(found.len() == 2 && found[0].contains("both on cluster 1"), "{found:#?}");
    let twice = "cluster = 1, SOURCES, deadline = 1 ms, deadline = 2 ms".replace("SOURCES", sources);
    let found = thread_errors(&twice);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].contains("two parts called `deadline`") && found[1].contains("the other"), "{found:#?}");
}

#[test]
fn a_thread_that_cannot_be_read_brings_no_error_about_the_regions_it_may_share() {
    for threads in ["threads = 1", "threads(scan)"] {
        let parts = format!("header = \"kernels/heat.h\", {threads}, regions(shared = 64)");
        let found = program_errors(&parts, "fn step(); fn left(); fn right(); fn norm();");
        assert_eq!(found.len(), 1, "{threads}: {found:#?}");
    }
}

#[test]
fn numbers_of_any_size_are_refused_by_their_rules() {
    let most = u32::MAX;
    for (part, code) in [
        (format!("grid = ({most}, {most})"), "KM0001"),
        (format!("depth = {most}"), "KM0002"),
        (format!("kernel_bytes = {most}"), "KM0010"),
        (format!("buffers(a(index = {most}, format = uint8, page_bytes = 16, pages = 1))"), "KM0007"),
        (
            format!("buffers(a(index = 0, format = uint8, page_bytes = {}, pages = {most}))", most - 15),
            "KM0009",
        ),
        (format!("threads(a(cluster = {most}, sources = [\"threads/sum.cpp\"]))"), "KM0021"),
        (format!("threads(a(cluster = 1, sources = [\"threads/sum.cpp\"], words = {most}))"), "KM0024"),
        (format!("threads(a(cluster = 1, sources = [\"threads/sum.cpp\"], regions(r = {most})))"), "KM0022"),
    ] {
        let found = program_errors(&part, "#[handler(1)] fn step();");
        assert!(found.iter().any(|text| text.starts_with(&format!("[{code}]"))), "{part}: {found:#?}");
    }
}

#[test]
fn all_errors_are_told_at_once() {
    let found = program_errors(
        "header = \"kernels/heat.h\", depth = 17, buffers(input(index = kBufferInptu, format = bfloat17, page_bytes = 2048, pages = 4)), opt(reader = O4)",
        "fn step(#[inout] state: km::Address, iteration: usize); fn lfet(); async fn right();",
    );
    let codes: Vec<&str> = found.iter().map(|text| &text[1..7]).collect();
    // In the order of the source.
    assert_eq!(codes, ["KM0002", "KM0020", "KM0018", "KM0018", "KM0015", "KM0013", "KM0016"], "{found:#?}");
}

#[test]
fn an_unknown_part_gets_the_nearest_name() {
    let found = program_errors("header = \"kernels/heat.h\", kernelbytes = 128", "fn step();");
    assert_eq!(
        found,
        ["[KM0017] the program has no part called `kernelbytes`\nhelp: did you mean `kernel_bytes`?"]
    );
}

#[test]
fn a_missing_header_brings_no_error_about_its_handlers() {
    let found = program_errors("header = \"kernels/haet.h\", depth = kDepth", "fn step(); fn left();");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].ends_with("did you mean \"kernels/heat.h\"?"), "{found:#?}");
}

#[test]
fn a_constant_without_a_value_shows_its_line() {
    let found = program_errors("header = \"kernels/broken.h\"", "fn step(); fn left();");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(
        found[0].contains("broken.h:4:") && found[0].contains("1 / 0") && found[0].contains('^'),
        "{found:#?}"
    );
}

#[test]
fn two_handlers_of_one_number_are_told_at_both_with_the_headers_lines() {
    let found = program_errors("header = \"kernels/twice.h\"", "fn step(); fn left();");
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].contains("kHandlerStep = 1") && found[0].contains("kHandlerLeft = 1"), "{found:#?}");
}

#[test]
fn a_handler_the_header_lacks_says_the_line_to_add() {
    let found = program_errors("header = \"kernels/heat.h\"", "fn relax_all();");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("add `constexpr uint32_t kHandlerRelaxAll = 5;`"), "{found:#?}");
}

#[test]
fn without_a_header_numbers_are_written_in_place() {
    let text = "#[km::program(kernels = \"kernels\")] trait Heat { #[handler(1)] fn step(); fn left(); }";
    let found = errors(text, Some(goldens()));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("`left` has no number"), "{found:#?}");
}

#[test]
fn a_rust_constant_is_named_as_what_it_is() {
    let text = "#[km::program(kernels = \"kernels\", depth = DEPTH)] trait Heat { #[handler(1)] fn step(); }";
    let found = errors(text, Some(goldens()));
    assert!(found[0].contains("a macro cannot see the value of a Rust constant"), "{found:#?}");
}

#[test]
fn where_the_file_is_unknown_the_items_are_there_without_errors() {
    let text = std::fs::read_to_string(goldens().join("heat.rs")).unwrap();
    assert!(errors(&text, None).is_empty());
    let expanded = expand_text(&text, None).to_string();
    assert!(expanded.contains("trait HeatSubmit") && expanded.contains("KM0012"));
}

#[test]
fn a_struct_is_told_to_be_a_trait_and_keeps_its_name() {
    let found =
        expand_text("#[km::program(kernels = \"kernels\")] struct Heat;", Some(goldens())).to_string();
    assert!(found.contains("KM0016") && found.contains("enum Heat"), "{found}");
}

#[test]
fn garbage_never_panics() {
    let parts = [
        "",
        "= 1",
        "kernels",
        "kernels = ",
        "buffers = 3, buffers(x), buffers(x(=))",
        "grid = (1), grid(1, 2)",
        "opt, compute = 3",
        "threads, regions",
        "threads(a(), b(deadline), c(deadline = = 3, deadline = 1 ms x), 4, d(sources = [[1]], regions(=)))",
    ];
    let items = [
        "",
        "fn f() {}",
        "trait T { const X: u32; type Y; fn f(self, (a, b): (u32, u32)) {} }",
        "trait T<U>: Copy where U: Copy {}",
    ];
    for part in parts {
        for item in items {
            let _ = expand(part.parse().unwrap(), item.parse().unwrap(), &context(Some(goldens())));
        }
    }
}

#[test]
fn deep_nesting_is_refused_not_followed() {
    let around = |open: &str, close: &str| format!("{}1{}", open.repeat(400), close.repeat(400));
    let deep = [
        around("(", ")"),
        around("[", "]"),
        around("x(", ")"),
        around("(x = ", ")"),
        format!("{}1", "-".repeat(400)),
        format!("{}1", "|a| ".repeat(300)),
        format!("{}{{ 2 }}", "if a { 1 } else ".repeat(300)),
    ];
    for value in &deep {
        for part in [
            format!("depth = {value}"),
            format!("buffers(a(index = {value}))"),
            format!("defines(A = {value})"),
        ] {
            let found = program_errors(&part, "#[handler(1)] fn step();");
            assert!(found.iter().all(|text| text.starts_with("[KM0017]")), "{found:#?}");
            assert_eq!(found.len(), 1, "{found:#?}");
        }
    }
    // Long is not deep.
    let docs = "/// A line.\n".repeat(400);
    let arguments: Vec<String> = (0..8).map(|i| format!("{docs} a{i}: [u16; 2]")).collect();
    let found =
        program_errors("depth = 1", &format!("{docs} #[handler(1)] fn step({});", arguments.join(",")));
    assert!(found.iter().all(|text| !text.contains("inside each other")), "{found:#?}");
    let types = [format!("{}u32{}", "[".repeat(400), "; 2]".repeat(400)), format!("{}u32", "&".repeat(400))];
    for ty in &types {
        let item = format!("/// Heat.\npub(crate) trait Heat {{ #[handler(1)] fn step(a: {ty}); }}");
        let parts = "kernels = \"kernels\"".parse().unwrap();
        let expanded = expand(parts, item.parse().unwrap(), &context(Some(goldens()))).to_string();
        assert_eq!(expanded.matches("compile_error").count(), 1, "{expanded}");
        assert!(expanded.contains("[KM0016]") && expanded.contains("enum Heat"), "{expanded}");
    }
}

/// Words that attributes and traits are made of.
const WORDS: &str = "kernels header grid depth buffers compute opt defines compile_args kernel_bytes threads regions crate \
    reader writer index format page_bytes pages cluster sources words deadline prefetch math_fidelity unpack_to_dest_mode \
    fp32_dest_acc_en HiFi4 UnpackToDestFp32 bfloat16 uint8 Os O9 documented kDepth kBroken km::kX ::x a b step r#type = , , , = ; : :: -> - + \
    .. # ! & * < > | 0 1 3 4 16 29 64 2048 4294967295 4294967296 99999999999999999999 1.5 4u8 0x_ \"kernels\" \"kernels/heat.h\" \
    \"kernels/reader.cpp\" \"\" \"../..\" 'a' 50 ms us true false _ $ ? @ fn trait struct pub const unsafe async self mut where for dyn impl \
    u32 i32 f32 u64 bf16 u16 km::Address km::Core &str #[input] #[inout] #[output] #[handler(1)] #[handler] #[cfg(x)] /**d*/";

fn any_parts(most: usize) -> impl Strategy<Value = String> {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let word = prop::sample::select(words).prop_map(str::to_owned);
    let token = word.prop_recursive(4, 80, 8, |inner| {
        let brackets = prop::sample::select(vec![("(", ")"), ("(", ")"), ("[", "]"), ("{", "}")]);
        (brackets, prop::collection::vec(inner, 0..10))
            .prop_map(|((open, close), parts)| format!("{open} {} {close}", parts.join(" ")))
    });
    prop::collection::vec(token, 0..most).prop_map(|parts| parts.join(" "))
}

/// A declaration with everything in it, token by token, to be mutated.
const SAMPLE: &str = "kernels = \"kernels\" , header = \"kernels/heat.h\" , grid = ( 12 , 10 ) , depth = 8 , buffers ( input ( index = 0 , \
    format = bfloat16 , page_bytes = 2048 , pages = 4 ) , output ( index = 16 , format = bfloat16 , page_bytes = 2048 , pages = 4 ) ) , \
    compute ( math_fidelity = HiFi4 , fp32_dest_acc_en , unpack_to_dest_mode ( input = UnpackToDestFp32 ) ) , opt ( reader = Os ) , \
    defines ( KM_TILES = 4 ) , compile_args ( reader = [ 1 , 2 ] ) , kernel_bytes = 65536 , threads ( scan ( cluster = 1 , sources = \
    [ \"threads/sum.cpp\" ] , regions ( table = 64 ) , words = 8 , deadline = 50 ms , prefetch = documented ) ) , regions ( shared = 64 )";

proptest! {
    #![proptest_config(adversarial())]

    #[test]
    fn no_attribute_and_no_item_make_the_macro_panic(parts in any_parts(40), item in any_parts(20)) {
        let items = [item.clone(), format!("pub trait T {{ {item} }}"), format!("trait T {{ fn step({item}) -> u32; fn f({item}); }}")];
        for item in items {
            let (Ok(parts), Ok(item)) = (parts.parse(), item.parse()) else { continue };
            let _ = expand(parts, item, &context(Some(goldens())));
        }
    }

    /// What stands beside the errors is items, whatever the errors are.
    #[test]
    fn a_mutated_declaration_gives_items_and_messages(edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4, prop::sample::select(WORDS.split_whitespace().collect::<Vec<_>>())), 1..6)) {
        let mut words: Vec<&str> = SAMPLE.split_whitespace().collect();
        for (at, what, word) in edits {
            let at = at.index(words.len());
            match what {
                0 => { words.remove(at); }
                1 => words.insert(at, word),
                2 => words[at] = word,
                _ => { let again = words[at]; words.insert(at, again); }
            }
        }
        let text = words.join(" ");
        if text.parse::<TokenStream>().is_ok() {
            for found in program_errors(&text, "fn step(#[inout] state: km::Address, iteration: u32); fn left(); fn right(); fn norm() -> u32;") {
                prop_assert!(found.starts_with("[KM0"), "{found}\n{text}");
            }
        }
    }
}

#[test]
fn a_header_may_use_the_runtimes_constants_and_none_of_them_is_a_handler() {
    let found = program_errors("header = \"kernels/runtime.h\", depth = kDepth", "fn step(); fn max();");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("no handler `max`"), "{found:#?}");
}

#[test]
fn every_code_is_documented() {
    let page = include_str!("../../../../komorebi-macros/src/program.md");
    for rule in komorebi_abi::program::Rule::ALL {
        assert!(page.contains(&format!("| {} |", rule.code())), "{rule:?}");
    }
}

/// Paths are relative to the source file, in the header's excerpts too.
#[test]
fn the_same_program_in_two_folders_expands_to_the_same_tokens() {
    let text = std::fs::read_to_string(goldens().join("heat.rs")).unwrap();
    let expanded = [(); 2].map(|()| {
        let folder = tempfile::tempdir().unwrap();
        let kernels = folder.path().join("kernels");
        std::fs::create_dir(&kernels).unwrap();
        for file in std::fs::read_dir(goldens().join("kernels")).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), kernels.join(file.file_name())).unwrap();
        }
        without_hashes(&expand_text(&text, Some(folder.path().to_path_buf())).to_string())
    });
    assert!(expanded[0] == expanded[1], "they differ");
    assert!(expanded[0].contains("kernels/heat.h:"), "{}", expanded[0]);
}
