//! The program: two handlers, three circular buffers. One command's outputs are the next one's inputs.

use komorebi as km;

/// Sums of binary32 numbers.
#[km::program(
    kernels = "kernels",
    header = "kernels/reduce.h",
    grid = (12, 10),
    depth = 15,
    buffers(
        numbers(index = kBufferNumbers, format = float32, page_bytes = kPageBytes, pages = kBufferPages),
        addends(index = kBufferAddends, format = float32, page_bytes = kPartialBytes, pages = kBufferPages),
        partial(index = kBufferPartial, format = float32, page_bytes = kPartialBytes, pages = 1),
    ),
)]
pub(crate) trait Reduce {
    /// Each core of the group adds its share of `pages` pages from `first_page` on and stores the sum in its own page of
    /// `partials`, from `first_partial` on.
    fn partial(
        #[input] numbers: km::Address,
        #[output] partials: km::Address,
        first_page: u32,
        pages: u32,
        first_partial: u32,
    );
    /// The sum of the first `count` partial sums, added in their order by one core.
    fn total(#[input] partials: km::Address, count: u32) -> f32;
}
