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
