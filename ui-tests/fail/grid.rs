// KM0001: a grid has cores, and no more than commands can name.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (14, 10))]
pub trait Wide {
    #[handler(1)]
    fn go();
}

#[km::program(kernels = "kernels", grid = (0, 10))]
pub trait Empty {
    #[handler(1)]
    fn go();
}

fn main() {}
