//! The phases on strings: bytes against the builder, every syntax, every message of the parser, random bodies.

mod large;
mod numbers;
mod twin;
mod unseen;

use komorebi_abi::engine::{Arithmetic, Group, HandlerRef, Ref, Statement, Value};
use komorebi_abi::graph::{Graph, NodeBody, encode};
use proptest::prelude::*;

use super::read_text;
use crate::engine::testing::{adversarial, any_body, codes, golden, heat};

/// The messages of a body.
fn messages(body: &str) -> Vec<String> {
    read_text(&format!("pub graph Converge(req = 6) {{ {body} }}"), &heat()).1
}

/// The statements of the cpu node of a body with u32, i32 and f32 registers.
fn cpu(body: &str) -> Vec<Statement> {
    let text = format!(
        "graph G() {{ bind a: u32, b: u32, i: i32, j: i32, x: f32, y: f32, p: km::Address, u: u32, s: i32, f: f32; cpu {{ {body} }} }}"
    );
    let (model, texts) = read_text(&text, &heat());
    assert_eq!(texts, [""; 0], "{body}");
    match model.unwrap().nodes.remove(0).body {
        NodeBody::Cpu(statements) => statements,
        NodeBody::Command(_) => unreachable!("the first node is a cpu node"),
    }
}

fn listing(body: &str) -> String {
    let names = ["a", "b", "i", "j", "x", "y", "p", "u", "s", "f", "t0", "t1", "t2"];
    let value = |value: &Value| match value {
        Value::Variable(Ref::Id(id)) => names[*id as usize].to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::Word(word) => format!("{word:#x}"),
        other => format!("{other:?}"),
    };
    let lines: Vec<String> = cpu(body)
        .iter()
        .map(|statement| {
            let Ref::Id(to) = statement.to else { panic!("a target without position") };
            let operands: Vec<String> = statement.operands.iter().map(value).collect();
            format!("{} {} {}", statement.op.mnemonic(), names[to as usize], operands.join(" "))
        })
        .collect();
    lines.join("; ")
}

#[test]
fn the_documents_graph_gives_the_builders_bytes() {
    let text = "pub graph Converge(deadline = 200 ms, max_runs = 50, req = 6, keep) {
        bind state: km::Address, iteration: u32, limit: u32;
        reg error: u32;
        let advance = step[0..60](state, iteration);
        let l = left[0..30](state) after advance;
        let r = right[30..60](state) after advance;
        let measure = norm[0..60](state, 60) -> error after l, r;
        cpu after measure { iteration += 1; again = error < limit; }
        end(iteration, error);
    }";
    let heat = heat();
    let (model, texts) = read_text(text, &heat);
    assert_eq!(texts, [""; 0]);
    let mut graph = Graph::new().deadline_us(200_000).max_runs(50).req(6).keep();
    let [state, iteration, limit] = graph.bindings(["state", "iteration", "limit"]);
    let error = graph.register();
    let step = graph.command("step", 0..60, [state.into(), iteration.into()]).id();
    let left = graph.command("left", 0..30, [state.into()]).after([step]).id();
    let right = graph.command("right", 30..60, [state.into()]).after([step]).id();
    let norm =
        graph.command("norm", 0..60, [state.into(), 60.into()]).after([left, right]).result(error).id();
    let mut cpu = graph.cpu([norm]);
    let again = cpu.again();
    cpu.add(iteration, iteration, 1).ltu(again, error, limit);
    graph.end(iteration, error);
    assert_eq!(encode(&model.unwrap(), &heat.facts), graph.encode(&heat.facts));
}

#[test]
fn operations_follow_the_types_of_their_operands() {
    for (text, code) in [
        ("u = a + b;", "add u a b"),
        ("u -= 1;", "sub u u 1"),
        ("u = a < b;", "ltu u a b"),
        ("u = i < j;", "lt u i j"),
        ("u = x < y;", "flt u x y"),
        ("u = x >= 0.5;", "fge u x 0.5"),
        ("u = p == p;", "eq u p p"),
        ("s = i >> 2;", "sar s i 2"),
        ("u = a >> 2;", "shr u a 2"),
        ("u = a.min(b);", "minu u a b"),
        ("s = i.max(-3);", "max s i -3"),
        ("f = x * y;", "fmul f x y"),
        ("f = a as f32;", "f.u f a"),
        ("f = i as f32;", "f.i f i"),
        ("u = x as u32;", "u.f u x"),
        ("s = x as i32;", "i.f s x"),
        ("s = a as i32;", "move s a"),
        ("u = !a;", "xor u a 0xffffffff"),
        ("s = -i;", "sub s 0 i"),
        ("f = -x;", "xor f x 0x80000000"),
        ("u = x.to_bits();", "move u x"),
        ("u = kEdge * 2;", "move u 60"),
        ("u = p as u32 + 2048;", "add u p 2048"),
        ("u = if a < b { a } else { b };", "ltu u a b; select u u a b"),
        ("u = if a != 0 { 1 } else { 2 };", "select u a 1 2"),
    ] {
        assert_eq!(listing(text), code, "{text}");
    }
}

