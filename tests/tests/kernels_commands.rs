//! Cores boot, take commands in order, join, acknowledge, complete, and return at EXIT.

mod kernels_bench;

use kernels_bench::{Bench, Setup, Submit, model};
use komorebi::build::Sources;
use komorebi_abi::constants::{command, core, layout};

const NOP: u32 = command::KM_HANDLER_NOP;
const EXIT: u32 = command::KM_HANDLER_EXIT;

fn idle(setup: Setup) -> Bench {
    let bench = setup.start(&Sources::new(), &model(&[]));
    bench.wait_ready();
    bench
}

#[test]
fn five_threads_boot_and_the_column_reports() {
    let bench = idle(Setup::new(2, 3));
    for index in 0..6 {
        assert_eq!(bench.stages(index), [core::THREAD_IDLE; 5], "core {index}");
    }
}

#[test]
fn a_nop_completes_with_its_sequence_number_and_no_result() {
    let mut bench = idle(Setup::new(1, 1));
    for slot in [0, 1, 3, 2, 0, 0] {
        let command = Submit::to(NOP, 0, 1, &[]).slot(slot);
        assert_eq!(bench.call(command), 0);
    }
    for thread in [core::THREAD_READER, core::THREAD_WRITER] {
        assert_eq!(bench.state(0, thread, core::THREAD_DONE), 6);
        assert_eq!(bench.state(0, thread, core::THREAD_SEQUENCE), 0, "a NOP stores only its count");
    }
    bench.card_write(0, layout::L1_CONTROL + core::CONTROL_STOP_FLAG, 1);
    assert!(bench.run_until(100, |bench| bench.stages(0) == [core::THREAD_STOPPED; 5]), "{}", bench.states());
    for thread in [core::THREAD_READER, core::THREAD_WRITER] {
        assert_eq!(bench.state(0, thread, core::THREAD_SEQUENCE), 6);
        assert_eq!(bench.state(0, thread, core::THREAD_TAKEN), 6);
    }
    for thread in COMPUTE {
        assert_eq!(bench.state(0, thread, core::THREAD_TAKEN), 0, "nothing for it");
        assert_eq!(bench.state(0, thread, core::THREAD_DONE), 0);
    }
}

const COMPUTE: [u32; 3] = [core::THREAD_UNPACK, core::THREAD_MATH, core::THREAD_PACK];

/// A program with a handler that only the reader has, and one that only math has, slow enough to be caught at it.
fn moves_and_computes(setup: Setup) -> Bench {
    let reader = "#include <komorebi/kernel.h>\nKM_HANDLER(Move) { *reinterpret_cast<volatile uint32_t*>(args.at) = 1; }\n";
    let compute = r#"#include <komorebi/kernel.h>
#if KM_THREAD == 3
KM_HANDLER(Compute) {
    for (volatile uint32_t left = 500; left != 0; left = left - 1) {}
    *reinterpret_cast<volatile uint32_t*>(args.at) = command.sequence;
}
#endif
"#;
    let sources =
        Sources::new().file("reader.cpp", reader.as_bytes()).file("compute.cpp", compute.as_bytes());
    let bench = setup.start(&sources, &model(&[("move", 31, &["at"]), ("compute", 32, &["at"])]));
    bench.wait_ready();
    bench
}

#[test]
fn compute_threads_are_handed_what_one_of_them_has_a_handler_for() {
    let mut bench = moves_and_computes(Setup::new(2, 1));
    let (at, args) = (0x10_0000, [0x10_0000]);
    let done = |bench: &Bench| COMPUTE.map(|thread| bench.state(0, thread, core::THREAD_DONE));
    let (moved, computed) = (Submit::to(31, 0, 2, &args), Submit::to(32, 0, 2, &args));
    bench.call(moved);
    bench.call(Submit::to(NOP, 0, 2, &[]));
    assert_eq!(done(&bench), [0; 3]);
    for number in 1..=40 {
        // Done means that math is done, too, with whatever lay between.
        bench.call(computed);
        assert_eq!(bench.l1_word(0, at), bench.sequence, "computed");
        assert_eq!(done(&bench), [number; 3], "all three, whoever has the handler");
        bench.call(moved);
        assert_eq!(bench.l1_word(0, at), 1, "moved");
        assert_eq!(done(&bench), [number; 3]);
    }
    assert_eq!(bench.state(0, core::THREAD_WRITER, core::THREAD_DONE), 82);
    bench.call(Submit::to(EXIT, 0, 2, &[]));
    let exited =
        bench.run_until(1000, |bench| (0..2).all(|core| bench.stages(core) == [core::THREAD_EXITED; 5]));
    assert!(exited, "{}", bench.states());
}

