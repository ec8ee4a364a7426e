//! The two-byte instructions of the X280: each stands for a four-byte one.
//!
//! All of RV64C with D.

/// The four-byte instruction that `half` stands for; none when it is reserved.
pub(super) fn expand(half: u16) -> Option<u32> {
    let c = u32::from(half);
    match (c & 3, c >> 13) {
        (0, 0) => {
            let imm = bits(c, 7, 4) << 6 | bits(c, 11, 2) << 4 | bits(c, 5, 1) << 3 | bits(c, 6, 1) << 2;
            (imm != 0).then(|| addi(short(c, 2), 2, imm))
        }
        (0, 1) => Some(i_type(0x3007, short(c, 2), short(c, 7), double_offset(c))),
        (0, 2) => Some(i_type(0x2003, short(c, 2), short(c, 7), word_offset(c))),
        (0, 3) => Some(i_type(0x3003, short(c, 2), short(c, 7), double_offset(c))),
        (0, 5) => Some(s_type(0x3027, short(c, 7), short(c, 2), double_offset(c))),
        (0, 6) => Some(s_type(0x2023, short(c, 7), short(c, 2), word_offset(c))),
        (0, 7) => Some(s_type(0x3023, short(c, 7), short(c, 2), double_offset(c))),
        (1, 0) => Some(addi(full(c), full(c), imm6(c))),
        (1, 1) => (full(c) != 0).then(|| i_type(0x1b, full(c), full(c), imm6(c))),
        (1, 2) => Some(addi(full(c), 0, imm6(c))),
        (1, 3) => expand_upper(c),
        (1, 4) => expand_arithmetic(c),
        (1, 5) => Some(jal(c)),
        (1, 6) => Some(branch(0x0063, c)),
        (1, 7) => Some(branch(0x1063, c)),
        (2, 0) => Some(i_type(0x1013, full(c), full(c), shamt(c))),
        (2, 1) => Some(i_type(0x3007, full(c), 2, double_stack_offset(c))),
        (2, 2) => {
            let imm = bits(c, 2, 2) << 6 | bits(c, 12, 1) << 5 | bits(c, 4, 3) << 2;
            (full(c) != 0).then(|| i_type(0x2003, full(c), 2, imm))
        }
        (2, 3) => (full(c) != 0).then(|| i_type(0x3003, full(c), 2, double_stack_offset(c))),
        (2, 4) => expand_register(c),
        (2, 5) => Some(s_type(0x3027, 2, second(c), bits(c, 7, 3) << 6 | bits(c, 10, 3) << 3)),
        (2, 6) => Some(s_type(0x2023, 2, second(c), bits(c, 7, 2) << 6 | bits(c, 9, 4) << 2)),
        (2, 7) => Some(s_type(0x3023, 2, second(c), bits(c, 7, 3) << 6 | bits(c, 10, 3) << 3)),
        _ => None,
    }
}

/// `c.addi16sp` and `c.lui`.
fn expand_upper(c: u32) -> Option<u32> {
    if full(c) == 2 {
        let imm = bits(c, 3, 2) << 7 | bits(c, 5, 1) << 6 | bits(c, 2, 1) << 5 | bits(c, 6, 1) << 4;
        let imm = imm | (bits(c, 12, 1) * 0x7) << 9;
        return (imm != 0).then(|| addi(2, 2, imm));
    }
    let imm = imm6(c);
    (imm != 0).then(|| imm << 12 | full(c) << 7 | 0x37)
}

/// The group of shifts, `c.andi` and the register operations on x8 to x15.
fn expand_arithmetic(c: u32) -> Option<u32> {
    let rd = short(c, 7);
    let rs2 = short(c, 2);
    Some(match (bits(c, 10, 2), bits(c, 12, 1), bits(c, 5, 2)) {
        (0, ..) => i_type(0x5013, rd, rd, shamt(c)),
        (1, ..) => i_type(0x5013, rd, rd, shamt(c) | 0x400),
        (2, ..) => i_type(0x7013, rd, rd, imm6(c)),
        (_, 0, 0) => r_type(0x4000_0033, rd, rd, rs2),
        (_, 0, 1) => r_type(0x0000_4033, rd, rd, rs2),
        (_, 0, 2) => r_type(0x0000_6033, rd, rd, rs2),
        (_, 0, _) => r_type(0x0000_7033, rd, rd, rs2),
        (_, _, 0) => r_type(0x4000_003b, rd, rd, rs2),
        (_, _, 1) => r_type(0x0000_003b, rd, rd, rs2),
        _ => return None,
    })
}

