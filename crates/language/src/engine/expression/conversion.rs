//! The edits that give a value another type.

use komorebi_abi::program::ArgKind;

use super::tree::{Tree, TreeShape, Type};

/// Can `as` make words of that type?
fn is_cast_to(ty: Type) -> bool {
    matches!(ty, Type::Word(ArgKind::U32 | ArgKind::I32 | ArgKind::F32))
}

/// An integer literal as a float, where a float is wanted.
pub(crate) fn with_point(value: &Tree, wanted: Type) -> Option<String> {
    let number = value.int().filter(|_| wanted.is_float())?;
    Some(format!("write `{number}.0`"))
}

/// `as` behind a value; `None` where it gives no such type.
pub(crate) fn convert(value: &Tree, wanted: Type) -> Option<String> {
    is_cast_to(wanted).then(|| match value.shape {
        TreeShape::Leaf(_) => format!("convert it: write `as {}` after it", wanted.name()),
        TreeShape::Op(..) => {
            format!("convert it: put it in parentheses, with `as {}` after them", wanted.name())
        }
    })
}

/// What gives two values one type.
pub(super) fn convert_either(a: &Tree, b: &Tree) -> String {
    let point = with_point(a, b.ty).or_else(|| with_point(b, a.ty));
    point.unwrap_or_else(|| match (a.ty, b.ty) {
        (ty, _) if is_cast_to(ty) => format!("convert the second: `as {}`", ty.name()),
        (_, ty) if is_cast_to(ty) => format!("convert the first: `as {}`", ty.name()),
        _ => "convert both: `as u32`".to_owned(),
    })
}
