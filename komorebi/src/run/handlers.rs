//! The program's handlers, as commands are checked against them.

use komorebi_abi::constants::command as c;
use komorebi_abi::program::{ProgramModel, ResultKind};

use crate::Error;
use crate::call::{HandlerRef, RawCall};
use crate::error::ArgumentError;

/// A handler as it is checked.
struct Entry {
    name: String,
    number: u8,
    /// What its commands carry and give; `None` takes any words and any result.
    declared: Option<Declared>,
}

/// What the program says of a handler's commands.
struct Declared {
    /// Words they carry.
    words: u32,
    /// What their result word holds.
    result: Option<ResultKind>,
}

/// The handlers of a loaded program.
pub(crate) struct Handlers {
    program: String,
    entries: Vec<Entry>,
}

impl Handlers {
    pub(crate) fn new(model: &ProgramModel, untyped: &[String]) -> Self {
        let entry = |handler: &komorebi_abi::program::Handler| Entry {
            name: handler.name.clone(),
            number: handler.number as u8,
            declared: (!untyped.contains(&handler.name))
                .then(|| Declared { words: handler.words(), result: handler.result }),
        };
        Self { program: model.name.clone(), entries: model.handlers.iter().map(entry).collect() }
    }

    /// The number of the handler `call` names, once its words are right.
    #[inline]
    pub(crate) fn check(&self, call: &RawCall<'_>) -> Result<u8, Error> {
        match call.handler {
            HandlerRef::Number(number) if call.typed && call.words.count <= c::ARGS_MAX => Ok(number as u8),
            _ => self.check_untyped(call),
        }
    }

    fn check_untyped(&self, call: &RawCall<'_>) -> Result<u8, Error> {
        let found = call.words.count as usize;
        if call.words.count > c::ARGS_MAX {
            return Err(ArgumentError::TooMany { found }.into());
        }
        let entry = match call.handler {
            HandlerRef::Number(c::KM_HANDLER_NOP) => {
                check_result("nop", call.result, None)?;
                return Ok(c::KM_HANDLER_NOP as u8);
            }
            HandlerRef::Number(number) => {
                let known = self.entries.iter().find(|entry| u32::from(entry.number) == number);
                known.ok_or_else(|| ArgumentError::UnknownNumber {
                    program: self.program.clone(),
                    number,
                    known: self.names(),
                })?
            }
            HandlerRef::Name(name) => {
                self.entries.iter().find(|entry| entry.name == name).ok_or_else(|| self.unknown(name))?
            }
        };
        if let Some(declared) = &entry.declared {
            let expected = declared.words;
            if expected as usize != found {
                return Err(ArgumentError::Words { name: entry.name.clone(), found, expected }.into());
            }
            check_result(&entry.name, call.result, declared.result)?;
        }
        Ok(entry.number)
    }

    /// The program's name.
    pub(crate) fn program(&self) -> &str {
        &self.program
    }

    /// Every handler's number and name.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (u8, &str)> {
        self.entries.iter().map(|entry| (entry.number, &*entry.name))
    }

    fn names(&self) -> Vec<String> {
        self.entries.iter().map(|entry| entry.name.clone()).collect()
    }

    fn unknown(&self, name: &str) -> ArgumentError {
        let known = self.names();
        let nearest = komorebi_headers::suggest::nearest(name, known.iter().map(String::as_str));
        ArgumentError::UnknownHandler {
            program: self.program.clone(),
            name: name.into(),
            nearest: nearest.map(str::to_owned),
            known,
        }
    }
}

/// A word that nobody stores must not look like a result: only what is declared may be asked for.
fn check_result(
    handler: &str,
    found: Option<ResultKind>,
    expected: Option<ResultKind>,
) -> Result<(), ArgumentError> {
    match found {
        Some(found) if Some(found) != expected => {
            Err(ArgumentError::Result { name: handler.into(), found, expected })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use komorebi_abi::program::{Arg, ArgKind, Handler};

    use super::*;
    use crate::call::{Command, call};

    fn handlers() -> Handlers {
        let mut model = ProgramModel::new("heat");
        let arg = Arg { name: "state".into(), kind: ArgKind::U64, effect: None };
        model.handlers.push(Handler { name: "step".into(), number: 3, args: vec![arg], result: None });
        model.handlers.push(Handler { name: "norm".into(), number: 4, args: Vec::new(), result: None });
        let result = Some(ResultKind::U32);
        model.handlers.push(Handler { name: "count".into(), number: 5, args: Vec::new(), result });
        Handlers::new(&model, &["norm".into()])
    }

    fn check(call: impl Command<()>) -> Result<u8, String> {
        handlers().check(&call.raw()).map_err(|error| error.to_string())
    }

    #[test]
    fn an_unknown_name_gets_the_nearest_known_one() {
        assert_eq!(
            check(call("stpe", &[])).unwrap_err(),
            "program `heat` has no handler `stpe`; did you mean `step`?"
        );
        assert_eq!(
            check(call("upload", &[])).unwrap_err(),
            "program `heat` has no handler `upload`; it has step, norm, count"
        );
        assert_eq!(
            check(call(9, &[])).unwrap_err(),
            "program `heat` has no handler with number 9; 0 is NOP, and it has step, norm, count"
        );
    }

    #[test]
    fn words_are_counted_for_handlers_that_declare_them() {
        assert_eq!(check(call("step", &[1, 2])), Ok(3));
        assert_eq!(check(call("step", &[1])).unwrap_err(), "handler `step` takes 2 argument words, not 1");
        assert_eq!(check(call("norm", &[1, 2, 3])), Ok(4));
        assert_eq!(check(call(0, &[])), Ok(0));
        assert!(check(call("norm", &[0; 11])).unwrap_err().contains("not 11"));
        assert!(check(call("norm", &[0; 400])).unwrap_err().contains("not 400"));
    }

    #[test]
    fn only_the_result_a_handler_declares_can_be_asked_for() {
        let none = "gives no result, not a";
        assert!(check(call("step", &[1, 2]).result::<u32>()).unwrap_err().contains(none));
        assert!(check(call(3, &[1, 2]).result::<f32>()).unwrap_err().contains("handler `step`"));
        assert!(check(crate::nop().result::<u32>()).unwrap_err().contains(none));
        assert_eq!(check(call("step", &[1, 2]).result::<()>()), Ok(3));
        assert_eq!(
            check(call("count", &[]).result::<f32>()).unwrap_err(),
            "handler `count` gives a u32, not a f32; ask for result::<u32>()"
        );
        assert_eq!(check(call("count", &[]).result::<u32>()), Ok(5));
        assert_eq!(check(call("count", &[])), Ok(5));
        assert_eq!(check(call("norm", &[]).result::<f32>()), Ok(4), "nothing is declared of it");
    }
}
