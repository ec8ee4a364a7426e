//! The phases on strings: bytes against the builder, every syntax, every message of the parser, random bodies.

use komorebi_abi::engine::{Arithmetic, Group, Value, Var};
use komorebi_abi::stream::{Stream, encode};
use proptest::prelude::*;

use super::read_text;
use crate::engine::testing::{adversarial, any_body, codes, golden, heat};

fn messages(body: &str) -> Vec<String> {
    read_text(&format!("stream S {{ {body} }}"), &heat()).1
}

fn same(text: &str, stream: &Stream) {
    let heat = heat();
    let (model, texts) = read_text(text, &heat);
    assert_eq!(texts, [""; 0], "{text}");
    let (found, expected) =
        (encode(&model.unwrap(), &heat.facts).unwrap(), stream.encode(&heat.facts).unwrap());
    assert_eq!(found.bytes, expected.bytes, "{text}");
}

#[test]
fn a_while_loop_gives_the_builders_bytes() {
    let text = "pub stream Jobs(req = 3, deadline = 1 s) {
        bind state: km::Address;
        reg job: u32 = 0, sum: u32;
        while job < 15 { submit step[0..8](state, job) exclusive; job += 1; }
        wait(all);
        let measure = submit norm[0..60](state, 60) -> sum exclusive;
        wait(measure);
        event(sum);
        halt(job);
    }";
    let mut stream = Stream::new().req(3).deadline_us(1_000_000);
    let state = stream.binding("state", None);
    let [job, sum] = [stream.register(), stream.register()];
    let mut temporary = None;
    stream.set(job, 0);
    stream.while_(
        |s| {
            let more = *temporary.get_or_insert_with(|| s.register());
            s.ltu(more, job, 15);
            more.into()
        },
        |s| {
            s.submit("step", 0..8, [state.into(), job.into()]).exclusive();
            s.add(job, job, 1);
        },
    );
    stream.wait_all();
    let measure = stream.submit("norm", 0..60, [state.into(), 60.into()]).result(sum).exclusive().id();
    stream.wait(measure).event(sum).halt(job);
    same(text, &stream);
}

#[test]
fn branches_loops_and_moving_groups_give_the_builders_bytes() {
    let text = "stream Walk {
        bind limit: u32;
        reg first: u32 = 0, turn: u32 = 0;
        loop {
            turn += 1;
            if turn == limit { break; }
            if turn & 1 { continue; }
            submit touch[first..first + 4]();
            enqueue touch() queued(2);
            if first < 100 { first += 4; } else if turn < 9 { first = 0; } else { halt(turn); }
        }
        halt(0);
    }";
    let mut stream = Stream::new();
    let limit = stream.binding("limit", None);
    let [first, turn] = [stream.register(), stream.register()];
    let more = stream.register();
    stream.set(first, 0).set(turn, 0);
    stream.loop_(|s| {
        s.add(turn, turn, 1).eq(more, turn, limit);
        s.if_(more, |s| {
            s.break_();
        });
        s.and(more, turn, 1);
        s.if_(more, |s| {
            s.continue_();
        });
        s.submit_at("touch", first, 4, Vec::new());
        s.enqueue("touch", 2, Vec::new());
        s.ltu(more, first, 100);
        s.if_else(
            more,
            |s| {
                s.add(first, first, 4);
            },
            |s| {
                s.ltu(more, turn, 9);
                s.if_else(
                    more,
                    |s| {
                        s.set(first, 0);
                    },
                    |s| {
                        s.halt(turn);
                    },
                );
            },
        );
    });
    stream.halt(0);
    same(text, &stream);
}

#[test]
fn arguments_are_computed_in_front_of_their_command() {
    let text = "stream S { bind a: u32; submit norm[0..4](0x4000, a * 2 + 1); halt(a - 1); }";
    let mut stream = Stream::new();
    let a = stream.binding("a", None);
    let t: Var = stream.register();
    stream.mul(t, a, 2).add(t, t, 1);
    stream.submit("norm", 0..4, [0x4000.into(), t.into()]);
    stream.sub(t, a, 1).halt(t);
    same(text, &stream);
}

