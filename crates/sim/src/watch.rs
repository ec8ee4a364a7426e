//! Which of a tile's words somebody waits for.
//!
//! Parked harts name the words their loop reads. A write to one of them is announced first
//! ([`Watchers::waiting`]), so that they can catch up to the moment of the write; a write nobody waits for costs one
//! test of a 64-bit mask. Harts that run may have loaded a word in a loop they are about to park in: they are told
//! after the write ([`Watchers::written`]).

use crate::hart::{AheadLoad, Watch};
use crate::slots::MOST;
use crate::time::Time;

/// Words of a slot that lie in place: more are rare.
const NEAR: usize = 6;
/// Loads ahead of a slot.
const LOADS: usize = AheadLoad::MOST;

/// Writes of one turn that running harts are told of one by one: a turn may be as long as a card runs.
const TOLD: usize = 64;

/// A parked hart's words.
#[derive(Clone)]
struct Parked {
    near: [Watch; NEAR],
    used: usize,
    far: Vec<Watch>,
}

impl Parked {
    fn set(&mut self, watches: &[Watch]) {
        let (near, far) = watches.split_at(watches.len().min(NEAR));
        self.near[..near.len()].copy_from_slice(near);
        self.used = near.len();
        self.far.clear();
        self.far.extend_from_slice(far);
    }

    fn meets(&self, address: u64, bytes: u64) -> bool {
        let mut words = self.near[..self.used].iter().chain(&self.far);
        words.any(|watch| watch.meets(address, bytes))
    }
}

/// What a hart has loaded ahead of its turn, and when.
#[derive(Clone, Copy)]
struct Ahead {
    /// A Bloom mask over the 8-byte granules of the loads.
    mask: u64,
    loads: [(Watch, Time); LOADS],
    used: usize,
}

/// The waiting harts of one tile.
#[derive(Clone)]
pub(crate) struct Watchers {
    /// Bloom masks over the watched 8-byte granules of each slot's hart; 0 where it is not parked.
    masks: [u64; MOST],
    /// All of them.
    all: u64,
    /// Behind the last byte that each slot's hart waits for; 0 where it is not parked.
    ends: [u64; MOST],
    /// The last of them: most wait for memory, which lies below all registers.
    end: u64,
    /// Slots whose harts have loaded ahead, as bits.
    slots_ahead: u32,
    /// Slots whose harts have done anything ahead, as bits.
    acted_ahead: u32,
    /// Parked harts that must catch up before the hart that ran may go on, as bits.
    pub(crate) rouse: u32,
    /// Harts to take back before the hart that ran may go on, as bits.
    pub(crate) take_back: u32,
    /// Bloom masks over the granules that each slot's hart has to hear of: it waits for them, has loaded them ahead, or runs
    /// in a loop that it may park in.
    interests: [u64; MOST],
    /// Those of all but who acts.
    others: u64,
    /// Writes that running harts have to hear of: address and bytes.
    pub(crate) written: Vec<(u64, u64)>,
    parked: [Parked; MOST],
    ahead: [Ahead; MOST],
}

impl Default for Watchers {
    fn default() -> Self {
        let none = Watch::default();
        let parked = Parked { near: [none; NEAR], used: 0, far: Vec::new() };
        Self {
            masks: [0; MOST],
            all: 0,
            ends: [0; MOST],
            end: 0,
            slots_ahead: 0,
            acted_ahead: 0,
            rouse: 0,
            take_back: 0,
            interests: [0; MOST],
            others: 0,
            written: Vec::new(),
            parked: std::array::from_fn(|_| parked.clone()),
            ahead: [Ahead { mask: 0, loads: [(none, 0); LOADS], used: 0 }; MOST],
        }
    }
}

