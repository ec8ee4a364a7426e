//! What can go wrong in this example: the fact and the fix, in one line.

use crate::picture::PictureError;
use komorebi as km;
use std::path::PathBuf;

/// Why there is no mended picture.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InpaintError {
    /// The picture, the mask or the output.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// The mask is not the picture's.
    #[error(
        "the mask {} is {} x {} pixels and the picture {} x {}; give a mask of the picture's size, white where it is to be mended",
        path.display(), found.0, found.1, expected.0, expected.1
    )]
    MaskSize { path: PathBuf, found: (u32, u32), expected: (u32, u32) },
    /// Nothing, or everything, is to be mended.
    #[error("the mask marks {marked} of {all} pixels; mark some, white, and leave some black around them")]
    Mask { marked: usize, all: usize },
    /// The picture has too little to scale down to.
    #[error(
        "the picture is {width} x {height} pixels at this width; give one that is less narrow, or another --width"
    )]
    Narrow { width: u32, height: u32 },
    /// The card's pixels are not those of the same arithmetic on the host.
    #[error(
        "{wrong} of {all} pixels of the {colour} plane are not what the host computes, after {rounds} rounds of {expected}; this is a defect, please report it"
    )]
    Differs { colour: &'static str, wrong: usize, all: usize, rounds: u32, expected: u32 },
    /// The card, or the build of its kernels.
    #[error(transparent)]
    Card(#[from] km::Error),
}
