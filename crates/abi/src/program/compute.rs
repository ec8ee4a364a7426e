//! Options of the kernels: compute unit settings and optimisation levels.

/// `math_fidelity` of the compute kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the options'")]
pub enum MathFidelity {
    LoFi,
    HiFi2,
    HiFi3,
    #[default]
    HiFi4,
}

impl MathFidelity {
    /// Its name in declarations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LoFi => "LoFi",
            Self::HiFi2 => "HiFi2",
            Self::HiFi3 => "HiFi3",
            Self::HiFi4 => "HiFi4",
        }
    }

    /// The passes that a multiplication takes, each on other bits of its operands (compute.md §8).
    pub const fn phases(self) -> u32 {
        match self {
            Self::LoFi => 1,
            Self::HiFi2 => 2,
            Self::HiFi3 => 3,
            Self::HiFi4 => 4,
        }
    }

    /// The fidelity of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::LoFi, Self::HiFi2, Self::HiFi3, Self::HiFi4].into_iter().find(|value| value.name() == name)
    }
}

/// Where the unpacker of a circular buffer sends its data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnpackMode {
    /// `Default`: to the source registers.
    #[default]
    Default,
    /// `UnpackToDestFp32`: to the destination register, 32 bits wide.
    UnpackToDestFp32,
}

/// Compute kernel options: the fields of `compute` in the contract (host-api, "Program"). Compute kernels see them as constants
/// in `km::program::compute`; what they set up by them is their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compute {
    /// `math_fidelity`.
    pub math_fidelity: MathFidelity,
    /// `unpack_to_dest_mode` of each circular buffer that is not `Default`, by index.
    pub unpack_to_dest_mode: Vec<(u32, UnpackMode)>,
    /// `fp32_dest_acc_en`.
    pub fp32_dest_acc_en: bool,
    /// `math_approx_mode`.
    pub math_approx_mode: bool,
    /// `dst_full_sync_en`.
    pub dst_full_sync_en: bool,
    /// `bfp8_pack_precise`.
    pub bfp8_pack_precise: bool,
    /// `enable_trisc2_rvv`.
    pub enable_trisc2_rvv: bool,
}

impl Compute {
    /// The names of all fields, for messages.
    pub const FIELDS: [&'static str; 7] = [
        "math_fidelity",
        "unpack_to_dest_mode",
        "fp32_dest_acc_en",
        "math_approx_mode",
        "dst_full_sync_en",
        "bfp8_pack_precise",
        "enable_trisc2_rvv",
    ];
}

/// An optimisation level of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the compiler's")]
pub enum OptLevel {
    O0,
    O1,
    O2,
    O3,
    Os,
    Ofast,
    Oz,
}

impl OptLevel {
    /// All levels.
    pub const ALL: [Self; 7] = [Self::O0, Self::O1, Self::O2, Self::O3, Self::Os, Self::Ofast, Self::Oz];

    /// Its name in declarations and, behind a dash, on the compiler's command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::O0 => "O0",
            Self::O1 => "O1",
            Self::O2 => "O2",
            Self::O3 => "O3",
            Self::Os => "Os",
            Self::Ofast => "Ofast",
            Self::Oz => "Oz",
        }
    }

    /// The level of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}
