//! Memory that takes room only where it was written, and whose copies share the pages that neither has written since.

use std::sync::Arc;

use crate::aligned::{get, set};
use crate::digest;

/// Byte-addressed memory in pages of `PAGE` bytes; a page that was never written reads as zero and takes no room.
///
/// Before a copy is made, [`share`](Self::share) puts the pages where the copy finds them too: then it costs one counted
/// reference, and the first write to a page copies that page.
pub(crate) struct Sparse<const PAGE: usize> {
    /// Pages that are this memory's alone; none before the first write.
    pages: Vec<Option<Box<[u8; PAGE]>>>,
    /// The numbers of those.
    own: Vec<u32>,
    /// What lies below them.
    shared: Arc<Shared<PAGE>>,
    bytes: u64,
}

/// Pages that several memories have, which nobody writes.
#[derive(Clone)]
struct Shared<const PAGE: usize> {
    /// For each page of the memory its place in `pages`, from 1 on; 0 for none. Empty while there are none at all.
    places: Vec<u32>,
    #[expect(clippy::redundant_allocation, reason = "a page in its box becomes a shared one without a copy")]
    pages: Vec<Arc<Box<[u8; PAGE]>>>,
}

impl<const PAGE: usize> Shared<PAGE> {
    fn page(&self, page: usize) -> Option<&[u8; PAGE]> {
        let place = self.places.get(page)?.checked_sub(1)?;
        Some(&self.pages[place as usize])
    }
}

impl<const PAGE: usize> Clone for Sparse<PAGE> {
    fn clone(&self) -> Self {
        let mut copy =
            Self { pages: Vec::new(), own: Vec::new(), shared: self.shared.clone(), bytes: self.bytes };
        for page in &self.own {
            if let Some(bytes) = &self.pages[*page as usize] {
                *copy.page_mut(*page as usize) = **bytes;
            }
        }
        copy
    }
}

impl<const PAGE: usize> Sparse<PAGE> {
    /// `bytes` of zeroes.
    pub(crate) fn new(bytes: u64) -> Self {
        let shared = Arc::new(Shared { places: Vec::new(), pages: Vec::new() });
        Self { pages: Vec::new(), own: Vec::new(), shared, bytes }
    }

    /// The number of pages.
    fn count(&self) -> usize {
        usize::try_from(self.bytes.div_ceil(PAGE as u64))
            .expect("a memory of the card fits the address space")
    }

    /// Makes every page one that copies share.
    pub(crate) fn share(&mut self) {
        if self.own.is_empty() {
            return;
        }
        let count = self.count();
        let shared = Arc::make_mut(&mut self.shared);
        shared.places.resize(count, 0);
        for page in self.own.drain(..) {
            let Some(bytes) = self.pages[page as usize].take() else { continue };
            let place = &mut shared.places[page as usize];
            match place.checked_sub(1) {
                Some(place) => shared.pages[place as usize] = Arc::new(bytes),
                None => {
                    shared.pages.push(Arc::new(bytes));
                    *place = shared.pages.len() as u32;
                }
            }
        }
    }

    /// True when `bytes` bytes from `address` on lie inside.
    pub(crate) fn holds(&self, address: u64, bytes: u64) -> bool {
        address.checked_add(bytes).is_some_and(|end| end <= self.bytes)
    }

    /// Copies out. The range must be [held](Self::holds).
    pub(crate) fn read(&self, address: u64, out: &mut [u8]) {
        let mut at = address as usize;
        let mut rest = out;
        while !rest.is_empty() {
            let (page, offset) = (at / PAGE, at % PAGE);
            let n = rest.len().min(PAGE - offset);
            let (part, tail) = rest.split_at_mut(n);
            match self.number(page) {
                Some(bytes) => part.copy_from_slice(&bytes[offset..offset + n]),
                None => part.fill(0),
            }
            (at, rest) = (at + n, tail);
        }
    }

