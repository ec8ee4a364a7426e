//! Waits end: by the stop flag, by their time. A thread says what it waited for.

mod kernels_bench;

use kernels_bench::{Bench, Setup, Submit, model};
use komorebi::build::Sources;
use komorebi_abi::constants::{command, core};
use komorebi_card::{Card as _, CardError, Rule};

/// AICLK cycles in a microsecond.
const MHZ: u64 = 1350;

fn start(setup: Setup, file: &'static str, body: &str) -> Bench {
    let text = format!("#include <komorebi/kernel.h>\nKM_HANDLER(Try) {{ {body} }}\n");
    let sources = Sources::new().file(file, text.into_bytes());
    let bench = setup.start(&sources, &model(&[("try", 1, &["a"])]));
    bench.wait_ready();
    bench
}

fn wait_stage(bench: &Bench, micros: u64, stages: [u32; 5]) {
    assert!(bench.run_until(micros, |bench| bench.stages(0) == stages), "{}", bench.states());
}

#[test]
fn the_stop_flag_ends_every_thread_wherever_it_waits() {
    let mut bench = start(Setup::new(2, 1), "reader.cpp", "if (args.a) cb_reserve_back(0, 5);");
    // On core 0 the reader waits for space that never comes, on core 1 everybody for a command.
    bench.submit(Submit::to(1, 0, 1, &[1]));
    let running =
        |bench: &Bench| bench.state(0, core::THREAD_READER, core::THREAD_STAGE) == core::THREAD_RUNNING;
    assert!(bench.run_until(100, running), "{}", bench.states());
    assert!(!bench.run_until(20, |bench| !running(bench)), "it waits:\n{}", bench.states());
    for index in 0..2 {
        bench.card_write(index, 0x1000 + core::CONTROL_STOP_FLAG, 1);
    }
    let stopped = [core::THREAD_STOPPED; 5];
    assert!(
        bench.run_until(100, |bench| (0..2).all(|index| bench.stages(index) == stopped)),
        "{}",
        bench.states()
    );
    let told = |index, thread| {
        [
            core::THREAD_SEQUENCE,
            core::THREAD_WAIT,
            core::THREAD_OBJECT,
            core::THREAD_WANTED,
            core::THREAD_SEEN,
        ]
        .map(|word| bench.state(index, thread, word))
    };
    // Five pages fit into four when the consumer's count has reached 1.
    assert_eq!(told(0, core::THREAD_READER), [1, core::WAIT_BUFFER_SPACE, 0, 1, 0]);
    // The writer took the command, has nothing to do for it, and joins the reader.
    assert_eq!(told(0, core::THREAD_WRITER), [1, core::WAIT_THREADS, core::THREAD_READER, 1, 0]);
    assert_eq!(told(1, core::THREAD_READER), [0, core::WAIT_COMMAND, 0, 1, 0]);
}

#[test]
fn a_wait_gives_up_after_its_time_and_tells_what_it_waited_for() {
    let mut setup = Setup::new(1, 1);
    setup.wait = 500 * MHZ;
    let mut bench = start(setup, "writer.cpp", "cb_wait_front(16, 2);");
    bench.submit(Submit::to(1, 0, 1, &[0]));
    let writer = |word| bench.state(0, core::THREAD_WRITER, word);
    assert!(!bench.run_until(400, |_| writer(core::THREAD_STAGE) == core::THREAD_GAVE_UP), "too early");
    assert!(
        bench.run_until(200, |_| writer(core::THREAD_STAGE) == core::THREAD_GAVE_UP),
        "{}",
        bench.states()
    );
    let told = [core::THREAD_WAIT, core::THREAD_OBJECT, core::THREAD_WANTED, core::THREAD_SEEN].map(writer);
    assert_eq!(told, [core::WAIT_BUFFER_DATA, 16, 2, 0]);
    assert_eq!(bench.completion(0).0, 0, "the command did not complete");
}

