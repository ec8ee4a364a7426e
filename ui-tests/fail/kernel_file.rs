// KM0019: a kernel file that is not there.
use komorebi as km;

#[km::program(kernels = (reader = "kernels/raeder.cpp", writer = "kernels/store.cpp"))]
pub trait Sort {
    #[handler(1)]
    fn merge();
}

#[km::program(kernels = "kernel")]
pub trait Image {
    #[handler(1)]
    fn blur();
}

fn main() {
    let _ = Sort::program();
}
