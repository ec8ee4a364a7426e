//! A program's declaration, read from its source file.
//!
//! Only what decides sizes is read, and nothing is checked that `cargo build` checks: the declaration is one that compiles.

use super::handlers::handlers;
use super::meta::{name, parts, text, value, word};
use crate::failure::Failure;
use crate::{headers, input};
use komorebi_abi::program::{
    Buffer, Compute, Format, Kernel, MathFidelity, OptLevel, ProgramModel, UnpackMode,
};
use komorebi_headers::Header;
use quote::ToTokens as _;
use std::path::{Path, PathBuf};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Error, Expr, ExprLit, Item, ItemTrait, Lit, Meta, Token};

/// A source file of more bytes is none.
const MOST_BYTES: usize = 16 << 20;

/// A program as its source file declares it.
pub(super) struct Declaration {
    pub(super) model: ProgramModel,
    /// The folder that paths go from.
    pub(super) folder: PathBuf,
    /// Reader, compute and writer, or their folder in the first place.
    pub(super) kernels: Kernels,
}

/// Where a program's kernels are.
pub(super) enum Kernels {
    Folder(PathBuf),
    Files([Option<PathBuf>; 3]),
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
        let attribute = attribute(item)
            .ok_or_else(|| fail("the attribute has no parts".into()))
            .and_then(|list| Punctuated::<Meta, Token![,]>::parse_terminated.parse2(list).map_err(at))?;
        let parts: Vec<Meta> = attribute.into_iter().collect();
        let define = define(&parts).map_err(at)?;
        let header = parts.iter().find(|part| name(part) == "header");
        let header = header.map(|part| value(part).and_then(text)).transpose().map_err(at)?;
        let options: Vec<String> = define.iter().map(|(name, body)| format!("{name}={body}")).collect();
        let header = header.map(|header| headers::read(&folder.join(header), &[], &options)).transpose()?;
        let mut model = ProgramModel::new(item.ident.to_string());
        model.defines = define;
        model.handlers = handlers(item, header.as_ref()).map_err(at)?;
        let mut reader = Reader { model, header, kernels: None };
        // The options of compute name buffers.
        let (buffers, others): (Vec<&Meta>, Vec<&Meta>) =
            parts.iter().partition(|part| name(part) == "buffers");
        buffers.into_iter().chain(others).try_for_each(|part| reader.part(part)).map_err(at)?;
        let kernels = reader.kernels.ok_or_else(|| fail("the program has no `kernels = ..`".into()))?;
        Ok(Self { model: reader.model, folder, kernels })
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
            Item::Trait(item) if attribute(item).is_some() => found.push(item),
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    programs(items, found);
                }
            }
            _ => {}
        }
    }
}

fn attribute(item: &ItemTrait) -> Option<proc_macro2::TokenStream> {
    item.attrs.iter().find_map(|attr| match &attr.meta {
        Meta::List(list) if list.path.segments.last()?.ident == "program" => Some(list.tokens.clone()),
        _ => None,
    })
}

/// The defines, which the header is read with.
fn define(all: &[Meta]) -> syn::Result<Vec<(String, String)>> {
    let Some(part) = all.iter().find(|part| name(part) == "defines") else { return Ok(Vec::new()) };
    let body = |meta: &Meta| match meta {
        Meta::NameValue(pair) => pair.value.to_token_stream().to_string(),
        _ => "1".to_owned(),
    };
    Ok(parts(part.require_list()?)?.iter().map(|meta| (name(meta), body(meta))).collect())
}

/// Reads the parts one by one.
struct Reader {
    model: ProgramModel,
    header: Option<Header>,
    kernels: Option<Kernels>,
}

