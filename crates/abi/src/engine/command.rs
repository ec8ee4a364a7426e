//! A command as a graph's node or a stream's step holds it.

use super::{Ref, Value};

/// A handler.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HandlerRef {
    /// By its name in the program.
    Named(String),
    /// By its number; 0 is NOP.
    Number(u32),
}

impl From<&str> for HandlerRef {
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

impl From<u32> for HandlerRef {
    fn from(number: u32) -> Self {
        Self::Number(number)
    }
}

/// The cores of a command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Cores `[first, end)`.
    Range(u64, u64),
    /// One core.
    Core(u64),
    /// Every core of the grid.
    Whole,
    /// So many cores, which the dispatcher chooses: a queued command's.
    Count(u64),
    /// A named group.
    Named(Ref),
    /// A stream's: so many cores from the one in a variable on.
    At(Ref, u64),
}

impl From<std::ops::Range<u32>> for Group {
    fn from(range: std::ops::Range<u32>) -> Self {
        Self::Range(range.start.into(), range.end.into())
    }
}

impl From<(u32, u32)> for Group {
    /// The Python host's form: first core and count.
    fn from((first, count): (u32, u32)) -> Self {
        Self::Range(first.into(), u64::from(first) + u64::from(count))
    }
}

impl From<u32> for Group {
    fn from(core: u32) -> Self {
        Self::Core(core.into())
    }
}

/// A group with a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamedGroup {
    /// Its name.
    pub name: String,
    /// Its cores.
    pub group: Group,
}

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// What runs.
    pub handler: HandlerRef,
    /// Where.
    pub group: Group,
    /// Its arguments.
    pub args: Vec<Value>,
    /// `KM_FLAG_EXCLUSIVE`.
    pub exclusive: bool,
    /// `KM_FLAG_QUEUE`; implied by [`Group::Count`].
    pub queued: bool,
    /// The register its result word goes to.
    pub result: Option<Ref>,
}

impl Command {
    /// A plain command.
    pub fn new(handler: impl Into<HandlerRef>, group: impl Into<Group>, args: impl Into<Vec<Value>>) -> Self {
        Self {
            handler: handler.into(),
            group: group.into(),
            args: args.into(),
            exclusive: false,
            queued: false,
            result: None,
        }
    }

    /// Is it queued, by flag or by group?
    pub const fn is_queued(&self) -> bool {
        self.queued || matches!(self.group, Group::Count(_))
    }

    /// How messages call its handler.
    pub fn handler_label(&self) -> String {
        match &self.handler {
            HandlerRef::Named(name) => format!("`{name}`"),
            HandlerRef::Number(0) => "`nop`".to_owned(),
            HandlerRef::Number(number) => format!("handler {number}"),
        }
    }
}
