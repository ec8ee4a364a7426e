//! The few decoded pages that a hart is in.

use std::sync::Arc;

use super::code::CodePage;

/// A direct-mapped cache in front of `Bus::code`.
#[derive(Debug, Default)]
pub(super) struct Pages {
    slots: [Option<(u64, Arc<CodePage>)>; 8],
}

impl Pages {
    fn slot(number: u64) -> usize {
        (number & 7) as usize
    }

    /// The page around `pc`.
    #[inline]
    pub(super) fn get(&self, pc: u64) -> Option<Arc<CodePage>> {
        let number = pc / CodePage::BYTES as u64;
        match &self.slots[Self::slot(number)] {
            Some((held, page)) if *held == number => Some(Arc::clone(page)),
            _ => None,
        }
    }

    pub(super) fn put(&mut self, pc: u64, page: &Arc<CodePage>) {
        let number = pc / CodePage::BYTES as u64;
        self.slots[Self::slot(number)] = Some((number, Arc::clone(page)));
    }

    pub(super) fn clear(&mut self) {
        self.slots = Default::default();
    }
}
