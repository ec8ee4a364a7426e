//! The few decoded pages that a hart is in.

use std::sync::Arc;

use super::code::CodePage;

/// A direct-mapped cache in front of `Bus::code`.
#[derive(Clone, Debug, Default)]
pub(super) struct Pages {
    slots: [Option<(u64, Arc<CodePage>)>; 8],
}

impl Pages {
    fn slot(number: u64) -> usize {
        (number & 7) as usize
    }

    /// Takes the page around `pc` out, for as long as the hart runs in it: counting references up and down for each
    /// turn of a hart would cost more than the turn.
    #[inline]
    pub(super) fn take(&mut self, pc: u64) -> Option<Arc<CodePage>> {
        let number = pc / CodePage::BYTES as u64;
        let slot = &mut self.slots[Self::slot(number)];
        match slot {
            Some((held, _)) if *held == number => slot.take().map(|(_, page)| page),
            _ => None,
        }
    }

    /// The page around `pc`, if it is here.
    pub(super) fn get(&self, pc: u64) -> Option<&CodePage> {
        let number = pc / CodePage::BYTES as u64;
        let (held, page) = self.slots[Self::slot(number)].as_ref()?;
        (*held == number).then_some(&**page)
    }

    /// Holds the page around `pc`.
    #[inline]
    pub(super) fn put(&mut self, pc: u64, page: Arc<CodePage>) {
        let number = pc / CodePage::BYTES as u64;
        self.slots[Self::slot(number)] = Some((number, page));
    }

    pub(super) fn clear(&mut self) {
        self.slots = Default::default();
    }
}
