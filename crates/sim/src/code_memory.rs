//! Memory that instructions are fetched from: L1, LIM.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use crate::hart::{CodePage, Isa};
use crate::sparse::Sparse;

/// Decoded pages by their bytes, so that a hundred tiles with the same kernel share one.
#[derive(Clone, Default)]
pub(crate) struct CodeCache {
    rv32: HashMap<Box<[u8; CodePage::BYTES]>, Weak<CodePage>>,
    rv64: HashMap<Box<[u8; CodePage::BYTES]>, Weak<CodePage>>,
    /// What a core sees that has fetched some lines of a page, by the page's address and the lines. An entry keeps the page,
    /// so that no other gets its address.
    parts: HashMap<(usize, u64), (Arc<CodePage>, Arc<CodePage>)>,
    /// What a core sees that has fetched none.
    empty: Option<Arc<CodePage>>,
}
/// Entries beyond which those of pages that nobody runs any more are dropped.
const CROWDED: usize = 4096;
/// Parts of pages beyond which all are dropped: whoever has one keeps it.
const CROWDED_PARTS: usize = 1024;

impl CodeCache {
    /// The lines in `mask` of a page, and no others: most cores that run it get the same one.
    pub(crate) fn part(&mut self, page: &Arc<CodePage>, mask: u64) -> Arc<CodePage> {
        if self.parts.len() > CROWDED_PARTS {
            self.parts.clear();
        }
        let make = || (Arc::clone(page), Arc::new(page.only(mask)));
        let (_, part) = self.parts.entry((Arc::as_ptr(page).addr(), mask)).or_insert_with(make);
        Arc::clone(part)
    }

    /// A page of which nothing was fetched.
    pub(crate) fn empty(&mut self) -> Arc<CodePage> {
        let make = || Arc::new(CodePage::decode(Isa::Rv32, &[0; CodePage::BYTES]).only(0));
        Arc::clone(self.empty.get_or_insert_with(make))
    }

    /// The decoded form of these bytes.
    pub(crate) fn page(&mut self, isa: Isa, bytes: &[u8; CodePage::BYTES]) -> Arc<CodePage> {
        let pages = match isa {
            Isa::Rv32 => &mut self.rv32,
            Isa::Rv64 => &mut self.rv64,
        };
        if let Some(page) = pages.get(bytes).and_then(Weak::upgrade) {
            return page;
        }
        if pages.len() > CROWDED {
            pages.retain(|_, page| page.strong_count() > 0);
        }
        let page = Arc::new(CodePage::decode(isa, bytes));
        pages.insert(Box::new(*bytes), Arc::downgrade(&page));
        page
    }
}

/// A memory with the decoded form of those of its pages that were executed.
#[derive(Clone)]
pub(crate) struct CodeMemory {
    bytes: Sparse<{ CodePage::BYTES }>,
    /// `None` where nobody fetched since the page was last written.
    decoded: Vec<Option<Arc<CodePage>>>,
    /// Where it is not, as bits: a store looks here only, in most cases.
    fetched: [u64; FETCHED],
    /// Where anybody ever fetched.
    ever: [bool; MOST_PAGES],
}

/// Pages of the largest memory.
const MOST_PAGES: usize = 1024;
/// Words of 64 bits for them.
const FETCHED: usize = MOST_PAGES / 64;

impl CodeMemory {
    pub(crate) fn new(bytes: u64) -> Self {
        let pages = bytes.div_ceil(CodePage::BYTES as u64) as usize;
        assert!(pages <= MOST_PAGES, "{pages} pages that may hold code");
        Self {
            bytes: Sparse::new(bytes),
            decoded: vec![None; pages],
            fetched: [0; FETCHED],
            ever: [false; MOST_PAGES],
        }
    }

    /// Makes every page one that copies share.
    pub(crate) fn share(&mut self) {
        self.bytes.share();
    }

    pub(crate) fn holds(&self, address: u64, bytes: u64) -> bool {
        self.bytes.holds(address, bytes)
    }

