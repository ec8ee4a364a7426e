// KM0010: the kernel buffer is a multiple of 64 bytes.
use komorebi as km;

#[km::program(kernels = "kernels", kernel_bytes = 100_000)]
pub trait Image {
    #[handler(1)]
    fn blur();
}

fn main() {}
