//! Comments that belong to a constant.

use crate::read;

fn doc(text: &str, name: &str) -> Option<String> {
    read(text).get(name).expect(name).doc.clone()
}

#[test]
fn the_comment_above_belongs_to_the_declaration() {
    let text =
        "// of the file\n\n/// First line,\n// second line.\nconstexpr int k = 1;\nconstexpr int none = 2;\n";
    assert_eq!(doc(text, "k").as_deref(), Some("First line,\nsecond line."));
    assert_eq!(doc(text, "none"), None);
    assert_eq!(doc("/** One,\n *  two. */\n#define K 3\n", "K").as_deref(), Some("One,\ntwo."));
    assert_eq!(doc("// apart\n\nconstexpr int k = 1;", "k"), None);
}

#[test]
fn the_comment_behind_belongs_to_the_declaration_before_it() {
    let text = "constexpr int a = 1;  // of a\n                      // and more\nconstexpr int b = 2;  ///< of b\nconstexpr int c = 3;\n";
    assert_eq!(doc(text, "a").as_deref(), Some("of a\nand more"));
    assert_eq!(doc(text, "b").as_deref(), Some("of b"));
    assert_eq!(doc(text, "c"), None);
}

#[test]
fn enumerators_and_macros_have_comments() {
    let text = "enum E {\n  // of a\n  a,\n  b = 2,  // of b\n  c  // of c\n};\n#define M 1  /* of M */\n";
    for (name, expected) in [("a", "of a"), ("b", "of b"), ("c", "of c"), ("M", "of M")] {
        assert_eq!(doc(text, name).as_deref(), Some(expected), "{name}");
    }
}

#[test]
fn a_comment_above_and_one_behind_are_both_kept() {
    assert_eq!(doc("// above\nconstexpr int k = 1; // behind", "k").as_deref(), Some("above\nbehind"));
}
