//! What instructions compute: our Rust, a plain reference of wider arithmetic, and the device header's C++.

use std::fmt::Write as _;
use std::process::Command;

use komorebi_abi::constants::stream as c;
use komorebi_abi::engine::{Opcode, Shape, binary, unary};
use proptest::prelude::*;

/// Values at the edges of integers and floats.
const EDGES: [u32; 40] = [
    0,
    1,
    2,
    3,
    31,
    32,
    33,
    0x7F,
    0xFF,
    0xFFFF,
    0x7FFF_FFFF,
    0x8000_0000,
    0x8000_0001,
    0xFFFF_FFFF,
    0xFFFF_FFFE,
    0x0080_0000,
    0x007F_FFFF,
    0x0080_0001,
    0x8080_0000,
    0x807F_FFFF,
    0x3F80_0000,
    0xBF80_0000,
    0x3F80_0001,
    0x3F7F_FFFF,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x7F80_0000,
    0xFF80_0000,
    0x7F80_0001,
    0xFFC0_0000,
    0x7FC0_0001,
    0x4F00_0000,
    0x4EFF_FFFF,
    0xCF00_0000,
    0xCF00_0001,
    0x4F80_0000,
    0x4F7F_FFFF,
    0x0000_0003,
    0x4B80_0000,
    0x3400_0000,
];

fn arithmetic() -> impl Iterator<Item = Opcode> {
    Opcode::ALL.iter().copied().filter(|op| matches!(op.shape(), Shape::Binary | Shape::Unary))
}

fn ours(op: Opcode, a: u32, b: u32) -> u32 {
    binary(op, a, b).or_else(|| unary(op, b)).unwrap()
}

/// In 64-bit and double arithmetic, rounded once: exact sums and products of binary32 fit a double, so rounding that is right.
fn reference(op: Opcode, a: u32, b: u32) -> u32 {
    let (x, y) = (i64::from(a.cast_signed()), i64::from(b.cast_signed()));
    let (u, v) = (u64::from(a), u64::from(b));
    let (f, g) = (f64::from(f32::from_bits(a)), f64::from(f32::from_bits(b)));
    let truth = u32::from;
    let float = |value: f64| if value.is_nan() { c::FLOAT_NAN } else { (value as f32).to_bits() };
    match op {
        Opcode::Add => (u + v) as u32,
        Opcode::Sub => (u + (1 << 32) - v) as u32,
        Opcode::Mul => (u * v) as u32,
        Opcode::Min => {
            if x < y {
                a
            } else {
                b
            }
        }
        Opcode::Max => {
            if x < y {
                b
            } else {
                a
            }
        }
        Opcode::MinU => {
            if u < v {
                a
            } else {
                b
            }
        }
        Opcode::MaxU => {
            if u < v {
                b
            } else {
                a
            }
        }
        Opcode::And => !(!a | !b),
        Opcode::Or => !(!a & !b),
        Opcode::Xor => (a | b) & !(a & b),
        Opcode::Shl => (u << (v % 32)) as u32,
        Opcode::Shr => (u >> (v % 32)) as u32,
        Opcode::Sar => (x >> (v % 32)) as u32,
        Opcode::Eq => truth(u == v),
        Opcode::Ne => truth(u != v),
        Opcode::Lt => truth(x < y),
        Opcode::Le => truth(x <= y),
        Opcode::Gt => truth(x > y),
        Opcode::Ge => truth(x >= y),
        Opcode::LtU => truth(u < v),
        Opcode::LeU => truth(u <= v),
        Opcode::GtU => truth(u > v),
        Opcode::GeU => truth(u >= v),
        // A double holds a product exactly, and rounds a sum so that rounding it again is right (53 >= 2 * 24 + 2).
        Opcode::FAdd => float(f + g),
        Opcode::FSub => float(f - g),
        Opcode::FMul => float(f * g),
        Opcode::FEq => truth(f == g),
        Opcode::FNe => truth(f != g),
        Opcode::FLt => truth(f < g),
        Opcode::FLe => truth(f <= g),
        Opcode::FGt => truth(f > g),
        Opcode::FGe => truth(f >= g),
        Opcode::Move => b,
        Opcode::FFromI => (y as f64 as f32).to_bits(),
        Opcode::FFromU => (v as f64 as f32).to_bits(),
        Opcode::IFromF if g.is_nan() => 0,
        Opcode::IFromF => (g.trunc().clamp(f64::from(i32::MIN), f64::from(i32::MAX)) as i64) as u32,
        Opcode::UFromF if g.is_nan() => 0,
        Opcode::UFromF => g.trunc().clamp(0.0, f64::from(u32::MAX)) as u64 as u32,
        other => panic!("{other:?} is no arithmetic"),
    }
}

