//! The parts of an attribute: `name = value`, `name(..)`, `name`.

use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Lit, Meta, MetaList, Token};

/// The parts of `name(..)`.
pub(super) fn parts(list: &MetaList) -> syn::Result<Vec<Meta>> {
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    Ok(parser.parse2(list.tokens.clone())?.into_iter().collect())
}

/// The name of a part.
pub(super) fn name(meta: &Meta) -> String {
    meta.path().get_ident().map(ToString::to_string).unwrap_or_default()
}

/// The value of `name = value`.
pub(super) fn value(meta: &Meta) -> syn::Result<&Expr> {
    Ok(&meta.require_name_value()?.value)
}

/// A string.
pub(super) fn text(expr: &Expr) -> syn::Result<String> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text.value()),
        other => Err(syn::Error::new_spanned(other, "expected a string")),
    }
}

/// A single word.
pub(super) fn word(expr: &Expr) -> syn::Result<String> {
    match expr {
        Expr::Path(path) if path.path.get_ident().is_some() => Ok(path.path.require_ident()?.to_string()),
        other => Err(syn::Error::new_spanned(other, "expected a name")),
    }
}
