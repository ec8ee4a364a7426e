//! Every rule of the dispatcher's check, each with the smallest change of an upload that breaks it: refused for its reason,
//! at its place, by its line of the check, as `komorebi_abi` refuses it too.

use std::collections::BTreeMap;

use komorebi_abi::constants::{command as c, core, engine as e, stream as s};
use komorebi_abi::engine::{
    Image, Instruction, Links, Opcode, Output, Reason, RecordBody, Refusal, UploadKind,
};
use komorebi_abi::wire::EventKind;
use komorebi_tests::dispatcher::{Rig, Setup, command};
use komorebi_tests::engine::refusals;
use komorebi_tests::engine::sample::{edit, graph, links, record, stream, word_at};

use UploadKind::{Graph, Stream};

const REQ: u16 = 9;
const BOTH: [UploadKind; 2] = [Graph, Stream];
/// Of the samples' records: a command and, of the graph, the cpu node.
const COMMAND: usize = 0;
const CPU: usize = 1;

/// An upload that breaks one rule.
struct Case {
    rule: &'static str,
    kind: UploadKind,
    refusal: Refusal,
    bytes: Vec<u8>,
}

#[derive(Default)]
struct Cases(Vec<Case>);

fn sample(kind: UploadKind) -> Image {
    if kind == Graph { graph(REQ) } else { stream(REQ) }
}

impl Cases {
    fn bytes(
        &mut self,
        rule: &'static str,
        kind: UploadKind,
        reason: Reason,
        place: Option<u32>,
        bytes: Vec<u8>,
    ) {
        self.0.push(Case { rule, kind, refusal: Refusal { reason, place }, bytes });
    }

