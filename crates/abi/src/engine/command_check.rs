//! The checks of a command, the same for graphs and streams, and what they resolve it to.

use komorebi_headers::suggest::{distance, nearest};

use super::arena::{known, list};
use super::value::kind_name;
use super::{
    Command, Declared, Facts, Group, HandlerRef, NamedGroup, Place, Problems, Ref, Rule, Variable,
    VariableKind,
};
use crate::constants::{command as c, engine};
use crate::program::{ArgKind, Effect, Handler, ResultKind};

/// What commands are checked against.
#[derive(Clone, Copy)]
pub(crate) struct CommandCheck<'a> {
    pub(crate) facts: &'a Facts,
    pub(crate) variables: &'a [Variable],
    pub(crate) groups: &'a [NamedGroup],
    /// Streams may take the first core from a variable.
    pub(crate) stream: bool,
}

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

pub(crate) fn resolve_command(
    check: CommandCheck<'_>,
    item: u32,
    command: &Command,
    problems: &mut Problems,
) -> Resolved {
    let queued = command.is_queued();
    if command.exclusive && queued {
        let message = format!(
            "{} is both exclusive, which holds the cores it names, and queued, which leaves the cores to the dispatcher",
            command.handler_label()
        );
        problems.conflict(
            Rule::ExclusiveQueued,
            Place::Exclusive(item),
            Place::Queued(item),
            format!("{} is queued here", command.handler_label()),
            message,
            check.exclusive_help(command),
        );
    }
    let handler = check.handler(item, command, problems);
    let (first, count, at) = check.group(item, command, problems);
    let mut resolved = Resolved {
        handler: match (&handler, &command.handler) {
            (Some(handler), _) => handler.number as u8,
            (None, HandlerRef::Number(number)) => *number as u8,
            (None, HandlerRef::Named(_)) => 0,
        },
        first,
        count,
        at,
        words: Vec::new(),
        args: Vec::new(),
        tensors: Vec::new(),
        queued,
        exclusive: command.exclusive,
        result: None,
    };
    check.args(item, command, handler, &mut resolved, problems);
    resolved.result = check.result(item, command, handler, problems);
    resolved
}

impl<'a> CommandCheck<'a> {
    /// What to do about a command that is both exclusive and queued.
    fn exclusive_help(&self, command: &Command) -> String {
        match (&command.handler, &command.group) {
            (HandlerRef::Named(name), Group::Count(count)) if !self.stream => {
                let args = if command.args.is_empty() { "" } else { ".." };
                format!(
                    "drop `exclusive`, or name the cores in place of `queued({count})`: `{name}[0..{count}]({args}) exclusive`"
                )
            }
            (HandlerRef::Named(name), Group::Count(count)) => {
                let args = if command.args.is_empty() { "" } else { ".." };
                format!("drop `exclusive`, or name the cores: `submit {name}[0..{count}]({args}) exclusive`")
            }
            _ => {
                "drop `exclusive`, or drop `queued`: the command then has the cores that it names".to_owned()
            }
        }
    }

