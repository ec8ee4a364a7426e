//! The program: one handler, three kernels on each of 120 cores, two circular buffers a core.

use komorebi as km;

/// A tone curve over pages of bytes.
#[km::program(
    kernels = "kernels",
    header = "kernels/map.h",
    grid = (12, 10),
    depth = 15,
    buffers(
        source(index = kBufferSource, format = uint8, page_bytes = kPageBytes, pages = kBufferPages),
        target(index = kBufferTarget, format = uint8, page_bytes = kPageBytes, pages = kBufferPages),
    ),
)]
pub(crate) trait ToneMap {
    /// Maps `pages` pages from `first_page` on. Bytes up to `black` become 0, `gain` is in 1/256, and above `shoulder` the
    /// curve bends towards 255. Each core of the group takes its share of the pages.
    fn map(
        #[input] source: km::Address,
        #[output] target: km::Address,
        first_page: u32,
        pages: u32,
        black: u32,
        gain: u32,
        shoulder: u32,
    );
}
