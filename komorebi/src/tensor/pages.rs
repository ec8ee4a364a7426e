//! Pages interleaved over the DRAM banks: page `p` is number `p / banks` of bank `p % banks`.

use komorebi_abi::constants::layout;
use komorebi_card::{Card, DramBank, Order};

use crate::Result;
use crate::error::TensorError;
use crate::session::Session;

/// Where a tensor's pages lie.
pub(crate) struct Pages {
    address: u32,
    count: usize,
    page_bytes: usize,
    aligned: usize,
    banks: usize,
}

impl Pages {
    /// Finds room for `count` pages; `None` when their size is beyond any memory.
    pub(crate) fn place(session: &Session, count: usize, page_bytes: usize) -> Option<Result<Self>> {
        let banks = session.banks().len();
        let aligned = page_bytes.checked_next_multiple_of(layout::DRAM_ALIGN as usize)?;
        let bank_bytes = u64::try_from(count.div_ceil(banks).checked_mul(aligned)?).ok()?;
        let mut memory = session.allocator();
        let address = memory.take(bank_bytes).and_then(|address| u32::try_from(address).ok());
        Some(match address {
            Some(address) => Ok(Self { address, count, page_bytes, aligned, banks }),
            None => Err(TensorError::Memory { bytes: bank_bytes, banks, free: memory.largest() }.into()),
        })
    }

    pub(crate) fn address(&self) -> u32 {
        self.address
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn page_bytes(&self) -> usize {
        self.page_bytes
    }

    pub(crate) fn aligned(&self) -> usize {
        self.aligned
    }

    /// Bytes of each bank.
    pub(crate) fn bank_bytes(&self) -> u64 {
        (self.count.div_ceil(self.banks) * self.aligned) as u64
    }

    /// Pages of `first..first + count` in `bank`: the first of them, and how many.
    fn share(&self, bank: usize, first: usize, count: usize) -> (usize, usize) {
        let start = first + (bank + self.banks - first % self.banks) % self.banks;
        let end = first + count;
        (start, if start < end { (end - start).div_ceil(self.banks) } else { 0 })
    }

    fn place_of(&self, page: usize) -> u64 {
        u64::from(self.address) + (page / self.banks * self.aligned) as u64
    }

    /// Writes all pages, one transfer a bank, and returns when they have landed.
    pub(crate) fn write(&self, session: &Session, bytes: &[u8]) -> Result<()> {
        let expected = self.count * self.page_bytes;
        if bytes.len() != expected {
            return Err(TensorError::Bytes { found: bytes.len(), expected }.into());
        }
        session.with_card(|card| self.write_banks(card, session.banks(), bytes))
    }

    fn write_banks(&self, card: &dyn Card, banks: &[DramBank], bytes: &[u8]) -> Result<()> {
        let mut gathered = Vec::new();
        for (b, bank) in banks.iter().enumerate() {
            let (start, share) = self.share(b, 0, self.count);
            if share == 0 {
                continue;
            }
            gathered.clear();
            gathered.resize(share * self.aligned, 0);
            for (i, place) in gathered.chunks_exact_mut(self.aligned).enumerate() {
                let page = (start + i * self.banks) * self.page_bytes;
                place[..self.page_bytes].copy_from_slice(&bytes[page..page + self.page_bytes]);
            }
            card.write(bank.noc0, self.place_of(start), &gathered, Order::Bulk)?;
        }
        for bank in banks {
            card.fence(bank.noc0)?;
        }
        Ok(())
    }

    /// Reads `count` pages from `first` on, one transfer a bank, without their padding.
    pub(crate) fn read(&self, session: &Session, first: usize, count: usize) -> Result<Vec<u8>> {
        if count > self.count || first > self.count - count {
            return Err(TensorError::Pages { first, count, pages: self.count }.into());
        }
        session.with_card(|card| self.read_banks(card, session.banks(), first, count))
    }

    fn read_banks(&self, card: &dyn Card, banks: &[DramBank], first: usize, count: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; count * self.page_bytes];
        let mut gathered = Vec::new();
        for (b, bank) in banks.iter().enumerate() {
            let (start, share) = self.share(b, first, count);
            if share == 0 {
                continue;
            }
            gathered.clear();
            gathered.resize(share * self.aligned, 0);
            card.read(bank.noc0, self.place_of(start), &mut gathered)?;
            for (i, place) in gathered.chunks_exact(self.aligned).enumerate() {
                let page = (start + i * self.banks - first) * self.page_bytes;
                bytes[page..page + self.page_bytes].copy_from_slice(&place[..self.page_bytes]);
            }
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_the_banks_are_each_page_of_the_range_once() {
        for banks in [1, 7, 8] {
            let pages = Pages { address: 64, count: 40, page_bytes: 64, aligned: 64, banks };
            for first in 0..40 {
                for count in 0..=40 - first {
                    let mut seen = Vec::new();
                    for bank in 0..banks {
                        let (start, share) = pages.share(bank, first, count);
                        for i in 0..share {
                            assert_eq!((start + i * banks) % banks, bank);
                            seen.push(start + i * banks);
                        }
                    }
                    seen.sort_unstable();
                    assert_eq!(seen, (first..first + count).collect::<Vec<_>>());
                }
            }
        }
    }
}
