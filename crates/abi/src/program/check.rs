//! Every rule of a program, checked at once.

use super::check_threads::check_threads;
use super::{ArgKind, Buffer, Handler, Place, Problem, ProgramModel, Rule, l1_budget};
use crate::constants::{command, core, layout};

/// Checks `program` against every rule. Empty when it keeps them all.
pub fn check(program: &ProgramModel) -> Vec<Problem> {
    let mut problems = Vec::new();
    check_grid(program, &mut problems);
    check_depth(program, &mut problems);
    check_kernel_bytes(program, &mut problems);
    check_handlers(&program.handlers, &mut problems);
    check_buffers(&program.buffers, &mut problems);
    check_l1(program, &mut problems);
    check_defines(&program.defines, &mut problems);
    check_threads(program, &mut problems);
    problems
}

pub(super) fn problem(rule: Rule, place: Place, message: String, help: impl Into<String>) -> Problem {
    Problem { rule, place, other: None, message, help: Some(help.into()), free: None }
}

fn check_grid(program: &ProgramModel, problems: &mut Vec<Problem>) {
    let Some((width, height)) = program.grid else { return };
    let (columns, cores) = (command::COLUMNS_MAX, command::CORES_MAX);
    let sum = u64::from(width) * u64::from(height);
    if width == 0 || height == 0 {
        let message = format!("a grid of {width} x {height} has no cores");
        problems.push(problem(
            Rule::Grid,
            Place::Grid,
            message,
            "give it at least one column and one row, as in `grid = (12, 10)`",
        ));
    } else if width > columns || sum > u64::from(cores) {
        let message = format!(
            "a grid of {width} x {height} has {sum} cores in {width} columns; commands can name at most {cores} cores and {columns} columns"
        );
        problems.push(problem(
            Rule::Grid,
            Place::Grid,
            message,
            "make the grid smaller, as in `grid = (12, 10)`",
        ));
    }
}

fn check_depth(program: &ProgramModel, problems: &mut Vec<Problem>) {
    let (depth, most) = (program.depth, command::SLOTS_MAX);
    if !(1..=most).contains(&depth) {
        let nearest = depth.clamp(1, most);
        let message = format!("a depth of {depth} is outside 1 to {most}, the mailbox slots of a core");
        problems.push(problem(Rule::Depth, Place::Depth, message, format!("write `depth = {nearest}`")));
    }
}

fn check_kernel_bytes(program: &ProgramModel, problems: &mut Vec<Problem>) {
    let Some(bytes) = program.kernel_bytes else { return };
    let (step, most) = (layout::KERNEL_BYTES_STEP, layout::KERNEL_BYTES_MAX);
    if bytes == 0 || bytes > most || !bytes.is_multiple_of(step) {
        let nearest = bytes.clamp(step, most).next_multiple_of(step).min(most / step * step);
        let message =
            format!("a kernel buffer of {bytes} bytes is not a multiple of {step} from {step} to {most}");
        problems.push(problem(
            Rule::KernelBytes,
            Place::KernelBytes,
            message,
            format!("write `kernel_bytes = {nearest}`"),
        ));
    }
}

