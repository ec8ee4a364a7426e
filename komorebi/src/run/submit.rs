//! Submitting: check, encode, queue.

use komorebi_abi::constants::command as c;
use komorebi_card::{Group, GroupError};
use ndarray::ArrayView2;

use super::handles::{Handle, Handles};
use super::state::{Checked, State};
use super::stats::moment;
use super::{Run, RunCore};
use crate::Result;
use crate::call::{Command, HandlerRef, RawCall, Target, Word, call};
use crate::error::ArgumentError;

/// The columns of a batch of untyped commands. A column has one value for all commands, or one a command.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// Groups.
    pub groups: &'a [Group],
    /// Argument words, a row a command.
    pub args: Option<ArrayView2<'a, u32>>,
    /// Whether each runs alone on its cores.
    pub exclusive: bool,
}

impl<P> Run<P> {
    /// Queues one command. It reaches the card in the next `wait`, `wait_any`, `drain`, `event` or `stop`.
    ///
    /// # Errors
    /// [`Error::Group`](crate::Error::Group), [`Error::Argument`](crate::Error::Argument),
    /// [`Error::RunEnded`](crate::Error::RunEnded); nothing is queued then.
    #[inline]
    pub fn submit<C: Command<P>>(&self, command: C) -> Result<Handle<C::Output>> {
        let mut state = self.core.state()?;
        let start = state.stats.sample();
        let checked = self.core.check(&command.raw())?;
        let number = state.push(&checked);
        state.stats.sampled(start);
        Ok(Handle::new(number))
    }

    /// Queues commands of one result type, all of them or, after an error, none.
    ///
    /// # Errors
    /// As [`submit`](Self::submit), for the first command that is wrong.
    pub fn submit_many<C: Command<P>>(
        &self,
        commands: impl IntoIterator<Item = C>,
    ) -> Result<Handles<C::Output>> {
        let mut state = self.core.state()?;
        self.core.queue_all(&mut state, commands.into_iter().map(|command| self.core.check(&command.raw())))
    }

    /// Queues a batch of untyped commands of one handler, given as columns; all of them or none.
    ///
    /// # Errors
    /// As [`submit`](Self::submit); [`Error::Argument`](crate::Error::Argument) for columns of different lengths.
    pub fn submit_columns<'a>(
        &self,
        handler: impl Into<HandlerRef<'a>>,
        columns: Columns<'_>,
    ) -> Result<Handles> {
        let mut state = self.core.state()?;
        let handler = handler.into();
        let rows = columns.args.map(|args| args.nrows());
        let groups = columns.groups;
        let count = rows.unwrap_or(1).max(groups.len());
        let fits = |length: usize| length == 1 || length == count;
        for (what, length) in [("groups", groups.len()), ("rows of arguments", rows.unwrap_or(1))] {
            if !fits(length) {
                return Err(ArgumentError::Columns { what, found: length, expected: count }.into());
            }
        }
        let shared = groups.len() == 1;
        let one_row = rows == Some(1);
        let commands = (0..count).map(|i| {
            let row = columns.args.map(|args| args.row(if one_row { 0 } else { i }).to_vec());
            let group = groups[if shared { 0 } else { i }];
            let command = call(handler, row.as_deref().unwrap_or(&[])).on(group);
            let command = if columns.exclusive { command.exclusive() } else { command };
            self.core.check(&raw_of::<P, _>(&command))
        });
        self.core.queue_all(&mut state, commands)
    }
}

fn raw_of<P, C: Command<P>>(command: &C) -> RawCall<'_> {
    command.raw()
}

impl RunCore {
    #[inline]
    fn check(&self, call: &RawCall<'_>) -> Result<Checked> {
        let handler = self.handlers.check(call)?;
        let (group, queue) = match call.target {
            Target::All => (self.everyone(), 0),
            Target::Group(group) => (group.check(self.grid)?, 0),
            Target::Queued(count) => (self.check_count(count)?, c::KM_FLAG_QUEUE as u8),
        };
        let flags = call.flags | queue;
        Ok(Checked { handler, flags, group, words: call.words.count, args: call.words.words })
    }

    /// A queued command's group: so many cores from a first one that the dispatcher chooses.
    fn check_count(&self, count: u32) -> Result<Group, GroupError> {
        Group::new(0, count).check(self.grid)
    }

    fn queue_all<R: Word>(
        &self,
        state: &mut State,
        commands: impl Iterator<Item = Result<Checked>>,
    ) -> Result<Handles<R>> {
        let start = moment();
        let first = state.table.next();
        let mut count = 0;
        for command in commands {
            match command {
                Ok(command) => {
                    state.push(&command);
                    count += 1;
                }
                Err(error) => {
                    state.table.undo(count);
                    state.queue.undo(count);
                    return Err(error);
                }
            }
        }
        state.stats.submit += start.elapsed();
        Ok(Handles::new(first, count as u64))
    }
}
