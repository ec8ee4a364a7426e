//! Why there is no connection.

use std::io;
use std::path::{Path, PathBuf};

/// The most bytes of a socket's path: the system's 108 (`sun_path`) less the zero behind it.
const PATH_MAX: usize = 107;

/// What is wrong with a path that no socket can have for its length.
pub(crate) fn too_long(path: &Path) -> Option<String> {
    let bytes = path.as_os_str().len();
    (bytes > PATH_MAX).then(|| format!("it has {bytes} bytes, and the path of a socket at most {PATH_MAX}"))
}

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
    /// No socket can have such a path.
    #[error("no simulated card can be served at {}: {found}; serve it at a shorter one", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        found: String,
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
    pub(crate) fn absent(path: &Path, error: &io::Error) -> Self {
        if let Some(found) = too_long(path) {
            return Self::Path { path: path.to_path_buf(), found };
        }
        Self::Absent { path: path.to_path_buf(), cause: error.to_string() }
    }

    pub(crate) fn silent(path: &Path) -> Self {
        Self::Silent { path: path.to_path_buf() }
    }

    pub(crate) fn stranger(path: &Path, found: impl Into<String>) -> Self {
        Self::Stranger { path: path.to_path_buf(), found: found.into() }
    }
}
