//! Bodies that a `macro_rules!` macro makes: its arguments come in brackets that nobody sees, `unseen(..)` in these texts.

use komorebi_abi::graph::encode;

use super::messages;
use crate::engine::testing::heat;
use crate::graph::read_text;

fn bytes(body: &str) -> Vec<u8> {
    let (model, texts) = read_text(&format!("graph G() {{ {body} }}"), &heat());
    assert_eq!(texts, [""; 0], "{body}");
    encode(&model.unwrap(), &heat().facts).unwrap().bytes
}

#[test]
fn arguments_of_a_macro_give_the_bytes_of_what_they_say() {
    for (body, plain) in [
        ("touch[unseen(0..3)]();", "touch[0..3]();"),
        ("touch[unseen(0)..unseen(1 + 2)]();", "touch[0..3]();"),
        ("touch[0..unseen(1 + 2) * 3]();", "touch[0..9]();"),
        ("group edge = unseen(0..3); touch[edge]();", "group edge = 0..3; touch[edge]();"),
        ("bind a: u32; cpu unseen({ a = 1; }) touch[0..3]();", "bind a: u32; cpu { a = 1; } touch[0..3]();"),
        ("scale[0..4](-unseen(-1.5));", "scale[0..4](1.5);"),
        ("scale[0..4](unseen(-1.5));", "scale[0..4](-1.5);"),
        ("scale[0..4](-unseen(1.5));", "scale[0..4](-1.5);"),
        ("bind a: u32; cpu { a = unseen(1 + a) * 3; }", "bind a: u32; cpu { a = (1 + a) * 3; }"),
        ("bind a: u32; cpu { unseen(a = a + 1); }", "bind a: u32; cpu { a = a + 1; }"),
        ("unseen(touch)[0..3]();", "touch[0..3]();"),
        ("unseen(touch[0..3]());", "touch[0..3]();"),
        ("bind unseen(a): unseen(u32); cpu { a += unseen(1); }", "bind a: u32; cpu { a += 1; }"),
        ("bind p: unseen(km::Address); left[0..3](unseen(p));", "bind p: km::Address; left[0..3](p);"),
        (
            "mix[0..4](1, 2, [unseen(1), 2], unseen([-0.5, 1.0]), 3);",
            "mix[0..4](1, 2, [1, 2], [-0.5, 1.0], 3);",
        ),
    ] {
        assert_eq!(bytes(body), bytes(plain), "{body}");
    }
    assert_eq!(messages("touch[unseen(0..0)]();"), messages("touch[0..0]();"));
}
