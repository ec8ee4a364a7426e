//! A program's declaration, found in its source file and read as the macro reads it.

use crate::failure::Failure;
use crate::input;
use komorebi_abi::program::{Kernel, ProgramModel};
use komorebi_language::Mistake;
use proc_macro2::{Delimiter, Group, LexError, TokenStream, TokenTree};
use std::path::{Path, PathBuf};

/// A source file of more bytes is none.
const MOST_BYTES: usize = 16 << 20;

/// A program as its source file declares it.
pub(super) struct Declaration {
    pub(super) model: ProgramModel,
    /// The folder that paths go from.
    pub(super) folder: PathBuf,
    /// Its sources.
    pub(super) read: komorebi_language::Declaration,
}

impl Declaration {
    /// Reads the program called `wanted`, or the only one, of a Rust source file.
    pub(super) fn read(path: &Path, wanted: Option<&str>) -> Result<Self, Failure> {
        let bytes = input::read(path, MOST_BYTES, "a source file has here")?;
        let fail = |what: String| Failure::Source { path: path.to_path_buf(), what };
        let source = String::from_utf8(bytes).map_err(|_| fail("it is not UTF-8".into()))?;
        let tokens: TokenStream = source.parse().map_err(|error: LexError| {
            let start = error.span().start();
            fail(format!("line {}, column {}: {error}", start.line, start.column + 1))
        })?;
        let mut found = programs(tokens);
        let names: Vec<String> = found.iter().map(|program| format!("`{}`", program.name)).collect();
        let list = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let at = match (wanted, found.len()) {
            (None, 1) => 0,
            (None, 0) => {
                return Err(fail(
                    "it declares no program, no trait with `#[km::program(..)]`; name the file that does"
                        .into(),
                ));
            }
            (None, _) => return Err(fail(format!("it declares {list}: choose one with `--program`"))),
            (Some(wanted), _) => found
                .iter()
                .position(|program| program.name == wanted)
                .ok_or_else(|| fail(format!("it declares no program `{wanted}`; there are {list}")))?,
        };
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let Program { attribute, item, .. } = found.swap_remove(at);
        let read = komorebi_language::Declaration::read(attribute, item, &folder);
        let read = read.map_err(|mistakes| Failure::Mistakes(report(path, &mistakes)))?;
        Ok(Self { model: read.model.clone(), folder, read })
    }

    /// Adds `reader=1,2`: what the program adds at run time.
    pub(super) fn add_compile_args(&mut self, text: &str) -> Result<(), Failure> {
        let fail = || Failure::CompileArgs(text.to_owned());
        let (kernel, words) = text.split_once('=').ok_or_else(fail)?;
        let kernel = Kernel::ALL.into_iter().find(|known| known.name() == kernel).ok_or_else(fail)?;
        for word in words.split(',') {
            let digits = word.trim().strip_prefix("0x");
            let word = digits.map_or_else(|| word.trim().parse(), |digits| u32::from_str_radix(digits, 16));
            self.model.compile_args[kernel as usize].push(word.map_err(|_| fail())?);
        }
        Ok(())
    }
}

/// A trait with `#[km::program(..)]`.
struct Program {
    name: String,
    /// What stands in the brackets of the attribute.
    attribute: TokenStream,
    /// The trait, with what stands between it and the attribute.
    item: TokenStream,
}

/// The programs of a file, in their order, in modules and functions too. Nothing else of the file is parsed: it may hold what
/// no parser of ours knows, and be nested as deep as it likes.
fn programs(tokens: TokenStream) -> Vec<Program> {
    let mut found = Vec::new();
    let mut work = vec![tokens];
    while let Some(stream) = work.pop() {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            if let [TokenTree::Punct(sign), TokenTree::Group(group), rest @ ..] = &tokens[at..]
                && sign.as_char() == '#'
                && let Some(attribute) = parts(group)
            {
                found.extend(program(attribute, rest));
            }
            if let TokenTree::Group(group) = token {
                work.push(group.stream());
            }
        }
    }
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, program)| program).collect()
}

/// What stands in the parentheses of `[km::program(..)]`; `None` for any other attribute.
fn parts(attribute: &Group) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = attribute.stream().into_iter().collect();
    match tokens.as_slice() {
        [.., TokenTree::Ident(name), TokenTree::Group(parts)]
            if attribute.delimiter() == Delimiter::Bracket
                && name == "program"
                && parts.delimiter() == Delimiter::Parenthesis =>
        {
            Some(parts.stream())
        }
        _ => None,
    }
}

/// The trait that comes next, and where its name stands.
fn program(attribute: TokenStream, rest: &[TokenTree]) -> Option<((usize, usize), Program)> {
    let braces =
        |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let item = &rest[..=rest.iter().position(braces)?];
    let name = item.windows(2).find_map(|pair| match pair {
        [TokenTree::Ident(word), TokenTree::Ident(name)] if word == "trait" => Some(name),
        _ => None,
    })?;
    let start = name.span().start();
    let item = item.iter().cloned().collect();
    Some(((start.line, start.column), Program { name: name.to_string(), attribute, item }))
}

/// What a build refuses too, each with its place.
fn report(path: &Path, mistakes: &[Mistake]) -> String {
    let one = |Mistake { line, column, text }: &Mistake| {
        format!("error: {}:{line}:{column}: {}", path.display(), text.replace('\n', "\n  "))
    };
    mistakes.iter().map(one).collect::<Vec<_>>().join("\n")
}
