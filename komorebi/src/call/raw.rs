//! A command as the run sees it, whatever made it.

use komorebi_abi::program::ResultKind;
use komorebi_card::{Core, Group};

use super::{HandlerRef, Word, Words};

/// Where a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(pub(crate) Group);

impl From<std::ops::Range<u32>> for Place {
    fn from(range: std::ops::Range<u32>) -> Self {
        Self(range.into())
    }
}

impl From<(u32, u32)> for Place {
    fn from(group: (u32, u32)) -> Self {
        Self(group.into())
    }
}

impl From<Group> for Place {
    fn from(group: Group) -> Self {
        Self(group)
    }
}

impl From<Core> for Place {
    fn from(core: Core) -> Self {
        Self(Group::new(core.0, 1))
    }
}

/// The group of a command, as far as the host says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Every core of the program.
    All,
    /// These cores.
    Group(Group),
    /// So many cores, chosen by the dispatcher.
    Queued(u32),
}

/// A command before it is checked against a run.
#[derive(Clone, Copy, Debug)]
pub struct RawCall<'a> {
    pub(crate) handler: HandlerRef<'a>,
    pub(crate) words: Words,
    pub(crate) target: Target,
    /// `KM_FLAG_*` but for queued.
    pub(crate) flags: u8,
    /// The type of the result that an untyped call asks for.
    pub(crate) result: Option<ResultKind>,
    /// True when words and result are the handler's by construction.
    pub(crate) typed: bool,
}

pub(crate) mod sealed {
    pub trait Sealed {
        /// The command.
        fn raw(&self) -> super::RawCall<'_>;
    }
}

/// A command that a run of program `P` takes: [`Call`](crate::Call), [`Queued`](crate::Queued),
/// [`NamedCall`](crate::NamedCall).
#[diagnostic::on_unimplemented(
    message = "this is not a command of the program `{P}`",
    label = "`{Self}` is a command of another program, or of none",
    note = "a run takes the calls of the program that it was loaded with: write `{P}::handler(..)`, or submit this to the other program's run"
)]
pub trait Command<P>: sealed::Sealed {
    /// The type of its result.
    type Output: Word;
}
