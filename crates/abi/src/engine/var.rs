//! Handles of the builders.

use super::{Ref, Value, Variable, VariableKind};
use crate::program::ArgKind;

/// A binding, register or constant of a builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Var(pub u32);

impl From<Var> for Ref {
    fn from(var: Var) -> Self {
        Self::Id(var.0)
    }
}

impl From<Var> for Value {
    fn from(var: Var) -> Self {
        Self::Variable(Ref::Id(var.0))
    }
}

/// A number that a constant can be, with its type.
pub trait ConstantValue {
    /// Its bits and type.
    fn constant(self) -> (u32, ArgKind);
}

impl ConstantValue for u32 {
    fn constant(self) -> (u32, ArgKind) {
        (self, ArgKind::U32)
    }
}

impl ConstantValue for i32 {
    fn constant(self) -> (u32, ArgKind) {
        (self.cast_unsigned(), ArgKind::I32)
    }
}

impl ConstantValue for f32 {
    fn constant(self) -> (u32, ArgKind) {
        (self.to_bits(), ArgKind::F32)
    }
}

/// Appends a variable.
pub(crate) fn declare(
    list: &mut Vec<Variable>,
    kind: VariableKind,
    name: Option<&str>,
    ty: Option<ArgKind>,
) -> Var {
    list.push(Variable::new(kind, name, ty));
    Var(list.len() as u32 - 1)
}
