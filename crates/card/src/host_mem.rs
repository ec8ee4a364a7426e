//! Host memory that the card writes at any time.

use std::ffi::CString;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use memmap2::MmapRaw;
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};

use crate::{CardError, NocXy};

/// Memory of the host that a card reads and writes on its own.
///
/// There is never a `&[u8]` of it, since the card writes it at any time: only atomic words and copies made of
/// them. Clones share the memory; it lives until the last clone is gone, so a card that may still post keeps one.
#[derive(Clone)]
pub struct HostMem {
    map: Arc<MmapRaw>,
    tile: NocXy,
    noc_address: u64,
}

impl HostMem {
    /// Maps `bytes` of zeroed memory, rounded up to whole pages, that the card reaches at `noc_address` of `tile`.
    ///
    /// # Errors
    /// [`CardError::HostMemory`] with the system's answer, or for a length that no address space has.
    pub fn anonymous(bytes: usize, tile: NocXy, noc_address: u64) -> Result<Self, CardError> {
        Ok(Self::shared(bytes, tile, noc_address)?.0)
    }

    /// The same, with the file that another process maps with [`of_file`](Self::of_file). Its length is sealed: nobody
    /// can take pages away from who maps it.
    ///
    /// # Errors
    /// As [`anonymous`](Self::anonymous).
    pub fn shared(bytes: usize, tile: NocXy, noc_address: u64) -> Result<(Self, OwnedFd), CardError> {
        let fail = |cause: String| CardError::HostMemory { bytes, cause };
        let length = bytes.max(1).checked_next_multiple_of(4096);
        let length = length.ok_or_else(|| fail("no address space is that large; ask for less".to_owned()))?;
        let name = CString::new("komorebi-host").map_err(|e| fail(e.to_string()))?;
        let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
        let file = File::from(memfd_create(name.as_c_str(), flags).map_err(|e| fail(e.to_string()))?);
        file.set_len(length as u64).map_err(|e| fail(e.to_string()))?;
        let seals = SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SEAL;
        fcntl(&file, FcntlArg::F_ADD_SEALS(seals)).map_err(|e| fail(e.to_string()))?;
        let map = MmapRaw::map_raw(&file).map_err(|e| fail(e.to_string()))?;
        Ok((Self { map: Arc::new(map), tile, noc_address }, file.into()))
    }

    /// Maps what another process shares, all of it.
    ///
    /// # Errors
    /// As [`anonymous`](Self::anonymous).
    pub fn of_file(file: OwnedFd, tile: NocXy, noc_address: u64) -> Result<Self, CardError> {
        let map = MmapRaw::map_raw(&File::from(file));
        let map = map.map_err(|e| CardError::HostMemory { bytes: 0, cause: e.to_string() })?;
        Ok(Self { map: Arc::new(map), tile, noc_address })
    }

    /// The tile the card sends to.
    pub fn tile(&self) -> NocXy {
        self.tile
    }

    /// The 64-bit address inside that tile at which this memory begins.
    pub fn noc_address(&self) -> u64 {
        self.noc_address
    }

    /// Bytes, a multiple of the page size.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Never true: there is at least one page.
    pub fn is_empty(&self) -> bool {
        self.map.len() == 0
    }

    /// Loads the 64-bit word at `offset` with acquire order.
    ///
    /// # Panics
    /// When `offset` is not a multiple of 8 inside the memory.
    #[inline]
    pub fn load_u64(&self, offset: usize) -> u64 {
        self.word64(offset).load(Ordering::Acquire)
    }

    /// Stores the 64-bit word at `offset` with release order.
    ///
    /// # Panics
    /// As [`load_u64`](Self::load_u64).
    #[inline]
    pub fn store_u64(&self, offset: usize, value: u64) {
        self.word64(offset).store(value, Ordering::Release);
    }

