//! How much of the kernel buffer a program's threads take.

use std::fmt;

/// The threads of a core in the order in which their images lie in the kernel buffer; as `Thread` in `core.h`.
pub const THREADS: [&str; 5] = ["reader", "writer", "unpack", "math", "pack"];

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
