//! Each rule of a program: one program that breaks it, and a sound one that breaks none.

use std::collections::BTreeSet;

use komorebi_abi::constants::layout;
use komorebi_abi::engine::Facts;
use komorebi_abi::program::{
    Arg, ArgKind, Buffer, Effect, Format, Handler, Place, Problem, ProgramModel, Region, ResultKind, Rule,
    Thread, check, handler_name,
};

fn region(name: &str, bytes: u32) -> Region {
    Region { name: name.into(), bytes }
}

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
        threads: vec![
            Thread {
                name: Some("scan".into()),
                sources: vec!["scan.cpp".into(), "table.cpp".into()],
                regions: vec![region("table", 65_536), region("marks", 64)],
                words: Thread::WORDS_MAX,
                deadline_us: Some(50_000),
                ..Thread::new(1)
            },
            Thread { sources: vec!["sum.cpp".into()], ..Thread::new(3) },
        ],
        regions: vec![region("shared", 4096)],
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
    let cases: [(Rule, Place, Edit); 38] = [
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
        (Rule::ThreadCluster, Place::ThreadCluster(0), |p| p.threads[0].cluster = 0),
        (Rule::ThreadCluster, Place::ThreadCluster(1), |p| p.threads[1].cluster = 4),
        (Rule::ThreadCluster, Place::ThreadCluster(1), |p| p.threads[1].cluster = 1),
        (Rule::Region, Place::Region(0, 0), |p| p.threads[0].regions[0].bytes = 0),
        (Rule::Region, Place::Region(0, 1), |p| p.threads[0].regions[1].bytes = 100),
        (Rule::Region, Place::Region(0, 1), |p| p.threads[0].regions[1].bytes = u32::MAX),
        (Rule::Region, Place::RegionName(0, 1), |p| p.threads[0].regions[1].name = "table".into()),
        (Rule::Region, Place::RegionName(0, 0), |p| p.threads[0].regions[0].name = "shared".into()),
        (Rule::Region, Place::RegionName(0, 0), |p| p.threads[0].regions[0].name = "class".into()),
        (Rule::Region, Place::SharedRegionName(1), |p| p.regions.push(region("shared", 64))),
        (Rule::Region, Place::SharedRegion(0), |p| p.regions[0].bytes = 1),
        (Rule::Region, Place::SharedRegionName(0), |p| p.threads.clear()),
        (Rule::Region, Place::Region(0, 0), |p| p.threads[0].regions[0].bytes = BANK - 4096),
        (Rule::ThreadSources, Place::ThreadSources(1), |p| p.threads[1].sources.clear()),
        (Rule::ThreadSources, Place::ThreadSource(0, 1), |p| p.threads[0].sources[1] = "scan.cpp".into()),
        (Rule::ThreadLimits, Place::ThreadWords(0), |p| p.threads[0].words = 17),
        (Rule::ThreadLimits, Place::ThreadDeadline(1), |p| p.threads[1].deadline_us = Some(0)),
        (Rule::ThreadLimits, Place::ThreadDeadline(1), |p| p.threads[1].deadline_us = Some(1 << 32)),
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
    // The others need the source: the macro has them.
    let of_the_model = |rule: &Rule| rule.code() <= "KM0011" || rule.code() >= "KM0021";
    let checked_here: BTreeSet<Rule> = Rule::ALL.into_iter().filter(of_the_model).collect();
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
    let other =
        |rule| problems.iter().find(|p| p.rule == rule).and_then(|p| p.other.clone()).map(|(place, _)| place);
    assert_eq!(other(Rule::HandlerTwice), Some(Place::HandlerNumber(0)));
    assert_eq!(other(Rule::BufferIndex), Some(Place::BufferIndex(0)));
    assert_eq!(other(Rule::Define), Some(Place::Define(0)));
}

