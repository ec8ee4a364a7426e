//! Random graphs and streams through encoder and decoder, and decoders on bytes of all kinds.

use std::collections::BTreeSet;

use super::support::{CORES, done, facts, none};
use komorebi_abi::engine::{
    Arithmetic, Facts, Image, Instruction, Opcode, Reason, Ref, Statement, UploadKind, Value, Var,
    disassemble,
};
use komorebi_abi::graph::{self, Graph, GraphMachine, Node};
use komorebi_abi::stream::{self, Stream, StreamMachine};
use proptest::prelude::*;

/// A small source of choices.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 20) % u64::from(sides.max(1))) as u32
    }
}

/// A sound random graph: a register is written by cpu nodes in a chain, commands read bindings and what is before them.
pub(crate) fn random_graph(seed: u64) -> Graph {
    let mut dice = Dice(seed | 1);
    let mut graph = Graph::new().req(dice.roll(1 << 16).into());
    if dice.roll(2) == 0 {
        graph = graph.deadline_us(1 + u64::from(dice.roll(1 << 30)));
    }
    if dice.roll(2) == 0 {
        graph = graph.keep();
    }
    graph = graph.max_runs(1 + u64::from(dice.roll(5)));
    let bindings: Vec<Var> = (0..dice.roll(5)).map(|i| graph.binding(&format!("b{i}"), None)).collect();
    let counter = graph.register();
    let results: Vec<Var> = (0..dice.roll(4)).map(|_| graph.register()).collect();
    let mut chain = graph.cpu([] as [Node; 0]).set(counter, dice.roll(9)).id();
    let mut free_results = results.clone();
    for i in 0..dice.roll(40) {
        if dice.roll(6) == 0 {
            // All that reads the counter is before the next write of it.
            let all: Vec<Node> = (0..graph.model().nodes.len() as u32).map(Node).collect();
            let mut cpu = graph.cpu(all);
            for _ in 0..1 + dice.roll(4) {
                let binary: Vec<Opcode> = Opcode::ALL[..23].to_vec();
                let op = binary[dice.roll(23) as usize];
                let value: Value = match (dice.roll(3), bindings.first()) {
                    (0, Some(binding)) => (*binding).into(),
                    (1, _) => counter.into(),
                    _ => dice.roll(u32::MAX).into(),
                };
                let operands =
                    if dice.roll(3) == 0 { [value, counter.into()] } else { [counter.into(), value] };
                cpu.statement(Statement::new(op, counter, operands));
            }
            if dice.roll(3) == 0 {
                let again = cpu.again();
                cpu.ltu(again, counter, 3);
            }
            chain = cpu.id();
            continue;
        }
        let mut args: Vec<Value> = Vec::new();
        for _ in 0..dice.roll(11) {
            args.push(match dice.roll(4) {
                0 => counter.into(),
                1 if !bindings.is_empty() => bindings[dice.roll(bindings.len() as u32) as usize].into(),
                _ => Value::Word(dice.roll(u32::MAX)),
            });
        }
        let first = dice.roll(CORES);
        let count = 1 + dice.roll(CORES - first);
        let mut after: BTreeSet<u32> = BTreeSet::from([chain.0]);
        (0..dice.roll(5)).for_each(|_| done(after.insert(dice.roll(graph.model().nodes.len() as u32))));
        let after: Vec<Node> = after.into_iter().map(Node).collect();
        let mut node = graph.command(1 + dice.roll(7), (first, count), args).after(after);
        match dice.roll(6) {
            0 => node = node.exclusive(),
            1 => node = node.queued(),
            _ => {}
        }
        if dice.roll(3) == 0
            && let Some(result) = free_results.pop()
        {
            node = node.result(result);
        }
        let _ = (node.id(), i);
    }
    let end = results.first().filter(|result| !free_results.contains(result)).copied().unwrap_or(counter);
    graph.end(counter, end);
    graph
}

/// A sound random stream, structured.
pub(crate) fn random_stream(seed: u64) -> Stream {
    let mut dice = Dice(seed | 1);
    let mut stream =
        Stream::new().req(dice.roll(1 << 16).into()).deadline_us(1 + u64::from(dice.roll(1 << 30)));
    let [given] = stream.bindings(["given"]);
    let [sum, turn, flag, result] =
        [stream.register(), stream.register(), stream.register(), stream.register()];
    stream.set(sum, 1).set(turn, 0).set(flag, 0).set(result, 0);
    block(&mut stream, &mut dice, [given, sum, turn, flag, result], 3);
    stream.wait_all().halt(sum);
    stream
}

