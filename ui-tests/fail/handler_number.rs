// KM0003: 0 is NOP, 240 to 255 are the runtime's.
use komorebi as km;

#[km::program(kernels = "kernels")]
pub trait Sort {
    #[handler(0)]
    fn merge();
    #[handler(240)]
    fn split();
    fn done();
}

fn main() {
    let _ = (Sort::merge(), Sort::split(), Sort::done());
}