    /// Copies in. The range must be [held](Self::holds).
    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) {
        let mut at = address as usize;
        let mut rest = bytes;
        while !rest.is_empty() {
            let (page, offset) = (at / PAGE, at % PAGE);
            let n = rest.len().min(PAGE - offset);
            let (part, tail) = rest.split_at(n);
            self.page_mut(page)[offset..offset + n].copy_from_slice(part);
            (at, rest) = (at + n, tail);
        }
    }

    /// The little-endian value of `width` (1, 2, 4 or 8) bytes at `address`, a multiple of `width`.
    #[inline]
    pub(crate) fn value(&self, address: u64, width: usize) -> u64 {
        match self.pages.get(address as usize / PAGE) {
            Some(Some(bytes)) => get(bytes, address, width),
            _ => self.value_below(address, width),
        }
    }

    #[cold]
    fn value_below(&self, address: u64, width: usize) -> u64 {
        self.shared.page(address as usize / PAGE).map_or(0, |bytes| get(bytes, address, width))
    }

    /// The number of the page of an address that is a multiple of `width`; of any other one a number that no page has.
    #[inline(always)]
    fn aligned_page(address: u64, width: usize) -> usize {
        let shift = width.trailing_zeros();
        (address.rotate_right(shift) >> (PAGE.trailing_zeros() - shift)) as usize
    }

    /// [`Sparse::value`] of any address, where it is a multiple of `width` and the page this memory's alone.
    #[inline(always)]
    pub(crate) fn quick_value(&self, address: u64, width: usize) -> Option<u64> {
        let page = self.pages.get(Self::aligned_page(address, width))?.as_ref()?;
        Some(get(page, address, width))
    }

    /// Stores the low `width` bytes of `value` at `address`, a multiple of `width`.
    #[inline]
    pub(crate) fn set_value(&mut self, address: u64, width: usize, value: u64) {
        if self.quick_set(address, width, value).is_none() {
            self.set_value_below(address, width, value);
        }
    }

    /// [`Sparse::set_value`] of any address, where it is a multiple of `width` and the page this memory's alone.
    #[inline(always)]
    pub(crate) fn quick_set(&mut self, address: u64, width: usize, value: u64) -> Option<()> {
        let page = self.pages.get_mut(Self::aligned_page(address, width))?.as_mut()?;
        set(page, address, width, value);
        Some(())
    }

    #[cold]
    fn set_value_below(&mut self, address: u64, width: usize, value: u64) {
        set(self.page_mut(address as usize / PAGE), address, width, value);
    }

    /// The page that holds `address`, when it was ever written.
    pub(crate) fn page(&self, address: u64) -> Option<&[u8; PAGE]> {
        self.number(address as usize / PAGE)
    }

    fn number(&self, page: usize) -> Option<&[u8; PAGE]> {
        match self.pages.get(page) {
            Some(Some(bytes)) => Some(bytes),
            _ => self.shared.page(page),
        }
    }

    /// A hash of what it holds, as memory number `memory` of its kind.
    pub(crate) fn digest(&self, memory: u64) -> u64 {
        let written = (0..self.count()).filter_map(|page| Some((page as u64, self.number(page)?)));
        let hashes = written.map(|(page, bytes)| digest::page(memory, page, bytes));
        hashes.fold(0, u64::wrapping_add)
    }

    fn page_mut(&mut self, page: usize) -> &mut [u8; PAGE] {
        if !matches!(self.pages.get(page), Some(Some(_))) {
            self.own_page(page);
        }
        self.pages[page].as_mut().expect("it is this memory's own")
    }

    /// Makes a page this memory's own: the first write to it since it was made or shared.
    #[cold]
    fn own_page(&mut self, page: usize) {
        let count = self.count();
        if self.pages.is_empty() {
            self.pages = vec![None; count];
        }
        let mut bytes: Box<[u8; PAGE]> =
            vec![0; PAGE].into_boxed_slice().try_into().expect("the slice has a page's length");
        if let Some(below) = self.shared.page(page) {
            *bytes = *below;
        }
        self.pages[page] = Some(bytes);
        self.own.push(page as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_never_written_reads_as_zero_and_takes_no_page() {
        let memory = Sparse::<4096>::new(1 << 32);
        let mut bytes = [7; 10];
        memory.read(4090, &mut bytes);
        assert_eq!(bytes, [0; 10]);
        assert!(memory.page(4090).is_none());
    }

    #[test]
    fn a_copy_of_shared_pages_and_the_original_do_not_see_each_others_writes() {
        let mut memory = Sparse::<4096>::new(1 << 20);
        memory.write(4096, &[1; 4096]);
        memory.write(8192, &[2; 4096]);
        let unshared = memory.clone();
        memory.share();
        let mut copy = memory.clone();
        assert!(copy.own.is_empty() && Arc::ptr_eq(&copy.shared, &memory.shared));
        memory.set_value(4096, 4, 7);
        copy.write(8190, &[9; 4]);
        copy.set_value(0x10_0000 - 4, 4, 5);
        let words = |memory: &Sparse<4096>| [4096, 8188, 8192, 0xf_fffc].map(|at| memory.value(at, 4));
        assert_eq!(words(&unshared), [0x0101_0101, 0x0101_0101, 0x0202_0202, 0]);
        assert_eq!(words(&memory), [7, 0x0101_0101, 0x0202_0202, 0]);
        assert_eq!(words(&copy), [0x0101_0101, 0x0909_0101, 0x0202_0909, 5]);
        memory.share();
        let again = memory.clone();
        memory.set_value(4096, 4, 8);
        assert_eq!((words(&again)[0], words(&memory)[0], words(&copy)[0]), (7, 8, 0x0101_0101));
    }

    #[test]
    fn a_digest_tells_bytes_and_places_apart_and_zeroes_from_nothing_not() {
        let of = |number, writes: &[(u64, &[u8])]| {
            let mut memory = Sparse::<4096>::new(1 << 20);
            writes.iter().for_each(|(at, bytes)| memory.write(*at, bytes));
            memory.digest(number)
        };
        assert_eq!(of(0, &[]), of(1, &[(5000, &[0, 0])]));
        assert_eq!(of(0, &[(5000, &[1]), (9000, &[2])]), of(0, &[(9000, &[2]), (5000, &[1])]));
        let digests = [
            of(0, &[(5000, &[1])]),
            of(0, &[(5001, &[1])]),
            of(0, &[(9096, &[1])]),
            of(0, &[(5000, &[2])]),
            of(1, &[(5000, &[1])]),
        ];
        assert!((1..digests.len()).all(|i| !digests[..i].contains(&digests[i])), "{digests:x?}");
    }

    #[test]
    fn bytes_written_across_a_page_come_back_in_every_width() {
        let mut memory = Sparse::<4096>::new(8192);
        memory.write(4092, &[1, 2, 3, 4, 5, 6, 7, 8]);
        let mut bytes = [0; 10];
        memory.read(4091, &mut bytes);
        assert_eq!(bytes, [0, 1, 2, 3, 4, 5, 6, 7, 8, 0]);
        assert_eq!(memory.value(4096, 4), 0x0807_0605);
        memory.set_value(4098, 2, 0xffff_abcd);
        assert_eq!(memory.value(4096, 8), 0xabcd_0605);
        assert!(memory.holds(8191, 1) && !memory.holds(8191, 2) && !memory.holds(u64::MAX, 2));
    }
}