#[test]
fn commands_with_and_without_work_for_compute_complete_in_order_with_many_in_flight() {
    for seed in 0..4 {
        let card = komorebi_sim::Card::builder().seed(seed).build();
        let mut setup = Setup::on(card, 1, 1);
        setup.depth = 16;
        let mut bench = moves_and_computes(setup);
        let at = |slot| 0x10_0000 + 16 * slot;
        for round in 0..3 {
            let sent: Vec<_> = (0..16)
                .map(|slot| {
                    let handler = [32, 31, NOP][((slot + round) % 3) as usize];
                    bench.submit(Submit::to(handler, 0, 1, &[at(slot)]).slot(slot))
                })
                .collect();
            for (slot, sequence) in (0..16).zip(sent) {
                bench.wait(slot, sequence);
                match (slot + round) % 3 {
                    0 => assert_eq!(bench.l1_word(0, at(slot)), sequence, "round {round}, slot {slot}"),
                    1 => assert_eq!(bench.l1_word(0, at(slot)), 1, "round {round}, slot {slot}"),
                    _ => {}
                }
            }
        }
    }
}

#[test]
fn a_compute_thread_outlasts_the_idle_limit_while_others_have_commands() {
    let mut setup = Setup::new(1, 1);
    setup.idle = 200_000;
    let mut bench = moves_and_computes(setup);
    for _ in 0..8 {
        bench.run_until(100, |_| false);
        bench.call(Submit::to(31, 0, 1, &[0x10_0000]));
    }
    bench.call(Submit::to(32, 0, 1, &[0x10_0000]));
    assert_eq!(bench.l1_word(0, 0x10_0000), bench.sequence);
    bench.run_until(200, |_| false);
    let [reader, writer, compute @ ..] = bench.stages(0);
    assert_eq!([reader, writer], [core::THREAD_GAVE_UP; 2], "{}", bench.states());
    assert_eq!(compute, [core::THREAD_IDLE; 3], "{}", bench.states());
}

#[test]
fn the_five_waits_for_a_command_only_load() {
    let mut bench = idle(Setup::new(1, 1));
    bench.call(Submit::to(NOP, 0, 1, &[]));
    let counted = |bench: &Bench, micros| {
        bench.run_until(micros, |_| false);
        bench.card().core_counters(bench.tile(0))
    };
    let before = counted(&bench, 100);
    let after = counted(&bench, 1_000);
    assert_eq!(after.len(), 5);
    for (core, (before, after)) in before.iter().zip(&after).enumerate() {
        assert_eq!(after.shared_stores, before.shared_stores, "core {core} stores");
        assert!(after.shared_loads > before.shared_loads + 10_000, "core {core} does not wait");
    }
}

#[test]
fn a_command_is_taken_when_its_publish_word_and_its_doorbell_are_there_in_either_order() {
    let mut bench = idle(Setup::new(1, 1));
    let command = |slot| Submit::to(NOP, 0, 1, &[]).slot(slot);
    let done = |bench: &Bench| bench.state(0, core::THREAD_READER, core::THREAD_DONE);
    bench.publish_to(0, command(2), 1);
    assert!(!bench.run_until(50, |bench| done(bench) != 0), "without its doorbell");
    bench.ring(0, 1);
    bench.wait(2, 1);
    bench.ring(0, 4);
    assert!(!bench.run_until(50, |bench| done(bench) != 1), "without its publish word");
    // A number beyond the doorbell's: one before it might still be unseen.
    bench.publish_to(0, command(0), 9);
    assert!(!bench.run_until(50, |bench| done(bench) != 1), "before its doorbell");
    bench.publish_to(0, command(1), 4);
    bench.wait(1, 4);
    assert!(!bench.run_until(50, |bench| done(bench) != 2), "before its doorbell");
    bench.ring(0, 9);
    bench.wait(0, 9);
}

