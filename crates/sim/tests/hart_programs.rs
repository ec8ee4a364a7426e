//! Compiled C++ gives what the same arithmetic gives in Rust, on both instruction sets.

mod hart_support;

use hart_support::{World, compile, hart, run_to_exit};
use komorebi_sim::hart::{Isa, Rv32, Rv64, Xlen};

struct Mix {
    state: u32,
    results: Vec<u32>,
}

impl Mix {
    fn next(&mut self) -> u32 {
        self.state = self.state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.state ^ (self.state >> 15)
    }

    fn pick(&mut self) -> u32 {
        const EDGES: [u32; 9] = [0, 1, 2, u32::MAX, 1 << 31, 0x7fff_ffff, 0xffff, 0x8000, 0xff00_ff00];
        match EDGES.get((self.next() % 16) as usize) {
            Some(edge) => *edge,
            // The compiler draws the shift last.
            None => {
                let value = self.next();
                value >> (self.next() & 31)
            }
        }
    }

    fn pick64(&mut self) -> u64 {
        let high = u64::from(self.pick());
        high << 32 | u64::from(self.pick())
    }
}

fn one(which: u32, a: u32, b: u32) -> u32 {
    let (sa, sb) = (a as i32, b as i32);
    let overflow = a == 1 << 31 && b == u32::MAX;
    match which {
        0 => a.wrapping_add(b),
        1 => a.wrapping_sub(b),
        2 => a.wrapping_mul(b),
        3 => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        4 => ((i64::from(sa) * i64::from(sb)) >> 32) as u32,
        5 => ((i64::from(sa) * i64::from(b)) >> 32) as u32,
        6 => a.checked_div(b).unwrap_or(7),
        7 => a.checked_rem(b).unwrap_or(8),
        8 if overflow => 9,
        8 => sa.checked_div(sb).unwrap_or(9) as u32,
        9 if overflow => 10,
        9 => sa.checked_rem(sb).unwrap_or(10) as u32,
        10 => a << (b & 31),
        11 => a >> (b & 31),
        12 => (sa >> (b & 31)) as u32,
        13 => a.rotate_left(b & 31),
        14 => a.leading_zeros(),
        15 => a.trailing_zeros(),
        16 => a.count_ones(),
        17 => sa.min(sb) as u32,
        18 => a.max(b),
        19 => a & !b,
        20 => a | !b,
        21 => !(a ^ b),
        22 => (i32::from(a as i8) as u32).wrapping_add(u32::from(b as u16)),
        23 => i32::from(a as i16) as u32 ^ u32::from(b as u8),
        24 => a.swap_bytes(),
        25 => a.wrapping_mul(2).wrapping_add(b),
        26 => a.wrapping_mul(4).wrapping_add(b),
        27 => a.wrapping_mul(8).wrapping_add(b),
        28 => u32::from(sa < sb) + 2 * u32::from(a < b) + 4 * u32::from(a == b) + 8 * u32::from(sa >= 0),
        _ => a.wrapping_mul(9).wrapping_add(b / 3),
    }
}

fn wide(which: u32, a: u64, b: u64) -> u64 {
    let (sa, sb) = (a as i64, b as i64);
    let by = (b & 63) as u32;
    match which {
        0 => a.wrapping_add(b),
        1 => a.wrapping_sub(b),
        2 => a.wrapping_mul(b),
        3 => a.checked_div(b).unwrap_or(3),
        4 => a.checked_rem(b).unwrap_or(4),
        5 => sa.checked_div(sb).map_or(5, |q| q as u64),
        6 => sa.checked_rem(sb).map_or(6, |r| r as u64),
        7 => a << by,
        8 => a >> by,
        9 => (sa >> by) as u64,
        10 => a.rotate_left(by),
        11 => u64::from(a.leading_zeros()),
        12 => u64::from(a.trailing_zeros()),
        13 => u64::from(a.count_ones()),
        14 => sa.min(sb) as u64,
        15 => a.swap_bytes(),
        16 => (a & 0xffff_ffff).wrapping_mul(8).wrapping_add(b),
        _ => (a ^ b).wrapping_add(a as i32 as u64),
    }
}

fn ackermann(m: u32, n: u32) -> u32 {
    match (m, n) {
        (0, n) => n + 1,
        (m, 0) => ackermann(m - 1, 1),
        (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
    }
}

fn expected() -> Vec<u32> {
    let mut mix = Mix { state: 12_345, results: Vec::new() };
    for _ in 0..100 {
        for which in 0..30 {
            let (a, b) = (mix.pick(), mix.pick());
            mix.results.push(one(which, a, b));
        }
    }
    for _ in 0..100 {
        for which in 0..18 {
            let (a, b) = (mix.pick64(), mix.pick64());
            let value = wide(which, a, b);
            mix.results.extend([value as u32, (value >> 32) as u32]);
        }
    }
    mix.results.push(ackermann(2, 5));
    let mut values: Vec<i16> = (0..64).map(|_| mix.next() as i16).collect();
    values.sort_unstable();
    mix.results.extend(values.into_iter().map(|value| i32::from(value) as u32));
    mix.results.push(mix.results.len() as u32);
    mix.results
}

fn check<X: Xlen>(optimise: &str) {
    let image = compile(X::ISA, "cpp", include_str!("hart_mix.cpp"), optimise);
    let mut world = World::new(X::ISA, &image);
    let mut hart = hart::<X>(true);
    run_to_exit(&mut hart, &mut world);
    for (index, expected) in expected().into_iter().enumerate() {
        let got = world.word(0x4_0000 + 4 * index as u64);
        assert_eq!(got, expected, "result {index} at {optimise}");
    }
}

#[test]
fn rv32_computes_what_rust_computes() {
    for optimise in ["-O2", "-Os", "-O0"] {
        check::<Rv32>(optimise);
    }
}

#[test]
fn rv64_computes_what_rust_computes() {
    for optimise in ["-O2", "-Os", "-O0"] {
        check::<Rv64>(optimise);
    }
}

#[test]
fn an_instruction_that_straddles_two_pages_works() {
    // A four-byte instruction at offset 4094 of a page, twice, so that the completed page is used again.
    let source = "
        .section .start,\"ax\"
        li a0, 0
        li a1, 2
        j 1f
        .org 4094
        1: addi a0, a0, 1000
        addi a1, a1, -1
        bnez a1, 1b
        li t0, 0x10000010
        sw zero, 0(t0)
    ";
    let image = compile(Isa::Rv64, "s", source, "-O0");
    let mut world = World::new(Isa::Rv64, &image);
    let mut hart = hart::<Rv64>(true);
    run_to_exit(&mut hart, &mut world);
    assert_eq!(hart.register(10), 2000);
}