#[test]
fn every_group_of_a_command_is_read() {
    let (model, texts) = read_text(
        "stream S { reg at: u32 = 3; group edge = 0..12; const N: u32 = 7;
            submit touch[edge](); submit touch[at](); submit touch[N](); submit touch(); enqueue touch[0..3]();
            submit touch[at..at + N](); submit touch[at..=at + 1](); halt(0); }",
        &heat(),
    );
    assert_eq!(texts, [""; 0]);
    let groups: Vec<Group> = model
        .unwrap()
        .steps
        .into_iter()
        .filter_map(|step| match step.body {
            komorebi_abi::stream::StepBody::Submit(command) => Some(command.group),
            _ => None,
        })
        .collect();
    let at = komorebi_abi::engine::Ref::Id(1);
    assert_eq!(
        groups,
        [
            Group::Named("edge".into()),
            Group::At(at.clone(), 1),
            Group::Core(7),
            Group::Whole,
            Group::Range(0, 3),
            Group::At(at.clone(), 7),
            Group::At(at, 2)
        ]
    );
}

#[test]
fn each_mistake_is_told_with_its_code() {
    for (body, expected) in [
        ("submit touch();", &["KM0202"][..]),
        ("loop { submit touch(); }", &["KM0200"]),
        ("break; halt(0);", &["KM0201"]),
        ("if 1 < 2 { continue; } halt(0);", &["KM0201"]),
        ("wait(job); halt(0);", &["KM0203"]),
        ("halt(0); submit touch();", &["KM0204"]),
        ("loop { halt(0); } halt(1);", &["KM0204"]),
        ("reg a: u32; halt(a);", &["KM0112"]),
        ("reg a: u32; let n = submit norm[0..4](64, 1) -> a; event(a); halt(0);", &["KM0112", "KM0112"]),
        ("let n = submit norm[0..4](64, 1) after m; halt(0);", &["KM0017"]),
        ("touch[0..4](); halt(0);", &["KM0017"]),
        ("wait_all(); halt(0);", &["KM0017"]),
        ("let x = 3; halt(0);", &["KM0017"]),
        ("if 1 < 2 { group a = 0..4; } halt(0);", &["KM0017"]),
        ("bind x: f32; halt(x); ", &[]),
        ("bind x: f32, u: u32; if u { halt(x); } halt(u);", &["KM0125", "KM0125"]),
        ("bind x: f32, u: u32; if u { halt(x); } halt(1);", &["KM0125", "KM0125"]),
        ("bind u: u32; submit scale[0..4](u + 1); halt(0);", &["KM0102"]),
        ("bind u: u32; submit scale[0..4](u); halt(0);", &["KM0102", "KM0102"]),
        ("enqueue touch() queued(2) exclusive; halt(0);", &["KM0123", "KM0123"]),
        ("bind u: u32; submit touch[u..9](); halt(0);", &["KM0020"]),
        ("", &["KM0127"]),
    ] {
        let found = messages(body);
        assert_eq!(codes(&found), expected, "{body}: {found:#?}");
    }
}

#[test]
fn the_number_of_a_core_is_no_float() {
    for (body, says) in [
        ("bind c: f32, s: km::Address; submit left[c..c + 8](s); halt(0);", "`bind c: u32;`"),
        ("bind c: f32; submit touch[c](); halt(0);", "`bind c: u32;`"),
        ("reg c: f32 = 1.0; submit touch[c..c + 8](); halt(0);", "`reg core: u32 = c as u32;`"),
        ("bind c: km::Address; submit touch[c](); halt(0);", "`bind c: u32;`"),
    ] {
        let found = messages(body);
        assert_eq!(codes(&found), ["KM0102", "KM0102"], "{body}: {found:#?}");
        assert!(found[0].contains(says), "{body}: {found:#?}");
    }
    for ty in ["u32", "i32", "km::Core"] {
        assert_eq!(messages(&format!("bind c: {ty}; submit touch[c](); halt(0);")), [""; 0], "{ty}");
    }
}

