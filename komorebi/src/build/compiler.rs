//! Runs the compiler and reads its diagnostics.

use std::path::Path;
use std::process::Command;

use super::error::{CompileError, Error, Place, Result};
use super::target::Target;
use super::toolchain::Toolchain;

/// Lines of diagnostics that an error shows.
const LINES: usize = 30;

/// One file to compile.
pub(super) struct Unit<'a> {
    /// As messages call it: `reader kernel`.
    pub(super) what: &'a str,
    pub(super) target: Target,
    /// Where the compiler runs: diagnostics name files below it as they are.
    pub(super) folder: &'a Path,
    pub(super) flags: &'a [String],
    pub(super) source: &'a Path,
    pub(super) object: &'a Path,
}

impl Unit<'_> {
    pub(super) fn compile(&self, toolchain: &Toolchain) -> Result<()> {
        let mut command = Command::new(toolchain.compiler());
        command.current_dir(self.folder).args(self.target.compile()).args(self.flags);
        command.arg("-c").arg(self.source).arg("-o").arg(self.object);
        let (success, text) = run(toolchain, command)?;
        if !success {
            return Err(Error::Compile(Box::new(compile_error(self.what, &text))));
        }
        toolchain.check_made(self.object)
    }
}

/// Links `objects` into `image`.
pub(super) fn link(
    toolchain: &Toolchain,
    what: &str,
    target: Target,
    script: &Path,
    symbols: &[(&str, u64)],
    objects: &[&Path],
    image: &Path,
) -> Result<()> {
    let mut command = Command::new(toolchain.compiler());
    command.args(target.link());
    for (name, value) in symbols {
        command.arg(format!("-Wl,--defsym={name}={value:#x}"));
    }
    command.arg("-Wl,-T").arg(script).args(objects).arg("-lgcc").arg("-o").arg(image);
    let (success, text) = run(toolchain, command)?;
    if !success {
        return Err(Error::Link { what: what.to_owned(), message: link_message(&text) });
    }
    toolchain.check_made(image)
}

fn run(toolchain: &Toolchain, mut command: Command) -> Result<(bool, String)> {
    // Diagnostics in English whatever the user's language: they are parsed.
    let output = command.env("LC_ALL", "C").output().map_err(|error| Error::NoCompiler {
        tried: format!("`{}` cannot be run ({error})", toolchain.compiler()),
    })?;
    // A file that is included from the command line is called `./reader.cpp`.
    let text = format!("\n{}", String::from_utf8_lossy(&output.stderr))
        .replace("\n./", "\n")
        .replace(" from ./", " from ")
        .replace(" at ./", " at ");
    Ok((output.status.success(), text[1..].to_owned()))
}

/// The linker's complaints without the names of its own parts.
fn link_message(text: &str) -> String {
    let kept = text.lines().filter(|line| !line.contains("warning:") && !line.starts_with("collect2:"));
    let lines: Vec<&str> =
        kept.map(|line| line.rsplit_once("/ld: ").map_or(line, |(_, rest)| rest)).take(LINES).collect();
    lines.join("\n")
}

/// The first error with its place, and the output around it.
fn compile_error(what: &str, text: &str) -> CompileError {
    let mut error =
        CompileError { what: what.to_owned(), place: None, message: String::new(), output: String::new() };
    let mut users = None;
    for line in text.lines() {
        if let Some(call) = line.trim_start().strip_prefix("inlined from ") {
            users = users.or_else(|| users_place(call));
        } else if let Some((head, message)) = line.split_once("error: ") {
            let named = place(head.trim_end().trim_end_matches("fatal").trim_end());
            // An error of a library function's own is one of the line that calls it.
            error.place = if named.as_ref().is_some_and(is_users) { named } else { users.or(named) };
            message.clone_into(&mut error.message);
            break;
        } else {
            users = None;
        }
    }
    if error.message.is_empty() {
        "the compiler failed".clone_into(&mut error.message);
    }
    // How the user's file came to be compiled is not the user's concern.
    let noise = |line: &&str| {
        !line.starts_with("In file included from <command-line>")
            && !line.starts_with("compilation terminated")
    };
    error.output = text.lines().filter(noise).take(LINES).collect::<Vec<_>>().join("\n");
    error
}

/// A program's files have relative names, the library's absolute ones.
fn is_users(place: &Place) -> bool {
    Path::new(&place.file).is_relative()
}

/// The place in `'function' at file:line:column,`, when it is the user's; the last call of a chain ends in a colon.
fn users_place(call: &str) -> Option<Place> {
    let (_, at) = call.rsplit_once(" at ")?;
    place(&format!("{}:", at.trim_end_matches([',', ':']))).filter(is_users)
}

/// `file:line:column:`
fn place(head: &str) -> Option<Place> {
    let mut parts = head.strip_suffix(':')?.rsplitn(3, ':');
    let (column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some(Place { file: file.to_owned(), line: line.parse().ok()?, column: column.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_and_its_place_are_found() {
        let text = "In file included from <command-line>:\nreader.cpp:3:1: warning: unused\nreader.cpp:12:3: error: 'x' was not declared in this scope\n   12 |   x = 1;\n      |   ^\n";
        let error = compile_error("reader kernel", text);
        assert_eq!(error.place.as_ref().unwrap().to_string(), "reader.cpp:12:3");
        assert_eq!(error.message, "'x' was not declared in this scope");
        assert!(error.to_string().starts_with("reader.cpp:12:3: 'x' was not declared"), "{error}");
        assert!(!error.output.contains("<command-line>"), "{error}");
        let fatal =
            compile_error("reader kernel", "a/b.h:1:10: fatal error: c.h: No such file or directory\n");
        assert_eq!(fatal.place.unwrap().to_string(), "a/b.h:1:10");
    }

    #[test]
    fn an_error_in_the_library_is_told_at_the_innermost_line_of_the_users_that_calls_it() {
        let text = "In function 'void a()',\n    inlined from 'void x()' at other.cpp:1:1:\n/lib/cb.h:1:1: warning: unused\nIn function 'void check()',\n    inlined from 'void b()' at /lib/cb.h:116:19,\n    inlined from 'void c()' at reader.cpp:4:20,\n    inlined from 'void d()' at reader.cpp:3:1:\n/lib/cb.h:49:41: error: no such buffer\n";
        assert_eq!(compile_error("reader kernel", text).place.unwrap().to_string(), "reader.cpp:4:20");
        let own = "    inlined from 'void c()' at reader.cpp:4:20:\nshared/a.h:2:1: error: wrong\n";
        assert_eq!(compile_error("reader kernel", own).place.unwrap().to_string(), "shared/a.h:2:1");
        let library = "In file included from reader.cpp:1:\n/lib/cb.h:49:41: error: wrong\n";
        assert_eq!(compile_error("reader kernel", library).place.unwrap().to_string(), "/lib/cb.h:49:41");
    }

    #[test]
    fn an_error_without_a_place_is_still_told() {
        let error = compile_error("reader kernel", "cc1plus: error: bad value 'rv99' for '-march='\n");
        assert_eq!(error.place, None);
        assert_eq!(error.message, "bad value 'rv99' for '-march='");
    }

    #[test]
    fn the_linkers_complaint_is_left_of_its_path() {
        let text = "/usr/lib/gcc/x/../bin/ld: the kernel's globals do not fit\ncollect2: error: ld returned 1 exit status\n";
        assert_eq!(link_message(text), "the kernel's globals do not fit");
    }
}
