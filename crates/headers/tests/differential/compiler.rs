//! The judge: a C++ compiler asked about many constants in one run.

use komorebi_headers::Model;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Command;

/// A compiler with the flags of one data model.
pub(crate) struct Compiler {
    program: &'static str,
    flags: &'static [&'static str],
    /// The model it compiles for.
    pub(crate) model: Model,
}

const RISCV: &str = "riscv64-unknown-elf-g++";

/// The compilers to ask: the RISC-V one under both models, else the machine's own.
///
/// # Panics
/// When there is none: without its judge the test says nothing.
pub(crate) fn compilers() -> Vec<Compiler> {
    let runs =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|out| out.status.success());
    if runs(RISCV) {
        return vec![
            Compiler { program: RISCV, flags: &["-march=rv64imafdc", "-mabi=lp64d"], model: Model::LP64 },
            Compiler { program: RISCV, flags: &["-march=rv32im", "-mabi=ilp32"], model: Model::ILP32 },
        ];
    }
    for program in ["g++", "clang++"] {
        if runs(program) {
            let model =
                if cfg!(target_arch = "x86_64") { Model::LP64.with_signed_char() } else { Model::LP64 };
            return vec![Compiler { program, flags: &[], model }];
        }
    }
    panic!(
        "no C++ compiler found ({RISCV}, g++ or clang++): the header reader is compared with one. \
         Install `gcc-riscv64-unknown-elf` or `g++`."
    );
}

type Lines = HashMap<String, HashSet<usize>>;

/// What the compiler said: the lines with an error, and those where it saw a signed overflow, a set for each file name.
pub(crate) struct Verdict {
    lines: Lines,
    overflows: Lines,
    /// Its whole output, for a failure message.
    pub(crate) text: String,
}

impl Verdict {
    /// Is there an error at this line (counted from 1)?
    pub(crate) fn is_error(&self, file: &str, line: usize) -> bool {
        self.lines.get(file).is_some_and(|lines| lines.contains(&line))
    }

    /// Does the compiler see a signed overflow, a shift out of range or a division by zero at this line? Where the result is
    /// only compared, or stands in front of a comma, g++ warns and goes on, though by the standard the whole is no constant
    /// expression.
    pub(crate) fn overflows(&self, file: &str, line: usize) -> bool {
        self.overflows.get(file).is_some_and(|lines| lines.contains(&line))
    }

    /// The lines of a file with errors.
    pub(crate) fn errors(&self, file: &str) -> Vec<usize> {
        let mut lines: Vec<usize> = self.lines.get(file).into_iter().flatten().copied().collect();
        lines.sort_unstable();
        lines
    }
}

impl Compiler {
    /// Checks a source without generating code.
    pub(crate) fn check(&self, source: &Path, include_dirs: &[&Path], defines: &[&str]) -> Verdict {
        let mut command = Command::new(self.program);
        command.args(self.flags).args(["-std=c++20", "-ffreestanding", "-fsyntax-only", "-fmax-errors=0"]);
        command.args(defines.iter().map(|define| format!("-D{define}")));
        for dir in include_dirs {
            command.arg("-I").arg(dir);
        }
        let output = command.arg(source).env("LC_ALL", "C").output().expect("the compiler runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let (mut lines, mut overflows) = (Lines::new(), Lines::new());
        let mut current = None;
        for line in text.lines() {
            if line.contains(": error: ") || line.contains(": fatal error: ") {
                current = Some(&mut lines);
            } else if line.contains(": warning: ") {
                let known = ["overflow in expression", "shift count", "division by zero"];
                current = known.iter().any(|what| line.contains(what)).then_some(&mut overflows);
            } else if !line.contains(": note: in expansion of macro") {
                // A finding in a macro's text is one of the line that uses it as well; other lines say no more places.
                continue;
            }
            let Some(lines) = &mut current else { continue };
            let mut parts = line.split(':');
            let (Some(file), Some(Ok(at))) = (parts.next(), parts.next().map(str::parse)) else { continue };
            let name = Path::new(file)
                .file_name()
                .map_or(file.to_owned(), |name| name.to_string_lossy().into_owned());
            lines.entry(name).or_default().insert(at);
        }
        Verdict { lines, overflows, text }
    }
}
