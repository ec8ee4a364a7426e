//! Instructions of a baby core as words, so that a random program needs no compiler.

/// What computes with two registers: funct7 and funct3 of opcode 0x33 (tensix.md §2: RV32IM, Zba, Zbb).
const REGISTER: [(u32, u32); 28] = [
    (0x00, 0),
    (0x20, 0),
    (0x00, 1),
    (0x00, 2),
    (0x00, 3),
    (0x00, 4),
    (0x00, 5),
    (0x20, 5),
    (0x00, 6),
    (0x00, 7),
    (0x01, 0),
    (0x01, 1),
    (0x01, 2),
    (0x01, 3),
    (0x01, 4),
    (0x01, 5),
    (0x01, 6),
    (0x01, 7),
    (0x10, 2),
    (0x10, 4),
    (0x10, 6),
    (0x20, 4),
    (0x20, 6),
    (0x20, 7),
    (0x05, 4),
    (0x05, 7),
    (0x30, 1),
    (0x30, 5),
];

/// The funct7 of the atomics of a word, shifted as the instruction has it.
const ATOMIC: [u32; 9] = [0x00, 0x04, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70];

pub(crate) fn r(funct: (u32, u32), rd: u32, rs1: u32, rs2: u32) -> u32 {
    funct.0 << 25 | rs2 << 20 | rs1 << 15 | funct.1 << 12 | rd << 7 | 0x33
}

fn i(opcode: u32, funct3: u32, rd: u32, rs1: u32, imm: i32) -> u32 {
    (imm as u32 & 0xfff) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

pub(crate) fn any_register(choice: u64, rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(REGISTER[choice as usize % REGISTER.len()], rd, rs1, rs2)
}

pub(crate) fn any_atomic(choice: u64, rd: u32, address: u32, operand: u32) -> u32 {
    ATOMIC[choice as usize % ATOMIC.len()] << 25 | operand << 20 | address << 15 | 2 << 12 | rd << 7 | 0x2f
}

pub(crate) fn add(rd: u32, rs1: u32, rs2: u32) -> u32 {
    r((0, 0), rd, rs1, rs2)
}

pub(crate) fn addi(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(0x13, 0, rd, rs1, imm)
}

pub(crate) fn andi(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(0x13, 7, rd, rs1, imm)
}

/// addi, slti, sltiu, xori, ori, andi by funct3, or a shift.
pub(crate) fn any_immediate(choice: u64, rd: u32, rs1: u32, imm: i32) -> u32 {
    match choice % 9 {
        0 => i(0x13, 1, rd, rs1, imm & 31),
        1 => i(0x13, 5, rd, rs1, imm & 31),
        2 => i(0x13, 5, rd, rs1, imm & 31 | 0x400),
        3 => addi(rd, rs1, imm),
        4 => i(0x13, 2, rd, rs1, imm),
        5 => i(0x13, 3, rd, rs1, imm),
        6 => i(0x13, 4, rd, rs1, imm),
        7 => i(0x13, 6, rd, rs1, imm),
        _ => andi(rd, rs1, imm),
    }
}

/// lb, lh, lw, lbu, lhu by funct3.
pub(crate) fn load(funct3: u32, rd: u32, base: u32, offset: i32) -> u32 {
    i(0x03, funct3, rd, base, offset)
}

pub(crate) fn lw(rd: u32, base: u32, offset: i32) -> u32 {
    load(2, rd, base, offset)
}

/// sb, sh, sw by funct3.
pub(crate) fn store(funct3: u32, value: u32, base: u32, offset: i32) -> u32 {
    let imm = offset as u32 & 0xfff;
    imm >> 5 << 25 | value << 20 | base << 15 | funct3 << 12 | (imm & 31) << 7 | 0x23
}

pub(crate) fn sw(value: u32, base: u32, offset: i32) -> u32 {
    store(2, value, base, offset)
}

/// beq, bne, blt, bge, bltu, bgeu by funct3, by so many bytes.
pub(crate) fn branch(funct3: u32, rs1: u32, rs2: u32, by: i32) -> u32 {
    let imm = by as u32;
    (imm >> 12 & 1) << 31
        | (imm >> 5 & 0x3f) << 25
        | rs2 << 20
        | rs1 << 15
        | funct3 << 12
        | (imm >> 1 & 15) << 8
        | (imm >> 11 & 1) << 7
        | 0x63
}

pub(crate) fn jal(rd: u32, by: i32) -> u32 {
    let imm = by as u32;
    (imm >> 20 & 1) << 31
        | (imm >> 1 & 0x3ff) << 21
        | (imm >> 11 & 1) << 20
        | (imm >> 12 & 0xff) << 12
        | rd << 7
        | 0x6f
}

pub(crate) fn jalr(rd: u32, base: u32, offset: i32) -> u32 {
    i(0x67, 0, rd, base, offset)
}

/// lui and addi: any 32-bit value.
pub(crate) fn li(rd: u32, value: u32) -> [u32; 2] {
    let low = (value << 20) as i32 >> 20;
    [value.wrapping_sub(low as u32) & 0xffff_f000 | rd << 7 | 0x37, addi(rd, rd, low)]
}

/// csrrw, csrrs, csrrc by funct3, with 4 added of an immediate.
pub(crate) fn csr(funct3: u32, rd: u32, csr: u32, operand: u32) -> u32 {
    csr << 20 | operand << 15 | funct3 << 12 | rd << 7 | 0x73
}

pub(crate) fn fence() -> u32 {
    0x0ff0_000f
}

/// The wait HINT, with the register of its wake value: `add x0, sp, wake`.
pub(crate) fn waiting(wake: u32) -> u32 {
    add(0, 2, wake)
}
