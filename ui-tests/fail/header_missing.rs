// KM0012: paths go from the source file's folder.
use komorebi as km;

#[km::program(kernels = "kernels", header = "kernels/haet.h")]
pub trait Heat {
    fn step(iteration: u32);
    fn left();
}

fn main() {
    let _ = Heat::step(3);
}
