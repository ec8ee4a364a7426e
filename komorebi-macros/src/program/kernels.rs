//! The program's kernel files, and what they include from beside them.

use std::collections::BTreeSet;
use std::path::Path;

use komorebi_abi::program::{Kernel, Rule};
use syn::{Ident, LitStr};

use super::attribute::PerKernel;
use super::files::{exists, nearest_file, plain};
use super::header::ProgramHeader;
use crate::anchor::Anchor;
use crate::context::Context;
use crate::errors::{Errors, Message};
use crate::parts::parse_fields;
use crate::value::Value;

/// Paths of a program's sources, from the folder of the source file.
#[derive(Debug)]
pub(crate) struct KernelFiles {
    pub(crate) reader: String,
    /// A program may do without compute.
    pub(crate) compute: Option<String>,
    pub(crate) writer: String,
    /// Headers beside the kernels, sorted.
    pub(crate) includes: Vec<String>,
}

/// Finds the kernels that `value` names. `None` after an error.
pub(crate) fn load_kernels(
    value: Option<&Value>,
    program: &Ident,
    header: &ProgramHeader,
    context: &Context,
    errors: &mut Errors,
) -> Option<KernelFiles> {
    let [reader, compute, writer] = name_kernels(value, program, context, errors)?;
    let found = [(Kernel::Reader, &reader), (Kernel::Compute, &compute), (Kernel::Writer, &writer)]
        .map(|(kernel, file)| file.as_ref().is_none_or(|file| file.check(kernel, context, errors)));
    let (Some(reader), Some(writer)) = (reader, writer) else { return None };
    if found.contains(&false) {
        return None;
    }
    let anchor = reader.anchor;
    let compute = compute.map(|file| file.path);
    let kernels: Vec<&String> =
        [Some(&reader.path), compute.as_ref(), Some(&writer.path)].into_iter().flatten().collect();
    let includes =
        context.folder.as_deref().map_or_else(Vec::new, |folder| find_includes(&kernels, header, folder));
    if let Some(folder) = &context.folder {
        let texts = includes.iter().map(|path| check_text(&folder.join(path), path, anchor, errors));
        if texts.filter(|good| !good).count() > 0 {
            return None;
        }
    }
    Some(KernelFiles { reader: reader.path, compute, writer: writer.path, includes })
}

/// A kernel's file with the place that names it.
struct KernelFile {
    path: String,
    anchor: Anchor,
}

impl KernelFile {
    fn named(literal: &LitStr) -> Self {
        Self { path: plain(Path::new(&literal.value())), anchor: Anchor::at(literal.span()) }
    }

    /// Is it there? Where the folder is unknown, it is taken to be.
    fn check(&self, kernel: Kernel, context: &Context, errors: &mut Errors) -> bool {
        let Some(folder) = &context.folder else { return true };
        let file = folder.join(&self.path);
        if exists(&file) {
            return check_text(&file, &self.path, self.anchor, errors);
        }
        let text = format!("there is no {} kernel {:?} beside this source file", kernel.name(), self.path);
        let help = match nearest_file(folder, &self.path) {
            Some(nearest) => format!("did you mean {nearest:?}?"),
            None => "paths go from the folder of the source file, as for `include_str!`".into(),
        };
        errors.push(self.anchor, &Message::new(Rule::KernelFile, text).help(help));
        false
    }
}

/// Is the file a text? It travels in the binary as one.
fn check_text(file: &Path, path: &str, anchor: Anchor, errors: &mut Errors) -> bool {
    let error = match std::fs::read_to_string(file) {
        Ok(_) => return true,
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => "it is not UTF-8".to_owned(),
        Err(error) => error.to_string(),
    };
    errors.push(
        anchor,
        &Message::new(Rule::KernelFile, format!("the kernel file {path:?} cannot be read: {error}")),
    );
    false
}