#[test]
fn a_register_that_is_read_in_its_own_declaration_has_no_value_yet() {
    let found = messages("reg e: u32 = e + 1; halt(e);");
    assert_eq!(codes(&found), ["KM0107"], "{found:#?}");
    assert!(found[0].contains("`e` has no value yet") && !found[0].contains("bind"), "{found:#?}");
    let found = messages("bind x: f32; submit scale[0..4](f32::INFINITY); halt(0);");
    assert!(found[0].contains("`reg special: f32 = f32::from_bits(0x7f800000);`"), "{found:#?}");
}

#[test]
fn arguments_of_a_macro_give_the_steps_that_they_say() {
    for (body, plain) in [
        ("submit touch[unseen(0..3)](); halt(0);", "submit touch[0..3](); halt(0);"),
        (
            "bind c: u32; submit touch[c..unseen(c + 8)](); halt(0);",
            "bind c: u32; submit touch[c..c + 8](); halt(0);",
        ),
        (
            "bind c: u32; submit touch[unseen(c..c + 8)](); halt(0);",
            "bind c: u32; submit touch[c..c + 8](); halt(0);",
        ),
        (
            "reg c: u32 = 0; while c < 3 unseen({ c += 1; }) halt(0);",
            "reg c: u32 = 0; while c < 3 { c += 1; } halt(0);",
        ),
        (
            "reg c: u32 = 0; if unseen(c < 3) unseen({ c = 1; }) else unseen({ c = 2; }) halt(c);",
            "reg c: u32 = 0; if c < 3 { c = 1; } else { c = 2; } halt(c);",
        ),
        (
            "reg c: u32 = 0; loop unseen({ break; }) event(unseen(c + 1)); halt(0);",
            "reg c: u32 = 0; loop { break; } event(c + 1); halt(0);",
        ),
    ] {
        let of = |body: &str| {
            let (model, texts) = read_text(&format!("stream S {{ {body} }}"), &heat());
            assert_eq!(texts, [""; 0], "{body}");
            encode(&model.unwrap(), &heat().facts).unwrap().bytes
        };
        assert_eq!(of(body), of(plain), "{body}");
    }
}

#[test]
fn blocks_nest_as_deep_as_one_limit_says_and_the_message_says_what_is_too_deep() {
    let nested = |open: &str, depth: usize| {
        format!("bind a: u32; reg c: u32 = 0; {} c += 1; {} halt(c);", open.repeat(depth), "}".repeat(depth))
    };
    // The body is a block itself.
    for (open, most) in [("if a < 3 { ", 63), ("while a < c { ", 63), ("if a < 3 { } else { ", 63)] {
        assert_eq!(messages(&nested(open, most)), [""; 0], "{open}");
        let found = messages(&nested(open, most + 1));
        assert_eq!(codes(&found), ["KM0017"], "{found:#?}");
        assert!(found[0].contains("more than 64 blocks stand inside each other"), "{found:#?}");
        assert!(found[0].contains("`km::Stream`"), "{found:#?}");
    }
    let found = messages(&format!("reg c: u32 = {}1{}; halt(c);", "(".repeat(40), ")".repeat(40)));
    assert!(found[0].contains("more than 32 brackets stand inside each other"), "{found:#?}");
}

#[test]
fn an_unreached_step_says_what_it_stands_behind() {
    for (body, says) in [
        ("halt(0); event(1);", "move it in front of the `halt`"),
        ("loop { flag += 1; if flag > 7 { halt(1); } } halt(0);", "leave the loop with `break;`"),
        ("while flag > 7 { flag -= 1; continue; event(1); } halt(0);", "in front of what leaves"),
        ("while flag > 7 { break; event(1); } halt(0);", "in front of what leaves"),
        ("if flag > 7 { halt(1); } else { halt(2); } event(1); halt(3);", "in front of the `halt`"),
    ] {
        let found = messages(&format!("bind flag: u32; {body}"));
        assert_eq!(codes(&found), ["KM0204"], "{body}: {found:#?}");
        assert!(found[0].contains(says), "{body}: {found:#?}");
    }
}