    /// A sample with a word changed.
    fn word(
        &mut self,
        (rule, reason, place): (&'static str, Reason, Option<u32>),
        kinds: &[UploadKind],
        word: usize,
        change: impl Fn(u64) -> u64,
    ) {
        for &kind in kinds {
            let mut bytes = sample(kind).encode();
            edit(&mut bytes, word, &change);
            self.bytes(rule, kind, reason, place, bytes);
        }
    }

    /// A sample changed before it is encoded.
    fn image(
        &mut self,
        (rule, reason, place): (&'static str, Reason, Option<u32>),
        kind: UploadKind,
        change: impl Fn(&mut Image),
    ) {
        let mut image = sample(kind);
        change(&mut image);
        self.bytes(rule, kind, reason, place, image.encode());
    }

    /// A sample whose second instruction is another one. It stands in the graph's cpu node, and at the stream's pc 1.
    fn instruction(&mut self, (rule, reason): (&'static str, Reason), kinds: &[UploadKind], word: u64) {
        for &kind in kinds {
            self.image((rule, reason, Some(1)), kind, |image| image.instructions[1] = word);
        }
    }

    fn header(&mut self) {
        let word = |word: u32| word as usize;
        let [head, size, code] = [e::UPLOAD_HEAD, e::UPLOAD_SIZE, e::UPLOAD_CODE].map(word);
        let rule = |rule| (rule, Reason::HEADER, None);
        self.word(rule("magic"), &BOTH, head, |word| word ^ 1);
        self.word(rule("kind"), &BOTH, head, |word| word ^ 3 << e::HEAD_KIND_SHIFT);
        self.word(rule("unknown flag"), &BOTH, head, |word| word | 2 << e::HEAD_UPLOAD_FLAGS_SHIFT);
        self.word(rule("a stream that is kept"), &[Stream], head, |word| {
            word | u64::from(e::UPLOAD_KEEP) << e::HEAD_UPLOAD_FLAGS_SHIFT
        });
        self.word(rule("bindings"), &BOTH, size, |word| word | 17 << e::SIZE_BINDINGS_SHIFT);
        for reserved in [e::UPLOAD_RESERVED, e::UPLOAD_RESERVED + 1] {
            self.word(rule("words that are 0"), &BOTH, reserved as usize, |_| 1 << 63);
        }
        self.image(rule("first end register"), Graph, |image| image.header.end = [Some(32), None]);
        self.image(rule("second end register"), Graph, |image| image.header.end = [None, Some(0xfe)]);
        self.image(rule("again"), Graph, |image| image.header.again = Some(77));
        self.word(rule("above again"), &[Graph], word(e::UPLOAD_END), |word| word | 1 << 24);
        self.word(rule("start with more than successors"), &[Graph], word(e::UPLOAD_START), |word| {
            word | 1 << e::LINKS_PREDECESSORS_SHIFT
        });
        self.word(rule("no node"), &[Graph], size, |word| word & !(0xffff << e::SIZE_RECORDS_SHIFT));
        self.image(rule("max_runs of a stream"), Stream, |image| image.header.max_runs = 1);
        self.word(rule("end of a stream"), &[Stream], word(e::UPLOAD_END), |_| 0xff);
        self.word(rule("start of a stream"), &[Stream], word(e::UPLOAD_START), |_| 1);
        self.word(rule("edges of a stream"), &[Stream], code, |word| word | 1 << e::CODE_EDGES_SHIFT);
        self.word(rule("no instruction"), &[Stream], code, |word| word >> 32 << 32);
        let rule = |rule| (rule, Reason::SIZE, None);
        self.word(rule("counts beyond the bytes"), &BOTH, code, |word| word + 100);
        self.word(rule("bytes not the RUN's"), &BOTH, size, |word| word + 64);
        let rule = ("bindings without a line", Reason::BINDINGS, None);
        self.word(rule, &BOTH, size, |word| word | 2 << e::SIZE_BINDINGS_SHIFT);
    }

    fn record_flags(&mut self) {
        let (head, links) = (word_at(COMMAND, e::RECORD_COMMAND), word_at(COMMAND, e::RECORD_LINKS));
        let flag = |flags: u32| u64::from(flags) << e::RECORD_FLAGS_SHIFT;
        let rule = |rule| (rule, Reason::FLAGS, Some(0));
        self.word(rule("unknown record flag"), &BOTH, head, |word| word | flag(8));
        for bit in [e::RECORD_RESERVED_SHIFT, e::RECORD_RESERVED_SHIFT + 1] {
            self.word(rule("bits of the first word that are 0"), &BOTH, head, |word| word | 1 << bit);
        }
        for bit in [e::LINKS_RESERVED_SHIFT, e::LINKS_RESERVED_SHIFT + 1] {
            self.word(rule("bits of the links that are 0"), &BOTH, links, |word| word | 1 << bit);
        }
        self.word(rule("cpu node of a stream"), &[Stream], head, |word| word | flag(e::RECORD_CPU));
        let cpu = word_at(CPU, e::RECORD_COMMAND);
        for other in [e::RECORD_EXCLUSIVE, e::RECORD_QUEUED] {
            let rule = ("cpu node with another flag", Reason::FLAGS, Some(1));
            self.word(rule, &[Graph], cpu, |word| word | flag(other));
        }
        let both = e::RECORD_QUEUED | e::RECORD_EXCLUSIVE;
        self.word(rule("queued and exclusive"), &BOTH, head, |word| word | flag(both));
        let first = 1 << (e::RECORD_PUBLISH_SHIFT + core::PUBLISH_FIRST_SHIFT);
        self.word(rule("queued with a first core"), &BOTH, head, |word| {
            word | flag(e::RECORD_QUEUED) | first
        });
        for link in [1, 1 << e::LINKS_SUCCESSORS_SHIFT, 1 << e::LINKS_PREDECESSORS_SHIFT] {
            self.word(rule("links of a stream"), &[Stream], links, |word| word | link);
        }
        let result = 1 << e::LINKS_RESULT_SHIFT;
        self.word(rule("result without its publish flag"), &BOTH, links, |word| word | result);
        let publish = 1 << (e::RECORD_PUBLISH_SHIFT + core::PUBLISH_FLAGS_SHIFT);
        self.word(rule("publish flag without a result"), &BOTH, head, |word| word | publish);
    }

    fn cpu_nodes(&mut self) {
        let rule = ("cpu node with fields of a command", Reason::FLAGS, Some(1));
        let at = |index| word_at(CPU, index);
        self.word(rule, &[Graph], at(e::RECORD_COMMAND), |word| word | 1 << e::RECORD_MASK_SHIFT);
        self.word(rule, &[Graph], at(e::RECORD_COMMAND), |word| word | 1 << e::RECORD_PUBLISH_SHIFT);
        self.word(rule, &[Graph], at(e::RECORD_LINKS), |word| word | 1 << e::LINKS_RESULT_SHIFT);
        for args in e::RECORD_ARGS + 1..e::RECORD_LINKS {
            self.word(rule, &[Graph], at(args), |_| 1);
        }
        let mut code = |rule, first, count| {
            self.image((rule, Reason::CODE, Some(1)), Graph, |image| {
                image.records[CPU].body = RecordBody::Cpu { first, count };
            });
        };
        code("instructions not behind those before", 1, 1);
        code("instructions not behind those before", u32::MAX, 2);
        code("no instructions of a cpu node", 0, 0);
        code("too many instructions of a cpu node", 0, 257);
        code("instructions that are not there", 0, 3);
    }

    fn commands(&mut self) {
        let head = word_at(COMMAND, e::RECORD_COMMAND);
        let publish = |value: u64, shift: u32| value << (e::RECORD_PUBLISH_SHIFT + shift);
        let place = Some(0);
        let rule = ("reserved handler", Reason::HANDLER, place);
        self.word(rule, &BOTH, head, |word| word | publish(0xf0, 0));
        let rule = ("too many argument words", Reason::ARGS, place);
        self.word(rule, &BOTH, head, |word| word | publish(0xf, core::PUBLISH_ARGS_SHIFT));
        let rule = ("mask beyond the argument words", Reason::ARGS, place);
        self.word(rule, &BOTH, head, |word| word | 4 << e::RECORD_MASK_SHIFT);
        let rule = ("group of no cores", Reason::GROUP, place);
        self.word(rule, &BOTH, head, |word| word & !publish(0xff, core::PUBLISH_COUNT_SHIFT));
        let rule = ("group beyond the cores", Reason::GROUP, place);
        self.word(rule, &BOTH, head, |word| word | publish(0x7f, core::PUBLISH_COUNT_SHIFT));
        for kind in BOTH {
            for argument in 0..c::ARGS_MAX {
                let rule = ("argument in no register", Reason::REGISTER, place);
                self.image(rule, kind, |image| {
                    let RecordBody::Command { words, mask, args, .. } = &mut image.records[COMMAND].body
                    else {
                        return;
                    };
                    (*words, *mask) = (c::ARGS_MAX as u8, 1 << argument);
                    args[argument as usize] = e::REGISTERS;
                });
            }
        }
        let result = u64::from(e::REGISTERS + 1) << e::LINKS_RESULT_SHIFT;
        let rule = ("result in no register", Reason::REGISTER, place);
        self.word(rule, &BOTH, word_at(COMMAND, e::RECORD_LINKS), |word| word | result);
    }

    fn instructions(&mut self) {
        let op = |opcode: Opcode| u64::from(opcode as u8);
        let immediate = u64::from(s::OP_IMMEDIATE);
        let [d, a, b] = [s::OP_DSHIFT, s::OP_ASHIFT, s::OP_BSHIFT].map(|shift| 1_u64 << shift);
        let value = 1_u64 << s::OP_IMMEDIATE_SHIFT;
        let registers = u64::from(e::REGISTERS);
        self.instruction(("immediate of a select", Reason::OPCODE), &BOTH, op(Opcode::Select) | immediate);
        self.instruction(("immediate of a branch", Reason::OPCODE), &[Stream], op(Opcode::Jump) | immediate);
        for unknown in [0x00, 0x21, 0x3f, 0x45, 0x51, 0x6a, 0x7f] {
            self.instruction(("unknown opcode", Reason::OPCODE), &BOTH, unknown);
        }
        for control in [Opcode::Submit, Opcode::WaitAll, Opcode::Halt] {
            self.instruction(("control in a cpu node", Reason::OPCODE), &[Graph], op(control));
        }
        for field in [d, a, b] {
            let word = op(Opcode::Add) | (registers * field);
            self.instruction(("register that there is not", Reason::REGISTER), &BOTH, word);
        }
        let word = op(Opcode::Select) | (registers * value);
        self.instruction(("third register that there is not", Reason::REGISTER), &BOTH, word);
        let rule = |rule| (rule, Reason::OPERAND);
        self.instruction(rule("d that is not used"), &[Stream], op(Opcode::WaitAll) | d);
        self.instruction(rule("a that is not used"), &BOTH, op(Opcode::Move) | immediate | a);
        self.instruction(rule("b that is not used"), &BOTH, op(Opcode::Move) | immediate | b);
        self.instruction(rule("immediate that is not used"), &BOTH, op(Opcode::Move) | value);
        let control = |opcode, record| Instruction::control(opcode, 0, record).encode();
        for opcode in [Opcode::Submit, Opcode::SubmitAt, Opcode::Enqueue, Opcode::Wait] {
            self.instruction(rule("record that there is not"), &[Stream], control(opcode, 2));
        }
        self.instruction(
            rule("enqueue of a record that is not queued"),
            &[Stream],
            control(Opcode::Enqueue, 1),
        );
        for opcode in [Opcode::Submit, Opcode::SubmitAt] {
            self.image(("submit of a queued record", Reason::OPERAND, Some(1)), Stream, |image| {
                let RecordBody::Command { queued, .. } = &mut image.records[1].body else { return };
                *queued = true;
                image.instructions[1] = control(opcode, 1);
            });
        }
        for opcode in [Opcode::Jump, Opcode::JumpZero, Opcode::JumpNonzero] {
            self.instruction(("branch out of the program", Reason::TARGET), &[Stream], control(opcode, 4));
        }
        for last in [control(Opcode::JumpZero, 0), control(Opcode::WaitAll, 0), op(Opcode::Add)] {
            self.image(("last instruction goes on", Reason::END, Some(3)), Stream, |image| {
                image.instructions[3] = last;
            });
        }
    }

    fn links(&mut self) {
        let rule = |rule, place| (rule, Reason::EDGE, place);
        self.image(rule("edge to no node", None), Graph, |image| image.header.start = links(&[3]));
        self.image(rule("edge to no node", Some(0)), Graph, |image| image.records[0].links = links(&[3]));
        self.image(rule("second edge to no node", Some(0)), Graph, |image| {
            image.records[0].links = links(&[1, 3]);
        });
        self.image(rule("listed edge to no node", Some(0)), Graph, |image| {
            image.records[0].links = Links::pack(&[1, 1, 3], &mut image.edges);
            *image = image.clone().counted();
        });
        self.image(rule("link without a successor", Some(2)), Graph, |image| image.records[2].links.link = 1);
        for successors in [0, 1] {
            self.image(rule("link beyond the successors", Some(1)), Graph, |image| {
                image.records[1].links = Links { successors, link: 1 << e::LINK_NODE_BITS };
            });
        }
        self.image(rule("edges not behind those before", Some(0)), Graph, |image| {
            image.records[0].links = Links { successors: 3, link: 1 };
        });
        self.image(rule("edges that are not there", Some(0)), Graph, |image| {
            image.records[0].links = Links { successors: 3, link: 0 };
        });
        // As many edges into one node as a count holds, from the start, and one more from the node.
        let mut image = graph(REQ);
        image.records = vec![record(1, 0, 4)];
        image.instructions.clear();
        image.header.start = Links::pack(&vec![0; e::RECORDS_MAX as usize], &mut image.edges);
        image.records[0].links = links(&[0]);
        let bytes = image.counted().encode();
        self.bytes("edges beyond what a count holds", Graph, Reason::EDGE, Some(0), bytes);
        let rule = |rule, place| (rule, Reason::ORDER, place);
        self.image(rule("node that nothing leads to", Some(2)), Graph, |image| {
            image.records[1].links = links(&[]);
        });
        self.image(rule("predecessors not the edges'", Some(1)), Graph, |image| {
            image.records[1].predecessors = 2;
        });
    }

    fn all() -> Vec<Case> {
        let mut cases = Self::default();
        cases.header();
        cases.record_flags();
        cases.cpu_nodes();
        cases.commands();
        cases.instructions();
        cases.links();
        cases.0
    }
}

fn refused(rig: &mut Rig, case: &Case) -> Refusal {
    rig.start_upload(128, &case.bytes, case.kind, &[]);
    let event = rig.event();
    rig.show_read();
    match Output::of_event(&event, case.kind) {
        Some(Output::Error(refusal)) if event.number == REQ => refusal,
        _ => panic!("{}: {event:?}", case.rule),
    }
}

#[test]
fn each_rule_of_the_check_refuses_what_breaks_it_alone() {
    let mut rig = Setup::default().run();
    let lines = refusals::lines();
    let mut met: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    let cases = Cases::all();
    for case in &cases {
        let Case { rule, kind, refusal, bytes } = case;
        assert_eq!(refused(&mut rig, case), *refusal, "{rule} of a {kind:?}");
        assert_eq!(
            Image::check(bytes, *kind, 120, None).unwrap_err(),
            *refusal,
            "{rule} of a {kind:?} on the host"
        );
        let (req, reason, line) = rig.refused();
        assert_eq!((req, reason), (REQ, refusal.reason), "{rule} of a {kind:?}, in the state");
        assert_eq!(lines.get(&line), Some(&reason), "line {line} of check.h: {}", refusals::source(line));
        let met = met.entry(line).or_default();
        if !met.contains(rule) {
            met.push(rule);
        }
    }
    for (line, rules) in &met {
        println!("check.h:{line:<4} {:<9} {}", lines[line].to_string(), rules.join(", "));
    }
    println!("{} cases, {} of {} lines of the check", cases.len(), met.len(), lines.len());
    let missed: Vec<_> =
        lines.keys().filter(|line| !met.contains_key(line)).map(|line| refusals::source(*line)).collect();
    assert!(missed.is_empty(), "no case breaks {missed:#?}");
    rig.send(command(c::KM_HANDLER_PING as u8, 0, 0));
    assert_eq!(rig.event().kind, Ok(EventKind::Pong));
}

#[test]
fn the_samples_themselves_are_taken() {
    let mut rig = Setup::default().run();
    for (sequence, kind) in [(1, Graph), (2, Stream)] {
        let bytes = sample(kind).encode();
        assert!(Image::check(&bytes, kind, 120, None).is_ok());
        rig.start_upload(128, &bytes, kind, &[]);
        rig.until("its first command is submitted", |rig| {
            (0..rig.setup.depth).any(|slot| rig.published(0, slot).sequence == sequence)
        });
        rig.send(komorebi_tests::engine::cancel_line(REQ));
        rig.complete(0, sequence, 0);
        assert_eq!(rig.event().kind, Ok(EventKind::Error));
        rig.show_read();
    }
    assert_eq!(rig.refused(), (0, Reason(0), 0));
}
