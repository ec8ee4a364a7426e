//! The rules of a program, each with its code.

/// A rule that a program can break. Codes are stable: a rule that goes leaves a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// The grid has no cores, or more than commands can name.
    Grid,
    /// The depth is not 1 to 16.
    Depth,
    /// A handler's number is 0 or above 239.
    HandlerNumber,
    /// Two handlers share a number or a name, or two arguments of one a name.
    HandlerTwice,
    /// A handler takes more than ten argument words.
    ArgWords,
    /// A handler or an argument has a name that generated code needs.
    ReservedName,
    /// A circular buffer's index is the runtime's, above 31, or used twice.
    BufferIndex,
    /// A circular buffer's pages are empty or not aligned for its format.
    BufferPages,
    /// The buffers and kernels do not fit a core's L1.
    L1Budget,
    /// The kernel buffer's size is not a multiple of 64 from 64 to 1,531,712.
    KernelBytes,
    /// A define is no identifier.
    Define,
    /// A header that is missing, cannot be read, or has a constant that cannot be evaluated.
    Header,
    /// A declared handler that the header lacks.
    HandlerMissing,
    /// A handler of the header that is not declared: a warning.
    HandlerUndeclared,
    /// An argument or a result of a type that is not words.
    Type,
    /// A declaration that is no trait of plain functions.
    Item,
    /// A part of a declaration that is unknown, stands twice, is missing or cannot be read.
    Field,
    /// A name that is none of those a part takes: a format, a fidelity, an optimisation level.
    Choice,
    /// A kernel file that is not there.
    KernelFile,
    /// A value that is no number in range: a literal, or a constant of the header.
    Number,
    /// A thread on a cluster that is the dispatcher's, that no card has, or that has a thread already.
    ThreadCluster,
    /// A region that is empty, not whole lines, larger than its bank, or without a name of its own.
    Region,
    /// A thread without sources, or with one that is not there.
    ThreadSources,
    /// A thread with too many argument words, or a deadline that is none.
    ThreadLimits,
}

impl Rule {
    /// All rules.
    pub const ALL: [Self; 24] = [
        Self::Grid,
        Self::Depth,
        Self::HandlerNumber,
        Self::HandlerTwice,
        Self::ArgWords,
        Self::ReservedName,
        Self::BufferIndex,
        Self::BufferPages,
        Self::L1Budget,
        Self::KernelBytes,
        Self::Define,
        Self::Header,
        Self::HandlerMissing,
        Self::HandlerUndeclared,
        Self::Type,
        Self::Item,
        Self::Field,
        Self::Choice,
        Self::KernelFile,
        Self::Number,
        Self::ThreadCluster,
        Self::Region,
        Self::ThreadSources,
        Self::ThreadLimits,
    ];

    /// Its code, as messages show it.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Grid => "KM0001",
            Self::Depth => "KM0002",
            Self::HandlerNumber => "KM0003",
            Self::HandlerTwice => "KM0004",
            Self::ArgWords => "KM0005",
            Self::ReservedName => "KM0006",
            Self::BufferIndex => "KM0007",
            Self::BufferPages => "KM0008",
            Self::L1Budget => "KM0009",
            Self::KernelBytes => "KM0010",
            Self::Define => "KM0011",
            Self::Header => "KM0012",
            Self::HandlerMissing => "KM0013",
            Self::HandlerUndeclared => "KM0014",
            Self::Type => "KM0015",
            Self::Item => "KM0016",
            Self::Field => "KM0017",
            Self::Choice => "KM0018",
            Self::KernelFile => "KM0019",
            Self::Number => "KM0020",
            Self::ThreadCluster => "KM0021",
            Self::Region => "KM0022",
            Self::ThreadSources => "KM0023",
            Self::ThreadLimits => "KM0024",
        }
    }
}
