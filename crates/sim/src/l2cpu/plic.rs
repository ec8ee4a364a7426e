//! The platform-level interrupt controller (host.md §6.3; the offsets are SiFive's usual ones, as of the CLINT).
//!
//! Sources are levels. One that is seen high becomes pending, and is not looked at again until a hart has claimed it and
//! said that it is complete.

use crate::fault::{Rule, Violation};

/// Sources, 0 being none: five of the hardware's own and the 128 software interrupt bits behind them.
const SOURCES: usize = 5 + 128;
/// Contexts: machine and supervisor mode of each hart.
const CONTEXTS: usize = 8;
/// Bits of a priority and of a threshold.
const PRIORITY: u32 = 7;
/// Words of a bit set of the sources.
const WORDS: usize = SOURCES.div_ceil(32);
/// The offset of the pending bits.
const PENDING: u64 = 0x1000;
/// The enable bits of the first context, and the distance to the next one's.
const ENABLE: (u64, u64) = (0x2000, 0x80);
/// The same for threshold and claim.
const CONTEXT: (u64, u64) = (0x20_0000, 0x1000);

/// A set of sources.
type Set = [u32; WORDS];

/// The controller.
#[derive(Clone)]
pub(crate) struct Plic {
    priorities: [u32; SOURCES],
    pending: Set,
    /// Claimed, and not complete.
    in_service: Set,
    enables: [Set; CONTEXTS],
    thresholds: [u32; CONTEXTS],
}

/// A register.
enum Place {
    Priority(usize),
    Pending(usize),
    Enable(usize, usize),
    Threshold(usize),
    Claim(usize),
}

fn place(offset: u64) -> Option<Place> {
    let slot = |(base, stride): (u64, u64)| {
        let at = offset.checked_sub(base)?;
        Some(((at / stride) as usize, at % stride)).filter(|(context, _)| *context < CONTEXTS)
    };
    if let Some((context, at)) = slot(CONTEXT) {
        return match at {
            0 => Some(Place::Threshold(context)),
            4 => Some(Place::Claim(context)),
            _ => None,
        };
    }
    if let Some((context, at)) = slot(ENABLE) {
        return Some(Place::Enable(context, at as usize / 4)).filter(|_| at < 4 * WORDS as u64);
    }
    match offset {
        PENDING.. => Some(Place::Pending((offset - PENDING) as usize / 4))
            .filter(|_| offset < PENDING + 4 * WORDS as u64),
        _ => Some(Place::Priority(offset as usize / 4)).filter(|_| offset < 4 * SOURCES as u64),
    }
}

impl Plic {
    /// The base address.
    pub(crate) const BASE: u64 = 0x0c00_0000;
    /// The end.
    pub(crate) const END: u64 = 0x1000_0000;

    pub(crate) fn new() -> Self {
        Self {
            priorities: [0; SOURCES],
            pending: [0; WORDS],
            in_service: [0; WORDS],
            enables: [[0; WORDS]; CONTEXTS],
            thresholds: [0; CONTEXTS],
        }
    }

    /// Looks at the sources.
    pub(crate) fn sample(&mut self, is_high: impl Fn(usize) -> bool) {
        for source in (1..SOURCES).filter(|source| is_high(*source)) {
            let (word, bit) = (source / 32, 1 << (source % 32));
            if self.in_service[word] & bit == 0 {
                self.pending[word] |= bit;
            }
        }
    }

    /// The harts, as bits, that any source is enabled for.
    pub(crate) fn harts(&self) -> u32 {
        let uses = |context: &usize| self.enables[*context] != [0; WORDS];
        (0..CONTEXTS).filter(uses).fold(0, |harts, context| harts | 1 << (context / 2))
    }

    /// The external interrupts pending at `hart`, as bits of mip: machine and supervisor mode.
    pub(crate) fn pending(&self, hart: usize) -> u64 {
        let high = |context: usize| {
            u64::from(
                self.first(context).is_some_and(|source| self.priorities[source] > self.thresholds[context]),
            )
        };
        high(2 * hart) << 11 | high(2 * hart + 1) << 9
    }

