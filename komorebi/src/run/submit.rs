//! Submitting: check, encode, queue.

use komorebi_abi::constants::command as c;
use komorebi_card::{Group, GroupError};
use ndarray::ArrayView2;

use super::handles::{Handle, Handles};
use super::state::Checked;
use super::stats::moment;
use super::{Run, RunCore};
use crate::Result;
use crate::call::{Command, HandlerRef, RawCall, Target, Tensors, Word, call};
use crate::error::{ArgumentError, TensorError};

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
    /// [`Error::Tensor`](crate::Error::Tensor) for a tensor of another session or one that was freed,
    /// [`Error::RunEnded`](crate::Error::RunEnded); nothing is queued then.
    #[inline]
    pub fn submit<C: Command<P>>(&self, command: C) -> Result<Handle<C::Output>> {
        let mut state = self.core.state()?;
        let start = state.stats.sample();
        let checked = self.core.check(&command.raw())?;
        let number = state.push(&checked);
        state.stats.sampled(start);
        Ok(Handle::new(self.core.number, number))
    }

    /// Queues commands of one result type, all of them or, after an error, none. What `commands` itself submits while it
    /// is read goes before them.
    ///
    /// # Errors
    /// As [`submit`](Self::submit), for the first command that is wrong.
    pub fn submit_many<C: Command<P>>(
        &self,
        commands: impl IntoIterator<Item = C>,
    ) -> Result<Handles<C::Output>> {
        self.core.queue_all(commands.into_iter().map(|command| self.core.check(&command.raw())))
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
        let handler = handler.into();
        let rows = columns.args.map(|args| args.nrows());
        let groups = columns.groups;
        let lengths = [groups.len(), rows.unwrap_or(1)];
        // One value is for all commands, also for none of them.
        let several = lengths.into_iter().find(|&length| length > 1);
        let count = several.unwrap_or_else(|| lengths[0].min(lengths[1]));
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
        self.core.queue_all(commands)
    }
}

fn raw_of<P, C: Command<P>>(command: &C) -> RawCall<'_> {
    command.raw()
}

impl RunCore {
    #[inline]
    fn check(&self, call: &RawCall<'_>) -> Result<Checked> {
        let handler = self.handlers.check(call)?;
        let tensors = call.words.tensors;
        if tensors != Tensors::NONE && tensors != Tensors::of(self.session.number()) {
            let freed = tensors == Tensors::FREED;
            return Err(if freed { TensorError::Freed } else { TensorError::Session }.into());
        }
        let (group, queue) = match call.target {
            Target::All => (self.everyone(), 0),
            Target::Group(group) => (group.check(self.grid)?, 0),
            Target::Queued(count) => (self.check_count(count)?, c::KM_FLAG_QUEUE as u8),
        };
        let flags = call.flags | queue;
        Ok(Checked { handler, flags, group, words: call.words.count as u8, args: call.words.words })
    }

    /// A queued command's group: so many cores from a first one that the dispatcher chooses.
    fn check_count(&self, count: u32) -> Result<Group, GroupError> {
        Group::new(0, count).check(self.grid)
    }

    /// Queues all of `commands` or none. They are the caller's code, which may use this run, fail or panic: the run's state
    /// is not borrowed while they are read, and nothing is queued before all are.
    fn queue_all<R: Word>(&self, mut commands: impl Iterator<Item = Result<Checked>>) -> Result<Handles<R>> {
        let start = moment();
        let mut batch = std::mem::take(&mut self.state()?.batch);
        batch.clear();
        let read: Result<()> = commands.try_for_each(|command| {
            batch.push(command?);
            Ok(())
        });
        let mut state = self.state()?;
        let first = state.table.next();
        if read.is_ok() {
            for command in &batch {
                state.push(command);
            }
        }
        let count = batch.len() as u64;
        state.batch = batch;
        read?;
        state.stats.submit += start.elapsed();
        Ok(Handles::new(self.number, first, count))
    }
}