#[test]
fn a_group_completes_when_every_member_has_acknowledged() {
    let mut bench = idle(Setup::new(4, 2));
    for (first, count) in [(0, 8), (2, 3), (7, 1), (1, 7), (0, 8)] {
        bench.call(Submit::to(NOP, first, count, &[]));
    }
    let taken = |bench: &Bench, index| bench.state(index, core::THREAD_WRITER, core::THREAD_DONE);
    assert_eq!([0, 1, 2, 3, 7].map(|index| taken(&bench, index)), [2, 3, 4, 4, 4]);
}

#[test]
fn commands_of_overlapping_groups_are_taken_in_the_order_of_submission() {
    for seed in 0..4 {
        let card = komorebi_sim::Card::builder().seed(seed).build();
        let mut setup = Setup::on(card, 4, 1);
        setup.depth = 16;
        let mut bench = idle(setup);
        // Slots in no order, all in flight at once.
        let mut sent = Vec::new();
        for (slot, first, count) in [(5, 0, 4), (3, 1, 2), (15, 0, 1), (0, 2, 2), (9, 0, 4), (1, 3, 1)] {
            sent.push((slot, bench.submit(Submit::to(NOP, first, count, &[]).slot(slot))));
        }
        for (slot, sequence) in sent {
            bench.wait(slot, sequence);
        }
    }
}

#[test]
fn of_two_commands_found_together_the_earlier_one_is_taken_first() {
    // The handler writes down the order in which the reader ran it.
    let reader = "#include <komorebi/kernel.h>\nstatic uint32_t ran;\nKM_HANDLER(Note) {\n    if (args.wait) noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(args.wait), 1);\n    reinterpret_cast<volatile uint32_t*>(args.at)[0] = ++ran;\n}\n";
    let sources = Sources::new().file("reader.cpp", reader.as_bytes());
    let mut setup = Setup::new(1, 1);
    setup.depth = 8;
    let mut bench = setup.start(&sources, &model(&[("note", 1, &["wait", "at"])]));
    bench.wait_ready();
    let (gate, notes) = (0x10_0000, 0x10_0100);
    let first = bench.submit(Submit::to(1, 0, 1, &[gate, notes]).slot(7));
    // While the reader waits, two more come: the later one in the lower slot.
    bench.submit(Submit::to(1, 0, 1, &[0, notes + 4]).slot(6));
    let last = bench.submit(Submit::to(1, 0, 1, &[0, notes + 8]).slot(0));
    bench.card_write(0, gate, 1);
    bench.wait(7, first);
    bench.wait(0, last);
    assert_eq!([0, 4, 8].map(|offset| bench.l1_word(0, notes + offset)), [1, 2, 3]);
}

#[test]
fn every_thread_of_every_core_returns_after_exit_and_its_join() {
    let mut bench = idle(Setup::new(2, 2));
    bench.call(Submit::to(EXIT, 0, 4, &[]));
    let all =
        bench.run_until(1000, |bench| (0..4).all(|index| bench.stages(index) == [core::THREAD_EXITED; 5]));
    assert!(all, "{}", bench.states());
}

#[test]
fn the_leader_sends_the_result_word_and_only_when_asked() {
    let writer = "#include <komorebi/kernel.h>\nKM_HANDLER(Add) { if (args.a) command.set_result(args.a + args.b); }\n";
    let sources = Sources::new().file("writer.cpp", writer.as_bytes());
    let mut bench = Setup::new(2, 1).start(&sources, &model(&[("add", 9, &["a", "b"])]));
    bench.wait_ready();
    assert_eq!(bench.call(Submit::to(9, 0, 2, &[2, 40]).result()), 42);
    assert_eq!(bench.call(Submit::to(9, 0, 2, &[2, 41])), 0, "not asked for");
    assert_eq!(
        bench.call(Submit::to(9, 0, 2, &[0, 0]).result()),
        0,
        "a result of the slot's last command is nobody's"
    );
    assert_eq!(bench.call(Submit::to(9, 1, 1, &[5, 5]).result()), 10);
}

