//! The rules of handlers: numbers, names, arguments.

use super::check::{misnumbered, problem};
use super::names::{RESERVED, STATEMENTS, is_cpp_keyword};
use super::{ArgKind, Handler, Place, Problem, Rule};
use crate::constants::command;

pub(super) fn check_handlers(handlers: &[Handler], problems: &mut Vec<Problem>) {
    // Each is suggested once.
    let mut free = (1..=command::HANDLER_MAX).filter(|n| handlers.iter().all(|handler| handler.number != *n));
    for (i, handler) in handlers.iter().enumerate() {
        let Handler { name, number, .. } = handler;
        if !(1..=command::HANDLER_MAX).contains(number) {
            let message = match number {
                0 => format!(
                    "handler `{name}` has number 0, which is NOP; a program's handlers are numbered 1 to {}",
                    command::HANDLER_MAX
                ),
                _ => format!(
                    "handler `{name}` has number {number}; a program's handlers are numbered 1 to {}",
                    command::HANDLER_MAX
                ),
            };
            let free = free.next();
            let help = free.map_or("remove a handler".into(), |n| format!("number {n} is free"));
            problems.push(misnumbered(Rule::HandlerNumber, Place::HandlerNumber(i), message, help, free));
        }
        for (j, earlier) in handlers[..i].iter().enumerate() {
            // Two of one name have one constant of the header, and are one mistake.
            if earlier.number == *number && earlier.name != *name {
                let message = format!("handlers `{}` and `{name}` both have number {number}", earlier.name);
                let free = free.next();
                let help = free.map_or("remove a handler".into(), |n| format!("number {n} is free"));
                let found = misnumbered(Rule::HandlerTwice, Place::HandlerNumber(i), message, help, free);
                let other =
                    Some((Place::HandlerNumber(j), format!("`{}` has number {number} here", earlier.name)));
                problems.push(Problem { other, ..found });
            }
            if earlier.name == *name || earlier.cpp_name() == handler.cpp_name() {
                let message = match earlier.name == *name {
                    true => format!("two handlers are called `{name}`"),
                    false => format!(
                        "handler `{name}` is `{}` in the kernels, and so is `{}`",
                        handler.cpp_name(),
                        earlier.name
                    ),
                };
                let mut found =
                    problem(Rule::HandlerTwice, Place::HandlerName(i), message, "rename one of them");
                found.other =
                    Some((Place::HandlerName(j), format!("`{}` is declared first here", earlier.name)));
                problems.push(found);
            }
        }
        check_args(i, handler, problems);
        check_names(i, handler, problems);
    }
}

fn check_args(i: usize, handler: &Handler, problems: &mut Vec<Problem>) {
    for (j, arg) in handler.args.iter().enumerate() {
        if let Some(k) = handler.args[..j].iter().position(|earlier| earlier.name == arg.name) {
            let message = format!("handler `{}` has two arguments called `{}`", handler.name, arg.name);
            let mut found =
                problem(Rule::HandlerTwice, Place::HandlerArg(i, j), message, "rename one of them");
            found.other = Some((Place::HandlerArg(i, k), format!("the first argument `{}`", arg.name)));
            problems.push(found);
        }
    }
    let most = command::ARGS_MAX;
    let wide = handler.args.iter().any(|arg| arg.kind == ArgKind::U64);
    let wide = if wide { " (a `u64` takes two)" } else { "" };
    let mut words = 0;
    for (j, arg) in handler.args.iter().enumerate() {
        words += arg.kind.words();
        if words > most {
            let message = format!(
                "handler `{}` takes {} argument words{wide}; a command carries {most}, and `{}` is the first that does not fit",
                handler.name,
                handler.words(),
                arg.name
            );
            problems.push(problem(
                Rule::ArgWords,
                Place::HandlerArg(i, j),
                message,
                "put the words from the tenth on into a tensor, and pass its address in their place: `km::Address` is one word",
            ));
            return;
        }
    }
}

fn check_names(i: usize, handler: &Handler, problems: &mut Vec<Problem>) {
    if RESERVED.contains(&handler.name.as_str()) {
        let message = format!(
            "a handler cannot be called `{}`: `Run` or the program's type has a function of that name",
            handler.name
        );
        let help = format!("rename it; the names that are taken: `{}`", RESERVED.join("`, `"));
        problems.push(problem(Rule::ReservedName, Place::HandlerName(i), message, help));
    }
    if STATEMENTS.contains(&handler.name.as_str()) {
        let message = format!(
            "a handler cannot be called `{0}`: in `graph!` or `stream!` a statement that begins with `{0}` is another one",
            handler.name
        );
        let help = format!(
            "rename it, as in `{}_`; the words of statements: `{}`",
            handler.name,
            STATEMENTS.join("`, `")
        );
        problems.push(problem(Rule::ReservedName, Place::HandlerName(i), message, help));
    }
    for (j, arg) in handler.args.iter().enumerate() {
        if is_cpp_keyword(&arg.name) {
            let message = format!(
                "argument `{}` of `{}` is a keyword of C++, and the kernels see it by that name",
                arg.name, handler.name
            );
            problems.push(problem(
                Rule::ReservedName,
                Place::HandlerArg(i, j),
                message,
                format!("rename it, as in `{}_`", arg.name),
            ));
        }
    }
}
