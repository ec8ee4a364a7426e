//! The headers and our tables say the same.

use std::collections::BTreeSet;

use komorebi_abi::constants::{core, engine, graph, stream};
use komorebi_abi::engine::{
    Header, Image, Instruction, Opcode, Reason, Record, RecordBody, Rule, Shape, disassemble,
};

#[test]
fn every_opcode_of_the_header_stands_in_the_table_once() {
    let numbers: Vec<u32> = stream::OPCODES.iter().map(|(number, _)| *number).collect();
    let table: Vec<u32> = Opcode::ALL.iter().map(|op| u32::from(*op as u8)).collect();
    assert_eq!(table, numbers);
    for op in Opcode::ALL {
        assert_eq!(Opcode::from_bits(*op as u8), Some(*op));
    }
}

#[test]
fn the_header_s_ranges_are_the_shapes() {
    for op in Opcode::ALL {
        let number = u32::from(*op as u8);
        let shape = match number {
            stream::OP_BINARY_FIRST..=stream::OP_BINARY_LAST => Some(Shape::Binary),
            stream::OP_UNARY_FIRST..=stream::OP_UNARY_LAST => Some(Shape::Unary),
            stream::OP_SELECT => Some(Shape::Select),
            stream::OP_CONTROL_FIRST..=stream::OP_CONTROL_LAST => None,
            other => panic!("{other:#x} is in no range"),
        };
        assert_eq!(shape, Some(op.shape()).filter(|shape| shape.in_cpu()), "{}", op.mnemonic());
    }
}

#[test]
fn mnemonics_are_distinct_and_every_reason_has_a_name() {
    let mut names: Vec<&str> = Opcode::ALL.iter().map(|op| op.mnemonic()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Opcode::ALL.len());
    assert_eq!(Reason::CANCELLED.name(), Some("cancelled"));
    assert_eq!(Reason::NAMES.len(), 19);
    let meanings: BTreeSet<&str> =
        Reason::NAMES.iter().map(|(number, _)| Reason(*number).meaning()).collect();
    assert_eq!(meanings.len(), Reason::NAMES.len(), "each reason says something of its own");
    assert!(!meanings.contains(Reason(u32::MAX).meaning()), "a reason of the headers is known");
    assert_eq!(Reason(0).name(), None);
}

#[test]
fn the_protocol_holds_the_table_of_instructions() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../firmware/PROTOCOL.md")).unwrap();
    let table = Opcode::markdown();
    assert!(text.contains(&table), "firmware/PROTOCOL.md, \"Instructions\", must hold this table:\n{table}");
}

#[test]
fn a_record_s_first_word_is_the_publish_word() {
    let body = RecordBody::Command {
        handler: 7,
        first: 30,
        count: 60,
        words: 3,
        mask: 0b100,
        args: [1, 2, 5, 0, 0, 0, 0, 0, 0, 0],
        exclusive: true,
        queued: false,
        result: Some(4),
    };
    let words = Record {
        body,
        links: komorebi_abi::engine::Links { successors: 2, link: 3 | 9 << 14 },
        predecessors: 11,
    }
    .encode();
    let publish = words[engine::RECORD_COMMAND as usize] >> 32;
    assert_eq!(
        publish,
        7 | 3 << core::PUBLISH_ARGS_SHIFT
            | u64::from(core::PUBLISH_RESULT) << core::PUBLISH_FLAGS_SHIFT
            | 30 << 16
            | 60 << 24
    );
    assert_eq!(words[0] & 0xFFFF, 11, "predecessors still to complete");
    assert_eq!(words[1], 1 | 2 << 32, "the mailbox's body as it stands");
    assert_eq!(words[6], 3 | 9 << 14 | 2 << 28 | 11 << 42 | 5 << 56);
}

