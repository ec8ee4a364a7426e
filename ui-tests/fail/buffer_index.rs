// KM0007: 29, 30 and 31 are the runtime's, and an index names one buffer.
use komorebi as km;

#[km::program(
    kernels = "kernels",
    header = "kernels/image.h",
    buffers(
        rows(index = 0, format = uint8, page_bytes = 1024, pages = 2),
        columns(index = 0, format = uint8, page_bytes = 1024, pages = 2),
        sums(index = 30, format = float32, page_bytes = 4096, pages = 1),
        edges(index = 40, format = uint16, page_bytes = 2048, pages = 1),
    )
)]
pub trait Image {
    fn blur();
    fn sharpen();
}

fn main() {}
