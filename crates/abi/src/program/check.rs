//! Every rule of a program, checked at once.

use super::check_buffers::{check_buffers, check_l1};
use super::check_handlers::check_handlers;
use super::check_threads::check_threads;
use super::names::{INTERNAL, is_cpp_keyword, is_cpp_name};
use super::{Place, Problem, ProgramModel, Rule};
use crate::constants::{command, layout};

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

/// A problem that another number mends; `help` says which.
pub(super) fn misnumbered(
    rule: Rule,
    place: Place,
    message: String,
    help: impl Into<String>,
    number: Option<u32>,
) -> Problem {
    Problem { number, ..problem(rule, place, message, help) }
}

pub(super) fn problem(rule: Rule, place: Place, message: String, help: impl Into<String>) -> Problem {
    Problem { rule, place, other: None, message, help: Some(help.into()), number: None }
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
        let help = format!("write `depth = {nearest}`");
        problems.push(misnumbered(Rule::Depth, Place::Depth, message, help, Some(nearest)));
    }
}

fn check_kernel_bytes(program: &ProgramModel, problems: &mut Vec<Problem>) {
    let Some(bytes) = program.kernel_bytes else { return };
    let (step, most) = (layout::KERNEL_BYTES_STEP, layout::KERNEL_BYTES_MAX);
    if bytes == 0 || bytes > most || !bytes.is_multiple_of(step) {
        let nearest = bytes.clamp(step, most).next_multiple_of(step).min(most / step * step);
        let message =
            format!("a kernel buffer of {bytes} bytes is not a multiple of {step} from {step} to {most}");
        let help = format!("write `kernel_bytes = {nearest}`");
        problems.push(misnumbered(Rule::KernelBytes, Place::KernelBytes, message, help, Some(nearest)));
    }
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
