// KM0020: numbers are literals, or constants of the header by their C++ names.
use komorebi as km;

const DEPTH: u32 = 8;

#[km::program(kernels = "kernels", depth = DEPTH)]
pub trait Sort {
    #[handler(1)]
    fn merge();
}

#[km::program(
    kernels = "kernels",
    header = "kernels/image.h",
    depth = kHandlerBlurr,
    grid = (4294967296, kOffset),
    kernel_bytes = kPixels,
    compile_args(reader = [DEPTH + 1, "3", -1])
)]
pub trait Image {
    fn blur();
    fn sharpen();
}

fn main() {}
