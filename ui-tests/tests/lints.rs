//! What the macros generate keeps the strictest lints of a crate that denies them: `cargo clippy --all-targets` compiles
//! this file under them.
#![deny(missing_docs, unsafe_code, warnings, clippy::all, clippy::pedantic)]

use komorebi as km;

/// A program.
#[km::program(kernels = "../pass/kernels", header = "../pass/kernels/heat.h", grid = (12, 10))]
pub trait Heat {
    /// A step.
    fn step(#[inout] state: km::Address, iteration: u32);
    /// The left half.
    fn left(#[inout] state: km::Address);
    /// The right half.
    fn right(#[inout] state: km::Address);
    /// The residual.
    fn norm(#[input] state: km::Address, cores: u32) -> u32;
}

km::graph! {
    <Heat>
    pub graph Converge(deadline = 200 ms, max_runs = 50, req = 6, keep) {
        bind state: km::Address, iteration: u32, limit: u32, signed: i32, float: f32, pair: [u16; 2], core: km::Core;
        reg error: u32;
        let advance = step[0..60](state, iteration);
        let measure = norm[0..60](state, 60) -> error after advance;
        cpu after measure {
            iteration += core as u32 + pair as u32 + float as u32;
            signed = (signed - 1).max(-4);
            again = error > limit;
        }
        end(signed, error);
    }
}

km::stream! {
    <Heat>
    pub stream Steps {
        bind state: km::Address;
        reg turn: u32 = 0;
        while turn < 4 {
            submit step[..](state, turn);
            wait(all);
            turn += 1;
        }
        halt(turn);
    }
}

#[test]
fn the_generated_items_are_used_as_any_others() {
    let graph = Converge::bind(km::Address(64), 1, 2, -3, 0.5, [4, 5], km::Core(6));
    assert_eq!((graph.signed, graph.pair), (-3, [4, 5]));
    assert_eq!(Steps::bind(km::Address(64)), StepsBindings { state: km::Address(64) });
}
