//! Graphs and streams in every place: a renamed and a re-exported crate, two programs of one name, another module's
//! program, a function, a private program, a module whose items are called as those of the prelude, strict lints.
#![deny(missing_docs, warnings, unsafe_code, clippy::all, clippy::pedantic)]

/// The crate under another name.
pub extern crate komorebi as renamed;

/// A façade that passes the crate on.
pub mod facade {
    pub use renamed as km;
}

/// A program of one name.
pub mod left {
    /// Relaxes.
    #[renamed::program(kernels = "kernels", grid = (4, 4))]
    pub trait Heat {
        /// A step.
        #[handler(1)]
        fn step(#[inout] state: renamed::Address);
    }
}

/// Another program of that name.
pub mod right {
    /// Relaxes otherwise.
    #[renamed::program(kernels = "kernels", grid = (4, 4))]
    pub(crate) trait Heat {
        /// A step.
        #[handler(9)]
        fn step(at: u32) -> i32;
    }

    renamed::graph! {
        <Heat>
        pub(crate) graph Here {
            reg depth: i32;
            step[..](3) -> depth;
            end(depth);
        }
    }
}

/// Its items hide the prelude's.
#[allow(dead_code, non_camel_case_types, missing_docs)]
pub mod odd {
    pub struct Result;
    pub struct Option;
    pub struct Clone;
    pub struct Copy;
    pub struct Debug;
    pub struct Into;
    pub struct From;
    pub struct PartialEq;
    pub struct Ok;
    pub struct Some;
    pub struct Self_;
    pub struct u32;
    pub struct f32;
    pub struct str;
    pub struct usize;
    pub mod core {}
    pub mod std {}
    pub mod komorebi {}

    use crate::facade::km::{Address, Core};

    crate::facade::km::graph! {
        <crate::left::Heat>
        /// From another module, through the façade.
        pub graph There(req = 7, keep) {
            bind
                /// The state.
                state: Address,
                r#type: Core;
            reg last: ::core::primitive::u32;
            let only = step[..](state);
            cpu after only {
                last = 1;
                last = (last + 1) * (r#type as ::core::primitive::u32);
            }
            end(last);
        }
    }

    crate::facade::km::stream! {
        <crate::left::Heat>
        /// A stream there.
        pub stream Flow {
            bind state: Address;
            submit step[..](state);
            halt(1);
        }
    }
}

fn main() {
    use renamed::macro_support::abi::engine::{BindingWords, DeclaredUpload, EndWords};
    let end = right::HereEnd::of_words(0x00FF_FFFF, 0);
    assert_eq!((end.depth, right::Here::NAME), (-1, "Here"));
    let start = odd::There::bind(64, renamed::Core(5));
    assert_eq!(start.words()[..2], [64, 5]);
    assert_eq!((odd::There::BINDINGS, odd::There::REQ), (&["state", "type"][..], 7));
    assert_eq!(odd::Flow::bind(64), odd::FlowBindings { state: renamed::Address(64) });

    #[renamed::program(kernels = "kernels")]
    trait Local {
        #[handler(3)]
        fn run();
    }
    renamed::stream! {
        <Local>
        stream Once { submit run[0..4](); halt(0); }
    }
    assert!(!Once::BYTES.is_empty());
    let _ = (left::Heat::program(), right::Heat::step(1), Local::run());
}
