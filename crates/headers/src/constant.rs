//! What the reader hands out: constants, and the declarations it could not evaluate.

use crate::error::HeaderError;
use crate::location::Location;
use crate::text::Few;
use crate::types::{IntType, Value};

/// How a constant is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstantKind {
    /// `constexpr`, or `const` with a constant initializer.
    Constexpr,
    /// `#define`.
    Define,
    /// A member of an enumeration.
    Enumerator,
}

/// An integer constant of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its own name: `kFoo`.
    pub name: String,
    /// Its full name: `km::abi::kFoo`. Unnamed namespaces have no part in it; a member of an `enum class` has the name of the
    /// enumeration in it, one of a plain enumeration has not.
    pub path: String,
    /// Its value and type.
    pub value: Value,
    /// Where its name is declared.
    pub location: Location,
    /// How it is declared.
    pub kind: ConstantKind,
    /// The comment directly above the declaration or behind it on its line, without delimiters.
    pub doc: Option<String>,
    /// Declared in the header itself, not in a file it includes.
    pub own: bool,
    pub(crate) aliases: Few<String>,
}

impl Constant {
    /// Its type; of an enumerator the underlying type.
    pub fn ty(&self) -> IntType {
        self.value.ty
    }
}

/// A declaration without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unevaluated {
    /// Its own name.
    pub name: String,
    /// Its full name.
    pub path: String,
    /// Where its name is declared.
    pub location: Location,
    /// How it is declared.
    pub kind: ConstantKind,
    /// Declared in the header itself, not in a file it includes.
    pub own: bool,
    /// Why it has no value. [`ErrorKind::NotAConstant`](crate::ErrorKind::NotAConstant) says that it is no integer constant
    /// for this reader (a string, an array, floating point, a macro that is no expression); every other kind is a mistake in
    /// the header.
    pub error: HeaderError,
    pub(crate) aliases: Few<String>,
}

impl Unevaluated {
    /// Is it a mistake in the header, rather than something that never was an integer constant?
    pub fn is_mistake(&self) -> bool {
        self.error.kind() != crate::ErrorKind::NotAConstant
    }
}
