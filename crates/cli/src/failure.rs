//! Why a command did not end well.

use std::io;
use std::path::PathBuf;

/// What was found, what was expected, what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("error: {} cannot be read: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("error: {} cannot be written: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("error: standard output cannot be written: {0}")]
    Output(io::Error),
    #[error("error: {} has more than {limit} bytes, the most that {what}", path.display())]
    TooLarge { path: PathBuf, limit: usize, what: &'static str },
    #[error("error: {} is no upload: {found}; an upload begins with the bytes `KMU1`", path.display())]
    NoUpload { path: PathBuf, found: String },
    #[error("error: {} is the upload of a {found}: read it with `cargo komorebi {found}`", path.display())]
    OtherKind { path: PathBuf, found: &'static str },
    #[error("error: {} is refused by the dispatcher: {what}", path.display())]
    Refused { path: PathBuf, what: String },
    #[error("error: a grid has 1 to {most} cores, not {cores}")]
    Cores { cores: u32, most: u32 },
    #[error("error: no card can be served at {}: {error}; give a path that is free, in a folder that can be written", path.display())]
    Serve { path: PathBuf, error: io::Error },
    #[error("error: {} is no post-mortem file: {found}", path.display())]
    NoPostMortem { path: PathBuf, found: String },
    #[error("error: {} is no trace of a run: {found}", path.display())]
    NoTrace { path: PathBuf, found: String },
    #[error("error: {found} can be inspected: give `sim:PATH`, the socket of `cargo komorebi sim-card`")]
    NoCard { found: String },
    #[error("error: {0}")]
    Inspect(String),
    #[error("{0}")]
    Header(String),
    #[error("error: {}: {what}", path.display())]
    Source { path: PathBuf, what: String },
    #[error("{0}")]
    Mistakes(String),
    #[error("error: {0}")]
    Build(String),
    #[error("error: `{0}` gives no words to a kernel: write it as in `reader=1,2`")]
    CompileArgs(String),
    #[error(
        "error: no rule has the code `{code}`; the nearest is {near} ({title}); without a code, all are listed"
    )]
    NoCode { code: String, near: &'static str, title: &'static str },
}
