//! Values in attributes, as loose as the user wrote them: the rules say later what each may be.

use darling::FromMeta;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Lit, Meta, UnOp};

use crate::anchor::Anchor;

/// A value with its place.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A name with nothing behind it: `fp32_dest_acc_en`.
    Word(Anchor),
    /// `16`.
    Int(syn::LitInt),
    /// `-16` or `-1.5`, as written.
    Negative(String, Anchor),
    /// `0.5`.
    Float(syn::LitFloat),
    /// `"kernels"`.
    Text(syn::LitStr),
    /// `true`.
    Bool(syn::LitBool),
    /// `kBufferInput`, `km::kBroadcastArgs`, `HiFi4`: the path as C++ writes it.
    Name(String, Anchor),
    /// `(12, 10)` or `[1, 2]`.
    List(Vec<Value>, Anchor),
    /// `name(a = b, ..)` or `name = (a = b, ..)`: what stands between the parentheses.
    Parts(TokenStream, Anchor),
    /// Anything else.
    Other(Anchor),
}

impl Value {
    /// Where it stands.
    pub(crate) fn anchor(&self) -> Anchor {
        match self {
            Self::Int(literal) => Anchor::at(literal.span()),
            Self::Float(literal) => Anchor::at(literal.span()),
            Self::Text(literal) => Anchor::at(literal.span()),
            Self::Bool(literal) => Anchor::at(literal.span),
            Self::Word(anchor)
            | Self::Negative(_, anchor)
            | Self::Name(_, anchor)
            | Self::List(_, anchor)
            | Self::Parts(_, anchor)
            | Self::Other(anchor) => *anchor,
        }
    }

    /// What it is, for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Word(_) => "nothing".into(),
            Self::Int(literal) => format!("`{literal}`"),
            Self::Negative(text, _) => format!("`{text}`"),
            Self::Float(literal) => format!("`{literal}`"),
            Self::Text(literal) => format!("the string {:?}", literal.value()),
            Self::Bool(literal) => format!("`{}`", literal.value),
            Self::Name(name, _) => format!("`{name}`"),
            Self::List(..) => "a list".into(),
            Self::Parts(..) => "a group of parts".into(),
            Self::Other(_) => "an expression".into(),
        }
    }

    /// The number that stands in quotes.
    pub(crate) fn quoted_number(&self) -> Option<u32> {
        match self {
            Self::Text(literal) => literal.value().parse().ok(),
            _ => None,
        }
    }

    /// The value that an expression is.
    pub(crate) fn of(expr: &Expr) -> Self {
        let anchor = Anchor::of(expr);
        match expr {
            Expr::Group(group) => Self::of(&group.expr),
            Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) => Self::Int(literal.clone()),
            Expr::Lit(ExprLit { lit: Lit::Float(literal), .. }) => Self::Float(literal.clone()),
            Expr::Lit(ExprLit { lit: Lit::Str(literal), .. }) => Self::Text(literal.clone()),
            Expr::Lit(ExprLit { lit: Lit::Bool(literal), .. }) => Self::Bool(literal.clone()),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match Self::of(&unary.expr) {
                Self::Int(literal) => Self::Negative(format!("-{literal}"), anchor),
                Self::Float(literal) => Self::Negative(format!("-{literal}"), anchor),
                _ => Self::Other(anchor),
            },
            Expr::Path(path) if path.qself.is_none() => match cpp_path(&path.path) {
                Some(name) => Self::Name(name, anchor),
                None => Self::Other(anchor),
            },
            Expr::Paren(paren) if matches!(*paren.expr, Expr::Assign(_)) => {
                Self::Parts(paren.expr.to_token_stream(), anchor)
            }
            Expr::Paren(paren) => Self::of(&paren.expr),
            Expr::Tuple(tuple)
                if tuple.elems.iter().any(|part| matches!(part, Expr::Assign(_) | Expr::Call(_))) =>
            {
                Self::Parts(tuple.elems.to_token_stream(), anchor)
            }
            Expr::Tuple(tuple) => Self::List(list(&tuple.elems), anchor),
            Expr::Array(array) => Self::List(list(&array.elems), anchor),
            _ => Self::Other(anchor),
        }
    }
}

fn list(values: &Punctuated<Expr, syn::Token![,]>) -> Vec<Value> {
    values.iter().map(Value::of).collect()
}

/// `km::kBroadcastArgs`; `None` when the path has generic arguments, which no constant has.
fn cpp_path(path: &syn::Path) -> Option<String> {
    let segments: Option<Vec<String>> =
        path.segments.iter().map(|part| part.arguments.is_none().then(|| part.ident.to_string())).collect();
    let root = if path.leading_colon.is_some() { "::" } else { "" };
    Some(format!("{root}{}", segments?.join("::")))
}

// Reading cannot fail: a value of the wrong kind is a matter for the rules, which know the field.
impl FromMeta for Value {
    fn from_meta(item: &Meta) -> darling::Result<Self> {
        Ok(match item {
            Meta::Path(path) => Self::Word(Anchor::of(path)),
            Meta::NameValue(pair) => Self::of(&pair.value),
            Meta::List(list) => Self::Parts(list.tokens.clone(), Anchor::of(list)),
        })
    }
}
