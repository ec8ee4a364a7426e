//! A core's view of L1 as what it owns, and what others own: see `owners.rs`.

use super::bus::TensixBus;
use super::bus::cost;
use super::owners::Owner;
use super::shared::cycles;
use crate::hart::{CodePage, Loaded, Refusal, Width};
use crate::target::L1_BYTES;
use crate::time::Time;

impl TensixBus<'_> {
    /// Before an access to L1 in the core's turn.
    #[inline]
    pub(super) fn touch(&mut self, at: Time, address: u64) -> Result<(), Refusal> {
        let owner = self.shared.owners.of(address);
        if owner == Owner::ALL || owner == self.mine { Ok(()) } else { self.meet(at, address) }
    }

    /// The core touches what is nobody's, or another core's.
    #[cold]
    fn meet(&mut self, at: Time, address: u64) -> Result<(), Refusal> {
        match self.shared.owners.of(address).core() {
            None => {
                self.occupy(address);
                Ok(())
            }
            Some(core) => {
                self.overtake(at, 1 << core)?;
                *self.shared.owners.at(address) = Owner::ALL;
                Ok(())
            }
        }
    }

    /// Takes what is nobody's.
    fn occupy(&mut self, address: u64) {
        let alone = self.mine != Owner::NONE && !self.shared.l1.was_fetched(address, 1);
        *self.shared.owners.at(address) = if alone { self.mine } else { Owner::ALL };
    }

    /// Before something at `at` that concerns these cores, as bits, whatever they have done ahead of their turns: those that
    /// are ahead come to that moment first.
    pub(super) fn overtake(&mut self, at: Time, cores: u32) -> Result<(), Refusal> {
        let ahead = cores & self.shared.watchers.ahead() & !(1 << self.own.core.index());
        if ahead == 0 {
            return Ok(());
        }
        self.shared.watchers.take_back |= ahead;
        Err(Refusal::Retry(at))
    }

    /// Before the core fetches from a page: what holds code is everybody's.
    pub(super) fn share_page(&mut self, at: Time, pc: u64) -> Result<(), Refusal> {
        if self.shared.l1.was_fetched(pc, 1) {
            return Ok(());
        }
        let bytes = CodePage::BYTES as u64;
        let page = pc & !(bytes - 1);
        let ahead = self.shared.watchers.ahead();
        let owners = self.shared.owners.share(page, bytes, ahead);
        self.overtake(at, owners)?;
        self.shared.owners.open(page, bytes);
        Ok(())
    }

    /// [`Bus::owns`](crate::hart::Bus::owns)
    pub(super) fn owns_at(&mut self, address: u64) -> bool {
        if address >= L1_BYTES || self.net.limit == 0 {
            return false;
        }
        if self.shared.owners.of(address) == Owner::NOBODY {
            self.occupy(address);
        }
        self.shared.owners.of(address) == self.mine
    }

    /// [`Bus::begin_ahead`](crate::hart::Bus::begin_ahead)
    pub(super) fn begin(&mut self, at: Time, span: Time) -> Time {
        self.own.log.begin(self.own.stores.state());
        // What the host sees when the card stops is what had happened by then.
        self.reach = at.saturating_add(span).min(self.net.until).saturating_add(1);
        self.reach
    }

    /// A load of L1 ahead of the core's turn, noted by the hart; `None` where it has to wait for its turn.
    #[inline]
    pub(super) fn load_noted(&mut self, at: Time, address: u64, width: Width) -> Option<Loaded> {
        let owner = self.shared.owners.of(address);
        if owner != Owner::ALL && owner != self.mine && !self.may_note(address) {
            return None;
        }
        Some(self.loaded(at, address, width))
    }

    #[cold]
    fn may_note(&mut self, address: u64) -> bool {
        match self.shared.owners.of(address).core() {
            // It may have stored there later than this load.
            Some(core) if self.shared.watchers.ahead() >> core & 1 == 1 => return false,
            Some(_) => *self.shared.owners.at(address) = Owner::ALL,
            None => self.occupy(address),
        }
        true
    }

    /// What a load of L1 gives.
    #[inline]
    pub(super) fn loaded(&self, at: Time, address: u64, width: Width) -> Loaded {
        let value = self.shared.l1.value(address, width as usize);
        Loaded { value, ready: at + cycles(cost::L1) }
    }

    /// [`Bus::store_ahead`](crate::hart::Bus::store_ahead)
    #[inline(always)]
    pub(super) fn store_logged(
        &mut self,
        at: Time,
        address: u64,
        width: Width,
        value: u64,
    ) -> Option<(Time, bool)> {
        let word = address & !3;
        if self.own.ram.holds(address) {
            self.own.log.note(word, self.own.ram.load(word, 4))?;
            self.own.ram.store(address, width as usize, value);
            return Some((self.own.stores.other(at), false));
        }
        if self.shared.owners.of(address) != self.mine || at >= self.reach || address >= L1_BYTES {
            return None;
        }
        let before = match self.shared.l1.quick_value(word, 4) {
            Some(before) => before,
            None => self.first_store(word),
        };
        self.own.log.note(word, before)?;
        self.shared.l1.quick_set_data(address, width as usize, value)?;
        Some((self.own.stores.l1(at, address), true))
    }

    /// Before the first store to a page of L1 since it was made, or copied; gives the word at `address`.
    #[cold]
    fn first_store(&mut self, address: u64) -> u64 {
        let word = self.shared.l1.value(address, 4);
        self.shared.l1.set_value(address, 4, word);
        word
    }
}
