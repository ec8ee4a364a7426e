//! Memory on the machine's large pages.
//!
//! A turn of a hart is short and the next one is elsewhere: with pages of 4 KiB the hundred-odd tiles of a card need more
//! translations than a core of the machine keeps, and every turn waits for them.

#![allow(unsafe_code, reason = "the one advice to the kernel has no safe form")]

use std::ops::{Deref, DerefMut};

use aligned_vec::{AVec, ConstAlign};

/// Bytes of a large page.
const PAGE: usize = 2 << 20;

/// Elements in one piece of memory that begins at a large page.
pub(crate) struct Huge<T>(AVec<T, ConstAlign<PAGE>>);

impl<T> Huge<T> {
    /// An empty one with room for `capacity` elements, on large pages where the kernel has any.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        let mut memory = AVec::with_capacity(PAGE, capacity);
        advise(&mut memory);
        Self(memory)
    }

    pub(crate) fn push(&mut self, element: T) {
        self.0.push(element);
    }
}

impl<T> Deref for Huge<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for Huge<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Clone> Clone for Huge<T> {
    fn clone(&self) -> Self {
        let mut copy = Self::with_capacity(self.len());
        self.iter().for_each(|element| copy.push(element.clone()));
        copy
    }
}

#[cfg(target_os = "linux")]
fn advise<T>(memory: &mut AVec<T, ConstAlign<PAGE>>) {
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
fn advise<T>(_memory: &mut AVec<T, ConstAlign<PAGE>>) {}
