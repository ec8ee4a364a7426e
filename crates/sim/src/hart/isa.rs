//! The two instruction sets, and what differs between their registers.
//!
//! Registers of both are kept as `u64`. Those of rv32 hold their 32 bits sign-extended ("canonical"), so that signed
//! and unsigned comparison, logic and addresses need no second version.

/// An instruction set of the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// Baby cores: RV32 I, M, Zicsr, Zaamo, Zba, Zbb, `pack` and `brev8`, F without quotients and roots on a datapath of its own
    /// (tensix.md §2; V and Zfh are not modelled).
    Rv32,
    /// X280: RV64 I, M, A, F, D, C, Zicsr, Zifencei, Zfh, Zba, Zbb, machine mode with resumable NMI (host.md §6; V is not
    /// modelled).
    Rv64,
}

/// A register width, as a type, so that the executor is compiled once for each.
pub trait Xlen: Copy + std::fmt::Debug + 'static {
    /// The instruction set.
    const ISA: Isa;
    /// Bits of a register.
    const BITS: u32;
    /// log2 of the distance in bytes between places where an instruction may start.
    const SLOT: u32;
    /// Loads of addresses that are the same above this bit take equally long.
    const REGION: u32;
    /// What a register is kept in.
    type Word: Copy + Default + PartialEq + std::fmt::Debug + Send + Sync;
    /// A register from its word.
    fn widen(word: Self::Word) -> u64;
    /// The word of a register in its [representation](Xlen::canonical).
    fn narrow(register: u64) -> Self::Word;
    /// The register representation of the low [`Xlen::BITS`] bits.
    fn canonical(bits: u64) -> u64;
    /// The bits of a register, zero-extended.
    fn unsigned(register: u64) -> u64;
}

/// The baby cores' registers.
#[derive(Clone, Copy, Debug)]
pub struct Rv32;

/// The X280's registers.
#[derive(Clone, Copy, Debug)]
pub struct Rv64;

impl Xlen for Rv32 {
    const ISA: Isa = Isa::Rv32;
    const BITS: u32 = 32;
    const SLOT: u32 = 2;
    /// L1 is one region, and so are the registers (tensix.md §2).
    const REGION: u32 = 21;
    type Word = u32;

    #[inline(always)]
    fn widen(word: u32) -> u64 {
        word as i32 as u64
    }

    #[inline(always)]
    fn narrow(register: u64) -> u32 {
        register as u32
    }

    #[inline(always)]
    fn canonical(bits: u64) -> u64 {
        bits as i32 as u64
    }

    #[inline(always)]
    fn unsigned(register: u64) -> u64 {
        u64::from(register as u32)
    }
}

impl Xlen for Rv64 {
    const ISA: Isa = Isa::Rv64;
    const BITS: u32 = 64;
    const SLOT: u32 = 1;
    const REGION: u32 = 0;
    type Word = u64;

    #[inline(always)]
    fn widen(word: u64) -> u64 {
        word
    }

    #[inline(always)]
    fn narrow(register: u64) -> u64 {
        register
    }

    #[inline(always)]
    fn canonical(bits: u64) -> u64 {
        bits
    }

    #[inline(always)]
    fn unsigned(register: u64) -> u64 {
        register
    }
}
