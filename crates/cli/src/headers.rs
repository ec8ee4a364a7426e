//! Headers of programs: what the file system has, and beside it the device headers that this binary carries.

use crate::embedded;
use crate::failure::Failure;
use komorebi_headers::{Constant, Files, Header, Loader, Options};
use std::io;
use std::path::{Path, PathBuf};

/// The folder under which includes find the device headers. No file system has it.
const DEVICE: &str = "<komorebi>";

/// Files, and the device headers.
struct WithDevice;

impl Loader for WithDevice {
    fn load(&self, path: &Path) -> io::Result<Vec<u8>> {
        if let Ok(name) = path.strip_prefix(DEVICE) {
            let found = embedded::headers().find(|(path, _)| name == Path::new(path));
            return found
                .map(|(_, text)| text.as_bytes().to_vec())
                .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such device header"));
        }
        Files.load(path)
    }

    fn identity(&self, path: &Path) -> PathBuf {
        Files.identity(path)
    }
}

/// Reads a program's header, which may include the device headers and use their constants without (host-api, "Program").
pub(crate) fn read(path: &Path, include: &[PathBuf], define: &[String]) -> Result<Header, Failure> {
    let mut options = Options::new();
    for (name, _) in embedded::wires() {
        let header =
            Header::load(&Path::new(DEVICE).join(name), &WithDevice, &Options::new().include_dir(DEVICE));
        options = options.known_from(&header.map_err(|error| Failure::Header(error.render()))?);
    }
    options = include.iter().fold(options, |options, folder| options.include_dir(folder)).include_dir(DEVICE);
    for text in define {
        let (name, body) = text.split_once('=').unwrap_or((text, "1"));
        options = options.define(name, body);
    }
    let header =
        Header::load(path, &WithDevice, &options).map_err(|error| Failure::Header(error.render()))?;
    let mistakes: Vec<String> =
        header.unevaluated().filter(|bad| bad.is_mistake()).map(|bad| bad.error.render()).collect();
    if mistakes.is_empty() { Ok(header) } else { Err(Failure::Header(mistakes.join("\n\n"))) }
}

/// The constants of the header and what it includes, without those of the device headers.
pub(crate) fn own(header: &Header) -> impl Iterator<Item = &Constant> {
    header.constants().filter(|constant| !constant.location.file.starts_with(DEVICE))
}