/// `c.jr`, `c.mv`, `c.ebreak`, `c.jalr` and `c.add`.
fn expand_register(c: u32) -> Option<u32> {
    match (bits(c, 12, 1), full(c), second(c)) {
        (0, 0, 0) => None,
        (0, rs1, 0) => Some(i_type(0x67, 0, rs1, 0)),
        (0, rd, rs2) => Some(r_type(0x33, rd, 0, rs2)),
        (_, 0, 0) => Some(0x0010_0073),
        (_, rs1, 0) => Some(i_type(0x67, 1, rs1, 0)),
        (_, 0, rs2) => Some(r_type(0x33, 0, 0, rs2)),
        (_, rd, rs2) => Some(r_type(0x33, rd, rd, rs2)),
    }
}

fn bits(c: u32, from: u32, count: u32) -> u32 {
    c >> from & ((1 << count) - 1)
}

/// A register of the three-bit fields: x8 to x15.
fn short(c: u32, from: u32) -> u32 {
    8 + bits(c, from, 3)
}

fn full(c: u32) -> u32 {
    bits(c, 7, 5)
}

fn second(c: u32) -> u32 {
    bits(c, 2, 5)
}

/// The signed six-bit immediate, as the low 20 bits of its sign extension.
fn imm6(c: u32) -> u32 {
    (shamt(c) | (bits(c, 12, 1) * 0xffff_ffc0)) & 0xf_ffff
}

fn shamt(c: u32) -> u32 {
    bits(c, 12, 1) << 5 | bits(c, 2, 5)
}

fn word_offset(c: u32) -> u32 {
    bits(c, 5, 1) << 6 | bits(c, 10, 3) << 3 | bits(c, 6, 1) << 2
}

fn double_offset(c: u32) -> u32 {
    bits(c, 5, 2) << 6 | bits(c, 10, 3) << 3
}

/// Of `c.ldsp` and `c.fldsp`.
fn double_stack_offset(c: u32) -> u32 {
    bits(c, 2, 3) << 6 | bits(c, 12, 1) << 5 | bits(c, 5, 2) << 3
}

fn addi(rd: u32, rs1: u32, imm: u32) -> u32 {
    i_type(0x13, rd, rs1, imm)
}

fn i_type(fixed: u32, rd: u32, rs1: u32, imm: u32) -> u32 {
    fixed | rd << 7 | rs1 << 15 | imm << 20
}

fn r_type(fixed: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    fixed | rd << 7 | rs1 << 15 | rs2 << 20
}

fn s_type(fixed: u32, rs1: u32, rs2: u32, imm: u32) -> u32 {
    fixed | rs1 << 15 | rs2 << 20 | (imm & 31) << 7 | (imm >> 5) << 25
}

/// `c.j`: a `jal` without a link.
fn jal(c: u32) -> u32 {
    let imm = bits(c, 8, 1) << 10
        | bits(c, 9, 2) << 8
        | bits(c, 6, 1) << 7
        | bits(c, 7, 1) << 6
        | bits(c, 2, 1) << 5
        | bits(c, 11, 1) << 4
        | bits(c, 3, 3) << 1;
    let sign = bits(c, 12, 1);
    // imm[11] is the sign and goes on through imm[20].
    0x6f | imm << 20 | sign << 20 | (sign * 0xff) << 12 | sign << 31
}

/// `c.beqz` and `c.bnez`.
fn branch(fixed: u32, c: u32) -> u32 {
    let sign = bits(c, 12, 1);
    let high = (sign * 0b111_1000) | (bits(c, 5, 2) << 1) | bits(c, 2, 1);
    let low = bits(c, 10, 2) << 3 | bits(c, 3, 2) << 1 | sign;
    fixed | short(c, 7) << 15 | low << 7 | high << 25
}
