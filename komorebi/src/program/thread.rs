//! Threads of the X280, described at run time.

use std::path::PathBuf;
use std::time::Duration;

use komorebi_abi::program::{Prefetch, Region, Thread as ThreadModel};

/// A thread on a work cluster of the X280, for [`Program::thread`](crate::Program::thread): C++ that runs beside the
/// grid's kernels, with regions of DRAM that the host sees under the same names.
///
/// Threads are declared and checked; sessions do not run them yet.
///
/// ```no_run
/// # use komorebi as km;
/// # use std::time::Duration;
/// let scan = km::Thread::on(1).source("threads/scan.cpp").region("table", 65_536).words(8);
/// let program = km::Program::new("join").thread(scan.deadline(Duration::from_millis(50)));
/// ```
#[derive(Clone, Debug)]
pub struct Thread {
    model: ThreadModel,
    /// Other clusters that it is declared on.
    others: Vec<u32>,
    paths: Vec<PathBuf>,
}

impl Thread {
    /// A thread on `cluster`, 1 to 3; cluster 0 is the dispatcher's. A cluster runs one thread.
    #[must_use]
    pub const fn on(cluster: u32) -> Self {
        Self { model: ThreadModel::new(cluster), others: Vec::new(), paths: Vec::new() }
    }

    /// The same thread on another cluster too.
    #[must_use]
    pub fn and_on(mut self, cluster: u32) -> Self {
        self.others.push(cluster);
        self
    }

    /// A C++ file of it. The headers beside the file go with it.
    #[must_use]
    pub fn source(mut self, path: impl Into<PathBuf>) -> Self {
        self.paths.push(path.into());
        self
    }

    /// A region of its own of `bytes` bytes, a multiple of 64, in the DRAM bank of its cluster.
    #[must_use]
    pub fn region(mut self, name: impl Into<String>, bytes: u32) -> Self {
        self.model.regions.push(Region { name: name.into(), bytes });
        self
    }

    /// How many 32-bit argument words it takes, at most 16; none without this.
    #[must_use]
    pub const fn words(mut self, words: u32) -> Self {
        self.model.words = words;
        self
    }

    /// The time it may take, from a microsecond to 71 minutes; no limit without this.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        // More than a u64 holds is refused as more than 71 minutes.
        self.model.deadline_us = Some(u64::try_from(deadline.as_micros()).unwrap_or(u64::MAX));
        self
    }

    /// The settings of its cluster's hardware prefetcher.
    #[must_use]
    pub const fn prefetch(mut self, prefetch: Prefetch) -> Self {
        self.model.prefetch = prefetch;
        self
    }

    /// The thread, the other clusters that have it, and the paths of its sources.
    pub(super) fn into_parts(self) -> (ThreadModel, Vec<u32>, Vec<PathBuf>) {
        (self.model, self.others, self.paths)
    }
}
