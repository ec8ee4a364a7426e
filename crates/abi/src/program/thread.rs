//! Threads on the X280's work clusters, and the memory they share with the host.

/// A thread on a work cluster of the X280 (host-api, "Program"): one program beside the grid's, with its own commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its name in the declaration, if it has one.
    pub name: Option<String>,
    /// The cluster whose harts it runs on, 1 to 3: cluster 0 is the dispatcher's.
    pub cluster: u32,
    /// The names of its C++ files.
    pub sources: Vec<String>,
    /// Its own regions.
    pub regions: Vec<Region>,
    /// Argument words the host gives it, at most [`Thread::WORDS_MAX`].
    pub words: u32,
    /// Microseconds it may take; `None` for no limit.
    pub deadline_us: Option<u64>,
    /// How its cluster fetches ahead.
    pub prefetch: Prefetch,
}

impl Thread {
    /// The work clusters: of the four that a card has (host.md 6.1), all but the dispatcher's.
    pub const CLUSTERS: std::ops::RangeInclusive<u32> = 1..=3;

    /// Argument words of a thread: a line, which the card takes whole.
    pub const WORDS_MAX: u32 = crate::constants::command::LINE_BYTES / 4;

    /// A thread of `cluster` without sources, regions and words.
    pub const fn new(cluster: u32) -> Self {
        Self {
            name: None,
            cluster,
            sources: Vec::new(),
            regions: Vec::new(),
            words: 0,
            deadline_us: None,
            prefetch: Prefetch::Documented,
        }
    }

    /// How messages call it.
    pub fn label(&self) -> String {
        match &self.name {
            Some(name) => format!("thread `{name}`"),
            None => format!("the thread of cluster {}", self.cluster),
        }
    }

    /// The DRAM channel its harts call local: clusters 2 and 3 share one (host.md 6.1). A check of a program
    /// has no card to ask; the description of a card says the same.
    pub const fn channel(&self) -> u32 {
        match self.cluster {
            0 => 5,
            1 => 6,
            _ => 7,
        }
    }
}

/// Memory in a DRAM bank that a thread and the host see under one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Its bytes, a multiple of 64.
    pub bytes: u32,
}

/// The settings of a work cluster's hardware prefetcher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Prefetch {
    /// `documented`: as the core's manual describes it.
    #[default]
    Documented,
}

impl Prefetch {
    /// All settings.
    pub const ALL: [Self; 1] = [Self::Documented];

    /// Its name in declarations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Documented => "documented",
        }
    }
}
