//! Numbers at the ends of their types, and how literals of f32 are rounded.

use komorebi_abi::engine::Value;
use komorebi_abi::graph::{Graph, encode};
use komorebi_abi::program::ArgKind;

use super::{listing, messages};
use crate::engine::testing::{codes, heat};
use crate::graph::read_text;

#[test]
fn a_number_beyond_every_type_is_refused_and_not_computed_with() {
    let least = "-(-170141183460469231731687303715884105727 - 1)";
    for body in [
        format!("const A: u32 = {least}; touch[0..1]();"),
        "const A: u32 = 170141183460469231731687303715884105727 + 1; touch[0..1]();".to_owned(),
        format!("touch[0..{least}]();"),
        format!("touch[..]() queued({least});"),
        format!("bind a: u32; cpu {{ a = {least}; }}"),
    ] {
        let found = messages(&body);
        assert!(found.iter().any(|text| text.starts_with("[KM0020]")), "{body}: {found:#?}");
    }
    for options in ["req", "max_runs"] {
        let found = read_text(&format!("graph G({options} = {least}) {{ touch[0..1](); }}"), &heat()).1;
        assert_eq!(codes(&found), ["KM0020"], "{found:#?}");
    }
}

#[test]
fn a_float_is_rounded_once_as_by_rustc_and_the_builder() {
    // Its f64 lies in the middle of two f32, of which rounding again takes the lower one.
    let digits = "1.000000059604644775390625000001";
    let expected = f32::from_bits(0x3f80_0001);
    assert_eq!(digits.parse::<f32>(), Ok(expected));
    let heat = heat();
    let mut graph = Graph::new();
    graph.command("scale", 0..4, [expected.into()]);
    let bytes = graph.encode(&heat.facts).unwrap().bytes;
    for body in [
        format!("scale[0..4]({digits});"),
        format!("scale[0..4]({digits}f32);"),
        format!("scale[0..4](-(-{digits}));"),
        format!("const BY: f32 = {digits}; scale[0..4](BY);"),
        format!("const BY: f32 = {digits}f32; scale[0..4](BY);"),
    ] {
        let (model, texts) = read_text(&format!("graph G() {{ {body} }}"), &heat);
        assert_eq!(texts, [""; 0], "{body}");
        assert_eq!(encode(&model.unwrap(), &heat.facts).unwrap().bytes, bytes, "{body}");
    }
    assert_eq!(listing(&format!("f = {digits};")), "move f 1.0000001");
    assert_eq!(
        listing(&format!("f = {digits}f32;")),
        format!("move f {:?}", Value::Typed(ArgKind::F32, 0x3f80_0001))
    );
    // An integer is rounded once as well: 2^60 + 2^36 + 1 lies above the middle.
    assert_eq!(
        listing("f = 1152921573326323713 as f32;"),
        format!("move f {:?}", f32::from_bits(0x5d80_0001))
    );
}

#[test]
fn a_float_that_would_be_infinite_is_refused_where_it_stands() {
    for body in [
        "scale[0..4](1e39);",
        "scale[0..4](-1e39);",
        "scale[0..4](1e39f32);",
        "const BY: f32 = -1e39; scale[0..4](BY);",
        "bind f: f32; cpu { f = -1e39; }",
        "bind f: f32; cpu { f = f * 3.4028236e38; }",
        "mix[0..4](1, 2, [1, 2], [0.5, 3.4e38], 3);",
    ] {
        let found = messages(body);
        assert_eq!(codes(&found), ["KM0020"], "{body}: {found:#?}");
        assert!(
            found[0].contains("is beyond f32") || found[0].contains("is beyond bf16"),
            "{body}: {found:#?}"
        );
    }
    assert_eq!(messages("scale[0..4](3.4028235e38); mix[0..4](1, 2, [1, 2], [0.5, -3.38e38], 3);"), [""; 0]);
    assert_eq!(codes(&messages("scale[0..4](1.0f64);")), ["KM0015"]);
}

#[test]
fn a_constant_of_rust_s_numbers_is_answered_with_what_to_write() {
    for (body, says) in [
        ("scale[0..4](f32::MAX);", "write the number, `3.4028235e38`"),
        ("scale[0..4](std::f32::consts::PI);", "write the number, `3.1415927`"),
        ("const BY: f32 = f32::EPSILON; scale[0..4](BY);", "write the number, `1.1920929e-7`"),
        ("scale[0..4](f32::NAN);", "in a cpu node, as in `special = f32::from_bits(0x7fc00000);`"),
        ("scale[0..4](f32::NEG_INFINITY);", "f32::from_bits(0xff800000)"),
        ("const BY: f32 = f32::NAN; scale[0..4](BY);", "or give it at each start: `bind special: f32;`"),
        ("bind a: u32; cpu { a = u32::MAX; }", "write the number, `4294967295`"),
        ("touch[0..u32::MAX]();", "write the number, `4294967295`"),
    ] {
        let found = messages(body);
        assert!(found[0].contains(says), "{body}: {found:#?}");
        assert!(!found[0].contains("const NAN"), "{body}: {found:#?}");
    }
    let found = messages("const A: u32 = A + 1; touch[0..A]();");
    assert_eq!(codes(&found), ["KM0107"], "{found:#?}");
    assert!(found[0].contains("`A` has no value yet"), "{found:#?}");
}