#[test]
fn a_for_loop_is_answered_with_its_own_bounds() {
    for (head, says) in [
        ("i in 0..flag", "`reg i: u32 = 0; while i < flag {"),
        ("job in flag..=15", "`reg job: u32 = flag; while job <= 15 {"),
        ("i in 2..flag + 1", "`reg i: u32 = 2; while i < .. {"),
        ("_ in jobs", "`reg i: u32 = ..; while i < .. {"),
    ] {
        let found = messages(&format!("bind flag: u32; for {head} {{ wait(all); }} halt(0);"));
        assert!(found[0].contains(says), "{head}: {found:#?}");
    }
}

#[test]
fn what_another_language_has_is_answered_with_the_step_that_is_meant() {
    let declared = "bind flag: u32; reg sum: u32 = 0;";
    for (body, says) in [
        (
            "for i in 0..32 { submit norm[0](64, i); wait(all); }",
            "a stream has no `for`\nhelp: count yourself: `reg i: u32 = 0; while i < 32 {",
        ),
        (
            "match flag { 1 => { submit touch(); } _ => {} }",
            "a stream has no `match`\nhelp: write `if flag == 1 { .. } else if flag == 2 { .. }`",
        ),
        ("if flag { event(1); } elif sum { event(2); }", "a stream has no `elif`\nhelp: write `else if"),
        ("if flag { event(1); }; else { event(2); }", "this `else` has no `if`\nhelp: write it right behind"),
        ("return sum;", "a stream has no `return`\nhelp: end it with `halt(sum);`"),
        ("return;", "end it with `halt(0);`"),
        ("fn twice(x: u32) { event(x); }", "a stream has no `fn`"),
        ("end(sum, flag);", "`end` is a graph's: a stream ends with a `halt`"),
        ("cpu after sum { sum += 1; }", "`cpu` is a graph's\nhelp: write what it computes as steps"),
        ("sum++;", "a stream has no `++`\nhelp: write `sum += 1;`"),
        ("sum--;", "write `sum -= 1;`"),
        ("let x = 2; event(x);", "for a register, write `reg x: u32 = 2;`"),
        ("let mut x = 2.5; event(x);", "for a register, write `reg x: f32 = 2.5;`"),
        ("let x: i32 = 2; event(x);", "for a register, write `reg x: i32 = 2;`"),
        (
            "let look = norm[0..4](64, 1) -> sum; wait(look);",
            "does not say what happens to its command\nhelp: write `let look = submit norm[0..8](..);`",
        ),
        ("norm[0..4](64, 1) -> sum;", "help: write `submit norm[0..8](..);`"),
        ("touch() queued(2);", "`enqueue touch(..) queued(8);`"),
        (
            "look = submit touch(); wait(look);",
            "`look =` does not name a command\nhelp: write `let look = submit ..`",
        ),
        ("sum = submit norm[0..4](64, 1); wait(all);", "`submit ..(..) -> sum;`"),
        (
            "halt(sum, flag);",
            "`halt` takes one value, and is given 2\nhelp: write `halt(flag);`, and `event(sum);` before it",
        ),
        ("event(sum, flag);", "post each of them: `event(sum);` `event(flag);`"),
        ("halt();", "`halt` has no value\nhelp: write `halt(0);`"),
        ("event sum;", "`event` takes its value in parentheses\nhelp: write `event(sum);`"),
        ("wait all;", "write `wait(all);`"),
        ("sum = 1 flag = 2;", "expected `;` before `flag`"),
        ("sum += 1 flag += 2;", "expected `;` before `flag`"),
        ("submit norm[0..4](64, 1) -> u32;", "`u32` is a type, and a register's name is expected"),
    ] {
        let found = messages(&format!("{declared} {body} event(flag); halt(sum);"));
        assert_eq!(found.len(), 1, "{body}: {found:#?}");
        assert!(found[0].contains(says), "{body}: {found:#?}");
    }
    // What stands beside it is still told.
    let found = messages(&format!("{declared} let look = norm[0..4](64) -> smu; wait(look); halt(sum);"));
    assert_eq!(codes(&found), ["KM0017", "KM0107", "KM0101"], "{found:#?}");
}

