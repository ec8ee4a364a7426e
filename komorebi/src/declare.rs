//! `graph!` and `stream!`: shells that reach the program's facts through the macro under the program's own name.
//!
//! `$crate` goes along, so that a renamed or re-exported crate needs no guess.

#[doc = include_str!("graph.md")]
#[macro_export]
macro_rules! graph {
    (<$program:path> $($body:tt)*) => {
        $program! { [$crate::declare::declare_graph] [$crate] [$program] $($body)* }
    };
    ($($other:tt)*) => {
        $crate::declare::declare_nothing! { graph $($other)* }
    };
}

#[doc = include_str!("stream.md")]
#[macro_export]
macro_rules! stream {
    (<$program:path> $($body:tt)*) => {
        $program! { [$crate::declare::declare_stream] [$crate] [$program] $($body)* }
    };
    ($($other:tt)*) => {
        $crate::declare::declare_nothing! { stream $($other)* }
    };
}

pub use komorebi_macros::{declare_graph, declare_nothing, declare_stream};
