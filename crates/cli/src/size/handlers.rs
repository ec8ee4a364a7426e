//! The handlers of a program's trait.

use komorebi_abi::program::{Arg, ArgKind, Handler, ResultKind, handler_name};
use komorebi_headers::Header;
use syn::{Error, Expr, FnArg, ItemTrait, LitInt, Pat, ReturnType, TraitItem, TraitItemFn, Type};

/// The handlers in the order of their declaration, numbered in place or by the header.
pub(super) fn handlers(item: &ItemTrait, header: Option<&Header>) -> syn::Result<Vec<Handler>> {
    let functions = item.items.iter().filter_map(|item| match item {
        TraitItem::Fn(function) => Some(function),
        _ => None,
    });
    functions.map(|function| handler(function, header)).collect()
}

fn handler(function: &TraitItemFn, header: Option<&Header>) -> syn::Result<Handler> {
    let name = function.sig.ident.to_string().trim_start_matches("r#").to_owned();
    let number = match function.attrs.iter().find(|attr| attr.path().is_ident("handler")) {
        Some(attr) => attr.parse_args::<LitInt>()?.base10_parse()?,
        None => header
            .and_then(|header| {
                let mut constants = header.constants();
                let found =
                    constants.find(|constant| handler_name(&constant.name).as_ref() == Some(&name))?;
                u32::try_from(found.value.number).ok()
            })
            .ok_or_else(|| Error::new_spanned(&function.sig.ident, "the handler has no number"))?,
    };
    let args = function.sig.inputs.iter().map(|input| {
        let FnArg::Typed(typed) = input else {
            return Err(Error::new_spanned(input, "expected an argument"));
        };
        let Pat::Ident(name) = &*typed.pat else {
            return Err(Error::new_spanned(&typed.pat, "expected a name"));
        };
        let kind = kind(&typed.ty)
            .ok_or_else(|| Error::new_spanned(&typed.ty, "the type of an argument is a word's"))?;
        Ok(Arg { name: name.ident.to_string().trim_start_matches("r#").to_owned(), kind, effect: None })
    });
    let args = args.collect::<syn::Result<_>>()?;
    let result = match &function.sig.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => match last(ty).as_deref() {
            Some("u32") => Some(ResultKind::U32),
            Some("i32") => Some(ResultKind::I32),
            Some("f32") => Some(ResultKind::F32),
            _ => return Err(Error::new_spanned(ty, "a result is `u32`, `i32` or `f32`")),
        },
    };
    Ok(Handler { name, number, args, result })
}

fn kind(ty: &Type) -> Option<ArgKind> {
    if let Type::Array(array) = ty {
        let two = matches!(&array.len, Expr::Lit(len) if matches!(&len.lit, syn::Lit::Int(len) if len.base10_digits() == "2"));
        return match (two, last(&array.elem)?.as_str()) {
            (true, "bf16") => Some(ArgKind::Bf16Pair),
            (true, "u16") => Some(ArgKind::U16Pair),
            _ => None,
        };
    }
    Some(match last(ty)?.as_str() {
        "u32" => ArgKind::U32,
        "i32" => ArgKind::I32,
        "f32" => ArgKind::F32,
        "u64" => ArgKind::U64,
        "Core" => ArgKind::Core,
        "Address" => ArgKind::Address,
        _ => return None,
    })
}

/// The last name of a path.
fn last(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}
