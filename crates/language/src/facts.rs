//! What a program's companion macro hands to `graph!` and `stream!`: written by the program macro, read by the others.
//!
//! One string literal of lines with tabs between their fields: a macro call then carries one token, whatever the size of
//! the program's header.

use std::fmt::Write as _;

use komorebi_abi::engine::Facts;
use komorebi_abi::program::{Arg, ArgKind, Effect, Handler, ResultKind};

/// Facts of a program, with the constants of its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProgramFacts {
    pub(crate) facts: Facts,
    /// The header as the program writes it.
    pub(crate) header: Option<String>,
    pub(crate) constants: Vec<HeaderConstant>,
}

/// A constant of the program's header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeaderConstant {
    pub(crate) name: String,
    pub(crate) value: i128,
    /// File and line: `kernels/heat.h:7`.
    pub(crate) place: String,
    /// The line that declares it.
    pub(crate) line: String,
}

const KINDS: [(&str, ArgKind); 8] = [
    ("u32", ArgKind::U32),
    ("i32", ArgKind::I32),
    ("f32", ArgKind::F32),
    ("u64", ArgKind::U64),
    ("bf16", ArgKind::Bf16Pair),
    ("u16", ArgKind::U16Pair),
    ("core", ArgKind::Core),
    ("address", ArgKind::Address),
];
const EFFECTS: [(&str, Option<Effect>); 4] = [
    ("", None),
    ("input", Some(Effect::Input)),
    ("output", Some(Effect::Output)),
    ("inout", Some(Effect::InOut)),
];
const RESULTS: [(&str, Option<ResultKind>); 4] = [
    ("", None),
    ("u32", Some(ResultKind::U32)),
    ("i32", Some(ResultKind::I32)),
    ("f32", Some(ResultKind::F32)),
];

fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, known)| known == value).map_or("", |(name, _)| name)
}

fn value_of<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

impl ProgramFacts {
    /// As text.
    pub(crate) fn write(&self) -> String {
        let facts = &self.facts;
        let mut text = format!("program\t{}\t{}\t{}", facts.program, facts.complete, facts.region_bytes);
        // Writing into a String does not fail.
        if let Some(cores) = facts.cores {
            let _ = write!(text, "\ncores\t{cores}");
        }
        for Handler { name, number, args, result } in &facts.handlers {
            let _ = write!(text, "\nhandler\t{name}\t{number}\t{}", name_of(&RESULTS, result));
            for Arg { name, kind, effect } in args {
                let _ =
                    write!(text, "\narg\t{name}\t{}\t{}", name_of(&KINDS, kind), name_of(&EFFECTS, effect));
            }
        }
        if let Some(header) = &self.header {
            let _ = write!(text, "\nheader\t{header}");
        }
        for HeaderConstant { name, value, place, line } in &self.constants {
            let _ = write!(text, "\nconst\t{name}\t{value}\t{place}\t{}", line.replace(['\t', '\n'], " "));
        }
        text
    }

    /// From text that [`ProgramFacts::write`] made; `None` for any other.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut lines = text.split('\n').map(|line| line.split('\t').collect::<Vec<_>>());
        let ["program", program, complete, region] = lines.next()?[..] else { return None };
        let facts = Facts {
            program: program.to_owned(),
            handlers: Vec::new(),
            cores: None,
            region_bytes: region.parse().ok()?,
            typed: true,
            complete: complete.parse().ok()?,
        };
        let mut read = Self { facts, header: None, constants: Vec::new() };
        for line in lines {
            match line[..] {
                ["cores", cores] => read.facts.cores = Some(cores.parse().ok()?),
                ["handler", name, number, result] => read.facts.handlers.push(Handler {
                    name: name.to_owned(),
                    number: number.parse().ok()?,
                    args: Vec::new(),
                    result: value_of(&RESULTS, result)?,
                }),
                ["arg", name, kind, effect] => read.facts.handlers.last_mut()?.args.push(Arg {
                    name: name.to_owned(),
                    kind: value_of(&KINDS, kind)?,
                    effect: value_of(&EFFECTS, effect)?,
                }),
                ["header", header] => read.header = Some(header.to_owned()),
                ["const", name, value, place, line] => read.constants.push(HeaderConstant {
                    name: name.to_owned(),
                    value: value.parse().ok()?,
                    place: place.to_owned(),
                    line: line.to_owned(),
                }),
                _ => return None,
            }
        }
        Some(read)
    }

    /// A constant of the header.
    pub(crate) fn constant(&self, name: &str) -> Option<&HeaderConstant> {
        self.constants.iter().find(|constant| constant.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_come_back_as_they_were_written() {
        let arg = |name: &str, kind, effect| Arg { name: name.to_owned(), kind, effect };
        let handlers = RESULTS
            .iter()
            .map(|(name, result)| Handler {
                name: format!("give_{name}"),
                number: 7,
                args: KINDS.iter().zip(EFFECTS.iter().cycle()).map(|(k, e)| arg(k.0, k.1, e.1)).collect(),
                result: *result,
            })
            .collect();
        let facts = Facts {
            program: "Heat".to_owned(),
            handlers,
            cores: Some(120),
            region_bytes: 707_840,
            typed: true,
            complete: true,
        };
        let constant = HeaderConstant {
            name: "kEdge".to_owned(),
            value: -30,
            place: "kernels/heat.h:7".to_owned(),
            line: "constexpr int32_t kEdge = -30;".to_owned(),
        };
        let all =
            ProgramFacts { facts, header: Some("kernels/heat.h".to_owned()), constants: vec![constant] };
        assert_eq!(ProgramFacts::read(&all.write()), Some(all.clone()));
        let blank = ProgramFacts {
            facts: Facts { cores: None, handlers: Vec::new(), complete: false, ..all.facts },
            header: None,
            constants: Vec::new(),
        };
        assert_eq!(ProgramFacts::read(&blank.write()), Some(blank));
        for text in ["", "program\tHeat", "program\tHeat\ttrue\tx", "program\tHeat\ttrue\t1\narg\ta\tu32\t"] {
            assert_eq!(ProgramFacts::read(text), None, "{text:?}");
        }
    }
}
