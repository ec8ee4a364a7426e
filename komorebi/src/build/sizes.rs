//! How much of the kernel buffer a program's threads take.

use std::fmt;

use komorebi_abi::constants::core;

/// The threads of a core by their numbers, `Thread` in `core.h`: the order of their images in the kernel buffer and of
/// their state blocks.
pub const THREADS: [&str; core::THREADS as usize] = {
    let mut names = [""; core::THREADS as usize];
    names[core::THREAD_READER as usize] = "reader";
    names[core::THREAD_WRITER as usize] = "writer";
    names[core::THREAD_UNPACK as usize] = "unpack";
    names[core::THREAD_MATH as usize] = "math";
    names[core::THREAD_PACK as usize] = "pack";
    names
};

/// Packed text (with constants and initial data) of each thread, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelSizes {
    /// Bytes of each thread, in the order of [`THREADS`].
    pub threads: [u32; 5],
    /// All five with the padding between them.
    pub total: u32,
    /// The kernel buffer.
    pub buffer: u32,
}

impl KernelSizes {
    /// The largest thread and its bytes.
    pub fn largest(&self) -> (&'static str, u32) {
        let pairs = THREADS.into_iter().zip(self.threads);
        pairs.fold(("", 0), |best, next| if next.1 > best.1 { next } else { best })
    }
}

impl fmt::Display for KernelSizes {
    /// `reader 2740, writer 4148, ...`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, bytes)) in THREADS.into_iter().zip(self.threads).enumerate() {
            write!(f, "{}{name} {bytes}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