fn block(stream: &mut Stream, dice: &mut Dice, vars: [Var; 5], depth: u32) {
    let [given, sum, turn, flag, result] = vars;
    for _ in 0..1 + dice.roll(5) {
        match dice.roll(if depth == 0 { 5 } else { 8 }) {
            0 => done(stream.event(sum)),
            1 => {
                let id = stream
                    .submit("norm", 0..1 + dice.roll(120), [given.into(), turn.into()])
                    .result(result)
                    .id();
                stream.wait(id).add(sum, sum, result);
            }
            2 => {
                stream.and(turn, sum, 63).submit_at("touch", turn, 1 + dice.roll(50), none());
            }
            3 => {
                stream.enqueue("touch", 1 + dice.roll(120), none());
                stream.wait_all();
            }
            4 => {
                done(stream.mul(sum, sum, dice.roll(100)).fadd(turn, sum, 1.5_f32).select(sum, turn, 3, sum))
            }
            5 => {
                let inner = dice.roll(u32::MAX).into();
                stream.if_(given, |s| block(s, &mut Dice(inner), vars, depth - 1));
            }
            6 => {
                let [a, b] = [dice.roll(u32::MAX).into(), dice.roll(u32::MAX).into()];
                stream.if_else(
                    sum,
                    |s| block(s, &mut Dice(a), vars, depth - 1),
                    |s| block(s, &mut Dice(b), vars, depth - 1),
                );
            }
            _ => {
                // A counter of its own bits of `flag` would be needed for loops within loops: they break at once.
                let inner = dice.roll(u32::MAX).into();
                stream.loop_(|s| {
                    block(s, &mut Dice(inner), vars, 0);
                    s.add(flag, flag, 1).if_(flag, |s| done(s.break_()));
                });
            }
        }
    }
}

/// A random stream that waits when it pleases: most of them race.
pub(crate) fn wild_stream(seed: u64) -> Stream {
    let mut dice = Dice(seed | 1);
    let mut stream = Stream::new();
    let [given, other] = stream.bindings(["given", "other"]);
    let vars = [given, other, stream.register(), stream.register()];
    stream.set(vars[2], 1).set(vars[3], 2);
    wild_block(&mut stream, &mut dice, vars, 2);
    stream.halt(vars[2]);
    stream
}

fn wild_block(stream: &mut Stream, dice: &mut Dice, vars: [Var; 4], depth: u32) {
    let mut submitted = Vec::new();
    for _ in 0..1 + dice.roll(6) {
        let [a, b] = [vars[dice.roll(4) as usize], vars[dice.roll(4) as usize]];
        match dice.roll(if depth == 0 { 6 } else { 8 }) {
            0 => done(stream.event(a)),
            1 | 2 => {
                let first = dice.roll(100);
                let args: [Value; 2] = [(64 * dice.roll(3)).into(), b.into()];
                submitted.push(stream.submit("norm", first..first + 1 + dice.roll(20), args).result(a).id());
            }
            3 => done(stream.add(a, b, dice.roll(9))),
            4 => {
                if let Some(id) = submitted.pop() {
                    stream.wait(id);
                }
            }
            5 => done(stream.wait_all()),
            6 => {
                let inner = dice.roll(u32::MAX).into();
                stream.if_(a, |s| wild_block(s, &mut Dice(inner), vars, depth - 1));
            }
            _ => {
                let inner = dice.roll(u32::MAX).into();
                let turns = stream.register();
                stream.set(turns, 3).while_(
                    |_| turns.into(),
                    |s| {
                        wild_block(s, &mut Dice(inner), vars, depth - 1);
                        s.sub(turns, turns, 1);
                    },
                );
            }
        }
    }
}

/// Handlers by number, arguments unchecked: what a decoded graph is a graph of.
pub(crate) fn untyped() -> Facts {
    Facts { typed: false, ..facts() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_decoded_graph_encodes_to_the_same_bytes(seed: u64) {
        let graph = random_graph(seed);
        let facts = untyped();
        let encoded = graph.encode(&facts);
        prop_assert!(encoded.is_ok(), "{:#?}", encoded);
        let bytes = encoded.unwrap().bytes;
        let decoded = graph::decode(&bytes, CORES).unwrap();
        let again = graph::encode(&decoded, &facts);
        prop_assert!(again.is_ok(), "{:#?}", again);
        prop_assert_eq!(&again.unwrap().bytes, &bytes);
        prop_assert_eq!(decoded.nodes.len(), graph.model().nodes.len());
        // Pictures of any graph.
        prop_assert!(graph::svg(&decoded, Some(&facts)).ends_with("</svg>\n"));
        prop_assert_eq!(graph::dot(&decoded, None).matches('{').count(), 1);
        prop_assert_eq!(graph::listing(&decoded, None).lines().filter(|line| line.contains(" = handler") || line.contains(" = cpu")).count(), decoded.nodes.len());
    }

    #[test]
    fn a_decoded_stream_encodes_to_the_same_bytes(seed: u64) {
        let stream = random_stream(seed);
        let encoded = stream.encode(&facts());
        prop_assert!(encoded.is_ok(), "{:#?}", encoded);
        let bytes = encoded.unwrap().bytes;
        let decoded = stream::decode(&bytes, CORES).unwrap();
        let again = stream::encode(&decoded, &untyped());
        prop_assert!(again.is_ok(), "{:#?}", again);
        prop_assert_eq!(again.unwrap().bytes, bytes);
    }

    #[test]
    fn an_instruction_is_decoded_as_encoded_or_refused(word: u64) {
        match Instruction::decode(word) {
            Ok(instruction) => prop_assert_eq!(instruction.encode(), word),
            Err(reason) => prop_assert!([Reason::OPCODE, Reason::REGISTER, Reason::OPERAND].contains(&reason)),
        }
        prop_assert!(!disassemble(word).is_empty());
    }

    #[test]
    fn decoders_take_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..1024), kind: bool) {
        let kind = if kind { UploadKind::Graph } else { UploadKind::Stream };
        prop_assert!(Image::check(&bytes, kind, CORES, None).is_err());
    }
}

