//! What can go wrong in this example: the fact and the fix, in one line.

use komorebi as km;
use std::io;
use std::path::PathBuf;

/// Why there is no mapped picture.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    /// The input cannot be read.
    #[error("cannot read {}: {error}; name a PNG or JPEG file", path.display())]
    Read { path: PathBuf, error: io::Error },
    /// The input is something else.
    #[error("{} is not a picture that can be read ({why}); name a PNG or JPEG file", path.display())]
    NoPicture { path: PathBuf, why: image::ImageError },
    /// The input says that it has more pixels than this example takes.
    #[error(
        "{} is {width} x {height} pixels, and this example takes {most} at most; name a smaller picture",
        path.display()
    )]
    TooLarge { path: PathBuf, width: u32, height: u32, most: u64 },
    /// There is a folder where the output should go.
    #[error("{} is a folder; name a file with --out", path.display())]
    Folder { path: PathBuf },
    /// The output's name promises another format than it would have.
    #[error(
        "the result is a PNG file, so that it holds the very bytes that were checked, and {} is no name for one; name a .png file with --out",
        path.display()
    )]
    Format { path: PathBuf },
    /// The output cannot be written.
    #[error("cannot write {}: {error}; name a file in a folder that can be written with --out", path.display())]
    Write { path: PathBuf, error: io::Error },
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