    /// Copies `bytes` in at `offset`, word by word where it can; as the card's posted writes do.
    ///
    /// # Panics
    /// When the range is not inside the memory or not a multiple of 4 at both ends.
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        let (mut at, mut rest) = (offset, bytes);
        while rest.len() >= 8 && at % 8 == 0 {
            let (word, tail) = rest.split_at(8);
            self.store_u64(at, u64::from_le_bytes(word.try_into().expect("eight bytes")));
            (at, rest) = (at + 8, tail);
        }
        let (words, tail) = rest.as_chunks::<4>();
        assert!(tail.is_empty(), "host memory is written in 4-byte words, not {} bytes", bytes.len());
        for word in words {
            self.word32(at).store(u32::from_le_bytes(*word), Ordering::Release);
            at += 4;
        }
    }

    /// Copies `bytes.len()` bytes out from `offset`, word by word.
    ///
    /// # Panics
    /// As [`write`](Self::write).
    pub fn read(&self, offset: usize, bytes: &mut [u8]) {
        let (words, tail) = bytes.as_chunks_mut::<4>();
        assert!(tail.is_empty(), "host memory is read in 4-byte words");
        for (i, word) in words.iter_mut().enumerate() {
            *word = self.word32(offset + 4 * i).load(Ordering::Acquire).to_le_bytes();
        }
    }

    fn word64(&self, offset: usize) -> &AtomicU64 {
        assert!(offset.is_multiple_of(8) && offset + 8 <= self.map.len(), "no 64-bit word at {offset:#x}");
        // SAFETY: the mapping is page aligned and at least offset + 8 bytes long (asserted), lives as long as
        // `self`, and is only ever accessed through atomics, in every process that maps it.
        unsafe { &*self.map.as_ptr().add(offset).cast::<AtomicU64>() }
    }

    fn word32(&self, offset: usize) -> &AtomicU32 {
        assert!(offset.is_multiple_of(4) && offset + 4 <= self.map.len(), "no 32-bit word at {offset:#x}");
        // SAFETY: as in `word64`, with a size of 4.
        unsafe { &*self.map.as_ptr().add(offset).cast::<AtomicU32>() }
    }
}

impl std::fmt::Debug for HostMem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HostMem({} bytes at {:#x} of {})", self.len(), self.noc_address, self.tile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_words_that_were_stored() {
        let memory = HostMem::anonymous(100, NocXy::new(19, 24), 0x1000).unwrap();
        assert_eq!(memory.len(), 4096);
        let other = memory.clone();
        memory.write(4, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        let mut back = [0; 12];
        other.read(4, &mut back);
        assert_eq!(back, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        assert_eq!(other.load_u64(8), u64::from_le_bytes([5, 6, 7, 8, 9, 10, 11, 12]));
    }

    #[test]
    fn a_second_mapping_of_the_file_is_the_same_memory_and_its_length_is_fixed() {
        let (memory, file) = HostMem::shared(4096, NocXy::new(19, 24), 0).unwrap();
        let again = File::from(file.try_clone().unwrap());
        assert!(again.set_len(0).is_err());
        let other = HostMem::of_file(file, NocXy::new(19, 24), 0).unwrap();
        memory.store_u64(8, 77);
        assert_eq!((other.load_u64(8), other.len()), (77, 4096));
    }

    #[test]
    fn a_length_no_address_space_has_is_refused() {
        for bytes in [usize::MAX, usize::MAX - 4095, isize::MAX as usize, 1 << 62] {
            let error = HostMem::anonymous(bytes, NocXy::new(19, 24), 0).unwrap_err();
            assert!(matches!(error, CardError::HostMemory { bytes: said, .. } if said == bytes), "{error}");
        }
    }

    #[test]
    #[should_panic(expected = "no 64-bit word")]
    fn a_word_past_the_end_is_never_touched() {
        HostMem::anonymous(8, NocXy::new(19, 24), 0).unwrap().load_u64(4096);
    }
}