#[test]
fn temporaries_are_taken_only_where_the_target_is_still_read() {
    for (text, code) in [
        ("u = a + b * 3;", "mul u b 3; add u a u"),
        ("u = u + b * 3;", "mul t0 b 3; add u u t0"),
        ("u = (a + 1) * (b + 2);", "add u a 1; add t0 b 2; mul u u t0"),
        ("u = (a + 1) * (u + 2);", "add t0 a 1; add t1 u 2; mul u t0 t1"),
        ("u = a + 1 < 4 && b > 2;", "add u a 1; ltu u u 4; gtu t0 b 2; and u u t0"),
        ("u = x * y < 1.0;", "fmul t0 x y; flt u t0 1.0"),
        (
            "u = (a + u) * 2; u = (b + u) * (u + 1);",
            "add u a u; mul u u 2; add t0 b u; add t1 u 1; mul u t0 t1",
        ),
        ("f = x.min(y);", "flt t0 x y; select f t0 x y"),
        ("f = f32::from_bits(a + 1);", "add t0 a 1; move f t0"),
    ] {
        assert_eq!(listing(text), code, "{text}");
    }
}

#[test]
fn temporaries_of_nodes_without_order_are_no_conflict() {
    let body = "bind a: u32; reg u: u32, v: u32;
        cpu { u = (a + 1) * (a + 2); } cpu { v = (a + 3) * (a + 4); }";
    assert_eq!(messages(body), [""; 0]);
}

#[test]
fn every_form_of_a_command_is_read() {
    let body = "
        bind state: km::Address;
        reg error: u32, grade: i32, gain: f32;
        const CORES: u32 = kEdge * 2;
        const HALF: f32 = 0.5;
        group edge = 0..=11;
        let a = step[0..CORES](state, 0x10);
        let b = touch[edge]() after a;
        let c = mix[5](-3, 5_000_000_000, [1, 2], [0.5, -1.0], 7) -> grade after b exclusive;
        let d = scale[..](HALF) -> gain after c;
        let e = scale(-0.25f32) after d queued(8);
        touch[0..4]() queued after e;
        nop[CORES]() after e;
        let f = norm[..kEdge](state, CORES) -> error after a;
        end(error);
    ";
    let (model, texts) = read_text(&format!("graph G {{ {body} }}"), &heat());
    assert_eq!(texts, [""; 0]);
    let model = model.unwrap();
    let command = |at: usize| match &model.nodes[at].body {
        NodeBody::Command(command) => command.clone(),
        NodeBody::Cpu(_) => panic!("no command"),
    };
    let groups: Vec<Group> = (0..8).map(|at| command(at).group).collect();
    assert_eq!(
        groups,
        [
            Group::Range(0, 60),
            Group::Named("edge".into()),
            Group::Core(5),
            Group::Whole,
            Group::Count(8),
            Group::Range(0, 4),
            Group::Core(60),
            Group::Range(0, 30)
        ]
    );
    assert_eq!(model.groups[0].group, Group::Range(0, 12));
    assert!(command(2).exclusive && command(5).queued && !command(2).queued);
    assert_eq!(command(6).handler, HandlerRef::Number(0));
    assert!(encode(&model, &heat().facts).is_ok());
}

