//! What a graph or stream has to know of its program.

use crate::program::{Handler, ProgramModel};

/// Facts of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The program's name, for messages.
    pub program: String,
    /// Its handlers.
    pub handlers: Vec<Handler>,
    /// Cores of its grid; `None` when only the card tells.
    pub cores: Option<u32>,
    /// Bytes of the upload region: [`ProgramModel::upload_bytes`].
    pub region_bytes: u32,
    /// The handlers declare their arguments; false for a program that is known by numbers alone.
    pub typed: bool,
    /// The program has no errors of its own; false: what it lacks is no news, and nothing is said of its handlers.
    pub complete: bool,
}

impl Facts {
    /// The facts of a typed program.
    pub fn new(program: &ProgramModel) -> Self {
        Self {
            program: program.name.clone(),
            handlers: program.handlers.clone(),
            cores: program.grid.map(|(width, height)| width.saturating_mul(height)),
            region_bytes: program.upload_bytes(),
            typed: true,
            complete: true,
        }
    }

    /// The handler of that name.
    pub fn handler(&self, name: &str) -> Option<&Handler> {
        self.handlers.iter().find(|handler| handler.name == name)
    }
}
