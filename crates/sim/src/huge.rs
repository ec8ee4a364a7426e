//! Memory on the machine's large pages.
//!
//! A turn of a hart is short and the next one is elsewhere: with pages of 4 KiB the hundred-odd tiles of a card need more
//! translations than a core of the machine keeps, and every turn waits for them.

#![allow(unsafe_code, reason = "the one advice to the kernel has no safe form")]

use aligned_vec::{AVec, ConstAlign};

/// Bytes of a large page.
const PAGE: usize = 2 << 20;

/// Elements in one piece of memory that begins at a large page.
pub(crate) type Huge<T> = AVec<T, ConstAlign<PAGE>>;

/// An empty one with room for `capacity` elements, on large pages where the kernel has any.
pub(crate) fn with_capacity<T>(capacity: usize) -> Huge<T> {
    let mut memory = Huge::with_capacity(PAGE, capacity);
    advise(&mut memory);
    memory
}

#[cfg(target_os = "linux")]
fn advise<T>(memory: &mut Huge<T>) {
    use nix::sys::mman::{MmapAdvise, madvise};
    let bytes = (memory.capacity() * size_of::<T>()) / PAGE * PAGE;
    let Some(start) = std::ptr::NonNull::new(memory.as_mut_ptr().cast()) else { return };
    if bytes != 0 {
        // SAFETY: the range is inside of memory that `memory` owns, and this advice changes no byte of it.
        // A kernel without large pages refuses, and all works as before.
        let _ = unsafe { madvise(start, bytes, MmapAdvise::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise<T>(_memory: &mut Huge<T>) {}