#[test]
fn no_free_number_is_suggested_twice() {
    let problems = broken(|p| {
        p.handlers[0].number = 0;
        p.handlers[1].number = 240;
        p.buffers[0].index = 30;
        p.buffers[1].index = 40;
        p.threads[0].cluster = 0;
        p.threads[1].cluster = 9;
    });
    let helps: Vec<_> = problems.iter().filter_map(|p| p.help.as_deref()).collect();
    let expected = [
        "number 1 is free",
        "number 2 is free",
        "index 0 is free",
        "index 1 is free",
        "cluster 1 is free",
        "cluster 2 is free",
    ];
    assert_eq!(helps, expected, "{problems:#?}");
}

#[test]
fn the_pages_that_the_l1_budget_suggests_fit_and_one_more_does_not() {
    let problems = broken(|p| p.buffers[0].pages = 900);
    let help = problems[0].help.as_deref().unwrap();
    let pages = help.split_once("`pages = ").and_then(|(_, rest)| rest.split_once('`')).unwrap().0;
    let pages: u32 = pages.parse().unwrap();
    assert_eq!(broken(|p| p.buffers[0].pages = pages), []);
    assert_eq!(broken(|p| p.buffers[0].pages = pages + 1)[0].rule, Rule::L1Budget);
}

#[test]
fn buffers_of_more_bytes_than_64_bits_count_are_refused() {
    let problems = broken(|p| {
        for buffer in &mut p.buffers {
            (buffer.page_bytes, buffer.pages) = (u32::MAX, u32::MAX);
        }
    });
    let budget = problems.iter().find(|problem| problem.rule == Rule::L1Budget).unwrap();
    assert!(budget.help.as_deref().unwrap().contains("make several buffers smaller"), "{problems:#?}");
}

#[test]
fn the_l1_budget_lists_the_share_of_each_part() {
    let problems = broken(|p| p.buffers[0].pages = 900);
    let help = problems[0].help.as_deref().unwrap();
    assert!(help.contains("runtime 41088") && help.contains("`input` (index 0) 1843200"), "{help}");
}

/// Bytes of a DRAM bank that tensors and regions share.
const BANK: u32 = (layout::DRAM_BANK_BYTES - layout::DRAM_BASE) as u32;

#[test]
fn a_bank_holds_the_regions_of_its_threads_and_once_those_they_share() {
    // `shared` 4096, `table` and `marks` 64 on channel 6.
    assert_eq!(broken(|p| p.threads[0].regions[0].bytes = BANK - 4096 - 64), []);
    let over = broken(|p| p.threads[0].regions[0].bytes = BANK - 4096);
    assert_eq!(over.len(), 1, "{over:#?}");
    assert!(over[0].message.contains("DRAM channel 6") && over[0].message.contains(" 64 more"), "{over:#?}");
    assert!(over[0].help.as_deref().unwrap().contains("`shared` 4096"), "{over:#?}");
    // Two clusters on one channel share it; a thread on the other has a bank of its own.
    let half = region("half", BANK / 2 / 64 * 64);
    let on = |cluster: u32| Thread {
        sources: vec!["t.cpp".into()],
        regions: vec![half.clone(), region("other", 64)],
        ..Thread::new(cluster)
    };
    let with = |clusters: [u32; 2]| {
        broken(|p| {
            p.regions.clear();
            p.threads = clusters.map(on).into();
        })
    };
    assert_eq!(with([1, 2]), []);
    let shared = with([2, 3]);
    assert_eq!(shared.iter().map(|p| p.rule).collect::<Vec<_>>(), [Rule::Region], "{shared:#?}");
}

#[test]
fn a_program_with_a_thread_has_no_upload_region() {
    let mut program = sound();
    assert_eq!((program.upload_bytes(), Facts::new(&program).region_bytes), (0, 0));
    program.threads.clear();
    assert_eq!(Facts::new(&program).region_bytes, layout::UPLOAD_BYTES);
    assert_eq!(program.upload_bytes(), layout::UPLOAD_BYTES);
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
