// KM0014: a handler of the header that nobody declares is a warning, here denied.
#![deny(warnings)]
use komorebi as km;

#[km::program(kernels = "kernels", header = "kernels/heat.h")]
pub trait Heat {
    fn step();
    fn norm() -> u32;
}

#[km::program(kernels = "kernels", header = "kernels/heat.h")]
#[allow(deprecated)]
pub trait Quiet {
    fn step();
}

fn main() {}