#[test]
fn instructions_are_decoded_as_encoded_and_refused_in_the_protocol_s_order() {
    let add = Instruction::binary_value(Opcode::Add, 3, 1, 5);
    assert_eq!(Instruction::decode(add.encode()), Ok(add));
    assert_eq!(disassemble(add.encode()), "add r3, r1, #5");
    assert_eq!(
        disassemble(Instruction::binary_value(Opcode::FMul, 0, 1, 1.5_f32.to_bits()).encode()),
        "fmul r0, r1, #1.5f"
    );
    assert_eq!(Instruction::decode(0), Err(Reason::OPCODE), "zeroed memory is no instruction");
    assert_eq!(Instruction::decode(0xE8), Err(Reason::OPCODE), "an event has no immediate form");
    assert_eq!(Instruction::decode(0x01 | 32 << 8), Err(Reason::REGISTER));
    assert_eq!(Instruction::decode(0x01 | 1 << 40), Err(Reason::OPERAND), "an immediate beside register b");
    assert_eq!(Instruction::decode(0x50 | 32 << 32), Err(Reason::REGISTER), "register c of a select");
    assert!(disassemble(0).contains("opcode"));
}

#[test]
fn codes_are_distinct_and_each_domain_s_are_its_own() {
    let mut codes: Vec<&str> = Rule::all().map(Rule::code).collect();
    let count = codes.len();
    assert!(codes.is_sorted());
    codes.dedup();
    assert_eq!(codes.len(), count);
    for rule in Rule::all() {
        let hundred = if rule.domain() == komorebi_abi::engine::Domain::Graph { "KM01" } else { "KM02" };
        assert!(rule.code().starts_with(hundred), "{}", rule.code());
        assert!(!rule.title().is_empty() && rule.text().ends_with('.'), "{}", rule.code());
    }
}

/// Every constant of the three headers, as a C++ compiler sees it.
#[test]
fn a_compiler_reads_the_headers_as_we_do() {
    let Some(compiler) = super::alu::host_compiler() else {
        panic!(
            "no C++ compiler for this machine (g++ or clang++): install one, the headers are compared with what we read"
        );
    };
    let checks = [
        ("kUploadMagic", engine::UPLOAD_MAGIC),
        ("kUploadRecords", engine::UPLOAD_RECORDS),
        ("kRecordFlagsShift", engine::RECORD_FLAGS_SHIFT),
        ("kLinksResultShift", engine::LINKS_RESULT_SHIFT),
        ("kGraphNodesMax", graph::GRAPH_NODES_MAX),
        ("kStreamInstructionsMax", stream::STREAM_INSTRUCTIONS_MAX),
        ("kOpHalt", stream::OP_HALT),
        ("kFloatNan", stream::FLOAT_NAN),
    ];
    let mut source = String::from(
        "#include \"komorebi/graph.h\"\n#include \"komorebi/stream.h\"\n#include \"komorebi/engine_alu.h\"\n",
    );
    for (name, value) in checks {
        source += &format!("static_assert(km::{name} == {value}u, \"{name}\");\n");
    }
    for (number, name) in engine::STREAM_ERROR_NAMES {
        source +=
            &format!("static_assert(km::KM_STREAM_ERROR_{} == {number}, \"{name}\");\n", name.to_uppercase());
    }
    let path = std::env::temp_dir().join(format!("komorebi-engine-{}.cpp", std::process::id()));
    std::fs::write(&path, source).unwrap();
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../../firmware/include");
    let out = std::process::Command::new(compiler)
        .args(["-std=c++17", "-fsyntax-only", "-Wall", "-Werror", "-I", include])
        .arg(&path)
        .output()
        .unwrap();
    let _ = std::fs::remove_file(&path);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn the_keep_bit_of_a_header_can_be_set_and_cleared() {
    let encoded = super::support::seed_graph().encode(&super::support::facts()).unwrap();
    assert_eq!(Image::peek(&encoded.bytes), Some((Some(komorebi_abi::engine::UploadKind::Graph), 6)));
    let head = u64::from_le_bytes(*encoded.bytes.first_chunk().unwrap());
    let kept = |head: u64| {
        let bytes = [head.to_le_bytes().as_slice(), &encoded.bytes[8..]].concat();
        Image::check(&bytes, komorebi_abi::engine::UploadKind::Graph, 120, Some(&[0; 3])).unwrap().header.keep
    };
    assert!(kept(head) && kept(Header::with_keep(head, true)) && !kept(Header::with_keep(head, false)));
    assert_eq!(Header::with_keep(Header::with_keep(head, false), true), head);
}
