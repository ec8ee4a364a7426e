//! The control and debug registers of a Tensix tile: reset, reset pcs, wall clock (tensix.md §1, host.md §5.2).

use super::cores::Core;
use crate::fault::{Rule, Violation};
use crate::noc::latency::CYCLE;
use crate::time::{NEVER, Time};

/// The five cores in SOFT_RESET_0.
pub(crate) const ALL_CORES: u32 = 0x4_7800;
/// The offset of SOFT_RESET_0 in the page at 0xffb12000.
pub(crate) const SOFT_RESET_0: u64 = 0x1b0;
/// The offset of the wall clock's low word; reading it latches the high one.
pub(crate) const WALL_CLOCK: u64 = 0x1f0;

/// The registers at 0xffb12000.
#[derive(Clone)]
pub(crate) struct Debug {
    pub(crate) soft_reset: u32,
    disable_reset: u32,
    trisc_pc: [u32; 3],
    trisc_override: u32,
    nc_pc: u32,
    nc_override: u32,
    dest_cg: u32,
    /// Cycles the tile's wall clock is ahead of the card's.
    clock_offset: u64,
    /// Those who read it: the five cores, and the NoC.
    readers: [ClockReader; 6],
}

/// What somebody has read of the wall clock. The tile has one latch for all; each reader has its own here, so that a parked
/// core and a polling one leave the same behind, and whoever could see the difference is refused.
#[derive(Clone, Copy)]
pub(crate) struct ClockReader {
    /// The high word as this reader's last load of the low one has latched it.
    latch: u32,
    /// Its first load of the low word, since its reset if it is a core; [`NEVER`] before.
    first: Time,
    /// Its last one.
    last: Time,
}

impl ClockReader {
    const NEW: Self = Self { latch: 0, first: NEVER, last: 0 };
}

/// Who reads the latch of the wall clock over the NoC.
pub(crate) const NOC_READER: usize = 5;

impl Debug {
    pub(crate) fn new(clock_offset: u64) -> Self {
        Self {
            soft_reset: ALL_CORES,
            disable_reset: 0,
            trisc_pc: [0; 3],
            trisc_override: 0,
            nc_pc: 0,
            nc_override: 0,
            dest_cg: 0,
            clock_offset,
            readers: [ClockReader::NEW; 6],
        }
    }

    /// The wall clock at `at`.
    pub(crate) fn clock(&self, at: Time) -> u64 {
        at / CYCLE + self.clock_offset
    }

    /// The next moment, from `at` on, at which the low word shows `value`; `at` when it did so just before: a loop
    /// that reads the clock and then says how long it will wait may be overtaken in between.
    pub(crate) fn when(&self, at: Time, value: u32) -> Time {
        const JUST: u32 = 4096;
        if (self.clock(at) as u32).wrapping_sub(value) < JUST {
            return at;
        }
        let now = at.div_ceil(CYCLE) + self.clock_offset;
        let ahead = u64::from(value.wrapping_sub(now as u32));
        (now + ahead - self.clock_offset) * CYCLE
    }

    /// True when SOFT_RESET_0 holds `core` in reset.
    pub(crate) fn holds(&self, core: Core) -> bool {
        self.soft_reset >> core.reset_bit() & 1 == 1
    }

    /// Where `core` starts.
    pub(crate) fn reset_pc(&self, core: Core) -> u64 {
        let pc = match (core, core.thread()) {
            (Core::Nc, _) if self.nc_override & 1 == 1 => self.nc_pc,
            (_, Some(thread)) if self.trisc_override >> thread & 1 == 1 => self.trisc_pc[thread],
            _ => core.reset_pc(),
        };
        u64::from(pc)
    }

    /// True when a reset of `core` leaves its local RAM alone.
    pub(crate) fn keeps_local_ram(&self, core: Core) -> bool {
        let bit = match core {
            Core::T0 => 0,
            Core::T1 => 2,
            Core::T2 => 4,
            Core::B => 6,
            Core::Nc => 8,
        };
        self.disable_reset >> bit & 1 == 1
    }