#[test]
fn sequence_numbers_wrap() {
    let mut bench = idle(Setup::new(1, 1));
    bench.sequence = u32::MAX - 2;
    for slot in [0, 1, 2, 3, 0, 1] {
        bench.sequence = bench.sequence.wrapping_add(1);
        let sequence = bench.sequence;
        // 0 is what an empty slot shows: the dispatcher skips it.
        if sequence != 0 {
            bench.publish(Submit::to(NOP, 0, 1, &[]).slot(slot), sequence);
            bench.wait(slot, sequence);
        }
    }
}

#[test]
fn a_number_taken_before_a_wrap_is_not_taken_again_after_it() {
    let mut bench = idle(Setup::new(1, 1));
    // Of other groups' commands this core sees nothing, so the numbers jump. Slot 1 is never used.
    let commands = [(3, 2), (0, 0x7fff_ffff), (2, u32::MAX - 15), (0, 5), (2, 2)];
    for (slot, sequence) in commands {
        bench.publish(Submit::to(NOP, 0, 1, &[]).slot(slot), sequence);
        bench.wait(slot, sequence);
    }
    bench.run_until(50, |_| false);
    assert_eq!(bench.state(0, core::THREAD_READER, core::THREAD_DONE), 5, "{}", bench.states());
}

#[test]
fn handlers_see_their_place_their_arguments_and_their_core() {
    let reader = r#"#include <komorebi/kernel.h>
KM_HANDLER(Tell) {
    auto* out = reinterpret_cast<volatile uint32_t*>(args.at);
    const uint32_t words[] = {command.index, command.count, command.first, km::core_index(), get_absolute_logical_x(),
                              get_absolute_logical_y(), km::grid_width(), get_arg_val<uint32_t>(1), km::arg_count(),
                              get_compile_time_arg_val(0), km::core_count()};
    for (uint32_t word : words) *out++ = word;
}
"#;
    let sources = Sources::new().file("reader.cpp", reader.as_bytes());
    let mut model = model(&[("tell", 200, &["at"])]);
    model.compile_args[0] = vec![77];
    let mut setup = Setup::new(3, 2);
    setup.reader_args = vec![11, 22];
    let mut bench = setup.start(&sources, &model);
    bench.wait_ready();
    bench.call(Submit::to(200, 1, 4, &[0x10_0000]));
    let told: Vec<u32> = (0..11).map(|i| bench.l1_word(4, 0x10_0000 + 4 * i)).collect();
    assert_eq!(told, [3, 4, 1, 4, 1, 1, 3, 22, 2, 77, 6]);
}

#[test]
fn arguments_of_every_kind_arrive_as_the_declared_type() {
    use komorebi_abi::program::{Arg, ArgKind, Handler};
    let writer = r#"#include <komorebi/kernel.h>
KM_HANDLER(AllKinds) {
    static_assert(__is_same(decltype(args.signed_one), int32_t) && __is_same(decltype(args.real), float));
    const uint64_t sum = args.wide + args.at;
    auto* out = reinterpret_cast<volatile uint32_t*>(args.at);
    out[0] = static_cast<uint32_t>(sum);
    out[1] = static_cast<uint32_t>(sum >> 32);
    out[2] = static_cast<uint32_t>(args.signed_one / 2);
    out[3] = static_cast<uint32_t>(static_cast<int32_t>(args.real * 4.0f));
    out[4] = args.pair;
}
"#;
    let kinds = [
        ("at", ArgKind::Address),
        ("wide", ArgKind::U64),
        ("signed_one", ArgKind::I32),
        ("real", ArgKind::F32),
        ("pair", ArgKind::U16Pair),
    ];
    let args = kinds.map(|(name, kind)| Arg { name: name.into(), kind, effect: None }).to_vec();
    let mut model = model(&[]);
    model.handlers.push(Handler { name: "all_kinds".into(), number: 239, args, result: None });
    let sources = Sources::new().file("writer.cpp", writer.as_bytes());
    let mut bench = Setup::new(1, 1).start(&sources, &model);
    bench.wait_ready();
    let at = 0x10_0000;
    let words = [at, 0xffff_ffff, 7, (-9_i32).cast_unsigned(), 2.75_f32.to_bits(), 0x0002_0001];
    bench.call(Submit::to(239, 0, 1, &words));
    let told: Vec<u32> = (0..5).map(|i| bench.l1_word(0, at + 4 * i)).collect();
    assert_eq!(told, [at - 1, 8, (-4_i32).cast_unsigned(), 11, 0x0002_0001]);
}
