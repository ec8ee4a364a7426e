//! What instructions cost, in cycles of the hart's clock, apart from memory (the bus says that).

/// Cycles of the instructions that do not take one.
///
/// Branch prediction is static (backward taken, forward not), so that the time of a piece of code depends on nothing
/// but what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// A branch that is taken and was predicted so, and `jal`.
    pub taken: u32,
    /// A branch that was predicted wrong, and `jalr` (no return stack is documented).
    pub wrong: u32,
    /// From the issue of a multiplication until its result may be used; the next instruction issues after one.
    pub product: u32,
    /// A division by 0, by 1, or that overflows.
    pub quotient_special: u32,
    /// A division of the smallest dividend. Each bit of magnitude adds its share up to [`Costs::quotient_max`].
    pub quotient_min: u32,
    /// A division of the largest dividend.
    pub quotient_max: u32,
    /// Entering or leaving a trap handler.
    pub trap: u32,
    /// Floating point.
    pub float: FloatCosts,
}

/// Cycles from the issue of a floating-point instruction until its result may be used; the next instruction issues after
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatCosts {
    /// Sums, products and fused ones of half and single precision.
    pub single: u32,
    /// Those of double precision.
    pub double: u32,
    /// Conversions, comparisons, moves, and what only chooses or changes a sign.
    pub short: u32,
    /// Quotients and roots, of half, single and double precision. There is one unit for them: the next waits for it.
    pub quotient: [u32; 3],
}

impl FloatCosts {
    /// The baby cores (tensix.md §2): two stages for all; they have no quotients.
    pub const BABY: Self = Self { single: 2, double: 2, short: 2, quotient: [2; 3] };
    /// The X280 (costs.md): assumed, the latencies that LLVM schedules SiFive's 7 series with.
    pub const X280: Self = Self { single: 5, double: 7, short: 3, quotient: [14, 27, 56] };
}

impl Costs {
    /// The baby cores (tensix.md §2: mispredict = a bubble of 4 cycles).
    pub const BABY: Self = Self {
        taken: 1,
        wrong: 5,
        product: 2,
        quotient_special: 2,
        quotient_min: 6,
        quotient_max: 33,
        trap: 5,
        float: FloatCosts::BABY,
    };
    /// The X280 at the low setting of the cost table (costs.md). Its products and quotients are assumed: nothing is
    /// published.
    pub const X280_LOW: Self = Self { taken: 1, wrong: 3, product: 3, trap: 3, ..Self::X280_NOMINAL };
    /// The X280 at the nominal setting (costs.md).
    pub const X280_NOMINAL: Self = Self {
        taken: 1,
        wrong: 4,
        product: 3,
        quotient_special: 2,
        quotient_min: 6,
        quotient_max: 66,
        trap: 4,
        float: FloatCosts::X280,
    };
    /// The X280 at the high setting (costs.md).
    pub const X280_HIGH: Self = Self { taken: 2, wrong: 6, product: 4, trap: 6, ..Self::X280_NOMINAL };

    /// Cycles of a division whose dividend has `magnitude` significant bits of `bits`; none for a special one.
    #[inline]
    pub(super) fn quotient(&self, magnitude: Option<u32>, bits: u32) -> u32 {
        match magnitude {
            None => self.quotient_special,
            Some(significant) => {
                self.quotient_min + (self.quotient_max - self.quotient_min) * significant / bits
            }
        }
    }
}