#[test]
fn a_leader_gives_up_on_a_member_that_does_not_acknowledge() {
    let mut setup = Setup::new(2, 1);
    setup.wait = 300 * MHZ;
    let mut bench = setup.start(&Sources::new(), &model(&[]));
    bench.wait_ready();
    // A group of two of which only the leader is told.
    let word =
        |bench: &mut Bench, count| bench.publish_to(0, Submit::to(command::KM_HANDLER_NOP, 0, count, &[]), 1);
    word(&mut bench, 2);
    bench.ring(0, 1);
    let writer = |word| bench.state(0, core::THREAD_WRITER, word);
    assert!(
        bench.run_until(400, |_| writer(core::THREAD_STAGE) == core::THREAD_GAVE_UP),
        "{}",
        bench.states()
    );
    assert_eq!(
        [core::THREAD_WAIT, core::THREAD_WANTED, core::THREAD_SEEN].map(writer),
        [core::WAIT_ACKS, 1, 0]
    );
}

/// Reader and writer gave up; the compute threads wait for whatever these would have handed on.
const SILENT: [u32; 5] =
    [core::THREAD_GAVE_UP, core::THREAD_GAVE_UP, core::THREAD_IDLE, core::THREAD_IDLE, core::THREAD_IDLE];

#[test]
fn a_core_without_commands_gives_up_after_the_idle_time() {
    let mut setup = Setup::new(1, 1);
    setup.idle = 2_000 * MHZ;
    let bench = setup.start(&Sources::new(), &model(&[]));
    bench.wait_ready();
    assert!(!bench.run_until(1_900, |bench| bench.stages(0) != [core::THREAD_IDLE; 5]), "{}", bench.states());
    wait_stage(&bench, 200, SILENT);
    assert_eq!(bench.state(0, core::THREAD_WRITER, core::THREAD_WAIT), core::WAIT_COMMAND);
}

#[test]
fn a_deadline_beyond_the_low_word_of_the_clock_is_kept() {
    // 2^32 cycles are 3.2 s; the idle time is 4 s.
    let mut setup = Setup::new(1, 1);
    setup.idle = 4_000_000 * MHZ;
    let bench = setup.start(&Sources::new(), &model(&[]));
    bench.wait_ready();
    let relax = |millis: u64| {
        let until = bench.card().now().as_nanos() + 1_000_000 * millis;
        while bench.card().now().as_nanos() < until {
            bench.card().relax(komorebi_card::CardTime::from_nanos(until)).unwrap();
        }
    };
    relax(3_900);
    assert_eq!(bench.stages(0), [core::THREAD_IDLE; 5]);
    relax(200);
    assert_eq!(bench.stages(0), SILENT);
}

#[test]
fn kernels_and_host_of_different_headers_do_not_start() {
    let mut setup = Setup::new(1, 1);
    setup.fingerprint = !setup.fingerprint;
    let host = setup.fingerprint;
    let bench = setup.start(&Sources::new(), &model(&[]));
    wait_stage(&bench, 1000, [core::THREAD_MISMATCH; 5]);
    let math = |word| bench.state(0, core::THREAD_MATH, word);
    assert_eq!([core::THREAD_WANTED, core::THREAD_SEEN].map(math), [host, komorebi_abi::FINGERPRINT]);
}

#[test]
fn a_misaligned_read_is_the_cards_fault_not_a_silent_one() {
    let mut bench =
        start(Setup::new(1, 1), "reader.cpp", "noc_async_read(km::bank_noc_addr(0, 64), args.a, 64);");
    let card = bench.card().clone();
    let sent = bench.try_submit(Submit::to(1, 0, 1, &[0x10_0010]));
    let now = card.now().as_nanos();
    let ended = sent.and_then(|()| card.relax(komorebi_card::CardTime::from_nanos(now + 100_000)).map(drop));
    let Err(CardError::Fault(fault)) = ended else { panic!("{ended:?}") };
    assert_eq!((fault.agent.as_str(), fault.rule), ("NC", Rule::Alignment));
    assert!(fault.detail.contains("0x100010"), "{fault}");
}
