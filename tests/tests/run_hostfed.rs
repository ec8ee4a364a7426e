//! Graphs and streams that the host runs: the same commands and registers as on the card.

use std::time::Duration;

use km::Arithmetic as _;
use km::build::Sources;
use komorebi as km;
use komorebi_sim::Card;

const TIMEOUT: Duration = Duration::from_secs(5);

const READER: &str = r"
#include <komorebi/kernel.h>
KM_HANDLER(Sum) { command.set_result(args.a + args.b); }
KM_HANDLER(Place) { command.set_result(command.first); }
KM_HANDLER(Spin) {
    const uint64_t start = km::wall_clock();
    while (km::wall_clock() - start < args.cycles) {}
}
";

fn run() -> km::Run {
    let word = |name| (name, km::ArgKind::U32);
    let program = km::Program::new("hostfed")
        .with_sources(Sources::new().file("reader.cpp", READER.as_bytes()))
        .handler_with("sum", 1, &[word("a"), word("b")], Some(km::ResultKind::U32))
        .handler_with("place", 2, &[], Some(km::ResultKind::U32))
        .handler_with("spin", 3, &[word("cycles")], None)
        .depth(16)
        .grid(4, 2);
    km::Session::builder().on(&Card::builder().build()).open().unwrap().load(program).unwrap()
}

/// Adds 1, 2, .. with commands, posts each sum, and halts when the sum is over the limit.
fn summing() -> km::Stream {
    let mut stream = km::Stream::new().req(3);
    let [limit] = stream.bindings(["limit"]);
    let [i, sum, more] = [stream.register(), stream.register(), stream.register()];
    stream.set(i, 0).set(sum, 0);
    stream.while_(
        |s| {
            s.leu(more, sum, limit);
            more.into()
        },
        |s| {
            s.add(i, i, 1);
            s.submit("sum", 0..4, [sum.into(), i.into()]).result(sum);
            s.wait_all().event(sum);
        },
    );
    stream.halt(sum);
    stream
}

#[test]
fn a_stream_loops_decides_and_halts_with_what_its_commands_gave() {
    let run = run();
    let result = run.run_hostfed(&summing(), [("limit", 20_u32)], TIMEOUT).unwrap();
    assert!(result.ended());
    assert_eq!((result.status, result.error), (km::EngineEventKind::End, None));
    assert_eq!((result.end(), result.runs, result.commands.len()), ([21, 0], 1, 6));
    let sums = [1, 3, 6, 10, 15, 21].map(km::Output::Event);
    assert_eq!(result.events, [&sums[..], &[km::Output::Halt(21)]].concat());
    assert_eq!(result.registers[..3], [20, 6, 21]);
    let pc = result.commands[0].node;
    assert!(pc > 0 && result.commands.iter().all(|command| command.node == pc), "the pc of the one SUBMIT");
    // The host's own commands go on beside and behind it.
    let own = run.submit(km::call("sum", &[40, 2]).result::<u32>()).unwrap();
    assert_eq!(run.wait(own, TIMEOUT).unwrap().value(), 42);
    assert_eq!(
        run.sequence(own).unwrap_err().to_string(),
        km::Error::Handle { handle: own.number() }.to_string()
    );
    assert_eq!(run.stop(TIMEOUT).unwrap().result.unwrap().commands, 6 + 1 + 1, "with EXIT");
}

