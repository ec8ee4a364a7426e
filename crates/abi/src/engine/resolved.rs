//! A command with every name looked up: what encoders and the checks of races go by.

use super::{RecordBody, RegisterTable, Variable, VariableKind};
use crate::constants::command as c;
use crate::program::Effect;

/// An argument word: bits, or a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Bits(u32),
    Variable(u32),
}

/// What tells one tensor from another: the word that is its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum TensorKey {
    Bits(u32),
    Variable(u32),
}

/// A use of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TensorUse {
    pub(crate) arg: u32,
    pub(crate) tensor: TensorKey,
    pub(crate) effect: Effect,
}

/// A command with every name looked up. What a problem was found in has a harmless value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resolved {
    pub(crate) handler: u8,
    pub(crate) first: u8,
    pub(crate) count: u8,
    /// The variable that holds the first core.
    pub(crate) at: Option<u32>,
    pub(crate) words: Vec<Word>,
    /// Argument of each word.
    pub(crate) args: Vec<u32>,
    pub(crate) tensors: Vec<TensorUse>,
    pub(crate) queued: bool,
    pub(crate) exclusive: bool,
    pub(crate) result: Option<u32>,
}

impl Resolved {
    /// The record's body, with `table` saying which register each variable is.
    pub(crate) fn body(&self, variables: &[Variable], table: &RegisterTable) -> RecordBody {
        let mut args = [0; c::ARGS_MAX as usize];
        let mut mask = 0;
        for (i, word) in self.words.iter().enumerate().take(args.len()) {
            args[i] = match *word {
                Word::Bits(bits) => bits,
                Word::Variable(id) => match (variables[id as usize].kind, table.number(id)) {
                    (VariableKind::Constant(bits), _) => bits,
                    (_, number) => {
                        mask |= 1 << i;
                        number.unwrap_or(0).into()
                    }
                },
            };
        }
        RecordBody::Command {
            handler: self.handler,
            first: self.first,
            count: self.count,
            words: self.words.len() as u8,
            mask,
            args,
            exclusive: self.exclusive,
            queued: self.queued,
            result: self.result.and_then(|id| table.number(id)),
        }
    }

    /// The registers it reads: variable and argument.
    pub(crate) fn reads<'a>(&'a self, variables: &'a [Variable]) -> impl Iterator<Item = (u32, u32)> + 'a {
        self.words.iter().zip(&self.args).filter_map(|(word, arg)| match *word {
            Word::Variable(id) if !matches!(variables[id as usize].kind, VariableKind::Constant(_)) => {
                Some((id, *arg))
            }
            _ => None,
        })
    }
}
