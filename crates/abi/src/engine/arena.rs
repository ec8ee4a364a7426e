//! Bindings, registers and constants, and the registers of the machine they take.

use super::{Place, Problems, Ref, Rule};
use crate::constants::engine as c;
use crate::program::ArgKind;
use komorebi_headers::suggest::nearest;

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableKind {
    /// A word that each start gives.
    Binding,
    /// A word that commands and instructions write.
    Register,
    /// A register for the values between the parts of an expression: one cpu node's or step's at a time, which runs in one
    /// go, so that others may use it without order between them.
    Temporary,
    /// A number: it takes no register.
    Constant(u32),
}

impl VariableKind {
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Self::Binding => "binding",
            Self::Register => "register",
            Self::Temporary => "temporary register",
            Self::Constant(_) => "constant",
        }
    }
}

/// A binding, register or constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name; `None` for one that only its position names.
    pub name: Option<String>,
    /// What it is.
    pub kind: VariableKind,
    /// Its type, if it has one: then its uses are checked against it.
    pub ty: Option<ArgKind>,
}

impl Variable {
    /// A variable.
    pub fn new(kind: VariableKind, name: Option<&str>, ty: Option<ArgKind>) -> Self {
        Self { name: name.map(str::to_owned), kind, ty }
    }

    /// How messages call it.
    pub fn label(&self, id: u32) -> String {
        match &self.name {
            Some(name) => format!("`{name}`"),
            None => format!("{} {id}", self.kind.noun()),
        }
    }
}

/// The variables of a model, by name and position.
#[derive(Clone, Copy)]
pub struct Declared<'a>(pub &'a [Variable]);

impl Declared<'_> {
    /// The position of a variable; `None` when there is no such one.
    pub fn find(&self, name: &Ref) -> Option<u32> {
        match name {
            Ref::Id(id) => ((*id as usize) < self.0.len()).then_some(*id),
            Ref::Named(name) => {
                self.0.iter().position(|variable| variable.name.as_deref() == Some(name)).map(|at| at as u32)
            }
        }
    }

    /// The same, and says what is wrong.
    pub(crate) fn resolve(&self, name: &Ref, place: Place, problems: &mut Problems) -> Option<u32> {
        let found = self.find(name);
        if found.is_none() {
            let names = || self.0.iter().filter_map(|variable| variable.name.as_deref());
            let (what, near) = match name {
                Ref::Named(name) => (format!("`{name}`"), nearest(name, names())),
                Ref::Id(id) => (format!("number {id}"), None),
            };
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None if names().next().is_none() => {
                    "declare it: no binding, register or constant has a name here".into()
                }
                None => format!("declare it; {}", known(names())),
            };
            problems.add(
                Rule::VariableUnknown,
                place,
                format!("no binding, register or constant is called {what}"),
                help,
            );
        }
        found
    }

    pub(crate) fn check(&self, problems: &mut Problems) {
        let mut bindings = 0;
        let mut registers = 0;
        for (i, variable) in self.0.iter().enumerate() {
            let place = Place::Variable(i as u32);
            if let Some(name) = &variable.name
                && let Some(j) = self.0[..i].iter().position(|earlier| earlier.name.as_ref() == Some(name))
            {
                let (first, second) = (self.0[j].kind.noun(), variable.kind.noun());
                let message = match first == second {
                    true => format!("two {first}s are called `{name}`"),
                    false => format!("`{name}` is declared twice: as a {first} and as a {second}"),
                };
                problems.conflict(
                    Rule::NameTwice,
                    place,
                    Place::Variable(j as u32),
                    format!("the {first} `{name}` is declared first here"),
                    message,
                    "rename one of them",
                );
            }
            if variable.ty.is_some_and(|ty| ty.words() != 1) {
                let message =
                    format!("{} has 64 bits; a {} holds 32", variable.label(i as u32), variable.kind.noun());
                let help = match &variable.name {
                    Some(name) => format!("declare its words as two: `{name}_low: u32, {name}_high: u32`"),
                    None => "declare its low and its high word as two `u32`".to_owned(),
                };
                problems.add(Rule::VariableType, place, message, help);
            }
            match variable.kind {
                VariableKind::Binding => bindings += 1,
                VariableKind::Register | VariableKind::Temporary => registers += 1,
                VariableKind::Constant(_) => continue,
            }
            if variable.kind == VariableKind::Binding && bindings == c::BINDINGS_MAX + 1 {
                let all = self.0.iter().filter(|other| other.kind == VariableKind::Binding).count();
                let message = format!(
                    "{all} bindings are declared; a start gives values to {} at most",
                    c::BINDINGS_MAX
                );
                problems.add(
                    Rule::Bindings,
                    place,
                    message,
                    format!(
                        "remove {}, make those that never change constants, as in `const LIMIT: u32 = 8;`, or pass the address of a tensor that holds them",
                        all - c::BINDINGS_MAX as usize
                    ),
                );
            }
            if bindings + registers == c::REGISTERS + 1 {
                let all =
                    self.0.iter().filter(|other| !matches!(other.kind, VariableKind::Constant(_))).count();
                let kind = VariableKind::Temporary;
                let (message, help) = match self.0.iter().filter(|other| other.kind == kind).count() {
                    0 => (
                        format!(
                            "{all} bindings and registers are declared; an engine has {} registers",
                            c::REGISTERS
                        ),
                        format!(
                            "remove {}, or use a register again where its value is not needed any more",
                            all - c::REGISTERS as usize
                        ),
                    ),
                    parts => (
                        format!(
                            "{} bindings and registers are declared, and results inside expressions need {parts} more; an engine has {} registers",
                            all - parts,
                            c::REGISTERS
                        ),
                        format!(
                            "remove {}, or use a register again where its value is not needed any more",
                            all - c::REGISTERS as usize
                        ),
                    ),
                };
                problems.add(Rule::Registers, place, message, help);
            }
        }
    }
}