#[test]
fn an_attribute_that_means_nothing_is_told_as_that_of_a_stream() {
    let (_, found) = read_text("#[derive(Clone)] stream S { #[inline] bind x: u32; halt(x); }", &heat());
    assert_eq!(codes(&found), ["KM0016", "KM0016"], "{found:#?}");
    assert!(found.iter().all(|text| text.contains("has no meaning in a stream")), "{found:#?}");
}

#[test]
fn a_loop_that_nothing_ends_is_refused_and_one_with_an_unknown_register_is_not() {
    let found = messages(
        "bind pages: u32; reg page: u32 = 0; while page < pages { submit touch(); wait(all); } halt(0);",
    );
    assert_eq!(codes(&found), ["KM0200"], "{found:#?}");
    assert!(found[0].contains("nothing in it changes `page` or `pages`"), "{found:#?}");
    let found = messages("bind pages: u32; reg page: u32 = 0; while page < pages { paeg += 1; } halt(0);");
    assert!(codes(&found).iter().all(|code| *code == "KM0107"), "{found:#?}");
}

#[test]
fn arguments_in_another_order_are_told_as_that_with_the_order() {
    let takes = "the arguments are in another order: `norm` takes `(state: km::Address, cores: u32)`";
    for (declared, args) in [("", "0, trace"), (", n: u32", "n, trace"), ("", "7, trace")] {
        let found =
            messages(&format!("bind trace: km::Address{declared}; submit norm[0..4]({args}); halt(0);"));
        assert!(found.len() == 1 && found[0].starts_with("[KM0102]"), "{args}: {found:#?}");
        assert!(found[0].contains(takes), "{args}: {found:#?}");
    }
    // One of a type that stands nowhere else is of another type.
    let found = messages("bind state: u32; submit norm[0..4](state, 3); halt(0);");
    assert!(found[0].contains("declare the binding as `km::Address`"), "its own name: {found:#?}");
    let found = messages("bind x: f32, trace: km::Address; submit norm[0..4](trace, x); halt(0);");
    assert!(found.len() == 2 && found[0].contains("declare the binding as `u32`"), "{found:#?}");
}

#[test]
fn a_wait_that_is_missing_is_told_once_where_it_is_missed_first() {
    let body = |wait: &str| {
        messages(&format!(
            "bind pages: u32, limit: u32; reg page: u32 = 0, peak: u32 = 0, sum: u32 = 0;
            while page < pages {{
                let look = submit norm[0..8](64, page) -> peak;
                {wait}
                if peak > limit {{ event(peak); sum += peak; }}
                page += 1;
            }}
            event(peak); halt(sum);"
        ))
    };
    assert_eq!(body("wait(look);"), [""; 0]);
    let found = body("");
    assert_eq!(codes(&found), ["KM0112", "KM0112"], "{found:#?}");
    assert!(
        found[0].contains("`peak` is read here") && found[0].contains("wait for `look` first"),
        "{found:#?}"
    );
    let found = body("wait(looks);");
    assert_eq!(codes(&found), ["KM0203"], "{found:#?}");
    assert!(found[0].contains("did you mean `look`?"), "{found:#?}");
}

#[test]
fn a_wait_in_front_of_its_submit_is_refused() {
    let found = messages("wait(job); let job = submit touch(); halt(0);");
    assert_eq!(codes(&found), ["KM0203", "KM0203"], "{found:#?}");
}

/// A stream, as text and as calls of the builder.
#[derive(Clone, Debug)]
enum Twin {
    Set(u32),
    Add(u32),
    Submit(u8),
    WaitAll,
    Event,
    If(Vec<Twin>, Option<Vec<Twin>>),
    While(Vec<Twin>),
    Loop(Vec<Twin>),
    Break,
    Halt,
}

