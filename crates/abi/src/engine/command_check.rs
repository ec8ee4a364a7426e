//! The checks of a command, the same for graphs and streams, and what they resolve it to.

use komorebi_headers::suggest::nearest;

use super::arena::list;
use super::value::kind_name;
use super::{
    Command, Declared, Facts, Group, HandlerRef, NamedGroup, Place, Problems, Ref, Resolved, Rule, Variable,
    VariableKind,
};
use crate::constants::{command as c, engine};
use crate::program::{ArgKind, Handler, ResultKind};

/// What commands are checked against.
#[derive(Clone, Copy)]
pub(crate) struct CommandCheck<'a> {
    pub(crate) facts: &'a Facts,
    pub(crate) variables: &'a [Variable],
    pub(crate) groups: &'a [NamedGroup],
    /// Streams may take the first core from a variable.
    pub(crate) stream: bool,
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
    let before = problems.count();
    let (first, count, at) = check.group(item, command, problems);
    let vague = problems.count() != before;
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
    // Of cores that are not known nobody can say whose they are, too.
    if vague {
        resolved.tensors.clear();
    }
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

const _: () = assert!(engine::REGISTERS <= 255, "a register table counts in bytes");