    pub(crate) fn read(&self, address: u64, out: &mut [u8]) {
        self.bytes.read(address, out);
    }

    /// A hash of what it holds, as memory number `memory` of its kind.
    pub(crate) fn digest(&self, memory: u64) -> u64 {
        self.bytes.digest(memory)
    }

    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let last = (address as usize + bytes.len() - 1) / CodePage::BYTES;
        for page in address as usize / CodePage::BYTES..=last {
            self.forget(page);
        }
        self.bytes.write(address, bytes);
    }

    #[inline]
    pub(crate) fn value(&self, address: u64, width: usize) -> u64 {
        self.bytes.value(address, width)
    }

    #[inline]
    pub(crate) fn set_value(&mut self, address: u64, width: usize, value: u64) {
        self.forget(address as usize / CodePage::BYTES);
        self.bytes.set_value(address, width, value);
    }

    /// True when anybody ever fetched from one of these pages.
    pub(crate) fn was_fetched(&self, address: u64, bytes: u64) -> bool {
        let mut pages =
            address as usize / CodePage::BYTES..=(address + bytes.max(1) - 1) as usize / CodePage::BYTES;
        pages.any(|page| self.ever[page])
    }

    /// [`CodeMemory::value`] of any address, where it is a multiple of `width`, inside, and was ever written.
    #[inline(always)]
    pub(crate) fn quick_value(&self, address: u64, width: usize) -> Option<u64> {
        self.bytes.quick_value(address, width)
    }

    /// [`CodeMemory::set_value`] of any address, where it is a multiple of `width`, inside, was ever written, and nobody ever
    /// fetched from.
    #[inline(always)]
    pub(crate) fn quick_set(&mut self, address: u64, width: usize, value: u64) -> Option<()> {
        if self.is_code(address) { None } else { self.bytes.quick_set(address, width, value) }
    }

    /// True when anybody ever fetched from the page of an address, of one inside.
    #[inline(always)]
    fn is_code(&self, address: u64) -> bool {
        self.ever[address as usize / CodePage::BYTES % MOST_PAGES]
    }

    /// The same, of a page that nobody ever fetched from.
    #[inline(always)]
    pub(crate) fn quick_set_data(&mut self, address: u64, width: usize, value: u64) -> Option<()> {
        self.bytes.quick_set(address, width, value)
    }

    /// The page is about to be written.
    #[inline]
    fn forget(&mut self, page: usize) {
        let (word, bit) = (page / 64, 1 << (page % 64));
        if self.fetched[word] & bit != 0 {
            self.fetched[word] &= !bit;
            self.decoded[page] = None;
        }
    }

    /// The decoded page that holds `address`, as memory is now.
    pub(crate) fn code(&mut self, isa: Isa, address: u64, cache: &mut CodeCache) -> Arc<CodePage> {
        let page = address as usize / CodePage::BYTES;
        self.fetched[page / 64] |= 1 << (page % 64);
        self.ever[page] = true;
        let decoded = &mut self.decoded[page];
        let page = decoded.get_or_insert_with(|| {
            cache.page(isa, self.bytes.page(address).unwrap_or(&[0; CodePage::BYTES]))
        });
        Arc::clone(page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_pages_are_decoded_once_and_a_write_makes_a_new_one() {
        let (mut a, mut b) = (CodeMemory::new(8192), CodeMemory::new(4096));
        let mut cache = CodeCache::default();
        a.write(4096, &[0x13, 0, 0, 0]);
        b.write(0, &[0x13, 0, 0, 0]);
        let page = a.code(Isa::Rv32, 4100, &mut cache);
        assert!(Arc::ptr_eq(&page, &b.code(Isa::Rv32, 0, &mut cache)));
        b.set_value(8, 4, 0x13);
        assert!(!Arc::ptr_eq(&page, &b.code(Isa::Rv32, 0, &mut cache)));
        a.write(4104, &[0x13, 0, 0, 0]);
        assert!(Arc::ptr_eq(&a.code(Isa::Rv32, 4096, &mut cache), &b.code(Isa::Rv32, 0, &mut cache)));
    }
}
