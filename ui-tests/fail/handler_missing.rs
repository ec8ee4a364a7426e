// KM0013: handlers have the header's numbers; a name it lacks gets the nearest, and the line to add.
use komorebi as km;

#[km::program(kernels = "kernels", header = "kernels/heat.h")]
pub trait Heat {
    fn step();
    fn lefft();
    fn right();
    fn norm();
    fn checkpoint(#[output] state: km::Address);
}

fn main() {
    let _ = Heat::checkpoint(0);
}
