//! The cores that a command names: the checks of its group.

use komorebi_headers::suggest::{distance, nearest};

use super::arena::known;
use super::value::kind_name;
use super::{Command, CommandCheck, Declared, Group, Place, Problems, Ref, Rule, VariableKind};
use crate::constants::command as c;
use crate::program::ArgKind;

impl CommandCheck<'_> {
    /// A variable that holds a core's number is one of integers.
    fn first_core(&self, variable: Option<u32>, place: Place, problems: &mut Problems) {
        let Some(id) = variable.filter(|id| !problems.refused(*id)) else { return };
        let variable = &self.variables[id as usize];
        let number = |ty: &ArgKind| matches!(ty, ArgKind::U32 | ArgKind::I32 | ArgKind::Core);
        // A constant is none at all, which is told where it is resolved.
        let varies = !matches!(variable.kind, VariableKind::Constant(_));
        let Some(ty) = variable.ty.filter(|ty| varies && !number(ty)) else { return };
        let label = variable.label(id);
        let help = match (variable.kind, &variable.name) {
            (VariableKind::Binding, Some(name)) => format!("declare it as an integer: `bind {name}: u32;`"),
            (_, Some(name)) if ty == ArgKind::F32 => {
                format!("convert it before, and begin at that: `reg core: u32 = {name} as u32;`")
            }
            _ => format!("declare {label} as `u32`"),
        };
        problems.conflict(
            Rule::ArgType,
            place,
            Place::Variable(id),
            format!("{label} is declared here"),
            format!("the cores begin at {label}, which is {}; the number of a core is u32", kind_name(ty)),
            help,
        );
    }

    /// First core, their number, and the variable that holds the first one.
    pub(super) fn group(
        &self,
        item: u32,
        command: &Command,
        problems: &mut Problems,
    ) -> (u8, u8, Option<u32>) {
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
                    self.first_core(at, place, problems);
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
}
