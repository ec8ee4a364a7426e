//! The same upload on the card and, host-fed, on the host: the same events, registers and commands.

use std::time::Duration;

use km::Arithmetic as _;
use komorebi as km;
use komorebi_abi::constants::{engine, layout};
use komorebi_card::Card as _;
use komorebi_sim::Card;
use komorebi_tests::engine::counting::{cluster, program, run};

const TIMEOUT: Duration = Duration::from_secs(5);

/// What the cores of a run have taken, and what its dispatcher has counted.
fn counted(run: km::Run) -> (u64, Vec<[u32; 5]>) {
    let report = run.stop(TIMEOUT).unwrap();
    let taken = report.cores.iter().map(|core| core.threads.each_ref().map(|thread| thread.taken)).collect();
    (report.result.unwrap().commands, taken)
}

/// Runs a source on a card, and on the host of another one, and compares all that can be seen of them.
fn same_on_card_and_host<S, Via>(source: S, words: &[u32])
where
    S: km::UploadSource<km::Dynamic, Via, Of = km::Untyped> + Copy,
{
    let hosted = run();
    let host = hosted.run_hostfed(source, words, TIMEOUT).unwrap();

    let card = Card::builder().build();
    let run = km::Session::builder().on(&card).open().unwrap().load(program()).unwrap();
    let upload = run.upload(source).unwrap();
    let handle = run.start(&upload, words).unwrap();
    let end = run.wait_engine(&handle, TIMEOUT).unwrap();
    assert_eq!((end.kind, end.end()), (host.status, host.end()));
    let events: Vec<_> =
        handle.events().iter().map(|event| (event.kind, event.value, event.registers)).collect();
    let hosts = host.events.iter().map(|&event| match event {
        km::Output::Event(value) => (km::EngineEventKind::Event, Some(value), None),
        km::Output::Round(rounds) => (km::EngineEventKind::Round, Some(rounds), None),
        km::Output::Halt(value) => (km::EngineEventKind::End, Some(value), None),
        km::Output::End(first, second) => (km::EngineEventKind::End, None, Some([first, second])),
        km::Output::Error(refusal) => panic!("{refusal:?}"),
    });
    assert_eq!(events, hosts.collect::<Vec<_>>());

    // The register file stays in the region behind the end.
    let at = layout::LIM_UPLOAD + upload.offset() + engine::UPLOAD_REGISTERS;
    let mut file = [0; 4 * engine::REGISTERS as usize];
    card.read(cluster(&card), layout::LIM_BASE + u64::from(at), &mut file).unwrap();
    let registers: Vec<_> = file.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
    assert_eq!(registers, host.registers);

    // The same commands: as many, on the same cores, of the same handlers and words in the same order, which `note` adds up.
    let [noted, hosts_noted] = [&run, &hosted].map(|run| {
        let note = run.submit(km::call("note", &[0]).on(0..1).result::<u32>()).unwrap();
        run.wait(note, TIMEOUT).unwrap().value()
    });
    assert!(host.commands.iter().all(|command| command.handler == 3));
    assert_eq!(noted, hosts_noted);
    assert_eq!(noted, host.commands.iter().map(|command| command.args()[0]).chain([0]).fold(0, digest));
    assert_eq!(counted(run), counted(hosted));
}

/// What `note` does with each word.
fn digest(sum: u32, word: u32) -> u32 {
    sum.wrapping_mul(31).wrapping_add(word).wrapping_add(1)
}

#[test]
fn the_card_and_the_host_give_the_same_events_registers_and_commands() {
    let mut graph = km::Graph::new().req(6).max_runs(50);
    let [step, limit, total, rounds] = graph.bindings(["step", "limit", "total", "rounds"]);
    let first = graph.command("note", 0..8, [total.into()]).result(total).id();
    let mut cpu = graph.cpu([first]);
    cpu.add(total, total, step);
    let cpu = cpu.id();
    let second = graph.command("note", 0..3, [total.into()]).after([cpu]).id();
    let mut last = graph.cpu([second]);
    let again = last.again();
    last.add(rounds, rounds, 1).ltu(again, rounds, limit);
    graph.end(rounds, total);
    same_on_card_and_host(&graph, &[9, 7, 5, 0]);

    let mut stream = km::Stream::new().req(1);
    let [count] = stream.bindings(["count"]);
    let [i, sum, more] = [stream.register(), stream.register(), stream.register()];
    stream.set(i, 0).set(sum, 0);
    stream.while_(
        |s| {
            s.ltu(more, i, count);
            more.into()
        },
        |s| {
            s.submit("note", 0..4, [i.into()]).result(sum);
            s.wait_all().event(sum).submit("note", 0..2, [sum.into()]);
            s.add(i, i, 1);
        },
    );
    stream.halt(sum);
    same_on_card_and_host(&stream, &[17]);
}
