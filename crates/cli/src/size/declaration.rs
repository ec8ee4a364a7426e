//! A program's declaration, found in its source file and read as the macro reads it.

use crate::failure::Failure;
use crate::input;
use komorebi_abi::program::{Kernel, ProgramModel};
use komorebi_language::Mistake;
use quote::ToTokens as _;
use std::path::{Path, PathBuf};
use syn::{Error, Item, ItemTrait, Meta};

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
        let at = |error: Error| {
            let start = error.span().start();
            fail(format!("line {}, column {}: {error}", start.line, start.column + 1))
        };
        let file = syn::parse_file(&source).map_err(at)?;
        let mut found = Vec::new();
        programs(&file.items, &mut found);
        let names: Vec<String> = found.iter().map(|item| format!("`{}`", item.ident)).collect();
        let list = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let item = match (wanted, found.as_slice()) {
            (None, [item]) => *item,
            (None, []) => {
                return Err(fail(
                    "it declares no program, no trait with `#[km::program(..)]`; name the file that does"
                        .into(),
                ));
            }
            (None, _) => return Err(fail(format!("it declares {list}: choose one with `--program`"))),
            (Some(wanted), _) => *found
                .iter()
                .find(|item| item.ident == wanted)
                .ok_or_else(|| fail(format!("it declares no program `{wanted}`; there are {list}")))?,
        };
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let mut item = item.clone();
        let place = item.attrs.iter().position(|attr| parts(&attr.meta).is_some());
        let attribute = place.map(|place| item.attrs.remove(place));
        let attribute = attribute.and_then(|attribute| parts(&attribute.meta)).unwrap_or_default();
        let read = komorebi_language::Declaration::read(attribute, item.into_token_stream(), &folder);
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

/// The traits with `#[km::program]`, in modules too.
fn programs<'a>(items: &'a [Item], found: &mut Vec<&'a ItemTrait>) {
    for item in items {
        match item {
            Item::Trait(item) if item.attrs.iter().any(|attr| parts(&attr.meta).is_some()) => {
                found.push(item);
            }
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    programs(items, found);
                }
            }
            _ => {}
        }
    }
}

/// What stands in the brackets of `#[km::program(..)]`; `None` for any other attribute.
fn parts(meta: &Meta) -> Option<proc_macro2::TokenStream> {
    match meta {
        Meta::List(list) if list.path.segments.last()?.ident == "program" => Some(list.tokens.clone()),
        _ => None,
    }
}

/// What a build refuses too, each with its place.
fn report(path: &Path, mistakes: &[Mistake]) -> String {
    let one = |Mistake { line, column, text }: &Mistake| {
        format!("error: {}:{line}:{column}: {}", path.display(), text.replace('\n', "\n  "))
    };
    mistakes.iter().map(one).collect::<Vec<_>>().join("\n")
}
