//! The two kinds of cores and how code for them is compiled.

use komorebi_abi::FINGERPRINT;

/// A kind of core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Target {
    /// The five baby cores of a Tensix tile.
    Tensix,
    /// The harts of an X280 cluster.
    X280,
}

/// Every target: no hosted library, no unwinding, no reordering of `a * b + c`, sections that can be dropped, and
/// addresses as they are (no linker relaxation, which needs a gp).
const COMMON: [&str; 18] = [
    "-std=c++17",
    "-ffreestanding",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-fno-use-cxa-atexit",
    "-fno-asynchronous-unwind-tables",
    "-fno-ident",
    "-ffunction-sections",
    "-fdata-sections",
    "-ffp-contract=off",
    "-mno-relax",
    "-mstrict-align",
    "-g",
    "-Wall",
    "-Wextra",
    "-fmax-errors=5",
    "-fdiagnostics-color=never",
];

impl Target {
    /// As messages call it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Tensix => "the Tensix cores (rv32im)",
            Self::X280 => "the X280 (rv64imac)",
        }
    }

    /// Compiler flags. The baby cores have Zba and Zbb (tensix.md §2); the harts are left without.
    pub(super) fn compile(self) -> Vec<String> {
        let machine: &[&str] = match self {
            Self::Tensix => &["-march=rv32im_zicsr_zba_zbb", "-mabi=ilp32"],
            Self::X280 => &["-march=rv64imac_zicsr_zifencei", "-mabi=lp64", "-mcmodel=medany"],
        };
        let mut flags: Vec<String> = COMMON.iter().chain(machine).map(|flag| (*flag).to_owned()).collect();
        flags.push(format!("-DKM_ABI_FINGERPRINT={FINGERPRINT:#x}u"));
        flags
    }

    /// Linker flags: the plain instruction set, for which stock toolchains have libgcc.
    pub(super) fn link(self) -> Vec<String> {
        let machine: &[&str] = match self {
            Self::Tensix => &["-march=rv32im", "-mabi=ilp32"],
            Self::X280 => &["-march=rv64imac", "-mabi=lp64", "-mcmodel=medany"],
        };
        let common = [
            "-nostdlib",
            "-nostartfiles",
            "-static",
            "-mno-relax",
            "-Wl,--gc-sections",
            "-Wl,--build-id=none",
            "-Wl,-n",
        ];
        machine.iter().chain(&common).map(|flag| (*flag).to_owned()).collect()
    }
}
