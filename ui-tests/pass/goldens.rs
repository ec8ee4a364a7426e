//! The expected expansions of the macros' own tests are Rust: they compile, and hold what the macros give here.
#![deny(warnings)]
use komorebi as km;
use km::macro_support::abi::engine::DeclaredUpload;

/// The program of those expansions.
#[km::program(kernels = "kernels", grid = (12, 10))]
pub trait Heat {
    #[handler(1)]
    fn step(#[inout] state: km::Address, iteration: u32);
    #[handler(2)]
    fn left(#[inout] state: km::Address);
    #[handler(3)]
    fn right(#[inout] state: km::Address);
    #[handler(4)]
    fn norm(#[input] state: km::Address, cores: u32) -> u32;
}

mod expanded {
    use super::{Heat, km};

    include!("../../crates/language/tests/expand/converge.expanded.rs");
    include!("../../crates/language/tests/expand/jobs.expanded.rs");
}

km::graph! {
    <Heat>
    pub graph Converge(deadline = 200 ms, max_runs = 50, req = 6, keep) {
        bind state: km::Address, iteration: u32, limit: u32;
        reg error: u32;
        let advance = step[0..60](state, iteration);
        let l = left[0..30](state) after advance;
        let r = right[30..60](state) after advance;
        let measure = norm[0..60](state, 60) -> error after l, r;
        cpu after measure { iteration += 1; again = error > limit; }
        end(iteration, error);
    }
}

fn main() {
    assert_eq!(expanded::Converge::BYTES, Converge::BYTES);
    let bindings = expanded::Jobs::bind(0.5, [1, 2], km::Core(3));
    assert_eq!((bindings.halves, expanded::Jobs::BINDINGS.len()), ([1, 2], 3));
}
