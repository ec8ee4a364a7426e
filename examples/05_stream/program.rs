//! The program: one handler that counts, one that maps.

use komorebi as km;

/// Levels of a picture: how many of its bytes are dark, and its bytes stretched between two levels.
#[km::program(
    kernels = "kernels",
    header = "kernels/levels.h",
    grid = (8, 4),
    depth = 16,
    buffers(
        source(index = kBufferSource, format = uint8, page_bytes = kPageBytes, pages = kBufferPages),
        target(index = kBufferTarget, format = uint8, page_bytes = kPageBytes, pages = kBufferPages),
    ),
)]
pub(crate) trait Levels {
    /// How many bytes of `pages` pages from `first_page` on are not above `level`, of one core.
    fn count(#[input] source: km::Address, first_page: u32, pages: u32, level: u32) -> u32;
    /// Stretches the bytes of `pages` pages so that `black` becomes 0 and `white` 255.
    fn stretch(
        #[input] source: km::Address,
        #[output] target: km::Address,
        pages: u32,
        black: u32,
        white: u32,
    );
}