    /// The pending and enabled source of the highest priority, the least of equals.
    fn first(&self, context: usize) -> Option<usize> {
        let is_ready = |source: &usize| {
            let (word, bit) = (source / 32, 1 << (source % 32));
            self.pending[word] & self.enables[context][word] & bit != 0 && self.priorities[*source] > 0
        };
        (1..SOURCES).filter(is_ready).max_by_key(|source| (self.priorities[*source], SOURCES - source))
    }

    /// Loads a word; a claim takes the source.
    pub(crate) fn load(&mut self, offset: u64) -> Result<u32, Violation> {
        Ok(match place(offset).ok_or_else(|| unknown("load", offset))? {
            Place::Priority(source) => self.priorities[source],
            Place::Pending(word) => self.pending[word],
            Place::Enable(context, word) => self.enables[context][word],
            Place::Threshold(context) => self.thresholds[context],
            Place::Claim(context) => {
                let source = self.first(context).unwrap_or(0);
                if source != 0 {
                    self.pending[source / 32] &= !(1 << (source % 32));
                    self.in_service[source / 32] |= 1 << (source % 32);
                }
                source as u32
            }
        })
    }

    /// Stores a word. The sources are to be looked at after it.
    pub(crate) fn store(&mut self, offset: u64, value: u32) -> Result<(), Violation> {
        match place(offset).ok_or_else(|| unknown("store", offset))? {
            Place::Priority(0) => {}
            Place::Priority(source) => self.priorities[source] = value & PRIORITY,
            Place::Pending(_) => return Err(unknown("store", offset)),
            Place::Enable(context, word) => {
                let there = (0..32).filter(|bit| (1..SOURCES).contains(&(32 * word + bit)));
                self.enables[context][word] = value & there.fold(0, |bits, bit| bits | 1 << bit);
            }
            Place::Threshold(context) => self.thresholds[context] = value & PRIORITY,
            // The completion of what the context has not enabled is ignored.
            Place::Claim(context) => {
                let (word, bit) = (value as usize / 32, 1 << (value % 32));
                if word < WORDS && self.enables[context][word] & bit != 0 {
                    self.in_service[word] &= !bit;
                }
            }
        }
        Ok(())
    }
}

fn unknown(what: &str, offset: u64) -> Violation {
    Violation::new(Rule::Plic, format!("{what} at offset {offset:#x} of the PLIC"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAIM: u64 = CONTEXT.0 + 4;

    #[test]
    fn a_source_is_taken_by_a_claim_and_comes_again_only_after_its_completion() {
        let mut plic = Plic::new();
        plic.store(4 * 40, 3).unwrap();
        plic.store(4 * 6, 3).unwrap();
        plic.store(4 * 7, 9).unwrap(); // 1 of three bits
        plic.store(ENABLE.0, 1 << 6 | 1 << 7).unwrap();
        plic.store(ENABLE.0 + 4, 1 << 8).unwrap();
        let high = |source| [6, 7, 40].contains(&source);
        plic.sample(high);
        assert_eq!((plic.pending(0), plic.pending(1)), (1 << 11, 0));
        let claims: Vec<_> = (0..4).map(|_| plic.load(CLAIM).unwrap()).collect();
        assert_eq!(claims, [6, 40, 7, 0]);
        plic.sample(high);
        assert_eq!(plic.pending(0), 0);
        plic.store(CLAIM, 40).unwrap();
        plic.store(CLAIM, 41).unwrap();
        plic.sample(high);
        assert_eq!((plic.pending(0), plic.load(CLAIM).unwrap()), (1 << 11, 40));
    }

    #[test]
    fn a_threshold_hides_what_is_not_above_it_and_the_last_source_is_the_last_software_bit() {
        let mut plic = Plic::new();
        let context = 2 * 3 + 1;
        plic.store(4 * 132, 2).unwrap();
        plic.store(ENABLE.0 + ENABLE.1 * context + 16, u32::MAX).unwrap();
        assert_eq!(plic.load(ENABLE.0 + ENABLE.1 * context + 16).unwrap(), 0x1f);
        plic.sample(|source| source == 132);
        assert_eq!((plic.pending(3), plic.harts()), (1 << 9, 8));
        plic.store(CONTEXT.0 + CONTEXT.1 * context, 2).unwrap();
        assert_eq!(plic.pending(3), 0);
        assert!(plic.store(4 * 133, 1).is_err() && plic.store(PENDING, 1).is_err());
    }
}
