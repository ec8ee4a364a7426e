//! What can go wrong in this example: the fact and the fix, in one line.

use crate::levels::Levels;
use crate::picture::PictureError;
use komorebi as km;

/// Why there is no stretched picture.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LevelsError {
    /// The picture or the output.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// The card found other levels than the host.
    #[error("the card's levels are {found:?}, the host's {expected:?}; this is a defect, please report it")]
    Levels { found: Levels, expected: Levels },
    /// The card's bytes are not those of the same arithmetic on the host.
    #[error("{wrong} of {all} bytes are not what the host computes; this is a defect, please report it")]
    Differs { wrong: usize, all: usize },
    /// The card, or the build of its kernels.
    #[error(transparent)]
    Card(#[from] km::Error),
}
