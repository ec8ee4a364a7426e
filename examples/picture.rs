//! A picture as the bytes of its pixels, read from and written to a file.

use image::{DynamicImage, ExtendedColorType, ImageDecoder, ImageFormat, ImageReader};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Why a picture could not be read or written: the fact and the fix, in one line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PictureError {
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
}

/// The most pixels of a picture: 192 MiB of colours.
const PIXELS_MAX: u64 = 1 << 26;

/// Red, green and blue of each pixel, row by row.
pub(crate) struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) bytes: Vec<u8>,
}

impl Picture {
    /// Reads a PNG or JPEG file; grey becomes colour, transparency is dropped.
    pub(crate) fn read(path: &Path) -> Result<Self, PictureError> {
        let unreadable = |error| PictureError::Read { path: path.into(), error };
        let no_picture = |why| PictureError::NoPicture { path: path.into(), why };
        let reader =
            ImageReader::open(path).and_then(ImageReader::with_guessed_format).map_err(unreadable)?;
        // A header is believed before its pixels are there: memory is bounded by what it says.
        let decoder = reader.into_decoder().map_err(no_picture)?;
        let (width, height) = decoder.dimensions();
        if u64::from(width) * u64::from(height) > PIXELS_MAX {
            return Err(PictureError::TooLarge { path: path.into(), width, height, most: PIXELS_MAX });
        }
        let picture = DynamicImage::from_decoder(decoder).map_err(no_picture)?.into_rgb8();
        Ok(Self { width: picture.width(), height: picture.height(), bytes: picture.into_raw() })
    }
}

/// A PNG file that is there only once it is whole.
pub(crate) struct Output(PathBuf);

impl Output {
    /// Knows before any work is done whether `path` can be a PNG file: no folder, no other format's name, and in a folder
    /// that can be written. A file is made there and removed at once, since whoever ends the run with a signal would find it.
    pub(crate) fn probe(path: &Path) -> Result<Self, PictureError> {
        if path.is_dir() {
            return Err(PictureError::Folder { path: path.into() });
        }
        if path.extension().is_some_and(|end| !end.eq_ignore_ascii_case("png")) {
            return Err(PictureError::Format { path: path.into() });
        }
        part(path).map(|_| Self(path.into()))
    }

    /// Writes the picture with other bytes and gives the file its name, which it returns.
    pub(crate) fn write(self, picture: &Picture, bytes: &[u8]) -> Result<PathBuf, PictureError> {
        let Self(path) = self;
        let part = part(&path)?;
        let unwritable = |error| PictureError::Write { path: path.clone(), error };
        let mut to = BufWriter::new(&part);
        let (width, height) = (picture.width, picture.height);
        let encoder = image::codecs::png::PngEncoder::new(&mut to);
        image::ImageEncoder::write_image(encoder, bytes, width, height, ExtendedColorType::Rgb8)
            .map_err(|why| unwritable(io::Error::other(why)))?;
        to.flush().map_err(unwritable)?;
        drop(to);
        part.persist(&path).map_err(|persist| unwritable(persist.error))?;
        Ok(path)
    }
}

/// An unfinished file in the folder of `path`, gone when it is dropped.
fn part(path: &Path) -> Result<NamedTempFile, PictureError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".result").suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    // The error's kind alone: its text names the unfinished file, which is nobody's business.
    builder
        .tempfile_in(folder)
        .map_err(|error| PictureError::Write { path: path.into(), error: error.kind().into() })
}

/// Where the result goes without `--out`: `name.mapped.png` beside `name.jpg`, for `mapped`.
pub(crate) fn name_beside(input: &Path, what: &str) -> PathBuf {
    input.with_extension(format!("{what}.{}", ImageFormat::Png.extensions_str()[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_comes_back_from_the_file_it_was_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let bytes: Vec<u8> = (0..3 * 5 * 7).map(|i| i * 2).collect();
        let picture = Picture { width: 5, height: 7, bytes: vec![0; bytes.len()] };
        let output = Output::probe(&path).unwrap();
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            0,
            "nothing is left while the work is done"
        );
        let written = output.write(&picture, &bytes).unwrap();
        let back = Picture::read(&written).unwrap();
        assert_eq!((back.width, back.height, back.bytes), (5, 7, bytes));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "the unfinished file is gone");
    }

    #[test]
    fn a_file_that_is_no_picture_says_so_and_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        std::fs::write(&path, "no picture").unwrap();
        let error = Picture::read(&path).err().unwrap().to_string();
        assert!(error.contains("a.png") && error.contains("PNG or JPEG"), "{error}");
    }

    #[test]
    fn a_folder_that_is_not_there_is_known_before_any_work() {
        let error = Output::probe(Path::new("/no/such/folder/a.png")).err().unwrap();
        assert!(error.to_string().contains("--out"), "{error}");
    }

    #[test]
    fn the_result_lies_beside_the_input() {
        assert_eq!(name_beside(Path::new("a/b.jpg"), "mapped"), Path::new("a/b.mapped.png"));
    }
}
