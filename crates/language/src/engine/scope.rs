//! The names of a body: bindings, registers, constants and groups, and the constants of the program's header.

use std::collections::{HashMap, HashSet};

use komorebi_abi::engine::{NamedGroup, Place, Ref, Rule, Value, Variable, VariableKind, kind_name};
use komorebi_abi::program::ArgKind;
use komorebi_headers::suggest::nearest;
use syn::{Attribute, Type};

use super::Syntax;
use super::places::Places;
use super::primitive::primitive_advice;
use crate::anchor::Anchor;
use crate::errors::{Errors, Message};
use crate::facts::ProgramFacts;

/// What a name is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Read,
    Write,
}

/// A use of a name that nothing declares.
#[derive(Debug)]
struct Unknown {
    name: String,
    how: Use,
    anchor: Anchor,
    /// The edit, where it is known before all uses are.
    help: Option<String>,
    /// The type of its place.
    ty: ArgKind,
}

/// A field of the generated bindings.
#[derive(Clone, Debug)]
pub(crate) struct BindingField {
    pub(crate) variable: u32,
    pub(crate) docs: Vec<Attribute>,
}

/// Everything that is known of a body while it is read.
#[derive(Debug)]
pub(crate) struct Scope<'a> {
    /// `graph` or `stream`.
    pub(crate) noun: &'static str,
    pub(crate) program: &'a ProgramFacts,
    pub(crate) variables: Vec<Variable>,
    pub(crate) groups: Vec<NamedGroup>,
    pub(crate) bindings: Vec<BindingField>,
    /// Types as they are written, with what they were taken for: rustc compares them.
    pub(crate) types: Vec<(Type, ArgKind)>,
    pub(crate) places: Places,
    pub(crate) errors: Errors,
    /// Was a statement refused before it was understood? Then what the others lack may stand in it.
    pub(crate) gaps: bool,
    /// Was an unknown register written? Then the one that was meant seems never to be.
    pub(crate) lost_writes: bool,
    /// Is there a condition that was not understood? Then either way may be taken.
    pub(crate) lost_choices: bool,
    /// The word that each node of a graph begins with, behind its name.
    pub(crate) words: Vec<String>,
    /// Registers with a result of another type: what is declared says nothing of their uses.
    pub(crate) doubtful: HashSet<u32>,
    /// The name whose declaration is being read, which has no value yet.
    pub(crate) begun: Option<String>,
    /// Values that were not understood.
    pub(crate) lost_values: u32,
    /// Commands whose cores could not be read.
    pub(crate) vague: HashSet<u32>,
    /// The type of the place that a value is read for.
    pub(crate) wanted: Option<ArgKind>,
    names: HashMap<String, u32>,
    numbers: HashMap<String, i128>,
    broken: HashSet<String>,
    unknown: Vec<Unknown>,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(noun: &'static str, program: &'a ProgramFacts, name: Anchor, errors: Errors) -> Self {
        Self {
            noun,
            program,
            variables: Vec::new(),
            groups: Vec::new(),
            bindings: Vec::new(),
            types: Vec::new(),
            places: Places::new(name),
            errors,
            gaps: false,
            lost_writes: false,
            lost_choices: false,
            words: Vec::new(),
            doubtful: HashSet::new(),
            begun: None,
            lost_values: 0,
            vague: HashSet::new(),
            wanted: None,
            names: HashMap::new(),
            numbers: HashMap::new(),
            broken: HashSet::new(),
            unknown: Vec::new(),
        }
    }

    /// Reports what cannot be read.
    pub(crate) fn syntax(&mut self, anchor: Anchor, text: String, help: &str) {
        self.errors.push(anchor, &Message::new(Syntax::Field, text).help(help));
    }

    /// Appends a variable. Of two with one name the first is found by it; the check refuses the second.
    pub(crate) fn declare(
        &mut self,
        kind: VariableKind,
        name: Option<&str>,
        ty: Option<ArgKind>,
        anchor: Anchor,
    ) -> u32 {
        let id = self.variables.len() as u32;
        self.variables.push(Variable::new(kind, name, ty));
        self.places.set(Place::Variable(id), anchor);
        if let Some(name) = name {
            self.names.entry(name.to_owned()).or_insert(id);
        }
        id
    }

    /// Makes a constant's number known.
    pub(crate) fn define(&mut self, name: &str, value: i128) {
        self.numbers.entry(name.to_owned()).or_insert(value);
    }

    /// A name whose declaration was refused: its uses are no news.
    pub(crate) fn mark_broken(&mut self, name: &str) {
        self.broken.insert(name.to_owned());
    }

    pub(crate) fn is_broken(&self, name: &str) -> bool {
        self.broken.contains(name)
    }

    pub(crate) fn variable(&self, name: &str) -> Option<u32> {
        self.names.get(name).copied()
    }

    pub(crate) fn variable_anchor(&self, id: u32) -> Anchor {
        self.places.anchor(Place::Variable(id))
    }

    pub(crate) fn group(&self, name: &str) -> bool {
        self.groups.iter().any(|group| group.name == name)
    }

    /// The number of a constant of the body or of the header.
    pub(crate) fn known_number(&self, name: &str) -> Option<i128> {
        let number = self.numbers.get(name).copied();
        number.or_else(|| self.program.constant(name).map(|constant| constant.value))
    }

    /// The constant with the nearest name, for a help line; one of the header with its line.
    pub(crate) fn nearest_number(&self, name: &str) -> Option<String> {
        let header = self.program.constants.iter().map(|constant| constant.name.as_str());
        if primitive_advice(name, self.noun).is_some() {
            return None;
        }
        let near = nearest(name, self.numbers.keys().map(String::as_str).chain(header))?;
        Some(match self.program.constant(near) {
            Some(constant) => format!("`{near}`, which {} gives: `{}`", constant.place, constant.line),
            None => format!("`{near}`"),
        })
    }

    /// What to do about a name that is no constant.
    pub(crate) fn constant_advice(&self, name: &str) -> String {
        let header = match &self.program.header {
            Some(header) => format!("a constant of {header:?} by its C++ name"),
            None => "a constant of a header that the program names with `header = \"..\"`".to_owned(),
        };
        if let Some(advice) = primitive_advice(name, self.noun) {
            return advice;
        }
        let own = name.rsplit("::").next().unwrap_or(name);
        format!(
            "a macro cannot see the value of a Rust `const`: write the number, {header}, or declare `const {own}: u32 = ..;` in the {}",
            self.noun
        )
    }

    /// The variable or constant of that name as a value. An unknown one is reported, and stands for any value.
    pub(crate) fn value_named(&mut self, name: &str, anchor: Anchor) -> Value {
        if let Some(id) = self.variable(name) {
            return Value::Variable(Ref::Id(id));
        }
        if let Some(constant) = self.program.constant(name) {
            return Value::Int(constant.value);
        }
        self.unknown(name, Use::Read, anchor);
        Value::Word(0)
    }

    /// The variable of that name, to be written. An unknown one is reported.
    pub(crate) fn target(&mut self, name: &str, anchor: Anchor) -> Option<u32> {
        let found = self.variable(name);
        if found.is_none() {
            self.lost_writes = true;
            if self.program.constant(name).is_some() {
                let text = format!("`{name}` is a constant of the program's header, and cannot be written");
                let help = "declare a register, as in `reg total: u32;`, and write that";
                self.errors.push(anchor, &Message::new(Rule::ConstantWritten, text).help(help));
            } else {
                self.unknown(name, Use::Write, anchor);
            }
        }
        found
    }

    /// The variable of that name, for the end event. An unknown one is reported.
    pub(crate) fn end_register(&mut self, name: &str, anchor: Anchor) -> Option<u32> {
        let found = self.variable(name);
        if found.is_none() {
            self.unknown(name, Use::Read, anchor);
        }
        found
    }

    /// Refuses a value that is read in its own declaration. Is it such?
    pub(crate) fn refuse_begun(&mut self, name: &str, anchor: Anchor) -> bool {
        let begun = self.begun.as_deref() == Some(name);
        if begun {
            let text = format!("`{name}` has no value yet: its first one is computed here");
            let help = "begin with a number or with a name that is declared before";
            self.errors.push(anchor, &Message::new(Rule::VariableUnknown, text).help(help));
        }
        begun
    }

    fn unknown(&mut self, name: &str, how: Use, anchor: Anchor) {
        self.lost_values += 1;
        if self.is_broken(name) || self.refuse_begun(name, anchor) {
            return;
        }
        let near = nearest(name, self.names.keys().map(String::as_str)).map(|near| format!("`{near}`"));
        let constant = name.contains("::") || !name.contains(|letter: char| letter.is_lowercase());
        let help = match near.or_else(|| self.nearest_number(name)) {
            Some(near) => Some(format!("did you mean {near}?")),
            None => (constant || name.starts_with('k')).then(|| self.constant_advice(name)),
        };
        // `x += 1` both reads and writes: one word, one error.
        let again = self.unknown.iter().any(|known| known.name == name && known.anchor.is(anchor));
        if !again {
            let ty = self.wanted.unwrap_or(ArgKind::U32);
            self.unknown.push(Unknown { name: name.to_owned(), how, anchor, help, ty });
        }
    }

    /// Reports the names that nothing declares, when all their uses are known: one that is written is to be a register.
    pub(crate) fn report_unknown(&mut self) {
        let unknown = std::mem::take(&mut self.unknown);
        let written: HashSet<&str> =
            unknown.iter().filter(|one| one.how == Use::Write).map(|one| one.name.as_str()).collect();
        for Unknown { name, anchor, help, ty, .. } in &unknown {
            let text = format!("no binding, register or constant is called `{name}`");
            let ty = kind_name(*ty);
            let help = help.clone().unwrap_or_else(|| match written.contains(name.as_str()) {
                true => format!("declare it: `reg {name}: {ty};`"),
                false => format!(
                    "declare it: `bind {name}: {ty};`, which is given at each start, or as a register that the {} writes before",
                    self.noun
                ),
            });
            self.errors.push(*anchor, &Message::new(Rule::VariableUnknown, text).help(help));
        }
    }
}
