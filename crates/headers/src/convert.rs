//! C++'s conversions between integer types: promotion, the usual arithmetic conversions, implicit, explicit and in braces.

use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::location::Place;
use crate::types::{IntKind, IntType, Model, Type, Typed};

/// How a value comes to a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conversion {
    /// `T x = value`
    Implicit,
    /// `T x{value}`: what the type cannot hold is an error.
    Braces,
    /// `T x = {value}`: the same, but enumerations take no numbers.
    CopyBraces,
    /// `static_cast<T>(value)`, `(T)value`, `T(value)`
    Explicit,
}

/// The integer promotions: what is narrower than `int` becomes `int`.
pub(crate) fn promote_int(ty: IntType, model: Model) -> IntType {
    let int = model.int();
    if ty.bits < int.bits { int } else { IntType { kind: IntKind::Plain, ..ty } }
}

/// The promoted type of an operand; a fault for what is no number.
pub(crate) fn promote(value: Typed, model: Model, place: Place) -> Result<Typed, Fault> {
    match value.ty {
        Type::Int(int) => Ok(Typed::int(promote_int(int, model), value.number)),
        Type::Enum(of) if !of.scoped => Ok(Typed::int(of.promoted, value.number)),
        Type::Enum(_) => {
            let message = "a scoped enumeration does not become a number by itself";
            Err(Fault::at(ErrorKind::Type, message, place).help("convert it: `static_cast<uint32_t>(...)`"))
        }
        other => Err(not_integer(other, place)),
    }
}

pub(crate) fn not_integer(ty: Type, place: Place) -> Fault {
    Fault::at(ErrorKind::NotAConstant, format!("expected an integer, found {}", ty.describe()), place)
}

/// The usual arithmetic conversions of two promoted types.
pub(crate) fn common(a: IntType, b: IntType) -> IntType {
    if a.bits == b.bits {
        IntType { signed: a.signed && b.signed, ..a }
    } else if a.bits > b.bits {
        a
    } else {
        b
    }
}

/// A value as a truth value.
pub(crate) fn truth(value: Typed, place: Place) -> Result<bool, Fault> {
    match value.ty {
        Type::Int(_) => Ok(value.number != 0),
        Type::Enum(of) if !of.scoped => Ok(value.number != 0),
        Type::Unknown => Ok(false),
        Type::Enum(_) => {
            let message = "a scoped enumeration does not become a truth value by itself";
            Err(Fault::at(ErrorKind::Type, message, place)
                .help("compare it, or convert it: `static_cast<bool>(...)`"))
        }
        other => Err(not_integer(other, place)),
    }
}

/// Brings a value to a type.
pub(crate) fn convert(value: Typed, to: Type, how: Conversion, place: Place) -> Result<Typed, Fault> {
    let Some(stored) = to.stored() else { return Err(not_integer(to, place)) };
    if value.ty == to {
        return Ok(value);
    }
    if value.ty == Type::Unknown {
        return Ok(Typed { ty: to, number: 0 });
    }
    if value.ty.stored().is_none() {
        return Err(not_integer(value.ty, place));
    }
    if how != Conversion::Explicit {
        if let Type::Enum(from) = value.ty
            && from.scoped
        {
            let message = format!("a scoped enumeration does not convert to {} by itself", to.describe());
            return Err(Fault::at(ErrorKind::Type, message, place).help("write a `static_cast`"));
        }
        // `Kind k{3}` is allowed since C++17 when the underlying type is declared; `Kind k = 3` is not.
        if let Type::Enum(of) = to
            && !(how == Conversion::Braces && of.fixed)
        {
            let message = format!("{} does not convert to this enumeration by itself", value.ty.describe());
            return Err(Fault::at(ErrorKind::Type, message, place).help("write a `static_cast`"));
        }
    }
    if matches!(how, Conversion::Braces | Conversion::CopyBraces) && !stored.holds(value.number) {
        let message = format!("{} does not fit {} and braces do not convert it", value.number, to.describe());
        return Err(
            Fault::at(ErrorKind::Narrowing, message, place).help("write `= value` or a `static_cast`")
        );
    }
    Ok(Typed { ty: to, number: stored.wrap(value.number) })
}
