//! Which instructions load, store, or both.

use super::bus::{AmoOp, Width};
use super::table::{Code, instructions};

/// How an instruction meets memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Load(Width),
    Store(Width),
    Amo(Width, AmoOp),
    /// `lr`
    Reserve(Width),
    /// `sc`
    Conditional(Width),
}

impl Access {
    pub(super) fn width(self) -> Width {
        match self {
            Self::Load(width)
            | Self::Store(width)
            | Self::Amo(width, _)
            | Self::Reserve(width)
            | Self::Conditional(width) => width,
        }
    }
}

macro_rules! as_accesses {
    (
        load { $($load:ident $_l1:literal $_l2:literal $_l3:ident $l_width:ident $_l4:ident;)* }
        store { $($store:ident $_t1:literal $_t2:literal $_t3:ident $t_width:ident;)* }
        amo { $($amo:ident $_a1:literal $_a2:literal $_a3:ident $a_width:ident $a_op:ident;)* }
        other { $($_other:tt)* }
        float_load { $($float_load:ident $_f1:literal $_f2:literal $_f3:ident $fl_width:ident;)* }
        float_store { $($float_store:ident $_g1:literal $_g2:literal $_g3:ident $fs_width:ident;)* }
        $($_rest:tt)*
    ) => {
        impl Code {
            /// How the instruction meets memory, if it does.
            pub(super) fn access(self) -> Option<Access> {
                Some(match self {
                    $(Self::$load => Access::Load(Width::$l_width),)*
                    $(Self::$store => Access::Store(Width::$t_width),)*
                    $(Self::$float_load => Access::Load(Width::$fl_width),)*
                    $(Self::$float_store => Access::Store(Width::$fs_width),)*
                    $(Self::$amo => Access::Amo(Width::$a_width, AmoOp::$a_op),)*
                    Self::LrW => Access::Reserve(Width::Word),
                    Self::LrD => Access::Reserve(Width::Double),
                    Self::ScW => Access::Conditional(Width::Word),
                    Self::ScD => Access::Conditional(Width::Double),
                    _ => return None,
                })
            }
        }
    };
    ($_section:ident { $($_rows:tt)* } $($rest:tt)*) => {
        as_accesses! { $($rest)* }
    };
}
instructions!(as_accesses);
