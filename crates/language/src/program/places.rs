//! Where the parts of a program's model stand in the source.

use komorebi_abi::program::Place;
use komorebi_headers::Location;

use crate::anchor::Anchor;

/// The anchors of a program, in the order of its model.
#[derive(Debug)]
pub(crate) struct Places {
    /// The trait's name.
    pub(crate) program: Anchor,
    pub(crate) grid: Option<Anchor>,
    pub(crate) depth: Option<Anchor>,
    pub(crate) kernel_bytes: Option<Anchor>,
    /// All buffers together.
    pub(crate) all_buffers: Option<Anchor>,
    pub(crate) buffers: Vec<BufferPlaces>,
    pub(crate) handlers: Vec<HandlerPlaces>,
    pub(crate) defines: Vec<Anchor>,
    pub(crate) threads: Vec<ThreadPlaces>,
    /// The regions that threads share.
    pub(crate) regions: Vec<RegionPlaces>,
    /// The constants of the header that give numbers, each with where its number is used.
    pub(crate) constants: Vec<(Place, Named)>,
}

/// A constant of the header: its name and place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) location: Location,
}

/// The anchors of a buffer.
#[derive(Debug)]
pub(crate) struct BufferPlaces {
    pub(crate) name: String,
    pub(crate) index: Anchor,
    pub(crate) page_bytes: Anchor,
    pub(crate) pages: Anchor,
    /// Why its index is not known, if it is not.
    pub(crate) no_index: Option<NoIndex>,
}

/// Why the index of a buffer is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoIndex {
    /// What was written for it is refused, or stands in a header that is unknown.
    Refused,
    /// Nothing was written for it.
    Unwritten,
    /// Nothing was written for the buffer at all.
    NoParts,
}

/// The anchors of a handler.
#[derive(Debug)]
pub(crate) struct HandlerPlaces {
    pub(crate) name: Anchor,
    /// Where its number is written in Rust, if it is.
    pub(crate) number: Option<Anchor>,
    pub(crate) args: Vec<Anchor>,
}

/// The anchors of a region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegionPlaces {
    pub(crate) name: Anchor,
    pub(crate) bytes: Anchor,
}

/// The anchors of a thread.
#[derive(Clone, Debug)]
pub(crate) struct ThreadPlaces {
    pub(crate) cluster: Anchor,
    /// All its sources together.
    pub(crate) all_sources: Anchor,
    pub(crate) sources: Vec<Anchor>,
    pub(crate) words: Anchor,
    pub(crate) deadline: Anchor,
    pub(crate) regions: Vec<RegionPlaces>,
}

impl Places {
    pub(crate) fn new(program: Anchor) -> Self {
        Self {
            program,
            grid: None,
            depth: None,
            kernel_bytes: None,
            all_buffers: None,
            buffers: Vec::new(),
            handlers: Vec::new(),
            defines: Vec::new(),
            threads: Vec::new(),
            regions: Vec::new(),
            constants: Vec::new(),
        }
    }

    /// The anchor of a place; the program's name for what has none.
    pub(crate) fn anchor(&self, place: Place) -> Anchor {
        let found = match place {
            Place::Grid => self.grid,
            Place::Depth => self.depth,
            Place::KernelBytes => self.kernel_bytes,
            Place::Buffers => self.all_buffers,
            Place::BufferIndex(i) => self.buffers.get(i).map(|buffer| buffer.index),
            Place::BufferPageBytes(i) => self.buffers.get(i).map(|buffer| buffer.page_bytes),
            Place::BufferPages(i) => self.buffers.get(i).map(|buffer| buffer.pages),
            Place::HandlerName(i) => self.handlers.get(i).map(|handler| handler.name),
            Place::HandlerNumber(i) => {
                self.handlers.get(i).map(|handler| handler.number.unwrap_or(handler.name))
            }
            Place::HandlerArg(i, j) => self.handlers.get(i).and_then(|handler| handler.args.get(j).copied()),
            Place::Define(i) => self.defines.get(i).copied(),
            Place::ThreadCluster(i) => self.threads.get(i).map(|thread| thread.cluster),
            Place::ThreadSources(i) => self.threads.get(i).map(|thread| thread.all_sources),
            Place::ThreadSource(i, j) => {
                self.threads.get(i).and_then(|thread| thread.sources.get(j).copied())
            }
            Place::ThreadWords(i) => self.threads.get(i).map(|thread| thread.words),
            Place::ThreadDeadline(i) => self.threads.get(i).map(|thread| thread.deadline),
            Place::Region(i, j) => self.region(i, j).map(|region| region.bytes),
            Place::RegionName(i, j) => self.region(i, j).map(|region| region.name),
            Place::SharedRegion(i) => self.regions.get(i).map(|region| region.bytes),
            Place::SharedRegionName(i) => self.regions.get(i).map(|region| region.name),
            Place::Program => None,
        };
        found.unwrap_or(self.program)
    }

    fn region(&self, thread: usize, region: usize) -> Option<RegionPlaces> {
        self.threads.get(thread)?.regions.get(region).copied()
    }

    /// The header's constants that give the number of a place: two of a grid.
    pub(crate) fn constants(&self, place: Place) -> impl Iterator<Item = &Named> {
        self.constants.iter().filter(move |(at, _)| *at == place).map(|(_, named)| named)
    }
}
