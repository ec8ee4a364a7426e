//! How a header is to be read.

use crate::types::{IntType, Model};
use std::path::PathBuf;

/// Include directories, macros, constants known beforehand, and the data model.
///
/// ```
/// use komorebi_headers::{IntType, Model, Options};
/// let options = Options::new()
///     .include_dir("firmware/include")
///     .define("KM_TENSIX", "1")
///     .known("km::kBroadcastArgs", 16, IntType::U32)
///     .model(Model::LP64);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub(crate) include_dirs: Vec<PathBuf>,
    pub(crate) defines: Vec<(String, String)>,
    pub(crate) known: Vec<(String, i128, IntType)>,
    pub(crate) model: Model,
}

impl Options {
    /// No include directories, macros or known constants; [`Model::ILP32`].
    pub fn new() -> Options {
        Options::default()
    }

    /// Adds a directory that includes are searched in, after those added before (`-I`).
    pub fn include_dir(mut self, dir: impl Into<PathBuf>) -> Options {
        self.include_dirs.push(dir.into());
        self
    }

    /// Defines a macro before the header is read (`-DNAME=BODY`).
    pub fn define(mut self, name: impl Into<String>, body: impl Into<String>) -> Options {
        self.defines.push((name.into(), body.into()));
        self
    }

    /// Makes a constant known under its C++ name (`km::kBroadcastArgs`), as if a header before had declared it. A declaration
    /// in the header read replaces it. The number wraps to the type.
    pub fn known(mut self, path: impl Into<String>, number: i128, ty: IntType) -> Options {
        self.known.push((path.into(), ty.wrap(number), ty));
        self
    }

    /// Makes all constants of another header known.
    pub fn known_from(mut self, header: &crate::Header) -> Options {
        for constant in header.constants() {
            self = self.known(&constant.path, constant.value.number, constant.value.ty);
        }
        self
    }

    /// The data model: [`Model::ILP32`] unless set. A constant whose value depends on `long`, `size_t` or pointers is right
    /// only under the model of the processor that compiles the header.
    pub fn model(mut self, model: Model) -> Options {
        self.model = model;
        self
    }
}