/// The mask's bit for the granule that holds `address`.
#[inline(always)]
fn bit(address: u64) -> u64 {
    1 << ((address >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
}

/// Ranges beyond this size are searched for without a mask.
const LARGE: u64 = 256;

/// The bits of all granules of a range.
#[inline]
fn granules(address: u64, bytes: u64) -> u64 {
    let (first, last) = (address >> 3, (address + bytes.max(1) - 1) >> 3);
    match last - first {
        0 => bit(address),
        _ if bytes > LARGE => u64::MAX,
        _ => (first..=last).fold(0, |mask, granule| mask | bit(granule << 3)),
    }
}

impl Watchers {
    /// The hart in `slot` parks on these words.
    pub(crate) fn park(&mut self, slot: usize, watches: &[Watch]) {
        self.masks[slot] = watches.iter().fold(0, |mask, watch| mask | bit(watch.address()));
        self.ends[slot] = watches.iter().fold(0, |end, watch| end.max(watch.address() + watch.bytes()));
        self.join();
        self.parked[slot].set(watches);
    }

    /// The hart in `slot` goes on.
    #[inline]
    pub(crate) fn unpark(&mut self, slot: usize) {
        if self.masks[slot] != 0 {
            (self.masks[slot], self.ends[slot]) = (0, 0);
            self.join();
        }
    }

    fn join(&mut self) {
        self.all = self.masks.iter().fold(0, |all, mask| all | mask);
        self.end = self.ends.iter().fold(0, |last, end| last.max(*end));
    }

    /// The hart in `slot` is ahead of its turn.
    #[inline]
    pub(crate) fn is_ahead(&mut self, slot: usize) {
        self.acted_ahead |= 1 << slot;
    }

    /// The harts that are ahead of their turns, as bits.
    #[inline]
    pub(crate) fn ahead(&self) -> u32 {
        self.acted_ahead
    }

    /// The hart in `slot` has made these loads ahead of its turn.
    #[inline]
    pub(crate) fn went_ahead(&mut self, slot: usize, loads: &[AheadLoad]) {
        if loads.is_empty() {
            return;
        }
        self.slots_ahead |= 1 << slot;
        let ahead = &mut self.ahead[slot];
        ahead.mask = 0;
        for (entry, load) in ahead.loads.iter_mut().zip(loads) {
            *entry = (load.watch, load.at);
            ahead.mask |= bit(load.watch.address());
        }
        ahead.used = loads.len();
    }

    /// The hart in `slot` is not ahead any more.
    #[inline]
    pub(crate) fn not_ahead(&mut self, slot: usize) {
        self.slots_ahead &= !(1 << slot);
        self.acted_ahead &= !(1 << slot);
    }

    /// The harts, as bits, that have already loaded what `writer` writes at `at`. At one moment the lower number goes
    /// first.
    #[inline]
    pub(crate) fn loaded_ahead(&self, at: Time, writer: usize, address: u64, bytes: u64) -> u32 {
        let (mut slots, mut found) = (self.slots_ahead, 0);
        let granules = granules(address, bytes);
        while slots != 0 {
            let slot = slots.trailing_zeros() as usize;
            slots &= slots - 1;
            let ahead = &self.ahead[slot];
            if ahead.mask & granules == 0 {
                continue;
            }
            // The last load is the latest: of most harts that is enough.
            let late = |time: Time| time > at || time == at && slot > writer;
            let loads = &ahead.loads[..ahead.used];
            if loads.last().is_some_and(|(_, time)| late(*time))
                && loads.iter().any(|(watch, time)| late(*time) && watch.meets(address, bytes))
            {
                found |= 1 << slot;
            }
        }
        found
    }

    /// The parked harts, as bits, that wait for something in `bytes` bytes at `address`.
    #[inline]
    pub(crate) fn waiting(&self, address: u64, bytes: u64) -> u32 {
        if address >= self.end {
            return 0;
        }
        let granules = granules(address, bytes);
        if self.all & granules == 0 { 0 } else { self.search(granules, address, bytes) }
    }

    /// The hart in `slot` has stopped, or changed: besides what it waits for and has loaded ahead it has to hear of these.
    #[inline]
    pub(crate) fn listen(&mut self, slot: usize, watched: impl Iterator<Item = Watch>) {
        let ahead = if self.slots_ahead >> slot & 1 == 1 { self.ahead[slot].mask } else { 0 };
        self.interests[slot] =
            watched.fold(self.masks[slot] | ahead, |mask, watch| mask | bit(watch.address()));
    }

    /// The hart in `slot` acts next, or, for a number that no slot has, a message.
    #[inline]
    pub(crate) fn act(&mut self, slot: usize) {
        let others = self.interests.iter().enumerate();
        self.others = others.fold(0, |all, (i, mask)| if i == slot { all } else { all | mask });
    }

    /// True when a write to these bytes concerns no other hart.
    #[inline(always)]
    pub(crate) fn is_unheard(&self, address: u64, bytes: u64) -> bool {
        self.others == 0 || self.others & granules(address, bytes) == 0
    }

    /// The same of a write of one to eight bytes at a multiple of as many.
    #[inline(always)]
    pub(crate) fn is_word_unheard(&self, address: u64) -> bool {
        self.others & bit(address) == 0
    }

    /// True when no write concerns any other hart.
    #[inline(always)]
    pub(crate) fn is_alone(&self) -> bool {
        self.others == 0
    }

    fn search(&self, granules: u64, address: u64, bytes: u64) -> u32 {
        let meets = |slot: usize| self.masks[slot] & granules != 0 && self.parked[slot].meets(address, bytes);
        (0..MOST).filter(|slot| meets(*slot)).fold(0, |slots, slot| slots | 1 << slot)
    }

    /// The parked harts that wait for anything at all, as bits.
    pub(crate) fn parked(&self) -> u32 {
        (0..MOST).filter(|slot| self.masks[*slot] != 0).fold(0, |slots, slot| slots | 1 << slot)
    }

    /// Before something that concerns these harts, as bits, at `at`, whatever they have loaded: those that are parked or ahead
    /// of that moment come to it first, and `writer` tries again.
    pub(crate) fn announce_to(&mut self, harts: u32, at: Time, writer: usize) -> Result<(), ()> {
        let parked = self.parked();
        let ahead = self.loaded_ahead(at, writer, 0, u64::MAX) | self.acted_ahead;
        if harts & (parked | ahead) == 0 {
            return Ok(());
        }
        self.rouse |= harts & parked & !ahead;
        self.take_back |= harts & ahead;
        Err(())
    }

    /// Notes a write for the harts that run.
    #[inline]
    pub(crate) fn written(&mut self, address: u64, bytes: u64) {
        if self.is_unheard(address, bytes) {
            return;
        }
        if self.written.len() == TOLD {
            // More of them than are told one by one: to take a hart for touched that is not only keeps it from parking.
            self.written.clear();
            self.written.push((0, u64::MAX));
            return;
        }
        self.written.push((address, bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hart::Width;

    #[test]
    fn a_turn_of_any_length_takes_the_room_of_a_few_writes_and_every_one_is_heard() {
        let mut watchers = Watchers::default();
        watchers.park(0, &[Watch::new(0x1000, Width::Word)]);
        watchers.listen(0, std::iter::empty());
        watchers.act(1);
        for n in 0..10_000 {
            let address = 0x1000 + n % 8;
            watchers.written(address, 1);
            watchers.written(0x2000, 4); // concerns nobody
            assert!(watchers.written.len() <= TOLD);
            assert!(watchers.written.iter().any(|(at, bytes)| *at <= address && address - at < *bytes));
        }
        assert!(watchers.written.iter().all(|(at, _)| *at != 0x2000));
    }

    #[test]
    fn a_write_reaches_the_harts_parked_on_its_bytes_only() {
        let mut watchers = Watchers::default();
        let word = |address| Watch::new(address, Width::Word);
        watchers.park(0, &[word(0x1000), word(0x2004)]);
        watchers.park(3, &[word(0x2004)]);
        assert_eq!(watchers.waiting(0x1000, 4), 1);
        assert_eq!(watchers.waiting(0x1004, 4), 0);
        assert_eq!(watchers.waiting(0xff8, 16), 1);
        assert_eq!((watchers.waiting(0x2007, 1), watchers.waiting(0x2008, u64::MAX - 0x2008)), (9, 0));
        assert_eq!(watchers.waiting(0, 0x10000), 9);
        watchers.unpark(0);
        assert_eq!(watchers.waiting(0x1000, 4), 0);
        assert_eq!(watchers.waiting(0x2000, 8), 8);
        watchers.unpark(3);
        assert_eq!((watchers.masks, watchers.all, watchers.end), ([0; MOST], 0, 0));
    }
}
