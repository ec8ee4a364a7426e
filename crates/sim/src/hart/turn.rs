//! A turn: from page to page until something ends it, and what is rare in between.

use std::sync::Arc;

use super::bus::{Bus, Refusal};
use super::code::CodePage;
use super::isa::Xlen;
use super::run::{Flow, LEASH};
use super::state::Hart;
use super::stop::Stop;
use crate::time::Time;

impl<X: Xlen> Hart<X> {
    /// Runs until a shared access would be later than `horizon`, or private work has passed it, or something else
    /// needs the tile.
    ///
    /// A parked hart stays parked, and a sleeping one asleep, until the tile has called what wakes it.
    pub fn run<B: Bus>(&mut self, bus: &mut B, horizon: Time) -> Stop {
        if let Some(park) = self.parked {
            return Stop::Park(park);
        }
        self.warm();
        if self.sleeping && !self.is_roused() {
            return Stop::Wfi;
        }
        self.take_interrupt();
        loop {
            if let Some(stop) = self.go_on::<B, false>(bus, horizon) {
                return stop;
            }
        }
    }

    /// Runs in the page around the pc, and does what is rare; `ONE` instruction only, or as many as go.
    #[inline(always)]
    pub(super) fn go_on<B: Bus, const ONE: bool>(&mut self, bus: &mut B, horizon: Time) -> Option<Stop> {
        if bus.is_interrupted() {
            return Some(Stop::Horizon);
        }
        // A trap handler may itself trap, for ever.
        let late = |hart: &Self| (hart.time > horizon).then_some(Stop::Horizon);
        let page = match self.page(bus) {
            Some(page) => page,
            // What a load ahead of its turn gave may be taken back: no page is fetched because of it.
            None if self.is_ahead => return Some(Stop::Horizon),
            None => match self.fetch(bus) {
                Ok(page) => page,
                Err(refusal) => return self.refused(refusal).or_else(|| late(self)),
            },
        };
        let from = self.pc;
        let flow = self.run_page::<B, ONE>(bus, &page, horizon);
        let rare = match flow {
            Flow::Slow => page.op(self.pc),
            _ => None,
        };
        self.pages.put(from, page);
        if rare.is_some() && self.is_ahead {
            return Some(Stop::Horizon);
        }
        let stop = match flow {
            Flow::Page => return None,
            Flow::Horizon => return Some(Stop::Horizon),
            Flow::Stop(stop) => return Some(stop),
            Flow::Slow => rare.and_then(|op| self.run_slow(bus, op, horizon)),
            Flow::Refused(refusal) => self.refused(refusal),
            Flow::Repeat => self.repeated(),
        };
        stop.or_else(|| late(self))
    }

    /// True of a hart that has gone as far as it goes alone when it may do nothing later than `horizon` that concerns others.
    pub fn is_far(&self, horizon: Time) -> bool {
        self.time > horizon.saturating_add(LEASH * self.steps.one)
    }

    /// Touches what the turn will use, all at once: a card's harts do not fit into a cache, and the misses overlap.
    #[inline]
    fn warm(&self) {
        use std::hint::black_box;
        black_box(self.regs[8]);
        black_box(self.regs[16]);
        black_box(self.regs[24]);
        black_box(self.ready[8]);
        black_box(self.ready[16]);
        black_box(self.wait.period);
        black_box(self.wait.watches().len());
        self.ahead.warm();
        black_box(self.known_waits[0].pc);
        black_box(self.known_waits[4].pc);
    }

    /// The page around the pc, when it is here and not old, to be put back into `pages`.
    #[inline]
    fn page<B: Bus>(&mut self, bus: &mut B) -> Option<Arc<CodePage>> {
        if bus.code_generation() == self.code_generation { self.pages.take(self.pc) } else { None }
    }

    #[cold]
    fn fetch<B: Bus>(&mut self, bus: &mut B) -> Result<Arc<CodePage>, Refusal> {
        let generation = bus.code_generation();
        if generation != self.code_generation {
            self.pages.clear();
            self.code_generation = generation;
        }
        let page = bus.code(self.time, self.pc)?;
        assert_eq!(page.isa(), X::ISA, "a page decoded for the other instruction set");
        Ok(page)
    }
}
