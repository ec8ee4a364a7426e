//! Why there is no connection.

use std::io;
use std::path::PathBuf;

/// A card in another process that could not be reached.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConnectError {
    /// Nobody listens.
    #[error("no simulated card is served at {}: {cause}; start one with `cargo komorebi sim-card {}`", path.display(), path.display())]
    Absent {
        /// The socket.
        path: PathBuf,
        /// The system's answer.
        cause: String,
    },
    /// Who listens, or the system for it, takes a connection and says nothing: a process that is stopped, or one that has no
    /// room for one more connection.
    #[error("what is served at {} took the connection and does not answer; is it stopped? let it go on, or end it and start `cargo komorebi sim-card` again", path.display())]
    Silent {
        /// The socket.
        path: PathBuf,
    },
    /// Who listens speaks something else.
    #[error("what is served at {} is not a simulated card of this version: {found}; end it and start `cargo komorebi sim-card` again", path.display())]
    Stranger {
        /// The socket.
        path: PathBuf,
        /// What it said.
        found: String,
    },
}

impl ConnectError {
    pub(crate) fn absent(path: &std::path::Path, error: &io::Error) -> Self {
        Self::Absent { path: path.to_path_buf(), cause: error.to_string() }
    }

    pub(crate) fn silent(path: &std::path::Path) -> Self {
        Self::Silent { path: path.to_path_buf() }
    }

    pub(crate) fn stranger(path: &std::path::Path, found: impl Into<String>) -> Self {
        Self::Stranger { path: path.to_path_buf(), found: found.into() }
    }
}
