//! What can go wrong while device code is built.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use super::instructions::InstructionError;
use super::sizes::KernelSizes;

/// Device code that could not be built. Nothing was loaded.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no compiler for the card's cores.
    #[error(
        "no RISC-V compiler: {tried}; install one (Debian: `apt install gcc-riscv64-unknown-elf`), or set KM_CXX to its C++ compiler"
    )]
    NoCompiler {
        /// What was tried, and what came of it.
        tried: String,
    },
    /// A variable that names a program holds no text.
    #[error("{name} is {value:?}, which is not UTF-8; set it to a name in UTF-8, or unset it")]
    Environment {
        /// The variable.
        name: &'static str,
        /// What it holds.
        value: OsString,
    },
    /// The compiler ended without an error and without what it was to make.
    #[error(
        "`{compiler}` ended well and made no {file}; it calls itself `{version}`: set KM_CXX to a C++ compiler for RISC-V"
    )]
    NotMade {
        /// The compiler.
        compiler: String,
        /// What it says about itself.
        version: String,
        /// The file.
        file: String,
    },
    /// The compiler cannot build for one of the card's cores.
    #[error(
        "`{compiler}` cannot build for {target}: {message}; use GCC 12 or newer for RISC-V, with its ilp32 and lp64 libraries"
    )]
    Target {
        /// The compiler.
        compiler: String,
        /// The cores it was asked for.
        target: &'static str,
        /// What it said.
        message: String,
    },
    /// A file did not compile.
    #[error(transparent)]
    Compile(Box<CompileError>),
    /// An image could not be linked.
    #[error("the {what} could not be linked: {message}")]
    Link {
        /// The image.
        what: String,
        /// What the linker said.
        message: String,
    },
    /// A program's kernels do not fit the kernel buffer.
    #[error(
        "the kernels take {} bytes and the kernel buffer has {}; give more with kernel_bytes, or set OptLevel::Os for the reader and writer; largest is {}; in bytes: {}",
        .0.total, .0.buffer, .0.largest().0, .0
    )]
    KernelSize(Box<KernelSizes>),
    /// A kernel holds an instruction its core lacks.
    #[error(transparent)]
    Instruction(InstructionError),
    /// An image in the cache is not one.
    #[error("{} is no image of device code: {message}; remove it and build again", path.display())]
    Image {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A kernel's source has a name that leads out of its folder.
    #[error("kernel source `{path}` lies outside its program's folder; use a relative path without `..`")]
    SourcePath {
        /// The name.
        path: String,
    },
    /// A kernel that is not among the sources.
    #[error("the {kernel} kernel is `{path}`, which is not among the program's sources: {present}")]
    NoKernel {
        /// `reader`, `compute` or `writer`.
        kernel: &'static str,
        /// Its name.
        path: String,
        /// The names of the sources.
        present: String,
    },
    /// There is no folder to build in.
    #[error(
        "there is no cache folder: neither KMR_CACHE, XDG_CACHE_HOME nor HOME is set; set KMR_CACHE to a folder for builds"
    )]
    NoCache,
    /// A file of the cache could not be read or written.
    #[error("{what} {}: {message}; set KMR_CACHE to a folder that can be written", path.display())]
    Cache {
        /// What was done.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        message: String,
    },
}

impl Error {
    pub(super) fn cache(what: &'static str, path: &Path, error: &std::io::Error) -> Self {
        Self::Cache { what, path: path.to_owned(), message: error.to_string() }
    }
}

/// The result of a build.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as the program names it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A file that did not compile.
#[derive(Clone, Debug)]
pub struct CompileError {
    /// What was built: a kernel's thread, or the firmware.
    pub what: String,
    /// Where the first error is, when the compiler named a place.
    pub place: Option<Place>,
    /// The first error.
    pub message: String,
    /// The compiler's first diagnostics with their source lines.
    pub output: String,
}

impl std::error::Error for CompileError {}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.message)?,
            None => write!(f, "{}", self.message)?,
        }
        write!(f, " (compiling the {})", self.what)?;
        if self.output.is_empty() { Ok(()) } else { write!(f, "\n{}", self.output) }
    }
}
