//! The program's kernel files, and what they include from beside them.

use std::collections::BTreeSet;
use std::path::Path;

use komorebi_abi::program::{Kernel, Rule};
use komorebi_headers::read_file;
use syn::{Ident, LitStr};

use super::attribute::PerKernel;
use super::files::{exists, missing_folder_help, missing_help, plain};
use super::header::ProgramHeader;
use crate::anchor::Anchor;
use crate::context::Context;
use crate::errors::{Errors, Message};
use crate::parts::parse_fields;
use crate::value::Value;

/// A program's sources.
#[derive(Debug)]
pub(crate) struct KernelFiles {
    /// Reader, compute and writer: the position of each in `files`. A program may do without compute.
    pub(crate) kernels: [Option<usize>; 3],
    pub(crate) files: Vec<SourcePath>,
}

/// A source's two names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePath {
    /// Its path from the folder of the source file.
    pub place: String,
    /// Its path from the lowest folder that has all sources in it: without `..`, as a build needs it.
    pub name: String,
}

/// Finds the kernels that `value` names. `None` after an error.
pub(crate) fn load_kernels(
    value: Option<&Value>,
    program: &Ident,
    header: &ProgramHeader,
    context: &Context,
    errors: &mut Errors,
) -> Option<KernelFiles> {
    let named = name_kernels(value, program, context, errors)?;
    let found = Kernel::ALL
        .into_iter()
        .zip(&named)
        .map(|(kernel, file)| file.as_ref().is_none_or(|file| file.check(kernel, context, errors)));
    if found.filter(|there| !there).count() > 0 || named[0].is_none() || named[2].is_none() {
        return None;
    }
    let mut places = Vec::new();
    let kernels = named.map(|file| {
        places.push(file?.path);
        Some(places.len() - 1)
    });
    Some(KernelFiles { kernels, files: with_includes(places, header, context) })
}

/// The files at `places`, and behind them the header and what they include from beside them.
pub(crate) fn with_includes(
    mut places: Vec<String>,
    header: &ProgramHeader,
    context: &Context,
) -> Vec<SourcePath> {
    if let Some(folder) = &context.folder {
        let includes = find_includes(&places, header, folder);
        places.extend(includes);
    }
    let names = names_below(&places, context.folder.as_deref());
    places.into_iter().zip(names).map(|(place, name)| SourcePath { place, name }).collect()
}

/// The paths from the lowest folder that is above all of them: those that leave the source file's folder make the names
/// of its parents part of the others.
fn names_below(places: &[String], folder: Option<&Path>) -> Vec<String> {
    let ups = |path: &String| path.split('/').take_while(|part| *part == "..").count();
    let highest = places.iter().map(ups).max().unwrap_or(0);
    let parents: Vec<String> = folder
        .and_then(|folder| folder.canonicalize().ok())
        .iter()
        .flat_map(|folder| folder.components())
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    let above = &parents[parents.len().saturating_sub(highest)..];
    let name = |path: &String| {
        let up = ups(path);
        let kept = above.iter().take(above.len().saturating_sub(up)).map(String::as_str);
        kept.chain(path.split('/').skip(up)).collect::<Vec<_>>().join("/")
    };
    places.iter().map(name).collect()
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
        if exists(&folder.join(&self.path)) {
            return true;
        }
        let text = format!("there is no file {:?}, the {} kernel", self.path, kernel.name());
        let usual = Path::new(&self.path).with_file_name(format!("{}.cpp", kernel.name()));
        let help = match exists(&folder.join(&usual)) {
            true => format!("did you mean {:?}?", plain(&usual)),
            false => missing_help(folder, &self.path),
        };
        errors.push(self.anchor, &Message::new(Rule::KernelFile, text).help(help));
        false
    }
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
        Some(Value::Text(folder)) => {
            let written = plain(Path::new(&folder.value()));
            if let Some(source) = &context.folder
                && !source.join(&written).is_dir()
            {
                let text = format!("there is no folder {written:?}, of the kernels");
                let help = missing_folder_help(source, &written);
                errors.push(Anchor::at(folder.span()), &Message::new(Rule::KernelFile, text).help(help));
                return None;
            }
            Some(name_in_folder(folder, context))
        }
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

/// The program's header and every file that a source includes from beside it, through other such files too. What is
/// not there is the runtime's, or the C++ compiler's to miss.
fn find_includes(sources: &[String], header: &ProgramHeader, folder: &Path) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<String> = sources.to_vec();
    if let ProgramHeader::Read(header) = header {
        let path = plain(Path::new(&header.path.value()));
        found.insert(path.clone());
        open.push(path);
    }
    while let Some(path) = open.pop() {
        let Ok(text) = read_file(&folder.join(&path), usize::MAX) else { continue };
        let beside = Path::new(&path).parent().unwrap_or(Path::new(""));
        for name in quoted_includes(&String::from_utf8_lossy(&text)) {
            let path = plain(&beside.join(name));
            let known = sources.contains(&path) || found.contains(&path);
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
    fn sources_outside_the_folder_get_names_without_dots() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("app/src");
        std::fs::create_dir_all(&folder).unwrap();
        let places = ["kernels/reader.cpp", "../shared/a.h", "../../b.h"].map(String::from);
        assert_eq!(
            names_below(&places, Some(&folder)),
            ["app/src/kernels/reader.cpp", "app/shared/a.h", "b.h"]
        );
        assert_eq!(names_below(&places[..1], Some(&folder)), ["kernels/reader.cpp"]);
    }

    #[test]
    fn only_quoted_includes_are_neighbours() {
        let text = "#include \"a.h\"\n  #  include  \"b/c.h\" // why\n#include <stdint.h>\n// #include \"d.h\"\n#define X \"e.h\"";
        assert_eq!(quoted_includes(text).collect::<Vec<_>>(), ["a.h", "b/c.h"]);
    }
}
