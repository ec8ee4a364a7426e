//! Why a command did not end well.

use komorebi_abi::engine::Reason;
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
    #[error("{0}")]
    Header(String),
    #[error("error: {}: {what}", path.display())]
    Source { path: PathBuf, what: String },
    #[error("error: {0}")]
    Build(String),
    #[error("error: `{0}` gives no words to a kernel: write it as in `reader=1,2`")]
    CompileArgs(String),
    #[error(
        "error: no rule has the code `{code}`; the nearest is {near} ({title}); without a code, all are listed"
    )]
    NoCode { code: String, near: &'static str, title: &'static str },
}

/// What a reason of the dispatcher says of an upload, for people (`firmware/PROTOCOL.md`, "Engines").
pub(crate) fn meaning(reason: Reason) -> &'static str {
    match reason {
        Reason::HEADER => "its header has fields or bits that no upload of this kind has",
        Reason::SIZE => "its parts do not add up to its length; it is cut short, or has bytes behind its end",
        Reason::BINDINGS => "it has bindings, and none are given",
        Reason::FLAGS => "a command has flags that no command has",
        Reason::HANDLER => "a command has a handler's number that is the runtime's",
        Reason::GROUP => {
            "a command's group has no cores or some outside the grid; `--cores` gives the grid's"
        }
        Reason::ARGS => "a command has more argument words than a command carries",
        Reason::REGISTER => "a register's number is 32 or more",
        Reason::CODE => "a cpu node's instructions are not where they should be",
        Reason::OPCODE => "an instruction has an opcode that there is not",
        Reason::OPERAND => {
            "an instruction has bits that its opcode leaves zero, or names a command that there is not"
        }
        Reason::TARGET => "a branch leaves the stream",
        Reason::END => "the last instruction does not end the stream",
        Reason::EDGE => "an edge names a node that there is not, or a node's edges are not counted right",
        Reason::ORDER => "a node's count of predecessors is not that of the edges that lead to it",
        Reason::STUCK => "nodes wait for each other in a circle",
        _ => "its bytes are not those of an upload that can run",
    }
}