/// Sound uploads with bits, words and pieces changed: refused with a reason, or run to an end by the machines.
#[test]
fn machines_take_mutated_uploads_to_an_end() {
    let mut ran = 0;
    let mut reasons: BTreeSet<u32> = BTreeSet::new();
    for seed in 0..6_000_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let kind = if seed % 2 == 0 { UploadKind::Graph } else { UploadKind::Stream };
        let base = seed / 16;
        let encoded = if kind == UploadKind::Graph {
            random_graph(base * 77 + 5).encode(&untyped()).unwrap()
        } else {
            random_stream(base * 77 + 5).encode(&facts()).unwrap()
        };
        let mut bytes = encoded.bytes;
        for _ in 0..1 + dice.roll(3) {
            let at = dice.roll(bytes.len() as u32) as usize;
            match dice.roll(4) {
                0 => bytes[at] ^= 1 << dice.roll(8),
                1 => bytes[at] = dice.roll(256) as u8,
                2 => {
                    let from = dice.roll(bytes.len() as u32) as usize / 8 * 8;
                    let word: [u8; 8] = bytes[from..from + 8].try_into().unwrap();
                    bytes[at / 8 * 8..at / 8 * 8 + 8].copy_from_slice(&word);
                }
                _ => {
                    let body = 256 + at % (bytes.len() - 256);
                    bytes[body] ^= 1 << dice.roll(8);
                }
            }
        }
        let bindings = [3; 16];
        let refused = match kind {
            UploadKind::Graph => {
                let _ = graph::decode(&bytes, CORES).map(|model| graph::encode(&model, &untyped()));
                GraphMachine::start(&bytes, CORES, &bindings).map(|mut machine| spin(&mut machine)).err()
            }
            UploadKind::Stream => {
                let _ = stream::decode(&bytes, CORES).map(|model| stream::encode(&model, &untyped()));
                StreamMachine::start(&bytes, CORES, &bindings).map(|mut machine| spin(&mut machine)).err()
            }
        };
        match refused {
            Some(refusal) => done(reasons.insert(refusal.reason.0)),
            None => ran += 1,
        }
    }
    assert!(ran > 1_000, "{ran} of 6,000 passed the check");
    assert!(reasons.len() >= 12, "{reasons:?}");
}

/// Runs a machine for a while, then cancels it: it always ends.
fn spin(machine: &mut dyn komorebi_abi::engine::Machine) {
    use komorebi_abi::engine::Step;
    let mut waiting = Vec::new();
    for turn in 0..20_000 {
        if turn == 2_000 {
            machine.stop(Reason::CANCELLED);
        }
        match machine.next(16) {
            Step::Submit(command) => {
                assert!(u32::from(command.first) + u32::from(command.count) <= CORES);
                waiting.push(command.record);
            }
            Step::Wait => {
                machine.complete(waiting.pop().expect("a machine that waits has a command in flight"), turn)
            }
            Step::Post(output) if output.is_last() => {
                assert_eq!(machine.in_flight(), 0);
                return;
            }
            Step::Post(_) | Step::Spent => {}
            Step::Ended => panic!("the last event was not posted"),
        }
    }
    panic!("the machine did not end");
}

#[test]
fn names_and_positions_encode_to_the_same_bytes() {
    let build = |named: bool| {
        let mut graph = Graph::new();
        let state = graph.binding("state", None);
        let error = graph.register_named("error", None);
        let (first, second): (Ref, Ref) =
            if named { ("a".into(), "b".into()) } else { (Ref::Id(0), Ref::Id(1)) };
        let arg: Value = if named { "state".into() } else { state.into() };
        graph.command("left", 0..30, [arg.clone()]).named("a").id();
        graph.command("norm", 0..60, [arg, 60.into()]).after([first]).named("b").result(error).id();
        graph.command("touch", 0..60, none()).after([second]).id();
        graph.encode(&facts()).unwrap().bytes
    };
    assert_eq!(build(true), build(false));
}