#[test]
fn a_graph_goes_round_until_again_is_0_and_ends_with_its_two_registers() {
    let run = run();
    let mut graph = km::Graph::new().req(6).max_runs(50);
    let [step, limit, total, rounds] = graph.bindings(["step", "limit", "total", "rounds"]);
    let add = graph.command("sum", 0..8, [total.into(), step.into()]).result(total).id();
    let mut cpu = graph.cpu([add]);
    let again = cpu.again();
    cpu.add(rounds, rounds, 1).ltu(again, total, limit);
    graph.end(rounds, total);
    let result = run.run_hostfed(&graph, [10_u32, 35, 0, 0], TIMEOUT).unwrap();
    assert_eq!((result.end(), result.runs, result.commands.len()), ([4, 40], 4, 4));
    let rounds = [1, 2, 3].map(km::Output::Round);
    assert_eq!(result.events, [&rounds[..], &[km::Output::End(4, 40)]].concat());
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn what_the_dispatcher_would_refuse_ends_with_its_reason_and_what_breaks_a_rule_is_not_run() {
    let run = run();
    let zeros = vec![0_u8; 320];
    let result = run.run_hostfed((&zeros, km::UploadKind::Graph), (), TIMEOUT).unwrap();
    assert_eq!(result.error, Some(km::Refusal { reason: km::Reason::HEADER, place: None }));
    assert_eq!(result.status, km::EngineEventKind::Error);
    assert!(!result.ended() && result.commands.is_empty());

    let mut graph = km::Graph::new();
    let _ = graph.command("smu", 0..9, []).id();
    let error = run.run_hostfed(&graph, (), TIMEOUT).unwrap_err().to_string();
    assert!(error.contains("did you mean `sum`") && error.contains("0..9"), "{error}");
    let error = run.run_hostfed(&summing(), [("limti", 1_u32)], TIMEOUT).unwrap_err().to_string();
    assert!(error.contains("`limti`: did you mean `limit`"), "{error}");
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_stream_that_spins_meets_its_deadline_or_the_callers_timeout() {
    let run = run();
    let spinning = |deadline: Option<u64>| {
        let mut stream = km::Stream::new();
        if let Some(deadline) = deadline {
            stream = stream.deadline_us(deadline);
        }
        let [go] = stream.bindings(["go"]);
        stream.while_(
            |_| go.into(),
            |s| {
                s.set(go, 1).submit("spin", 0..8, [100_u32.into()]);
                s.wait_all();
            },
        );
        stream.halt(go);
        stream
    };
    let result = run.run_hostfed(&spinning(Some(300)), [1_u32], TIMEOUT).unwrap();
    assert_eq!(result.error.map(|refusal| refusal.reason), Some(km::Reason::DEADLINE));
    let error = run.run_hostfed(&spinning(None), [1_u32], Duration::from_millis(1)).unwrap_err();
    assert!(matches!(error, km::Error::WaitTimeout(_)), "{error}");

    let mut bare = km::Stream::new();
    let [go] = bare.bindings(["go"]);
    bare.while_(
        |_| go.into(),
        |s| {
            s.set(go, 1).event(go);
        },
    );
    bare.halt(go);
    let error = run.run_hostfed(&bare, [1_u32], Duration::from_millis(1)).unwrap_err();
    assert!(matches!(error, km::Error::WaitTimeout(_)), "{error}");
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn a_stream_that_only_submits_meets_its_deadline_or_the_callers_timeout() {
    let endless = |deadline: u64| {
        let mut stream = km::Stream::new().req(1);
        if deadline > 0 {
            stream = stream.deadline_us(deadline);
        }
        let [go] = stream.bindings(["go"]);
        stream.while_(
            |_| go.into(),
            |s| {
                s.set(go, 1).submit("spin", 0..8, [3_u32.into()]);
            },
        );
        stream.halt(go);
        stream
    };
    let run = run();
    let late = run.run_hostfed(&endless(500), [1_u32], TIMEOUT).unwrap();
    assert_eq!(late.error.map(|refusal| refusal.reason), Some(km::Reason::DEADLINE));
    let error = run.run_hostfed(&endless(0), [1_u32], Duration::from_millis(1)).unwrap_err();
    assert!(matches!(error, km::Error::WaitTimeout(_)), "{error}");
    assert!(run.run_hostfed(&summing(), [5_u32], TIMEOUT).unwrap().error.is_none(), "the run goes on");
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn queued_commands_run_until_the_job_queue_is_full() {
    let run = run();
    let queueing = |count: u32| {
        let mut stream = km::Stream::new();
        let [left] = stream.bindings(["left"]);
        let more = stream.register();
        // Every core is busy while the jobs come.
        stream.submit("spin", 0..8, [6_000_000_u32.into()]);
        stream.while_(
            |s| {
                s.ne(more, left, 0);
                more.into()
            },
            |s| {
                s.enqueue("place", 8, []);
                s.sub(left, left, 1);
            },
        );
        stream.wait_all().halt(left);
        run.run_hostfed(&stream, [count], TIMEOUT).unwrap()
    };
    let result = queueing(64);
    assert!(result.ended() && result.commands.len() == 65, "{result:?}");
    let result = queueing(65);
    assert_eq!(result.error.map(|refusal| refusal.reason), Some(km::Reason::QUEUE), "{result:?}");
    assert_eq!(result.commands.len(), 65);
    run.stop(TIMEOUT).unwrap();
}
