// KM0006: names that generated items, `Run` or C++ have.
use komorebi as km;

#[km::program(kernels = "kernels")]
pub trait Queue {
    #[handler(1)]
    fn submit(first: u32);
    #[handler(2)]
    fn push(register: u32);
}

fn main() {}
