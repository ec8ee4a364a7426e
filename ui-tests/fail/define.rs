// KM0011: a define is an identifier of C++, once, and not one of the runtime's.
use komorebi as km;

#[km::program(kernels = "kernels", defines(class = 1, KM_THREAD = 2, Größe = 3, TILES = [1, 2]))]
pub trait Sort {
    #[handler(1)]
    fn merge();
}

fn main() {}
