//! What the floating-point instructions do, as data: the columns of their rows.
//!
//! The same for both instruction sets. What a core computes is its own: `ieee.rs` for the X280.

use super::table::{Code, instructions};

/// A floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    /// binary16
    Half,
    /// binary32
    Single,
    /// binary64
    Double,
}

/// An integer format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integer {
    I32,
    U32,
    I64,
    U64,
}

/// `fs1 op fs2`, rounded
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounded {
    Add,
    Sub,
    Mul,
    Div,
}

/// A product and a sum with one rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fused {
    /// `fs1 * fs2 + fs3`
    Madd,
    /// `fs1 * fs2 - fs3`
    Msub,
    /// `-(fs1 * fs2) + fs3`
    Nmsub,
    /// `-(fs1 * fs2) - fs3`
    Nmadd,
}

/// One of two operands, or one with a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Select {
    Sign,
    SignNegated,
    SignXor,
    Min,
    Max,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Le,
    Lt,
    Eq,
}

/// What an integer register gets of a floating-point one as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// The bits, sign-extended.
    Move,
    /// The class, as a bit.
    Classify,
}

/// A floating-point instruction that computes. Operands and results are register values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FloatOp {
    Rounded(Precision, Rounded),
    Root(Precision),
    Fused(Precision, Fused),
    Select(Precision, Select),
    Compare(Precision, Relation),
    /// Into the first from the second.
    Convert(Precision, Precision),
    ToInteger(Precision, Integer),
    FromInteger(Precision, Integer),
    ToBits(Precision, Look),
    FromBits(Precision),
}

impl FloatOp {
    /// True of a conversion that never rounds, whatever its mode: assemblers write it without one.
    pub(super) fn is_exact(self) -> bool {
        match self {
            Self::Convert(to, from) => to as u8 > from as u8,
            Self::FromInteger(to, from) => {
                to == Precision::Double && matches!(from, Integer::I32 | Integer::U32)
            }
            _ => false,
        }
    }
}

macro_rules! as_float_ops {
    (
        float_load { $($_load:tt)* }
        float_store { $($_store:tt)* }
        float_rounded { $($rounded:ident $_a1:literal $_a2:literal $_a3:ident $a_in:ident $a_op:ident;)* }
        float_root { $($root:ident $_b1:literal $_b2:literal $_b3:ident $b_in:ident;)* }
        float_fused { $($fused:ident $_c1:literal $_c2:literal $_c3:ident $c_in:ident $c_op:ident;)* }
        float_select { $($select:ident $_d1:literal $_d2:literal $_d3:ident $d_in:ident $d_op:ident;)* }
        float_compare { $($compare:ident $_e1:literal $_e2:literal $_e3:ident $e_in:ident $e_op:ident;)* }
        float_convert { $($convert:ident $_f1:literal $_f2:literal $_f3:ident $f_in:ident $f_op:ident;)* }
        float_to_integer { $($to:ident $_g1:literal $_g2:literal $_g3:ident $g_in:ident $g_op:ident;)* }
        float_from_integer { $($from:ident $_h1:literal $_h2:literal $_h3:ident $h_in:ident $h_op:ident;)* }
        float_to_bits { $($bits:ident $_i1:literal $_i2:literal $_i3:ident $i_in:ident $i_op:ident;)* }
        float_from_bits { $($of:ident $_j1:literal $_j2:literal $_j3:ident $j_in:ident;)* }
    ) => {
        impl Code {
            /// What the instruction computes in the floating-point unit, if it does.
            pub(super) fn float(self) -> Option<FloatOp> {
                Some(match self {
                    $(Self::$rounded => FloatOp::Rounded(Precision::$a_in, Rounded::$a_op),)*
                    $(Self::$root => FloatOp::Root(Precision::$b_in),)*
                    $(Self::$fused => FloatOp::Fused(Precision::$c_in, Fused::$c_op),)*
                    $(Self::$select => FloatOp::Select(Precision::$d_in, Select::$d_op),)*
                    $(Self::$compare => FloatOp::Compare(Precision::$e_in, Relation::$e_op),)*
                    $(Self::$convert => FloatOp::Convert(Precision::$f_in, Precision::$f_op),)*
                    $(Self::$to => FloatOp::ToInteger(Precision::$g_in, Integer::$g_op),)*
                    $(Self::$from => FloatOp::FromInteger(Precision::$h_in, Integer::$h_op),)*
                    $(Self::$bits => FloatOp::ToBits(Precision::$i_in, Look::$i_op),)*
                    $(Self::$of => FloatOp::FromBits(Precision::$j_in),)*
                    _ => return None,
                })
            }
        }
    };
    ($_section:ident { $($_rows:tt)* } $($rest:tt)*) => {
        as_float_ops! { $($rest)* }
    };
}
instructions!(as_float_ops);
