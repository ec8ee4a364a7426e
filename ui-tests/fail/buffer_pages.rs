// KM0008: pages are whole elements, or whole tiles of a block format.
use komorebi as km;

#[km::program(
    kernels = "kernels",
    buffers(
        weights(index = 0, format = bfloat8_b, page_bytes = 1024, pages = 2),
        bias(index = 1, format = float32, page_bytes = 0, pages = 2),
        sums(index = 2, format = float32, page_bytes = 4096, pages = 0),
    )
)]
pub trait Matmul {
    #[handler(1)]
    fn multiply();
}

fn main() {}