fn check_handlers(handlers: &[Handler], problems: &mut Vec<Problem>) {
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
            let found = problem(Rule::HandlerNumber, Place::HandlerNumber(i), message, help);
            problems.push(Problem { free, ..found });
        }
        for (j, earlier) in handlers[..i].iter().enumerate() {
            if earlier.number == *number {
                let message = format!("handlers `{}` and `{name}` both have number {number}", earlier.name);
                let free = free.next();
                let help = free.map_or("remove a handler".into(), |n| format!("number {n} is free"));
                let found = problem(Rule::HandlerTwice, Place::HandlerNumber(i), message, help);
                let other =
                    Some((Place::HandlerNumber(j), format!("`{}` has number {number} here", earlier.name)));
                problems.push(Problem { free, other, ..found });
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

/// Names that a generated item, a method of `Run` or C++ would collide with.
const RESERVED: [&str; 26] = [
    "program",
    "nop",
    "submit",
    "submit_many",
    "wait",
    "wait_any",
    "drain",
    "event",
    "sequence",
    "group",
    "forget",
    "stop",
    "abort",
    "result",
    "state",
    "state_words",
    "trace",
    "upload",
    "release",
    "start",
    "restart",
    "cancel",
    "wait_engine",
    "run_hostfed",
    "thread_result",
    "sizes",
];

/// C++ keywords that are legal names in Rust.
const CPP: [&str; 50] = [
    "alignas",
    "alignof",
    "and",
    "asm",
    "auto",
    "bool",
    "case",
    "catch",
    "char",
    "class",
    "compl",
    "constexpr",
    "default",
    "delete",
    "double",
    "explicit",
    "export",
    "float",
    "friend",
    "goto",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "nullptr",
    "operator",
    "or",
    "private",
    "protected",
    "public",
    "register",
    "short",
    "signed",
    "sizeof",
    "switch",
    "template",
    "this",
    "throw",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "void",
    "xor",
];

fn check_names(i: usize, handler: &Handler, problems: &mut Vec<Problem>) {
    if RESERVED.contains(&handler.name.as_str()) {
        let message = format!(
            "a handler cannot be called `{}`: `Run` or the program's type has a function of that name",
            handler.name
        );
        let help = format!("rename it; the names that are taken: `{}`", RESERVED.join("`, `"));
        problems.push(problem(Rule::ReservedName, Place::HandlerName(i), message, help));
    }
    for (j, arg) in handler.args.iter().enumerate() {
        if CPP.contains(&arg.name.as_str()) {
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

fn check_buffers(buffers: &[Buffer], problems: &mut Vec<Problem>) {
    let runtime = core::BUFFER_COMPUTE_TOKEN..=core::BUFFER_TRACE;
    // Each is suggested once.
    let mut free =
        (0..core::BUFFER_COMPUTE_TOKEN).filter(|n| buffers.iter().all(|buffer| buffer.index != *n));
    for (i, buffer) in buffers.iter().enumerate() {
        let mut help = || free.next().map_or("remove a buffer".into(), |n| format!("index {n} is free"));
        let index = buffer.index;
        if runtime.contains(&index) {
            let message = format!("{} has index {index}; 29, 30 and 31 are the runtime's", buffer.called());
            problems.push(problem(Rule::BufferIndex, Place::BufferIndex(i), message, help()));
        } else if index >= core::BUFFERS {
            let message = format!("{} has index {index}; circular buffers are 0 to 28", buffer.called());
            problems.push(problem(Rule::BufferIndex, Place::BufferIndex(i), message, help()));
        } else if let Some(j) = buffers[..i].iter().position(|earlier| earlier.index == index) {
            let message = format!("{} and {} both have index {index}", buffers[j].called(), buffer.called());
            let mut found = problem(Rule::BufferIndex, Place::BufferIndex(i), message, help());
            found.other =
                Some((Place::BufferIndex(j), format!("{} has index {index} here", buffers[j].called())));
            problems.push(found);
        }
        let step = buffer.format.page_step();
        if buffer.page_bytes == 0 || !buffer.page_bytes.is_multiple_of(step) {
            let nearest = buffer.page_bytes.max(1).checked_next_multiple_of(step).unwrap_or(step);
            let message = format!(
                "{} has pages of {} bytes; {} pages are multiples of {step} bytes",
                buffer.label(),
                buffer.page_bytes,
                buffer.format.name()
            );
            problems.push(problem(
                Rule::BufferPages,
                Place::BufferPageBytes(i),
                message,
                format!("write `page_bytes = {nearest}`"),
            ));
        }
        if buffer.pages == 0 || buffer.pages > Buffer::PAGES_MAX {
            let message = format!(
                "{} has {} pages; a circular buffer has 1 to {}",
                buffer.label(),
                buffer.pages,
                Buffer::PAGES_MAX
            );
            problems.push(problem(
                Rule::BufferPages,
                Place::BufferPages(i),
                message,
                "write `pages = 2` to overlap filling and using",
            ));
        }
    }
}

fn check_l1(program: &ProgramModel, problems: &mut Vec<Problem>) {
    let lines = l1_budget(program.kernel_buffer(), &program.buffers);
    let (sum, most) = (lines.iter().map(|line| line.bytes).sum::<u64>(), u64::from(layout::L1_BYTES));
    if sum > most && !program.buffers.is_empty() {
        let shares: Vec<String> = lines.iter().map(|line| format!("{} {}", line.what, line.bytes)).collect();
        let message = format!(
            "the program takes {sum} bytes of each core's L1, {} more than the {most} there are",
            sum - most
        );
        let edit = fewer_pages(&program.buffers, sum - most)
            .unwrap_or_else(|| "make several buffers smaller, as no one of them is as large as that".into());
        let help = format!("{edit}; shares in bytes: {}", shares.join(", "));
        problems.push(problem(Rule::L1Budget, Place::Buffers, message, help));
    }
}

/// The most pages with which the largest buffer takes `excess` bytes less. `None` when it would have none.
fn fewer_pages(buffers: &[Buffer], excess: u64) -> Option<String> {
    let largest = buffers.iter().max_by_key(|buffer| buffer.bytes())?;
    let align = u64::from(layout::L1_BUFFER_ALIGN);
    let room = largest.bytes().checked_sub(excess)? / align * align;
    let pages = room.checked_div(u64::from(largest.page_bytes)).filter(|pages| *pages > 0)?;
    Some(format!("make a buffer smaller, as in `pages = {pages}` for {}", largest.label()))
}

fn check_defines(defines: &[(String, String)], problems: &mut Vec<Problem>) {
    for (i, (name, _)) in defines.iter().enumerate() {
        if !is_cpp_name(name) {
            let (what, help) = if is_cpp_keyword(name) {
                ("a keyword", format!("use another name, as in `{}`", name.to_uppercase()))
            } else {
                ("not an identifier", "rename it: a name has the letters a to z and A to Z, digits and underscores, and begins with no digit".into())
            };
            let message = format!("`{name}` cannot be defined: it is {what} of the kernels' C++");
            problems.push(problem(Rule::Define, Place::Define(i), message, help));
        } else if name.starts_with("KM_") && INTERNAL.contains(&name.as_str()) {
            let message = format!("`{name}` is defined by the runtime for every kernel");
            problems.push(problem(
                Rule::Define,
                Place::Define(i),
                message,
                format!("use another name; the names that are taken: `{}`", INTERNAL.join("`, `")),
            ));
        } else if let Some(j) = defines[..i].iter().position(|(earlier, _)| earlier == name) {
            let mut found = problem(
                Rule::Define,
                Place::Define(i),
                format!("`{name}` is defined twice"),
                "remove one of them",
            );
            found.other = Some((Place::Define(j), format!("`{name}` is defined first here")));
            problems.push(found);
        }
    }
}

/// Is it an identifier of C++?
pub(super) fn is_cpp_name(name: &str) -> bool {
    let mut letters = name.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && letters.all(|c| c.is_ascii_alphanumeric() || c == '_') && !is_cpp_keyword(name)
}

/// Is it a word that C++ keeps for itself?
pub(super) fn is_cpp_keyword(name: &str) -> bool {
    CPP.contains(&name)
}

/// Macros that the build of every kernel sets.
const INTERNAL: [&str; 5] =
    ["KM_ABI_FINGERPRINT", "KM_THREAD", "KM_OPT_LEVEL", "KM_PROGRAM_HANDLERS", "KM_TRACE"];

/// The handler's name for a header constant: `kHandlerBigStep` is `big_step`; `None` for other constants.
pub fn handler_name(constant: &str) -> Option<String> {
    let rest = constant
        .strip_prefix("kHandler")
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))?;
    let mut name = String::with_capacity(rest.len() + 4);
    let mut lower_before = false;
    for letter in rest.chars() {
        if letter.is_ascii_uppercase() && lower_before {
            name.push('_');
        }
        lower_before = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        name.push(letter.to_ascii_lowercase());
    }
    Some(name)
}
