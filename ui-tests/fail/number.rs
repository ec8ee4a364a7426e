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
    buffers(scratch(index = 3u8, format = uint8, page_bytes = -2048, pages = 340282366920938463463374607431768211455)),
    kernel_bytes = kPixels,
    compile_args(reader = [DEPTH + 1, "3", -1])
)]
pub trait Image {
    fn blur();
    fn sharpen();
}

fn main() {}