#[test]
fn every_operation_computes_what_wider_arithmetic_does_at_the_edges() {
    for op in arithmetic() {
        for a in EDGES {
            for b in EDGES {
                assert_eq!(ours(op, a, b), reference(op, a, b), "{} {a:#x}, {b:#x}", op.mnemonic());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]
    #[test]
    fn every_operation_computes_what_wider_arithmetic_does(a: u32, b: u32, near in 0_u32..4, op in 0..37_usize) {
        let op = arithmetic().nth(op).unwrap();
        // Neighbours as often as strangers: sums that cancel, equal numbers.
        let b = if near == 0 { a ^ (b & 0x8000_0007) } else { b };
        prop_assert_eq!(ours(op, a, b), reference(op, a, b), "{} {:#x}, {:#x}", op.mnemonic(), a, b);
    }
}

/// The header that the firmware compiles, compiled for this machine.
#[test]
fn the_device_header_computes_the_same_bits() {
    let dir = tempdir();
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../../firmware/include");
    let program = r#"
#include <cstdio>
#include "komorebi/engine_alu.h"
int main() {
    unsigned op, a, b;
    while (std::scanf("%u %u %u", &op, &a, &b) == 3) {
        const bool one = op >= km::kOpUnaryFirst && op <= km::kOpUnaryLast;
        std::printf("%u\n", one ? km::unary(op, b) : km::binary(op, a, b));
    }
}
"#;
    let source = dir.join("alu.cpp");
    std::fs::write(&source, program).unwrap();
    let binary_path = dir.join("alu");
    let Some(compiler) = host_compiler() else {
        panic!(
            "no C++ compiler for this machine (g++ or clang++): install one, the device's arithmetic is compared with ours"
        );
    };
    let out = Command::new(compiler)
        .args(["-std=c++17", "-O1", "-Wall", "-Werror", "-I", include, "-o"])
        .arg(&binary_path)
        .arg(&source)
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let mut cases = Vec::new();
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 16) as u32
    };
    for op in arithmetic() {
        cases.extend(EDGES.iter().flat_map(|a| EDGES.iter().map(move |b| (op, *a, *b))));
        for i in 0..2_000 {
            let (a, b) = (next(), next());
            // Exponents near each other, so that sums and products are not all lost.
            let b = if i % 2 == 0 {
                (b & 0x807F_FFFF) | (a.wrapping_add((b & 0x1F) << 23) & 0x7F80_0000)
            } else {
                b
            };
            cases.push((op, a, b));
        }
    }
    let input = cases.iter().fold(String::new(), |mut text, (op, a, b)| {
        let _ = writeln!(text, "{} {a} {b}", *op as u8);
        text
    });
    let input_path = dir.join("cases");
    std::fs::write(&input_path, input).unwrap();
    let out = Command::new(&binary_path).stdin(std::fs::File::open(&input_path).unwrap()).output().unwrap();
    let answers: Vec<u32> =
        String::from_utf8(out.stdout).unwrap().lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(answers.len(), cases.len());
    for ((op, a, b), answer) in cases.into_iter().zip(answers) {
        assert_eq!(answer, ours(op, a, b), "{} {a:#x}, {b:#x}: the header says {answer:#x}", op.mnemonic());
    }
    let _ = std::fs::remove_dir_all(dir);
}

pub(crate) fn host_compiler() -> Option<&'static str> {
    ["g++", "clang++"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|out| out.status.success()))
}

fn tempdir() -> std::path::PathBuf {
    let dir = std::env::temp_dir().join(format!("komorebi-alu-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    dir
}