/// The names there are, as a help line says it.
pub(crate) fn known<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names = names.peekable();
    let first = names.next();
    match (first, names.peek()) {
        (Some(only), None) => format!("the only one is `{only}`"),
        (first, _) => format!("known are {}", list(first.into_iter().chain(names))),
    }
}

/// Names for a help line: all of few, the first of many.
pub(crate) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let shown: Vec<String> = names.iter().take(8).map(|name| format!("`{name}`")).collect();
    if names.len() > shown.len() {
        format!("{} and {} more", shown.join(", "), names.len() - shown.len())
    } else {
        shown.join(", ")
    }
}

/// Which register of the machine each variable is: bindings first, in their order, then registers, then temporaries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterTable {
    numbers: Vec<Option<u8>>,
    next: u32,
    /// Bindings.
    pub bindings: u8,
}

impl RegisterTable {
    /// The table of these variables. Numbers past the last register are possible; the check refuses them.
    pub fn new(variables: &[Variable]) -> Self {
        let mut numbers = vec![None; variables.len()];
        let mut next = 0;
        let mut bindings = 0;
        for kind in [VariableKind::Binding, VariableKind::Register, VariableKind::Temporary] {
            for (number, _) in numbers.iter_mut().zip(variables).filter(|(_, variable)| variable.kind == kind)
            {
                *number = Some(next.min(255) as u8);
                next += 1;
            }
            if kind == VariableKind::Binding {
                bindings = next.min(255) as u8;
            }
        }
        Self { numbers, next, bindings }
    }

    /// The register of a variable; `None` for a constant.
    pub fn number(&self, variable: u32) -> Option<u8> {
        self.numbers.get(variable as usize).copied().flatten()
    }

    /// Registers in use.
    pub const fn used(&self) -> u32 {
        self.next
    }

    /// The first register behind those of the variables: for values that an instruction needs in a register.
    pub(crate) const fn scratch(&self, index: u32) -> u8 {
        let number = self.next + index;
        if number > 255 { 255 } else { number as u8 }
    }
}
