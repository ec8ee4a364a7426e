//! Each rule of a program: one program that breaks it, and a sound one that breaks none.

use std::collections::BTreeSet;

use komorebi_abi::program::{
    Arg, ArgKind, Buffer, Effect, Format, Handler, Place, Problem, ProgramModel, ResultKind, Rule, check,
    handler_name,
};

fn sound() -> ProgramModel {
    let arg = |name: &str, kind| Arg { name: name.into(), kind, effect: Some(Effect::InOut) };
    ProgramModel {
        grid: Some((12, 10)),
        depth: 16,
        buffers: vec![
            Buffer {
                name: Some("input".into()),
                index: 0,
                format: Format::Bfloat16,
                page_bytes: 2048,
                pages: 4,
            },
            Buffer { name: None, index: 28, format: Format::Bfloat8B, page_bytes: 1088, pages: 2 },
        ],
        handlers: vec![
            Handler {
                name: "step".into(),
                number: 1,
                args: vec![arg("state", ArgKind::Address)],
                result: None,
            },
            Handler {
                name: "big_step".into(),
                number: 239,
                args: (0..5).map(|i| arg(&format!("a{i}"), ArgKind::U64)).collect(),
                result: Some(ResultKind::F32),
            },
        ],
        defines: vec![("KM_TILES".into(), "4".into())],
        kernel_bytes: Some(131_072),
        ..ProgramModel::new("Heat")
    }
}

fn broken(edit: impl FnOnce(&mut ProgramModel)) -> Vec<Problem> {
    let mut program = sound();
    edit(&mut program);
    check(&program)
}

#[test]
fn a_sound_program_breaks_no_rule() {
    assert_eq!(check(&sound()), []);
}

#[test]
fn every_rule_is_broken_by_its_program_and_by_that_alone() {
    type Edit = fn(&mut ProgramModel);
    let cases: [(Rule, Place, Edit); 20] = [
        (Rule::Grid, Place::Grid, |p| p.grid = Some((0, 10))),
        (Rule::Grid, Place::Grid, |p| p.grid = Some((14, 10))),
        (Rule::Grid, Place::Grid, |p| p.grid = Some((u32::MAX, u32::MAX))),
        (Rule::Depth, Place::Depth, |p| p.depth = 0),
        (Rule::Depth, Place::Depth, |p| p.depth = 17),
        (Rule::HandlerNumber, Place::HandlerNumber(0), |p| p.handlers[0].number = 0),
        (Rule::HandlerNumber, Place::HandlerNumber(1), |p| p.handlers[1].number = 240),
        (Rule::HandlerTwice, Place::HandlerNumber(1), |p| p.handlers[1].number = 1),
        (Rule::HandlerTwice, Place::HandlerName(1), |p| p.handlers[1].name = "step_".into()),
        (Rule::ArgWords, Place::HandlerArg(1, 4), |p| {
            p.handlers[1].args.insert(0, Arg { name: "more".into(), kind: ArgKind::F32, effect: None });
            p.handlers[1].args.pop();
            p.handlers[1].args.push(Arg { name: "most".into(), kind: ArgKind::U64, effect: None });
        }),
        (Rule::ReservedName, Place::HandlerName(0), |p| p.handlers[0].name = "wait".into()),
        (Rule::ReservedName, Place::HandlerArg(0, 0), |p| p.handlers[0].args[0].name = "class".into()),
        (Rule::BufferIndex, Place::BufferIndex(1), |p| p.buffers[1].index = 29),
        (Rule::BufferIndex, Place::BufferIndex(1), |p| p.buffers[1].index = 32),
        (Rule::BufferIndex, Place::BufferIndex(1), |p| p.buffers[1].index = 0),
        (Rule::BufferPages, Place::BufferPageBytes(0), |p| p.buffers[0].page_bytes = 2050),
        (Rule::BufferPages, Place::BufferPages(0), |p| p.buffers[0].pages = 0),
        (Rule::L1Budget, Place::Buffers, |p| p.buffers[0].pages = 700),
        (Rule::KernelBytes, Place::KernelBytes, |p| p.kernel_bytes = Some(1_000)),
        (Rule::Define, Place::Define(0), |p| p.defines[0].0 = "4TILES".into()),
    ];
    for (rule, place, edit) in cases {
        let problems = broken(edit);
        let found: Vec<_> = problems.iter().map(|p| (p.rule, p.place)).collect();
        let expected = if rule == Rule::ArgWords { Place::HandlerArg(1, 5) } else { place };
        assert!(found.iter().all(|(r, _)| *r == rule), "{rule:?}: {problems:#?}");
        assert!(
            found.contains(&(rule, place)) || found.contains(&(rule, expected)),
            "{rule:?} at {place:?}: {problems:#?}"
        );
        assert!(problems.iter().all(|p| p.help.is_some()), "{rule:?} says what to do");
    }
    let covered: BTreeSet<Rule> = cases.iter().map(|(rule, ..)| *rule).collect();
    let checked_here: BTreeSet<Rule> = Rule::ALL.into_iter().filter(|rule| rule.code() <= "KM0011").collect();
    assert_eq!(covered, checked_here);
}

#[test]
fn all_problems_are_found_at_once_with_both_ends_of_a_conflict() {
    let problems = broken(|p| {
        p.depth = 99;
        p.handlers[1].number = 1;
        p.buffers[1].index = 0;
        p.defines.push(("KM_TILES".into(), "5".into()));
    });
    let rules: BTreeSet<Rule> = problems.iter().map(|p| p.rule).collect();
    assert_eq!(rules, [Rule::Depth, Rule::HandlerTwice, Rule::BufferIndex, Rule::Define].into());
    let other = |rule| problems.iter().find(|p| p.rule == rule).and_then(|p| p.other);
    assert_eq!(other(Rule::HandlerTwice), Some(Place::HandlerNumber(0)));
    assert_eq!(other(Rule::BufferIndex), Some(Place::BufferIndex(0)));
    assert_eq!(other(Rule::Define), Some(Place::Define(0)));
}

#[test]
fn the_l1_budget_lists_the_share_of_each_part() {
    let problems = broken(|p| p.buffers[0].pages = 900);
    let help = problems[0].help.as_deref().unwrap();
    assert!(help.contains("runtime 41088") && help.contains("`input` (index 0) 1843200"), "{help}");
}

#[test]
fn codes_are_distinct() {
    let codes: BTreeSet<_> = Rule::ALL.iter().map(|rule| rule.code()).collect();
    assert_eq!(codes.len(), Rule::ALL.len());
}

#[test]
fn a_handler_constant_names_its_handler_in_snake_case() {
    assert_eq!(handler_name("kHandlerBigStep").as_deref(), Some("big_step"));
    assert_eq!(handler_name("kHandlerStep2").as_deref(), Some("step2"));
    assert_eq!(handler_name("kHandler"), None);
    assert_eq!(handler_name("kHandlers"), None);
    assert_eq!(handler_name("kBufferInput"), None);
}
