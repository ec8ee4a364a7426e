// KM0002: a core has sixteen mailbox slots.
use komorebi as km;

#[km::program(kernels = "kernels", header = "kernels/heat.h", depth = 0)]
pub trait Heat {
    fn step();
    fn left();
    fn right();
    fn norm();
}

fn main() {}
