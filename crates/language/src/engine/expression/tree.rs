//! A typed expression.

use komorebi_abi::engine::{Opcode, Ref, Value, kind_name};
use komorebi_abi::program::ArgKind;

use crate::anchor::Anchor;

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// An integer literal: it takes the type of what it meets.
    Int,
    /// A float literal.
    Float,
    /// 0 or 1, of a comparison.
    Bool,
    /// A word of that type.
    Word(ArgKind),
    /// Of something that was refused: it fits everywhere.
    Any,
}

impl Type {
    /// Its name for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Int => "an integer",
            Self::Float => "a float",
            Self::Bool => "a truth",
            Self::Word(kind) => kind_name(kind),
            Self::Any => "unknown",
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::Float | Self::Word(ArgKind::F32))
    }

    /// Is it compared and shifted with its sign?
    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Self::Word(ArgKind::I32))
    }
}

/// A typed expression.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) shape: TreeShape,
    pub(crate) ty: Type,
    pub(crate) anchor: Anchor,
}

/// What a [`Tree`] is.
#[derive(Clone, Debug)]
pub(crate) enum TreeShape {
    /// A value that stands as it is.
    Leaf(Value),
    /// An operation of the machine.
    Op(Opcode, Vec<Tree>),
}

impl Tree {
    pub(crate) fn leaf(value: Value, ty: Type, anchor: Anchor) -> Self {
        Self { shape: TreeShape::Leaf(value), ty, anchor }
    }

    pub(crate) fn op(op: Opcode, kids: Vec<Self>, ty: Type, anchor: Anchor) -> Self {
        Self { shape: TreeShape::Op(op, kids), ty, anchor }
    }

    /// What stands for something that was refused.
    pub(crate) fn refused(anchor: Anchor) -> Self {
        Self::leaf(Value::Word(0), Type::Any, anchor)
    }

    /// The same bits under another type.
    pub(crate) fn with_type(self, ty: Type) -> Self {
        Self { ty, ..self }
    }

    /// Does it take an instruction?
    pub(crate) fn is_computed(&self) -> bool {
        matches!(self.shape, TreeShape::Op(..))
    }

    /// Does it read variable `id`?
    pub(crate) fn reads(&self, id: u32) -> bool {
        match &self.shape {
            TreeShape::Leaf(value) => *value == Value::Variable(Ref::Id(id)),
            TreeShape::Op(_, kids) => kids.iter().any(|kid| kid.reads(id)),
        }
    }

    /// Registers that computing it takes, beside the one it ends in (Ershov's number).
    pub(crate) fn weight(&self) -> u32 {
        let TreeShape::Op(_, kids) = &self.shape else { return 0 };
        let mut weights: Vec<u32> = kids.iter().map(Self::weight).filter(|weight| *weight != 0).collect();
        weights.sort_unstable_by(|a, b| b.cmp(a));
        weights.iter().zip(0..).map(|(weight, held)| weight + held).max().unwrap_or(0).max(1)
    }

    /// Its integer, if it is a literal.
    pub(crate) fn int(&self) -> Option<i128> {
        match (&self.shape, self.ty) {
            (TreeShape::Leaf(Value::Int(number)), Type::Int) => Some(*number),
            _ => None,
        }
    }
}