/// The files of reader, compute and writer.
fn name_kernels(
    value: Option<&Value>,
    program: &Ident,
    context: &Context,
    errors: &mut Errors,
) -> Option<[Option<KernelFile>; 3]> {
    let example = "write `kernels = \"kernels\"`, a folder with reader.cpp, compute.cpp and writer.cpp";
    match value {
        None => {
            let message = Message::new(Rule::Field, format!("program `{program}` has no `kernels`"));
            errors.push(Anchor::at(program.span()), &message.help(example));
            None
        }
        Some(Value::Text(folder)) => Some(name_in_folder(folder, context)),
        Some(Value::Parts(tokens, anchor)) => {
            let parts: PerKernel = parse_fields(tokens.clone(), "`kernels`", &PerKernel::PARTS, errors);
            let mut files = [const { None }; 3];
            for ((kernel, value), file) in Kernel::ALL.into_iter().zip(parts.in_order()).zip(&mut files) {
                *file = name_kernel(kernel, value, *anchor, errors);
            }
            Some(files)
        }
        Some(other) => {
            let message = Message::new(
                Rule::Field,
                format!("`kernels` is a folder or three files, found {}", other.describe()),
            );
            errors.push(
                other.anchor(),
                &message.help(format!("{example}, or `kernels = (reader = \"..\", ..)`")),
            );
            None
        }
    }
}

fn name_in_folder(folder: &LitStr, context: &Context) -> [Option<KernelFile>; 3] {
    Kernel::ALL.map(|kernel| {
        let path = plain(&Path::new(&folder.value()).join(format!("{}.cpp", kernel.name())));
        let there = context.folder.as_ref().is_none_or(|folder| exists(&folder.join(&path)));
        (there || kernel != Kernel::Compute).then(|| KernelFile { path, anchor: Anchor::at(folder.span()) })
    })
}

fn name_kernel(kernel: Kernel, value: Option<Value>, all: Anchor, errors: &mut Errors) -> Option<KernelFile> {
    let name = kernel.name();
    match value {
        Some(Value::Text(path)) => Some(KernelFile::named(&path)),
        Some(other) => {
            let message =
                Message::new(Rule::Field, format!("`{name}` is a path, found {}", other.describe()));
            errors.push(
                other.anchor(),
                &message.help(format!("write it as in `{name} = \"kernels/{name}.cpp\"`")),
            );
            None
        }
        None if kernel == Kernel::Compute => None,
        None => {
            let message = Message::new(Rule::Field, format!("`kernels` has no `{name}`"));
            errors.push(all, &message.help(format!("add `{name} = \"kernels/{name}.cpp\"`")));
            None
        }
    }
}

/// The program's header and every file that a kernel includes from beside it, through other such files too. What is
/// not there is the runtime's, or the C++ compiler's to miss.
fn find_includes(kernels: &[&String], header: &ProgramHeader, folder: &Path) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<String> = kernels.iter().map(|path| (*path).clone()).collect();
    if let ProgramHeader::Read(header) = header {
        let path = plain(Path::new(&header.path.value()));
        found.insert(path.clone());
        open.push(path);
    }
    while let Some(path) = open.pop() {
        let Ok(text) = std::fs::read(folder.join(&path)) else { continue };
        let beside = Path::new(&path).parent().unwrap_or(Path::new(""));
        for name in quoted_includes(&String::from_utf8_lossy(&text)) {
            let path = plain(&beside.join(name));
            let known = kernels.iter().any(|kernel| **kernel == path) || found.contains(&path);
            if !known && exists(&folder.join(&path)) {
                found.insert(path.clone());
                open.push(path);
            }
        }
    }
    found.into_iter().collect()
}

/// The names in `#include "name"` lines.
fn quoted_includes(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        rest.trim_start().strip_prefix('"')?.split_once('"').map(|(name, _)| name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_quoted_includes_are_neighbours() {
        let text = "#include \"a.h\"\n  #  include  \"b/c.h\" // why\n#include <stdint.h>\n// #include \"d.h\"\n#define X \"e.h\"";
        assert_eq!(quoted_includes(text).collect::<Vec<_>>(), ["a.h", "b/c.h"]);
    }
}
