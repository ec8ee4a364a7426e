//! What can go wrong in this example: the fact and the fix, in one line.

use crate::picture::PictureError;
use komorebi as km;

/// Why there is no mapped picture.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    /// The input or the output.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// The card's bytes are not those of the same arithmetic on the host.
    #[error(
        "{wrong} of {all} bytes are not what the host computes, the first at column {}, row {}, colour {}: \
         the card has {found}, the host {expected}; this is a defect, please report it",
        place.0, place.1, place.2
    )]
    Differs { wrong: usize, all: usize, place: (usize, usize, usize), found: u8, expected: u8 },
    /// The card, or the build of its kernels.
    #[error(transparent)]
    Card(#[from] km::Error),
}