fn twins() -> impl Strategy<Value = Vec<Twin>> {
    let leaf = prop_oneof![
        any::<u32>().prop_map(Twin::Set),
        any::<u32>().prop_map(Twin::Add),
        (0_u8..120).prop_map(Twin::Submit),
        Just(Twin::WaitAll),
        Just(Twin::Event),
        Just(Twin::Halt),
    ];
    let step = leaf.prop_recursive(4, 40, 5, |inner| {
        let block = || prop::collection::vec(inner.clone(), 0..5);
        prop_oneof![
            (block(), prop::option::of(block())).prop_map(|(then, other)| Twin::If(then, other)),
            block().prop_map(Twin::While),
            block().prop_map(|mut body| {
                body.push(Twin::If(vec![Twin::Break], None));
                Twin::Loop(body)
            }),
        ]
    });
    prop::collection::vec(step, 0..8)
}

fn write(twins: &[Twin], text: &mut String) {
    for twin in twins {
        match twin {
            Twin::Set(number) => *text += &format!("x = {number}; "),
            Twin::Add(number) => *text += &format!("x += {number}; "),
            Twin::Submit(core) => *text += &format!("submit norm[{core}](64, x); "),
            Twin::WaitAll => *text += "wait(all); ",
            Twin::Event => *text += "event(x); ",
            Twin::Break => *text += "break; ",
            Twin::Halt => *text += "halt(x); ",
            Twin::If(then, other) => {
                *text += "if x { ";
                write(then, text);
                if let Some(other) = other {
                    *text += "} else { ";
                    write(other, text);
                }
                *text += "} ";
            }
            Twin::While(body) | Twin::Loop(body) => {
                *text += if matches!(twin, Twin::While(_)) { "while x { " } else { "loop { " };
                write(body, text);
                *text += "} ";
            }
        }
    }
}

fn build(twins: &[Twin], x: Var, stream: &mut Stream) {
    for twin in twins {
        match twin {
            Twin::Set(number) => stream.set(x, *number),
            Twin::Add(number) => stream.add(x, x, *number),
            Twin::Submit(core) => {
                let args: [Value; 2] = [64.into(), x.into()];
                stream.submit("norm", u32::from(*core), args);
                &mut *stream
            }
            Twin::WaitAll => stream.wait_all(),
            Twin::Event => stream.event(x),
            Twin::Break => stream.break_(),
            Twin::Halt => stream.halt(x),
            Twin::If(then, None) => stream.if_(x, |s| build(then, x, s)),
            Twin::If(then, Some(other)) => stream.if_else(x, |s| build(then, x, s), |s| build(other, x, s)),
            Twin::While(body) => stream.while_(|_| x.into(), |s| build(body, x, s)),
            Twin::Loop(body) => stream.loop_(|s| build(body, x, s)),
        };
    }
}

#[test]
fn a_stream_expands_to_its_type_bindings_and_end() {
    golden("jobs", super::expand);
}

proptest! {
    #[test]
    fn text_and_builder_give_the_same_bytes_or_the_same_rules(twins in twins()) {
        let heat = heat();
        let mut text = "stream S { bind x: u32; ".to_owned();
        write(&twins, &mut text);
        let (model, _) = read_text(&(text + "halt(0); }"), &heat);
        let mut stream = Stream::new().named("S");
        let x = stream.binding("x", None);
        build(&twins, x, &mut stream);
        stream.halt(0);
        let rules = |result: Result<komorebi_abi::engine::Encoded, Vec<komorebi_abi::engine::Problem>>| {
            result.map(|encoded| encoded.bytes).map_err(|problems| {
                problems.into_iter().map(|problem| (problem.rule, problem.place)).collect::<Vec<_>>()
            })
        };
        prop_assert_eq!(rules(encode(&model.unwrap(), &heat.facts)), rules(stream.encode(&heat.facts)));
    }
}

proptest! {
    #![proptest_config(adversarial())]

    #[test]
    fn no_body_makes_the_macro_panic(body in any_body(), options in any_body()) {
        let _ = read_text(&format!("pub stream S({options}) {{ {body} }}"), &heat());
        let _ = read_text(&body, &heat());
    }
}
