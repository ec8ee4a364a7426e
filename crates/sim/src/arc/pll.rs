//! PLL 4, the clock of the four X280 clusters (host.md §4.5).

use crate::fault::{Rule, Violation};
use crate::time::{Time, UNITS_PER_NANO};

/// Its registers.
#[derive(Clone, Debug)]
pub(crate) struct Pll {
    /// CNTL_0: 1 running, 4 not bypassed.
    control: u32,
    refdiv: u32,
    inner_postdiv: u32,
    fbdiv: u32,
    /// External dividers, one byte a cluster.
    postdiv: [u8; 4],
}

impl Pll {
    /// As the firmware sets it: 800 MHz.
    pub(crate) fn new() -> Self {
        Self { control: 0x12, refdiv: 2, inner_postdiv: 0, fbdiv: 64, postdiv: [1; 4] }
    }

    /// The reference over the clock of `cluster`: numerator and denominator. No clock at divider 0.
    fn ratio(&self, cluster: usize) -> Option<(u64, u64)> {
        let divider = match u64::from(self.postdiv[cluster]) {
            0 => return None,
            p @ 1..=16 => p + 1,
            p => 2 * (p + 1),
        };
        Some((u64::from(self.refdiv) * divider, u64::from(self.fbdiv)))
    }

    /// Units of time of one cycle of `cluster`, 0 when it has no clock.
    pub(crate) fn cycle(&self, cluster: usize) -> Time {
        self.ratio(cluster).map_or(0, |(n, d)| (20 * UNITS_PER_NANO * n + d / 2) / d)
    }

    /// The clock of `cluster` in MHz.
    pub(crate) fn mhz(&self, cluster: usize) -> f64 {
        self.ratio(cluster).map_or(0.0, |(n, d)| 50.0 * d as f64 / n as f64)
    }

    pub(crate) fn load(&self, offset: u64) -> Option<u32> {
        Some(match offset {
            0x00 => self.control,
            0x04 => self.refdiv | self.inner_postdiv << 8 | self.fbdiv << 16,
            0x14 => u32::from_le_bytes(self.postdiv),
            0x1c => 0xf,
            _ => return None,
        })
    }

    /// Stores to a register: one step at a time, as tt-bh-linux does (host.md §4.5).
    pub(crate) fn store(&mut self, offset: u64, value: u32) -> Result<(), Violation> {
        let refuse =
            |rule| Err(Violation::new(rule, format!("store of {value:#x} to PLL4 register {offset:#x}")));
        match offset {
            0x04 => {
                let fbdiv = value >> 16;
                if value & 0xffff != self.refdiv | self.inner_postdiv << 8 || fbdiv.abs_diff(self.fbdiv) > 1 {
                    return refuse(Rule::PllStep);
                }
                if !(1600..=5000).contains(&(50 * fbdiv / self.refdiv)) {
                    return refuse(Rule::PllRange);
                }
                self.fbdiv = fbdiv;
            }
            0x14 => {
                let postdiv = value.to_le_bytes();
                if postdiv.iter().zip(self.postdiv).any(|(new, old)| new.abs_diff(old) > 1) {
                    return refuse(Rule::PostdivStep);
                }
                self.postdiv = postdiv;
            }
            _ => return refuse(Rule::PllRegister),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::cycle;

    #[test]
    fn the_table_of_targets_gives_its_frequencies() {
        for (fbdiv, postdiv, mhz) in
            [(64, 1, 800), (128, 15, 200), (80, 1, 1000), (140, 1, 1750), (120, 99, 15)]
        {
            let pll = Pll { fbdiv, postdiv: [postdiv; 4], ..Pll::new() };
            assert_eq!(pll.cycle(0), cycle(mhz), "{mhz} MHz");
        }
    }

    #[test]
    fn a_jump_is_refused() {
        let mut pll = Pll::new();
        assert!(pll.store(0x04, 2 | 66 << 16).is_err());
        assert!(pll.store(0x14, 0x0303_0303).is_err());
        pll.store(0x14, 0x0202_0202).unwrap();
        assert!(pll.store(0x04, 2 | 63 << 16).is_err());
        pll.store(0x04, 2 | 65 << 16).unwrap();
    }
}
