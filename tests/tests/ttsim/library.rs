//! libttsim.so: its plain C functions, behind safe ones (ttsim.md §1).
//!
//! The library is one simulator a process, without a handle, that wants one call at a time and has nothing of its own
//! to a thread. So there is one [`Library`] a process, its calls take `&mut self`, and it is never unloaded. At a
//! violation it ends the process.

#![allow(unsafe_code, reason = "a C library: loading it, and calling it")]

use std::ffi::OsStr;
use std::sync::atomic::{AtomicBool, Ordering};

/// Device 0, as the library counts them.
const DEVICE: u32 = 0;

/// The library, initialised.
pub(crate) struct Library {
    config_rd32: unsafe extern "C" fn(u32, u32) -> u32,
    mem_rd_bytes: unsafe extern "C" fn(u64, *mut u8, u32),
    mem_wr_bytes: unsafe extern "C" fn(u64, *const u8, u32),
    clock: unsafe extern "C" fn(u32),
}

impl Library {
    /// Loads and initialises the library at `path`.
    ///
    /// # Panics
    /// When this process has one already, or the file is no libttsim.
    pub(crate) fn load(path: &OsStr) -> Self {
        static LOADED: AtomicBool = AtomicBool::new(false);
        assert!(!LOADED.swap(true, Ordering::SeqCst), "ttsim is one simulator a process");
        // SAFETY: whoever sets KM_TTSIM says that the file is a libttsim.so, whose only initialisers are C++'s own.
        let library = unsafe { libloading::Library::new(path) };
        let library = library.unwrap_or_else(|error| panic!("{} is not loaded: {error}", path.display()));
        // The functions' addresses are kept: the library stays for the life of the process.
        let library: &'static libloading::Library = Box::leak(Box::new(library));
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the types are those of ttsim's docs/libttsim_api.md; a missing symbol is an error, not a call.
                *unsafe { library.get($name) }.unwrap_or_else(|error| panic!("{error}"))
            };
        }
        let init: unsafe extern "C" fn() = function!("libttsim_init");
        let library = Self {
            config_rd32: function!("libttsim_pci_config_rd32"),
            mem_rd_bytes: function!("libttsim_pci_mem_rd_bytes"),
            mem_wr_bytes: function!("libttsim_pci_mem_wr_bytes"),
            clock: function!("libttsim_clock"),
        };
        // SAFETY: the library is loaded, and this is its first and only initialisation.
        unsafe { init() };
        library
    }

    /// The physical address that a 64-bit BAR has: its register and the one behind it.
    pub(crate) fn bar(&mut self, register: u32) -> u64 {
        // SAFETY: initialised, and the only call (`&mut self`, one a process); the registers are BARs' (ttsim.md §2).
        let word = |register| unsafe { (self.config_rd32)(DEVICE, register) };
        u64::from(word(register) & !0xf) | u64::from(word(register + 4)) << 32
    }

    /// Reads at a physical address inside a BAR.
    pub(crate) fn read(&mut self, address: u64, bytes: &mut [u8]) {
        // SAFETY: initialised, and the only call (`&mut self`, one a process); it writes `bytes.len()` bytes, all of them ours, before it returns.
        unsafe { (self.mem_rd_bytes)(address, bytes.as_mut_ptr(), bytes.len() as u32) }
    }

    /// Writes there.
    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) {
        // SAFETY: as for `read`; it only reads `bytes`, and keeps no pointer.
        unsafe { (self.mem_wr_bytes)(address, bytes.as_ptr(), bytes.len() as u32) }
    }

    /// Lets every core that is out of reset execute `clocks` instructions.
    pub(crate) fn clock(&mut self, clocks: u32) {
        // SAFETY: initialised, and the only call (`&mut self`, one a process); no callback into us is installed.
        unsafe { (self.clock)(clocks) }
    }
}