    /// Loads the register at `offset` for `reader`: a core's index, or [`NOC_READER`].
    pub(crate) fn load(&mut self, at: Time, reader: usize, offset: u64) -> Result<u32, Violation> {
        Ok(match offset {
            SOFT_RESET_0 => self.soft_reset,
            WALL_CLOCK => {
                let clock = self.clock(at);
                let reader = &mut self.readers[reader];
                *reader = ClockReader { latch: (clock >> 32) as u32, first: reader.first.min(at), last: at };
                clock as u32
            }
            0x1f4 => (self.clock(at) >> 32) as u32,
            0x1f8 => {
                self.check_latch(at, reader)?;
                self.readers[reader].latch
            }
            0x224 => self.disable_reset,
            0x228 | 0x22c | 0x230 => self.trisc_pc[(offset as usize - 0x228) / 4],
            0x234 => self.trisc_override,
            0x238 => self.nc_pc,
            0x23c => self.nc_override,
            0x240 => self.dest_cg,
            _ => return Err(unknown("load", offset)),
        })
    }

    /// Refuses the latched word to `reader` where another one may have latched it, too: the NoC since the reader's last load of the
    /// low word, a core ever since it was started, for one that waits may read the clock at any moment.
    fn check_latch(&self, at: Time, reader: usize) -> Result<(), Violation> {
        let own = self.readers[reader].last;
        let latches = |(other, of): (usize, &ClockReader)| match other {
            _ if other == reader => false,
            NOC_READER => of.last > own,
            _ => of.first <= at,
        };
        let Some(other) = self.readers.iter().enumerate().position(latches) else { return Ok(()) };
        let name = Core::ALL.get(other).map_or("the NoC", |core| core.name());
        let detail = format!("load of debug register 0x1f8, while {name} reads the clock, too");
        Err(Violation::new(Rule::ClockLatch, detail))
    }

    /// What the core `reader` has read of its clock, where a load at `address` changes that.
    pub(crate) fn reader(&self, reader: usize, address: u64) -> Option<ClockReader> {
        (address & 0xfff == WALL_CLOCK).then_some(self.readers[reader])
    }

    /// Makes it again what it was.
    pub(crate) fn restore_reader(&mut self, reader: usize, before: ClockReader) {
        self.readers[reader] = before;
    }

    /// `core` is reset: it reads no clock.
    pub(crate) fn reset_reader(&mut self, core: Core) {
        self.readers[core.index()].first = NEVER;
    }

    /// Stores to the register at `offset`. SOFT_RESET_0 takes effect through the tile.
    pub(crate) fn store(&mut self, offset: u64, value: u32) -> Result<(), Violation> {
        match offset {
            SOFT_RESET_0 => {
                check_reset(value)?;
                self.soft_reset = value & !NO_EFFECT;
            }
            0x224 => self.disable_reset = value & 0x3ff,
            0x228 | 0x22c | 0x230 => self.trisc_pc[(offset as usize - 0x228) / 4] = value,
            0x234 => self.trisc_override = value & 7,
            0x238 => self.nc_pc = value,
            0x23c => self.nc_override = value & 1,
            0x240 => self.dest_cg = value,
            _ => return Err(unknown("store", offset)),
        }
        Ok(())
    }
}

fn unknown(what: &str, offset: u64) -> Violation {
    let name = match offset {
        0x54 => " (debug bus)",
        0x58 | 0x78 => " (configuration read-back)",
        0x60 | 0x64 | 0x6c => " (array read)",
        0x68 => " (feature disable)",
        0x70 | 0x74 | 0x7c | 0x244 => " (clock gating, the firmware's)",
        0x90 => " (PCBuf override)",
        0xa0 | 0xa4 | 0xa8 => " (instruction buffer)",
        0x1e0..=0x1ec => " (watchdog)",
        _ => "",
    };
    Violation::new(Rule::TileRegister, format!("{what} of debug register {offset:#x}{name}"))
}

