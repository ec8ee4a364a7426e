//! The program: four handlers that relax a picture's marked pixels on 60 cores.

use komorebi as km;

/// Relaxation of a plane of binary32 pixels, a row a page. Pixels with the sign bit are filled in.
#[km::program(
    kernels = "kernels",
    header = "kernels/inpaint.h",
    grid = (12, 5),
    depth = 4,
    buffers(
        window(index = kBufferWindow, format = float32, page_bytes = kWindowBytes, pages = kBufferPages),
        row(index = kBufferRow, format = float32, page_bytes = kRowBytes, pages = kBufferPages),
        partial(index = kBufferPartial, format = uint32, page_bytes = kPartialBytes, pages = 1),
        gather(index = kBufferGather, format = uint32, page_bytes = kGatherBytes, pages = 1),
    ),
)]
pub(crate) trait Inpaint {
    /// Relaxes the pixels of colour `iteration` mod 2 of the chessboard.
    fn step(#[inout] state: km::Address, iteration: u32);
    /// Relaxes those of the other colour, in the left half of each row.
    fn left(#[inout] state: km::Address, iteration: u32);
    /// The same in the right half.
    fn right(#[inout] state: km::Address, iteration: u32);
    /// How much a pixel would change at most.
    fn norm(#[input] state: km::Address) -> f32;
}
