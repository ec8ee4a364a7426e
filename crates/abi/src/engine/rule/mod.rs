//! The rules of graphs and streams. A catalogue a domain: code, title, text of the page.

mod graph;
mod stream;

/// A rule that a graph or stream can break. Codes are stable: a rule that goes leaves a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the catalogue has title and text of each")]
pub enum Rule {
    HandlerUnknown,
    ArgCount,
    ArgType,
    ResultMissing,
    Group,
    GroupUnknown,
    NodeUnknown,
    VariableUnknown,
    NameTwice,
    Cycle,
    AfterItself,
    ReadBeforeWrite,
    WriteUnordered,
    TensorRace,
    Registers,
    Bindings,
    Deadline,
    MaxRuns,
    Req,
    Size,
    Endless,
    QueueFull,
    ExclusiveQueued,
    ConstantWritten,
    VariableType,
    CpuLength,
    Empty,
    ArgWords,
    StreamLoop,
    StreamTarget,
    StreamEnd,
    WaitUnknown,
    StreamUnreachable,
}

/// Where a rule belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Graphs; what a command of a stream shares with a graph's stands here too.
    Graph,
    /// Streams alone.
    Stream,
}

/// An entry of a catalogue: rule, code, title, text.
type Entry = (Rule, &'static str, &'static str, &'static str);

impl Rule {
    /// All rules, by code.
    pub fn all() -> impl Iterator<Item = Self> {
        graph::CATALOGUE.iter().chain(stream::CATALOGUE).map(|entry| entry.0)
    }

    fn entry(self) -> (Domain, &'static Entry) {
        let find = |list: &'static [Entry]| list.iter().find(|entry| entry.0 == self);
        match find(graph::CATALOGUE) {
            Some(entry) => (Domain::Graph, entry),
            None => (Domain::Stream, find(stream::CATALOGUE).unwrap_or(&stream::CATALOGUE[0])),
        }
    }

    /// Its code, as messages show it.
    pub fn code(self) -> &'static str {
        self.entry().1.1
    }

    /// Its title: the rule in a line.
    pub fn title(self) -> &'static str {
        self.entry().1.2
    }

    /// Why the rule is one, and what to do.
    pub fn text(self) -> &'static str {
        self.entry().1.3
    }

    /// Where it belongs.
    pub fn domain(self) -> Domain {
        self.entry().0
    }
}