/// Bits of SOFT_RESET_0 from here on have no effect (tensix.md §1, host.md §5.2).
const NO_EFFECT: u32 = !0 << 24;

/// Refuses to reset what is not modelled.
fn check_reset(value: u32) -> Result<(), Violation> {
    let others = value & !(ALL_CORES | NO_EFFECT);
    if others == 0 {
        return Ok(());
    }
    let unit = match others.trailing_zeros() {
        0 | 1 | 7 => "the unpackers",
        2..=5 => "a packer",
        6 => "the mover",
        8 => "TDMA-RISC",
        9 => "ThCon",
        10 => "FPU and SFPU",
        15 | 19..=22 => "SrcA",
        16 => "SrcB",
        17 => "the packers' Dst",
        _ => "automatic TTSync",
    };
    Err(Violation::new(Rule::SoftReset, format!("SOFT_RESET_0 {value:#x} resets {unit}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_low_word_latches_the_high_one() {
        let mut debug = Debug::new(0);
        let at = ((7 << 32) | 0xffff_ffff) * CYCLE;
        assert_eq!(debug.load(at, 0, WALL_CLOCK).unwrap(), 0xffff_ffff);
        assert_eq!(debug.load(at + CYCLE, 0, 0x1f8).unwrap(), 7);
        assert_eq!(debug.load(at + CYCLE, 0, 0x1f4).unwrap(), 8);
    }

    #[test]
    fn the_latched_word_is_for_one_reader_at_a_time() {
        let mut debug = Debug::new(0);
        let told = |done: Result<u32, Violation>| done.map_err(|violation| violation.detail);
        let refused =
            |name: &str| Err(format!("load of debug register 0x1f8, while {name} reads the clock, too"));
        // B, and NC that reads later.
        debug.load(10, 0, WALL_CLOCK).unwrap();
        debug.load(30, 1, WALL_CLOCK).unwrap();
        assert_eq!(told(debug.load(29, 0, 0x1f8)), Ok(0));
        assert_eq!(told(debug.load(30, 0, 0x1f8)), refused("NC"));
        assert_eq!(told(debug.load(40, NOC_READER, 0x1f8)), refused("B"));
        debug.reset_reader(Core::Nc);
        assert_eq!(told(debug.load(30, 0, 0x1f8)), Ok(0));
        // The NoC counts when it reads in between.
        debug.load(50, NOC_READER, WALL_CLOCK).unwrap();
        assert_eq!(told(debug.load(60, 0, 0x1f8)), refused("the NoC"));
        debug.load(70, 0, WALL_CLOCK).unwrap();
        assert_eq!(told(debug.load(80, 0, 0x1f8)), Ok(0));
        // What is taken back was never read.
        let before = debug.reader(1, 0xffb1_21f0).unwrap();
        debug.load(90, 1, WALL_CLOCK).unwrap();
        debug.restore_reader(1, before);
        assert_eq!(told(debug.load(95, 0, 0x1f8)), Ok(0));
    }

    #[test]
    fn the_wake_time_is_when_the_low_word_shows_the_value_next() {
        let debug = Debug::new(1000);
        assert_eq!(debug.when(CYCLE * 77 + 3, 1077), CYCLE * 77 + 3);
        assert_eq!(debug.when(CYCLE * 5000, 1000), ((1 << 32) * CYCLE));
        for at in [0, 1, CYCLE - 1, CYCLE, 77 * CYCLE + 3] {
            for value in [0u32, 999, 1000, 1001, 1077, 1078, 5000, u32::MAX] {
                let when = debug.when(at, value);
                assert!(when >= at && when - at <= (1 << 32) * CYCLE);
                assert!(when == at || debug.clock(when) as u32 == value);
            }
        }
    }
}
