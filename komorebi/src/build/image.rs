//! A finished image: what is copied to the card, from where it runs, and its ELF file for symbols.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use object::elf::{FileHeader32, FileHeader64, PT_LOAD};
use object::read::elf::{ElfFile, FileHeader, ProgramHeader};
use object::{FileKind, LittleEndian, Object, ReadRef};

use super::error::{Error, Result};
use super::symbols::{self, CodePlace};

/// Code and data for one thread or hart.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// As messages call it: `reader`, `dispatcher`.
    pub name: String,
    /// Where its bytes go: an L1 address, or a hart address in LIM.
    pub base: u64,
    /// Its first instruction.
    pub entry: u64,
    /// Text, constants and initial data.
    pub bytes: Vec<u8>,
    /// The ELF file it was taken from, with debug information.
    pub elf: Arc<[u8]>,
    /// Where that file is.
    pub path: PathBuf,
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Image({} at {:#x}, {} bytes, entry {:#x})",
            self.name,
            self.base,
            self.bytes.len(),
            self.entry
        )
    }
}

impl Image {
    /// The address behind its last byte.
    pub fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    /// True when `address` lies in it.
    pub fn contains(&self, address: u64) -> bool {
        (self.base..self.end()).contains(&address)
    }

    /// The function and line that `address` was compiled from, when the image's symbols tell.
    pub fn locate(&self, address: u64) -> Option<CodePlace> {
        self.frame(address).map(|(place, _)| place)
    }

    /// The same, where that is in the program's own files and not in those of the library.
    pub(crate) fn locate_own(&self, address: u64) -> Option<CodePlace> {
        self.frame(address).and_then(|(place, own)| own.then_some(place))
    }

    fn frame(&self, address: u64) -> Option<(CodePlace, bool)> {
        if self.contains(address) { symbols::locate(&self.path, self.path.parent()?, address) } else { None }
    }

    /// Reads the ELF file at `path`.
    pub(super) fn read(name: &str, path: &Path) -> Result<Self> {
        let elf = std::fs::read(path).map_err(|error| Error::cache("cannot read", path, &error))?;
        let wrong = |message: String| Error::Image { path: path.to_owned(), message };
        let (base, entry, bytes) = match FileKind::parse(elf.as_slice()) {
            Ok(FileKind::Elf32) => load::<FileHeader32<LittleEndian>, _>(elf.as_slice()),
            Ok(FileKind::Elf64) => load::<FileHeader64<LittleEndian>, _>(elf.as_slice()),
            Ok(kind) => return Err(wrong(format!("it is {kind:?}"))),
            Err(error) => return Err(wrong(error.to_string())),
        }
        .map_err(wrong)?;
        Ok(Self { name: name.to_owned(), base, entry, bytes, elf: elf.into(), path: path.to_owned() })
    }
}

/// Base, entry and bytes of the loaded segments, each at its *load* address: initial data travels behind the text.
fn load<'data, F, R>(data: R) -> std::result::Result<(u64, u64, Vec<u8>), String>
where
    F: FileHeader<Endian = LittleEndian>,
    R: ReadRef<'data>,
{
    let file = ElfFile::<F, R>::parse(data).map_err(|error| error.to_string())?;
    let mut segments = Vec::new();
    for header in file.elf_program_headers() {
        if header.p_type(LittleEndian) == PT_LOAD && header.p_filesz(LittleEndian).into() != 0 {
            let bytes =
                header.data(LittleEndian, data).map_err(|()| "a segment lies outside the file".to_owned())?;
            segments.push((header.p_paddr(LittleEndian).into(), bytes));
        }
    }
    let base =
        segments.iter().map(|(address, _): &(u64, &[u8])| *address).min().ok_or("it has no segments")?;
    let end = segments.iter().map(|(address, bytes)| address + bytes.len() as u64).max().unwrap_or(base);
    // The largest image is a kernel buffer, below 2 MiB; two segments far apart are a wrong linker script.
    if end - base > 2 << 20 {
        return Err(format!("its segments reach from {base:#x} to {end:#x}"));
    }
    let length = usize::try_from((end - base).next_multiple_of(4)).map_err(|error| error.to_string())?;
    let mut image = vec![0; length];
    for (address, bytes) in segments {
        let start = usize::try_from(address - base).map_err(|error| error.to_string())?;
        image[start..start + bytes.len()].copy_from_slice(bytes);
    }
    Ok((base, file.entry(), image))
}
