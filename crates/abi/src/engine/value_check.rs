//! Arguments against the types a handler declares, as words.

use super::value::kind_name;
use super::{
    Command, CommandCheck, Declared, Place, Problems, Resolved, Rule, TensorKey, TensorUse, Value, Variable,
    VariableKind, Word,
};
use crate::constants::command as c;
use crate::program::{ArgKind, Handler};

impl CommandCheck<'_> {
    pub(super) fn args(
        &self,
        item: u32,
        command: &Command,
        handler: Option<&Handler>,
        resolved: &mut Resolved,
        problems: &mut Problems,
    ) {
        let typed = handler.filter(|_| self.facts.typed);
        if let Some(handler) = typed
            && command.args.len() != handler.args.len()
        {
            let message = format!(
                "`{}` takes {} argument{}, and is given {}",
                handler.name,
                handler.args.len(),
                if handler.args.len() == 1 { "" } else { "s" },
                command.args.len()
            );
            let place = if command.args.len() > handler.args.len() {
                Place::Arg(item, handler.args.len() as u32)
            } else {
                Place::Handler(item)
            };
            problems.add(Rule::ArgCount, place, message, count_help(handler, &command.args, self.variables));
        }
        let swapped = typed.and_then(|handler| self.swapped(command, handler, problems));
        if let Some((at, message, help)) = &swapped {
            problems.add(Rule::ArgType, Place::Arg(item, *at), message.clone(), help.clone());
        }
        for (i, value) in command.args.iter().enumerate() {
            let place = Place::Arg(item, i as u32);
            let declared = typed.and_then(|handler| handler.args.get(i));
            let what = || match declared {
                Some(arg) => format!("argument `{}` of {}", arg.name, command.handler_label()),
                None => format!("argument {i} of {}", command.handler_label()),
            };
            let kind = declared.map(|arg| arg.kind);
            let words = if swapped.is_some() {
                // In their order the types may all fit.
                let mut others = Problems::default();
                let words = self.value(value, kind, place, &what, &mut others);
                let others = others.into_vec().into_iter().filter(|other| other.rule != Rule::ArgType);
                others.for_each(|other| problems.push(other));
                words
            } else {
                self.value(value, kind, place, &what, problems)
            };
            let at = resolved.words.len();
            resolved.args.extend(words.iter().map(|_| i as u32));
            resolved.words.extend(words);
            if let (Some(arg), Some(word)) = (declared, resolved.words.get(at))
                && let (ArgKind::Address, Some(effect)) = (arg.kind, arg.effect)
            {
                let tensor = match *word {
                    Word::Bits(bits) => TensorKey::Bits(bits),
                    Word::Variable(variable) => match self.variables[variable as usize].kind {
                        VariableKind::Constant(bits) => TensorKey::Bits(bits),
                        _ => TensorKey::Variable(variable),
                    },
                };
                resolved.tensors.push(TensorUse { arg: i as u32, tensor, effect });
            }
        }
        if resolved.words.len() > c::ARGS_MAX as usize {
            if typed.is_none_or(|handler| handler.args.len() == command.args.len()) {
                let message = format!(
                    "{} is given {} argument words; a command carries {}",
                    command.handler_label(),
                    resolved.words.len(),
                    c::ARGS_MAX
                );
                let arg = resolved.args[c::ARGS_MAX as usize];
                problems.add(
                    Rule::ArgWords,
                    Place::Arg(item, arg),
                    message,
                    format!(
                        "remove {} of them, or put the last {} into a tensor and pass its address in their place",
                        resolved.words.len() - c::ARGS_MAX as usize,
                        resolved.words.len() + 1 - c::ARGS_MAX as usize
                    ),
                );
            }
            resolved.words.truncate(c::ARGS_MAX as usize);
        }
    }

    /// The words of a value for a place of type `kind`.
    pub(crate) fn value(
        &self,
        value: &Value,
        kind: Option<ArgKind>,
        place: Place,
        what: &dyn Fn() -> String,
        problems: &mut Problems,
    ) -> Vec<Word> {
        let bits = |bits: u64, kind: ArgKind| {
            let low = Word::Bits(bits as u32);
            if kind.words() == 2 { vec![low, Word::Bits((bits >> 32) as u32)] } else { vec![low] }
        };
        let blank = || vec![Word::Bits(0); kind.map_or(1, |kind| kind.words() as usize)];
        match value {
            Value::Word(word) => vec![Word::Bits(*word)],
            Value::Typed(given, word) => {
                if let Some(kind) = kind
                    && kind != *given
                {
                    let message =
                        format!("{} is {}, and is given {}", what(), kind_name(kind), kind_name(*given));
                    problems.add(
                        Rule::ArgType,
                        place,
                        message,
                        format!("give it a value of type `{}`", kind_name(kind)),
                    );
                    return blank();
                }
                bits(*word, *given)
            }
            Value::Int(number) => {
                let (least, most): (i128, i128) = match kind {
                    Some(ArgKind::I32) => (i32::MIN.into(), i32::MAX.into()),
                    Some(ArgKind::U64) => (0, u64::MAX.into()),
                    Some(ArgKind::U32 | ArgKind::Core | ArgKind::Address) => (0, u32::MAX.into()),
                    Some(ArgKind::F32) => {
                        let message = format!("{} is f32, and is given the integer {number}", what());
                        problems.add(Rule::ArgType, place, message, format!("write `{number}.0`"));
                        return blank();
                    }
                    Some(pair) => {
                        let message =
                            format!("{} is {}, and is given the integer {number}", what(), kind_name(pair));
                        problems.add(
                            Rule::ArgType,
                            place,
                            message,
                            "pass it as a binding, which carries both halves",
                        );
                        return blank();
                    }
                    None => (i32::MIN.into(), u32::MAX.into()),
                };
                if !(least..=most).contains(number) {
                    let ty = kind.map_or("a word", kind_name);
                    let message = format!("{number} does not fit {}: {ty} holds {least} to {most}", what());
                    problems.add(Rule::ArgType, place, message, "give it a number in range");
                    return blank();
                }
                let low = *number as u64;
                bits(low, kind.unwrap_or(ArgKind::U32))
            }
            Value::Float(number) => match kind {
                None | Some(ArgKind::F32) => vec![Word::Bits(number.to_bits())],
                Some(kind) => {
                    let message =
                        format!("{} is {}, and is given the float {number:?}", what(), kind_name(kind));
                    problems.add(Rule::ArgType, place, message, "give it an integer");
                    blank()
                }
            },
            Value::Variable(name) => {
                let Some(id) = Declared(self.variables).resolve(name, place, problems) else {
                    return blank();
                };
                let variable = &self.variables[id as usize];
                if let (Some(kind), Some(ty)) = (kind, variable.ty)
                    && kind != ty
                    && kind.words() == 1
                {
                    if problems.refused(id) {
                        return vec![Word::Variable(id)];
                    }
                    let noun = variable.kind.noun();
                    let named = match &variable.name {
                        Some(name) => format!("the {noun} `{name}`"),
                        None => variable.label(id),
                    };
                    let message =
                        format!("{} is {}, and {named} is {}", what(), kind_name(kind), kind_name(ty));
                    let mut help = format!("declare the {noun} as `{}`", kind_name(kind));
                    // One declaration cannot be mended in two ways.
                    if problems.advised(id).is_some_and(|other| other != help) {
                        help = self.another(kind);
                    }
                    problems.conflict(
                        Rule::ArgType,
                        place,
                        Place::Variable(id),
                        format!("{named} is declared here"),
                        message,
                        help,
                    );
                    return blank();
                }
                match kind {
                    Some(kind) if kind.words() != 1 && problems.refused(id) => blank(),
                    Some(kind) if kind.words() != 1 => {
                        let message = format!(
                            "{} has 64 bits; the {} {} has 32",
                            what(),
                            variable.kind.noun(),
                            variable.label(id)
                        );
                        problems.add(
                            Rule::ArgType,
                            place,
                            message,
                            "let the handler take `low: u32, high: u32` in its place, and pass two words: bindings, registers or numbers",
                        );
                        blank()
                    }
                    _ => vec![Word::Variable(id)],
                }
            }
        }
    }

    /// Does an argument stand where another type is expected, and would all of them fit in another order? Then that is what is
    /// wrong: the argument, what to say, and the order.
    fn swapped(
        &self,
        command: &Command,
        handler: &Handler,
        problems: &Problems,
    ) -> Option<(u32, String, String)> {
        let given: Vec<Option<ArgKind>> =
            command.args.iter().map(|value| self.kind_of(value, problems)).collect();
        if given.len() != handler.args.len() {
            return None;
        }
        let at = given
            .iter()
            .zip(&handler.args)
            .position(|(given, arg)| given.is_some_and(|kind| kind != arg.kind))?;
        // One of its own name is in its place, and declared with another type.
        if let Value::Variable(name) = &command.args[at]
            && let Some(id) = Declared(self.variables).find(name)
            && self.variables[id as usize].name.as_ref() == Some(&handler.args[at].name)
        {
            return None;
        }
        // Places that no value of their type takes are left for plain numbers.
        let mut left: Vec<ArgKind> = handler.args.iter().map(|arg| arg.kind).collect();
        for kind in given.iter().flatten() {
            left.remove(left.iter().position(|place| place == kind)?);
        }
        let number = |value: &Value| match value {
            Value::Int(number) => u32::try_from(*number).is_ok(),
            _ => true,
        };
        let takes_number = |kind: &ArgKind| {
            matches!(kind, ArgKind::U32 | ArgKind::I32 | ArgKind::U64 | ArgKind::Core | ArgKind::Address)
        };
        if !left.iter().all(takes_number) || !command.args.iter().all(number) {
            return None;
        }
        let arg = &handler.args[at];
        let message = format!(
            "argument `{}` of `{}` is {}, and is given {}",
            arg.name,
            handler.name,
            kind_name(arg.kind),
            kind_name(given[at]?)
        );
        let help = format!("the arguments are in another order: `{}` takes {}", handler.name, takes(handler));
        Some((at as u32, message, help))
    }

    /// The type that a value has wherever it stands.
    fn kind_of(&self, value: &Value, problems: &Problems) -> Option<ArgKind> {
        match value {
            Value::Typed(kind, _) => Some(*kind),
            Value::Float(_) => Some(ArgKind::F32),
            Value::Variable(name) => {
                let id = Declared(self.variables).find(name).filter(|id| !problems.refused(*id))?;
                self.variables[id as usize].ty
            }
            Value::Word(_) | Value::Int(_) => None,
        }
    }

    /// Advice to pass something else, of type `kind`.
    fn another(&self, kind: ArgKind) -> String {
        let fits = |variable: &&Variable| {
            variable.ty == Some(kind) && variable.kind != VariableKind::Temporary && variable.name.is_some()
        };
        match self.variables.iter().find(fits).and_then(|variable| variable.name.as_ref()) {
            Some(name) => format!("pass a value of type `{}`: `{name}` is one", kind_name(kind)),
            None => format!("pass a value of type `{}`", kind_name(kind)),
        }
    }
}