#[test]
fn what_cannot_be_read_is_told_at_once_and_brings_no_second_error() {
    let found = messages(
        "bind state: km::Address, limit u32;
         reg error: u32, total: usize;
         let a = step[0..60(state, 1);
         let b = left[0..30](state) afetr a;",
    );
    // The unclosed bracket is rustc's: the text does not even become tokens here.
    assert!(found.is_empty());
    let found = messages(
        "bind state: km::Address, limit u32;
         reg error: u32, total: usize;
         let a = step(state, 1, , 2);
         let b = left[0..30](state) afetr a;
         let c = = right[30..60](state);
         cpu after c { if error < limit { error = 1; } total += 1; error / 2; }
         touch[0..LIMIT]() after c;
         end(error, limit);",
    );
    let text = found.join("\n");
    for part in ["limit", "usize", "did you mean `after`?", "no branches", "Rust `const`"] {
        assert!(text.contains(part), "{part}: {found:#?}");
    }
    assert!(!text.contains("KM0106"), "{found:#?}");
}

#[test]
fn a_misspelt_part_of_a_command_hides_nothing_behind_it_and_is_understood() {
    let with = |rest: &str| {
        messages(&format!("bind state: km::Address; reg error: u32; let a = step[0..30](state, 1); {rest}"))
    };
    // Understood as an `after`, or the two would race.
    let found = with("let b = left[0..30](state) afetr a;");
    assert_eq!(codes(&found), ["KM0017"], "{found:#?}");
    let found = with("let b = left[0..30](state) aftre a cpu after b { error = 1; }");
    assert_eq!(codes(&found), ["KM0017", "KM0017"], "{found:#?}");
    assert!(found[0].contains("did you mean `after`?"), "{found:#?}");
    assert!(found[1].contains("expected `;` before `cpu`"), "{found:#?}");
    let found = with("let b = left[0..30](state) exclusve queud(2) after nobody;");
    assert!(found[0].contains("`exclusive`?") && found[1].contains("`queued`?"), "{found:#?}");
    assert!(found.iter().any(|text| text.contains("`nobody`")), "{found:#?}");
    // A handler that is called so, behind a semicolon that is missing.
    let found = with("left[0..30](state) after a aftr[0..3](state);");
    assert!(found[0].contains("expected `;` before `aftr`"), "{found:#?}");
}

#[test]
fn what_belongs_into_a_stream_or_has_no_let_is_told_once_and_understood() {
    let with = |rest: &str| {
        messages(&format!(
            "bind state: km::Address; reg error: u32; let a = step[0..30](state, 1); {rest} end(error);"
        ))
    };
    let mut wrong = Vec::new();
    for (rest, told) in [
        ("submit norm[..](state, 1) -> error after a;", "remove the word"),
        (
            "let b = enqueue left[0..30](state) after a; norm[..](state, 1) -> error after b;",
            "write `queued`",
        ),
        ("wait(a); norm[..](state, 1) -> error after a;", "name the node in an `after`"),
        ("halt(error);", "a graph halts when `again` is 0"),
        ("while error > 1 { step[0..30](state, 1); }", "`km::stream!`"),
        ("let two = 2; norm[..](state, two) -> error after a;", "`const two: u32 = 2;`"),
        ("b = norm[0..60](state, 1) -> error after a; cpu after b { error += 1; }", "write `let b = ..`"),
        ("cpu afetr a { error = 1; }", "did you mean `after`?"),
        ("norm(0..16, state, 1) -> error after a;", "`norm[0..16](..)`"),
        ("norm(state, 1)[0..16] -> error after a;", "in brackets in front of its arguments"),
        ("norm[0..30](state, 1) -> error after a, exclusive;", "remove it"),
        ("cpu after a { error = 1 again = error > 1; }", "expected `;` before `again`"),
        ("cpu after a { error++; }", "write `error += 1;`"),
        ("cpu after a { error = 1; if error > 1 { again = 1; } }", "`again = error > 1;`"),
        ("cpu after a { error = 1; if error > 1 { again = error; } }", "{ error } else { 0 }"),
    ] {
        let found = with(rest);
        if found.len() != 1 || !found[0].contains(told) {
            wrong.push(format!("{rest}: {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_name_that_nothing_declares_is_told_once_a_use_with_one_edit() {
    let found = messages("cpu { total += 1; } let a = norm[..](0, total) -> total after nobody;");
    let unknown: Vec<&String> = found.iter().filter(|text| text.starts_with("[KM0107]")).collect();
    assert_eq!(unknown.len(), 3, "{found:#?}");
    assert!(unknown.iter().all(|text| text.contains("`reg total: u32;`")), "{found:#?}");
    let found = messages("cpu { again = limit > 1; }");
    assert!(found[0].contains("`bind limit: u32;`"), "{found:#?}");
    let found = messages("bind rounds: u64; reg u: u32; cpu { rounds += 1; u = rounds; }");
    assert_eq!(codes(&found), ["KM0125"], "{found:#?}");
}

#[test]
fn a_group_that_cannot_be_read_is_in_no_race_and_names_are_told_with_their_type() {
    let with = |rest: &str| messages(&format!("bind state: km::Address; {rest}"));
    let found = with("let a = step[0..30](state, 1); let b = left[30 60](state);");
    assert_eq!(found.len(), 1, "{found:#?}");
    let found = with("let a = step[0..30](state, 1); let b = left[edge](state);");
    assert_eq!(codes(&found), ["KM0105"], "{found:#?}");
    let found = messages("let a = step[0..30](state, 1);");
    assert!(found[0].contains("`bind state: km::Address;`"), "{found:#?}");
    // A name behind a comma that is missing.
    let found = messages("bind state: km::Address iteration: u32; let a = step[0..30](state, iteration);");
    assert_eq!(codes(&found), ["KM0017"], "{found:#?}");
    // The name of a node that is a keyword.
    let found = with(
        "let r#match = step[0..30](state, 1); let b = step[30..60](state, 1); left[..](state) after b, match;",
    );
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_rust_constant_is_named_as_what_it_is_in_every_place() {
    for body in [
        "touch[0..LIMIT]();",
        "touch[LIMIT]() queued(LIMIT);",
        "step[0..60](0, crate::LIMIT);",
        "reg u: u32; cpu { u = 1 + LIMIT; }",
        "const CORES: u32 = LIMIT; touch[0..CORES]();",
    ] {
        let found = messages(body);
        assert!(
            found.iter().any(|text| text.contains("a macro cannot see the value of a Rust `const`"))
                || found.iter().any(|text| text.starts_with("[KM0105]")),
            "{body}: {found:#?}"
        );
    }
    let found = messages("touch[0..kEgde]();");
    assert!(
        found[0].contains("did you mean `kEdge`, which kernels/heat.h:9 gives: `constexpr"),
        "{found:#?}"
    );
}

#[test]
fn types_that_rust_would_refuse_are_refused() {
    let around = |text: &str| {
        messages(&format!(
            "bind a: u32, i: i32, x: f32, p: km::Address; reg u: u32, f: f32; cpu {{ {text} }}"
        ))
    };
    for (text, codes_of) in [
        ("u = a + i;", &["KM0102"][..]),
        ("f = x + 1;", &["KM0102"]),
        ("u = x;", &["KM0125", "KM0125"]),
        ("f = a;", &["KM0125", "KM0125"]),
        ("u = -1;", &["KM0102"]),
        ("u = a << 32;", &["KM0102"]),
        ("u = a / 2;", &["KM0017"]),
        ("u = a % 2;", &["KM0017"]),
        ("u = p * 2;", &["KM0102"]),
        ("u = x & 1;", &["KM0102"]),
        ("u = if x { 1 } else { 2 };", &["KM0102"]),
        ("u = if a < 1 { 1 } else { 2.0 };", &["KM0102"]),
        ("u = if a < 1 { 1 };", &["KM0017"]),
        ("u = a && i < 0;", &["KM0102"]),
        ("u = norm(a);", &["KM0017"]),
        ("u = min(a, 3);", &["KM0017"]),
        ("u = a.abs();", &["KM0017"]),
        ("u = a as u64;", &["KM0015"]),
        ("u = 4294967296;", &["KM0102"]),
        ("again = x;", &["KM0125"]),
        ("a + 1 = u;", &["KM0017"]),
        ("step(p, a);", &["KM0017"]),
        ("while a < 1 { u = 1; }", &["KM0017"]),
    ] {
        let found = around(text);
        assert_eq!(codes(&found), codes_of, "{text}: {found:#?}");
    }
}

#[test]
fn a_program_with_errors_of_its_own_brings_no_second_error() {
    let mut heat = heat();
    heat.facts.complete = false;
    heat.facts.handlers.clear();
    let body = "graph G { reg e: u32; let a = stpe[0..600](1, 2.5) -> e; cpu after a { again = e < 4; } }";
    assert_eq!(read_text(body, &heat).1, [""; 0]);
}

#[test]
fn options_are_read_with_their_units() {
    let model = |text: &str| read_text(text, &heat());
    for (text, deadline) in
        [("200 ms", 200_000), ("200ms", 200_000), ("1.5 s", 1_500_000), ("7 us", 7), ("2 min", 120_000_000)]
    {
        let (model, texts) = model(&format!("graph G(deadline = {text}) {{ touch(); }}"));
        assert_eq!((model.unwrap().deadline_us, texts), (Some(deadline), Vec::new()), "{text}");
    }
    for (text, code) in [
        ("deadline = 200", "KM0017"),
        ("deadline = 200 hours", "KM0017"),
        ("deadline = soon", "KM0017"),
        ("deadline = 0 ms", "KM0117"),
        ("deadline = 2 hours", "KM0017"),
        ("deadline = 72 min", "KM0117"),
        ("max_runs = 0", "KM0118"),
        ("max_runs = -1", "KM0020"),
        ("req = 65536", "KM0119"),
        ("req = REQ", "KM0020"),
        ("kepe", "KM0017"),
        ("keep = true", "KM0017"),
        ("req = 1, req = 2", "KM0017"),
        ("req", "KM0017"),
    ] {
        let found = model(&format!("graph G({text}) {{ touch(); }}")).1;
        assert_eq!(codes(&found).first(), Some(&code), "{text}: {found:#?}");
    }
}

#[test]
fn a_graph_expands_to_its_type_bindings_and_end() {
    golden("converge", super::expand);
}

proptest! {
    #![proptest_config(adversarial())]

    #[test]
    fn no_body_makes_the_macro_panic(body in any_body(), options in any_body()) {
        let _ = read_text(&format!("pub graph G({options}) {{ {body} }}"), &heat());
        let _ = read_text(&body, &heat());
    }
}

#[test]
fn deep_nesting_is_refused_not_followed() {
    let around = |text: String| messages(&format!("bind a: u32; reg u: u32; cpu {{ u = {text}; }}"));
    for deep in [
        format!("{}1{}", "(".repeat(400), ")".repeat(400)),
        format!("{}a", "!".repeat(300)),
        format!("{}a", "u = ".repeat(300)),
        format!("{}a", "|a| ".repeat(300)),
        format!("{}{{ 2 }}", "if a < 1 { 1 } else ".repeat(300)),
        vec!["a"; 300].join(" + "),
        vec!["a"; 100].join(" + "),
    ] {
        let found = around(deep);
        assert_eq!(codes(&found), ["KM0017"], "{found:#?}");
    }
    for fine in [
        format!("{}a{}", "(".repeat(28), ")".repeat(28)),
        format!("{}a{}", "({".repeat(28), "})".repeat(28)),
        format!("{}a{}", "if a < 1 { ".repeat(60), " } else { 2 }".repeat(60)),
        format!("{}a", "!".repeat(12)),
        format!("{}{{ 2 }}", "if a < 1 { 1 } else ".repeat(40)),
        vec!["a"; 60].join(" + "),
    ] {
        assert_eq!(around(fine), [""; 0]);
    }
}

#[test]
fn a_declaration_of_the_wrong_type_is_told_once_and_not_at_each_use() {
    let body = |end: &str| {
        format!(
            "bind state: km::Address, seed: u32;
             reg error: f32, count: u32, share: f32;
             let m = norm[..](state, 120) -> error;
             cpu after m {{ count = seed; share = 0.5; count = error + 1; again = error > 3; }}
             {end}"
        )
    };
    for end in ["", "end(error, count);"] {
        let found = messages(&body(end));
        assert_eq!(codes(&found), ["KM0125", "KM0125"], "{found:#?}");
        assert!(found[0].contains("declare `error` as `u32`, or use another register"), "{found:#?}");
    }
    // A declaration that nothing contradicts says what its uses are; the help names a register that can be first.
    let found = messages(
        "bind seed: u32; reg count: u32, share: f32; cpu { count = seed; share = 0.5; } end(share);",
    );
    assert_eq!(codes(&found), ["KM0125", "KM0125"], "{found:#?}");
    assert!(found[0].contains("write `end(count, share)`"), "{found:#?}");
}

#[test]
fn one_binding_is_not_to_be_declared_in_two_ways() {
    let found = messages(
        "bind state: km::Address, rate: u32;
         let a = scale[..](rate);
         left[..](rate) after a;
         scale[..](rate) after a;",
    );
    let helps: Vec<&str> = found.iter().filter_map(|text| text.split("help: ").nth(1)).collect();
    let declare = "declare the binding as `f32`";
    let expected = [declare, "pass a value of type `km::Address`: `state` is one", declare];
    assert_eq!(helps, expected, "{found:#?}");
    assert!(found[0].contains("is f32, and the binding `rate` is u32"), "{found:#?}");
}

#[test]
fn a_node_without_a_name_is_told_how_to_get_one() {
    let found = messages(
        "bind state: km::Address; reg error: u32;
         norm[..](state, 120) -> error;
         step[..](state, error);",
    );
    assert!(
        found.iter().any(|text| text.contains("begin its statement with `let first = norm`")),
        "{found:#?}"
    );
}

#[test]
fn a_register_is_offered_the_types_that_it_can_have() {
    for body in ["reg wide: u128;", "bind wide: i64;"] {
        let found = messages(body).join("\n");
        assert!(found.contains("did you mean `u32`?") && !found.contains("`u64`"), "{found}");
    }
    let found = messages("reg error: f32 = 0.0;").join("\n");
    assert!(found.contains("`bind error: f32;`"), "{found}");
}