    fn handler(&self, item: u32, command: &Command, problems: &mut Problems) -> Option<&'a Handler> {
        let facts = self.facts;
        let found = match &command.handler {
            HandlerRef::Named(name) => facts.handler(name),
            HandlerRef::Number(0) => return None,
            HandlerRef::Number(number) => {
                let found = facts.handlers.iter().find(|handler| handler.number == *number);
                if found.is_none() && !facts.typed && *number <= c::HANDLER_MAX {
                    return None;
                }
                found
            }
        };
        if found.is_none() && facts.complete {
            let names = || facts.handlers.iter().map(|handler| handler.name.as_str());
            let near = match &command.handler {
                HandlerRef::Named(name) => nearest(name, names()),
                HandlerRef::Number(_) => None,
            };
            let what = match &command.handler {
                HandlerRef::Named(name) => format!("`{}` has no handler `{name}`", facts.program),
                HandlerRef::Number(number) => {
                    format!("`{}` has no handler with number {number}", facts.program)
                }
            };
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None if facts.handlers.is_empty() => {
                    "declare it in the program, which has none yet".to_owned()
                }
                None => format!("write one of {}, or declare it in `{}`", list(names()), facts.program),
            };
            problems.add(Rule::HandlerUnknown, Place::Handler(item), what, help);
        }
        found
    }

    fn group(&self, item: u32, command: &Command, problems: &mut Problems) -> (u8, u8, Option<u32>) {
        let place = Place::Group(item);
        let mut group = &command.group;
        if let Group::Named(name) = group {
            let found = match name {
                Ref::Id(id) => self.groups.get(*id as usize),
                Ref::Named(name) => self.groups.iter().find(|group| group.name == *name),
            };
            let Some(found) = found else {
                let names = || self.groups.iter().map(|group| group.name.as_str());
                let (what, near) = match name {
                    Ref::Named(name) => (format!("`{name}`"), nearest(name, names())),
                    Ref::Id(id) => (format!("number {id}"), None),
                };
                let help = match near {
                    Some(near) if distance(&what, &format!("`{near}`")) == 1 => format!(
                        "did you mean `{near}`? else declare it with its own cores: `group {} = ..;`",
                        what.trim_matches('`')
                    ),
                    // Two slips in a short word are as likely another word.
                    Some(near) => format!(
                        "declare it with its own cores, as in `group {} = 0..8;`, unless `{near}` is meant",
                        what.trim_matches('`')
                    ),
                    None if self.groups.is_empty() => {
                        "write a range of cores, as in `0..60`: no group has a name here".to_owned()
                    }
                    None => format!(
                        "declare it with its own cores, as in `group {} = 0..8;`; {}",
                        what.trim_matches('`'),
                        known(names())
                    ),
                };
                problems.add(Rule::GroupUnknown, place, format!("no group is called {what}"), help);
                return (0, 1, None);
            };
            group = &found.group;
        }
        let cores = u64::from(self.facts.cores.unwrap_or(c::CORES_MAX));
        let mut at = None;
        let (first, end) = match group {
            Group::Range(first, end) => (*first, *end),
            Group::Core(core) => (*core, core.saturating_add(1)),
            Group::Whole if self.facts.cores.is_none() => {
                let message = format!(
                    "the whole grid of `{}` is not known here: the program takes the card's",
                    self.facts.program
                );
                problems.add(
                    Rule::Group,
                    place,
                    message,
                    "give the program a grid, as in `grid = (12, 10)`, or the command a range of cores",
                );
                return (0, 1, None);
            }
            Group::Whole => (0, cores),
            Group::Count(count) => (0, *count),
            Group::At(first, count) => {
                if self.stream {
                    at = Declared(self.variables).resolve(first, place, problems);
                } else {
                    problems.add(
                        Rule::Group,
                        place,
                        "a graph's group cannot begin at a register".to_owned(),
                        "write a range of cores, as in `0..60`; only streams choose cores while they run",
                    );
                }
                (0, *count)
            }
            Group::Named(_) => {
                problems.add(
                    Rule::GroupUnknown,
                    place,
                    "a named group names another one".to_owned(),
                    "write its range of cores",
                );
                return (0, 1, None);
            }
        };
        let rows = "cores count from 0, row by row";
        if first >= end {
            let (message, help) = if first > end {
                let help = if end < cores {
                    format!("write `{end}..{}`: a range goes up", first.min(cores))
                } else {
                    format!("a range goes up, and ends at {cores} at most; {rows}")
                };
                (format!("the group `{first}..{end}` is reversed: it ends before it begins"), help)
            } else {
                let core = first.min(cores.saturating_sub(1));
                let help = format!("write `{core}..{}`: the end is not part of a range", core + 1);
                (format!("the group `{first}..{end}` has no cores"), help)
            };
            problems.add(Rule::Group, place, message, help);
        } else if end > cores {
            let grid = match self.facts.cores {
                Some(cores) => {
                    format!("`{}` has {cores} cores, 0 to {}", self.facts.program, cores.saturating_sub(1))
                }
                None => format!("commands name at most {cores} cores"),
            };
            let message = match group {
                Group::Core(core) => format!("core {core} is outside the grid: {grid}"),
                Group::Count(count) => {
                    format!("`queued({count})` asks for more cores than there are: {grid}")
                }
                _ => format!("the group `{first}..{end}` goes past the grid: {grid}"),
            };
            let help = if let Group::Count(_) = group {
                format!("write `queued({cores})` or fewer")
            } else if first < cores {
                format!("write `{first}..{cores}`: the last core is {}", cores - 1)
            } else {
                format!("write a range that ends at {cores} or before: {rows}")
            };
            problems.add(Rule::Group, place, message, help);
        } else {
            let queued = command.is_queued();
            return (if queued { 0 } else { first as u8 }, (end - first) as u8, at);
        }
        (0, 1, at)
    }

    /// A variable as it is written.
    fn shown(&self, name: &Ref) -> String {
        match (name, Declared(self.variables).find(name)) {
            (Ref::Named(name), _) => name.clone(),
            (Ref::Id(_), Some(id)) => self.variables[id as usize].label(id).trim_matches('`').to_owned(),
            (Ref::Id(id), None) => format!("number {id}"),
        }
    }

    fn result(
        &self,
        item: u32,
        command: &Command,
        handler: Option<&Handler>,
        problems: &mut Problems,
    ) -> Option<u32> {
        let name = command.result.as_ref()?;
        let place = Place::Result(item);
        let id = self.target(name, place, problems);
        if let Some(handler) = handler.filter(|_| self.facts.typed) {
            match handler.result {
                None => problems.add(
                    Rule::ResultMissing,
                    place,
                    format!("`{}` gives no result", handler.name),
                    format!(
                        "give the handler a result in the program, as in `fn {}(..) -> u32`, or drop `-> {}` and what reads it",
                        handler.name,
                        self.shown(name)
                    ),
                ),
                Some(kind) => {
                    let kind = match kind {
                        ResultKind::U32 => ArgKind::U32,
                        ResultKind::I32 => ArgKind::I32,
                        ResultKind::F32 => ArgKind::F32,
                    };
                    if let Some(id) = id
                        && let Some(ty) = self.variables[id as usize].ty
                        && ty != kind
                    {
                        let label = self.variables[id as usize].label(id);
                        let message = format!(
                            "`{}` gives {}, and {label} is {}",
                            handler.name,
                            kind_name(kind),
                            kind_name(ty)
                        );
                        problems.conflict(
                            Rule::VariableType,
                            place,
                            Place::Variable(id),
                            format!("{label} is declared here"),
                            message,
                            format!("declare {label} as `{}`, or use another register", kind_name(kind)),
                        );
                    }
                }
            }
        }
        id
    }

    /// A variable that is written.
    pub(crate) fn target(&self, name: &Ref, place: Place, problems: &mut Problems) -> Option<u32> {
        let id = Declared(self.variables).resolve(name, place, problems)?;
        let variable = &self.variables[id as usize];
        if let VariableKind::Constant(bits) = variable.kind {
            let help = match (&variable.name, variable.ty, place) {
                _ if self.stream => "make it a register".to_owned(),
                (Some(name), Some(ty), Place::Operand(..)) => {
                    let (value, ty) = (constant_text(bits, ty), kind_name(ty));
                    format!(
                        "write `bind {name}: {ty};` in place of its `const`, and give {value} at each start"
                    )
                }
                (_, ty, _) => {
                    let ty = ty.map_or("u32", kind_name);
                    format!("declare a register, as in `reg total: {ty};`, and write `-> total`")
                }
            };
            let message = format!("{} is a constant, and cannot be written", variable.label(id));
            problems.conflict(
                Rule::ConstantWritten,
                place,
                Place::Variable(id),
                format!("{} is declared here", variable.label(id)),
                message,
                help,
            );
            return None;
        }
        Some(id)
    }
}

/// A constant's value as it is written.
fn constant_text(bits: u32, ty: ArgKind) -> String {
    match ty {
        ArgKind::I32 => bits.cast_signed().to_string(),
        ArgKind::F32 => format!("{:?}", f32::from_bits(bits)),
        _ => bits.to_string(),
    }
}

impl Resolved {
    /// The record's body, with `table` saying which register each variable is.
    pub(crate) fn body(&self, variables: &[Variable], table: &super::RegisterTable) -> super::RecordBody {
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
        super::RecordBody::Command {
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

const _: () = assert!(engine::REGISTERS <= 255, "a register table counts in bytes");