/// A handler's arguments with their types.
fn signature(handler: &Handler) -> Vec<String> {
    handler.args.iter().map(|arg| format!("{}: {}", arg.name, kind_name(arg.kind))).collect()
}

/// The same as one text.
fn takes(handler: &Handler) -> String {
    let names = signature(handler);
    if names.is_empty() { "nothing".to_owned() } else { format!("`({})`", names.join(", ")) }
}

/// What is missing of a handler's arguments, or is too much.
fn count_help(handler: &Handler, given: &[Value], variables: &[Variable]) -> String {
    let (names, takes) = (signature(handler), takes(handler));
    if let Some(missing @ [_, ..]) = names.get(given.len()..) {
        let list: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
        let verb = if missing.len() == 1 { "is" } else { "are" };
        return format!("{} {verb} missing: `{}` takes {takes}", list.join(", "), handler.name);
    }
    let extra = given.get(names.len()..).unwrap_or_default();
    match extra {
        [Value::Int(number)] => format!("remove `{number}`: it takes {takes}"),
        [Value::Variable(name)] => match Declared(variables).find(name) {
            Some(id) => format!("remove {}: it takes {takes}", variables[id as usize].label(id)),
            None => format!("remove the last: it takes {takes}"),
        },
        [_] => format!("remove the last: it takes {takes}"),
        _ => format!("remove the last {}: it takes {takes}", extra.len()),
    }
}