impl Reader {
    fn part(&mut self, part: &Meta) -> syn::Result<()> {
        match name(part).as_str() {
            "kernels" => self.kernels = Some(kernels(part)?),
            "kernel_bytes" => self.model.kernel_bytes = Some(self.number(value(part)?)?),
            "buffers" => {
                for buffer in parts(part.require_list()?)? {
                    let buffer = self.buffer(&buffer)?;
                    self.model.buffers.push(buffer);
                }
            }
            "compute" => {
                for option in parts(part.require_list()?)? {
                    self.compute(&option)?;
                }
            }
            "opt" => {
                for option in parts(part.require_list()?)? {
                    let level = word(value(&option)?)?;
                    let level = OptLevel::from_name(&level);
                    let unknown = || Error::new_spanned(&option, "no such optimisation level");
                    self.model.opt[kernel(&option)? as usize] = Some(level.ok_or_else(unknown)?);
                }
            }
            "compile_args" => {
                for option in parts(part.require_list()?)? {
                    let Expr::Array(words) = value(&option)? else {
                        return Err(Error::new_spanned(&option, "expected words in brackets"));
                    };
                    let words = words.elems.iter().map(|word| self.number(word));
                    let words = words.collect::<syn::Result<Vec<u32>>>()?;
                    self.model.compile_args[kernel(&option)? as usize].extend(words);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn buffer(&self, part: &Meta) -> syn::Result<Buffer> {
        let fields = parts(part.require_list()?)?;
        let field = |wanted: &str| {
            let found = fields.iter().find(|field| name(field) == wanted);
            value(found.ok_or_else(|| Error::new_spanned(part, format!("the buffer has no `{wanted}`")))?)
        };
        let format = field("format")?;
        let unknown = || Error::new_spanned(format, "no such format");
        Ok(Buffer {
            name: Some(name(part)),
            index: self.number(field("index")?)?,
            format: Format::from_name(&word(format)?).ok_or_else(unknown)?,
            page_bytes: self.number(field("page_bytes")?)?,
            pages: self.number(field("pages")?)?,
        })
    }

    /// What decides the code of the compute kernel.
    fn compute(&mut self, part: &Meta) -> syn::Result<()> {
        let Compute {
            math_fidelity,
            unpack_to_dest_mode,
            fp32_dest_acc_en,
            math_approx_mode,
            dst_full_sync_en,
            bfp8_pack_precise,
            enable_trisc2_rvv,
        } = &mut self.model.compute;
        match name(part).as_str() {
            "math_fidelity" => {
                let unknown = || Error::new_spanned(part, "no such fidelity");
                *math_fidelity = MathFidelity::from_name(&word(value(part)?)?).ok_or_else(unknown)?;
            }
            "unpack_to_dest_mode" => {
                // For all buffers, or for those that are named.
                let named = match part {
                    Meta::List(list) => Some(parts(list)?.iter().map(name).collect::<Vec<_>>()),
                    _ => None,
                };
                let takes = |buffer: &&Buffer| {
                    named
                        .as_ref()
                        .is_none_or(|named| buffer.name.as_ref().is_some_and(|name| named.contains(name)))
                };
                let buffers = self.model.buffers.iter().filter(takes);
                unpack_to_dest_mode
                    .extend(buffers.map(|buffer| (buffer.index, UnpackMode::UnpackToDestFp32)));
            }
            "fp32_dest_acc_en" => *fp32_dest_acc_en = true,
            "math_approx_mode" => *math_approx_mode = true,
            "dst_full_sync_en" => *dst_full_sync_en = true,
            "bfp8_pack_precise" => *bfp8_pack_precise = true,
            "enable_trisc2_rvv" => *enable_trisc2_rvv = true,
            _ => {}
        }
        Ok(())
    }

    /// A literal, or a constant of the header.
    fn number(&self, expr: &Expr) -> syn::Result<u32> {
        match expr {
            Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse(),
            Expr::Path(path) => {
                let written = path.to_token_stream().to_string().replace(' ', "");
                let header = self.header.as_ref();
                let header = header.ok_or_else(|| Error::new_spanned(expr, "the program has no header"))?;
                let constant = header.get(&written).map_err(|error| Error::new_spanned(expr, error))?;
                let too_large = || Error::new_spanned(expr, "the constant is no 32-bit number");
                constant.value.as_u32().ok_or_else(too_large)
            }
            other => Err(Error::new_spanned(other, "expected a number or a constant of the header")),
        }
    }
}

fn kernel(part: &Meta) -> syn::Result<Kernel> {
    let wanted = name(part);
    let unknown = || Error::new_spanned(part, "kernels are reader, compute and writer");
    Kernel::ALL.into_iter().find(|kernel| kernel.name() == wanted).ok_or_else(unknown)
}

/// A folder, or `(reader = "..", ..)`.
fn kernels(part: &Meta) -> syn::Result<Kernels> {
    let mut files = [None, None, None];
    let mut put = |name: &str, file: &Expr| -> syn::Result<()> {
        let found = Kernel::ALL.into_iter().find(|kernel| kernel.name() == name);
        let unknown = || Error::new_spanned(part, "kernels are reader, compute and writer");
        files[found.ok_or_else(unknown)? as usize] = Some(PathBuf::from(text(file)?));
        Ok(())
    };
    let pairs = match part {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Tuple(tuple) => tuple.elems.iter().cloned().collect(),
            Expr::Paren(one) => vec![(*one.expr).clone()],
            folder => return Ok(Kernels::Folder(PathBuf::from(text(folder)?))),
        },
        Meta::List(list) => {
            for file in parts(list)? {
                put(&name(&file), value(&file)?)?;
            }
            Vec::new()
        }
        Meta::Path(_) => return Err(Error::new_spanned(part, "expected a folder")),
    };
    for pair in pairs {
        let Expr::Assign(pair) = &pair else {
            return Err(Error::new_spanned(&pair, "expected `kernel = file`"));
        };
        put(&word(&pair.left)?, &pair.right)?;
    }
    Ok(Kernels::Files(files))
}
