//! The program: one handler, three kernels, three circular buffers.

use komorebi as km;

/// Sums of pages of numbers.
#[km::program(
    kernels = "kernels",
    header = "kernels/pipeline.h",
    grid = (12, 10),
    depth = 8,
    buffers(
        x(index = kBufferX, format = uint32, page_bytes = kPageBytes, pages = kBufferPages),
        y(index = kBufferY, format = uint32, page_bytes = kPageBytes, pages = kBufferPages),
        sum(index = kBufferSum, format = uint32, page_bytes = kPageBytes, pages = kBufferPages),
    ),
)]
pub(crate) trait Pipeline {
    /// `sum = factor * x + y` over `pages` pages from `first_page` on; what does not fit 32 bits wraps.
    fn scale_add(
        #[input] x: km::Address,
        #[input] y: km::Address,
        #[output] sum: km::Address,
        first_page: u32,
        pages: u32,
        factor: u32,
    );
}
