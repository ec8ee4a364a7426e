//! The program that is loaded to measure what is not its own doing.

use komorebi as km;

/// Nothing, on every core.
#[km::program(kernels = "../kernels", header = "../kernels/bench.h", grid = (12, 10), depth = 16)]
pub(crate) trait Bench {
    /// Nothing, through a handler.
    fn idle();
}
