//! Memory that takes room only where it was written.

/// Byte-addressed memory in pages of `PAGE` bytes; a page that was never written reads as zero and takes no room.
pub(crate) struct Sparse<const PAGE: usize> {
    pages: Vec<Option<Box<[u8; PAGE]>>>,
    bytes: u64,
}

impl<const PAGE: usize> Sparse<PAGE> {
    /// `bytes` of zeroes.
    pub(crate) fn new(bytes: u64) -> Self {
        let pages = usize::try_from(bytes.div_ceil(PAGE as u64))
            .expect("a memory of the card fits the address space");
        Self { pages: vec![None; pages], bytes }
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
            match &self.pages[page] {
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

    /// The little-endian value of `width` (1, 2, 4 or 8) bytes at `address`, which does not straddle a page.
    #[inline]
    pub(crate) fn value(&self, address: u64, width: usize) -> u64 {
        let (page, offset) = (address as usize / PAGE, address as usize % PAGE);
        let Some(bytes) = &self.pages[page] else { return 0 };
        match width {
            1 => u64::from(bytes[offset]),
            2 => u64::from(u16::from_le_bytes(array(&bytes[offset..offset + 2]))),
            4 => u64::from(u32::from_le_bytes(array(&bytes[offset..offset + 4]))),
            _ => u64::from_le_bytes(array(&bytes[offset..offset + 8])),
        }
    }

    /// Stores the low `width` bytes of `value` at `address`, which does not straddle a page.
    #[inline]
    pub(crate) fn set_value(&mut self, address: u64, width: usize, value: u64) {
        let (page, offset) = (address as usize / PAGE, address as usize % PAGE);
        self.page_mut(page)[offset..offset + width].copy_from_slice(&value.to_le_bytes()[..width]);
    }

    /// The page that holds `address`, when it was ever written.
    pub(crate) fn page(&self, address: u64) -> Option<&[u8; PAGE]> {
        self.pages[address as usize / PAGE].as_deref()
    }

    #[inline]
    fn page_mut(&mut self, page: usize) -> &mut [u8; PAGE] {
        self.pages[page].get_or_insert_with(|| {
            let zeroes = vec![0; PAGE].into_boxed_slice();
            zeroes.try_into().expect("the slice has a page's length")
        })
    }
}

#[inline]
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("a slice of N bytes")
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
