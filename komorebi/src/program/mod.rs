//! Programs: what the persistent kernels run. Nothing is opened or compiled before [`Session::load`](crate::Session::load).

mod builder;
mod declared;
mod source;
mod thread;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use komorebi_abi::program::{Kernel, ProgramModel};
use komorebi_card::Core;

pub use declared::Declared;
pub use thread::Thread;

use crate::build::{SourceFile, Sources};
use crate::error::ProgramError;

/// The mark of a program that is described at run time.
#[derive(Clone, Copy, Debug)]
pub enum Dynamic {}

/// The runtime arguments of one core, for its three kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreArgs {
    /// The reader's words.
    pub reader: Vec<u32>,
    /// The writer's words.
    pub writer: Vec<u32>,
    /// The compute kernel's words.
    pub compute: Vec<u32>,
}

impl From<(Vec<u32>, Vec<u32>, Vec<u32>)> for CoreArgs {
    fn from((reader, writer, compute): (Vec<u32>, Vec<u32>, Vec<u32>)) -> Self {
        Self { reader, writer, compute }
    }
}

type ArgsOf = Arc<dyn Fn(Core) -> CoreArgs + Send + Sync>;

/// A program: its model, its kernels' texts, its cores' arguments. `P` is the type the macro generated, or [`Dynamic`].
pub struct Program<P = Dynamic> {
    model: ProgramModel,
    sources: Sources,
    /// The texts of its X280 threads and what they include.
    thread_sources: Vec<SourceFile>,
    args: Option<ArgsOf>,
    /// Handlers were given by number alone, so their commands' words are not counted.
    untyped: Vec<String>,
    messages: Vec<String>,
    of: PhantomData<fn() -> P>,
}

impl<P> Program<P> {
    fn from_parts(model: ProgramModel, sources: Sources) -> Self {
        Self {
            model,
            sources,
            thread_sources: Vec::new(),
            args: None,
            untyped: Vec::new(),
            messages: Vec::new(),
            of: PhantomData,
        }
    }

    /// Compile-time argument words of one kernel, after those it has: `get_compile_time_arg_val(i)`.
    #[must_use]
    pub fn compile_args(mut self, kernel: Kernel, words: &[u32]) -> Self {
        self.model.compile_args[kernel as usize].extend_from_slice(words);
        self
    }

    /// Runtime argument words of each core, `(reader, writer, compute)`.
    #[must_use]
    pub fn args<A: Into<CoreArgs>>(mut self, args: impl Fn(Core) -> A + Send + Sync + 'static) -> Self {
        self.args = Some(Arc::new(move |core| args(core).into()));
        self
    }

    /// Its grid, for a program that leaves it open.
    #[must_use]
    pub fn grid(mut self, width: u32, height: u32) -> Self {
        self.model.grid = Some((width, height));
        self
    }

    /// Its model, as declared so far.
    pub fn model(&self) -> &ProgramModel {
        &self.model
    }

    /// Its kernels' texts.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The texts of its X280 threads, and the headers beside them.
    pub fn thread_sources(&self) -> &[SourceFile] {
        &self.thread_sources
    }

    /// Checks every rule; a program is checked again when it is loaded.
    ///
    /// # Errors
    /// [`ProgramError`] with every rule it breaks and every file that could not be read.
    pub fn check(&self) -> Result<(), ProgramError> {
        let problems = komorebi_abi::program::check(&self.model);
        if problems.is_empty() && self.messages.is_empty() {
            return Ok(());
        }
        Err(ProgramError { program: self.model.name.clone(), problems, messages: self.messages.clone() })
    }

    pub(crate) fn core_args(&self, core: Core) -> CoreArgs {
        self.args.as_ref().map(|args| args(core)).unwrap_or_default()
    }

    pub(crate) fn model_mut(&mut self) -> &mut ProgramModel {
        &mut self.model
    }

    pub(crate) fn untyped(&self) -> &[String] {
        &self.untyped
    }
}

impl<P> Clone for Program<P> {
    fn clone(&self) -> Self {
        Self {
            model: self.model.clone(),
            sources: self.sources.clone(),
            thread_sources: self.thread_sources.clone(),
            args: self.args.clone(),
            untyped: self.untyped.clone(),
            messages: self.messages.clone(),
            of: PhantomData,
        }
    }
}

impl<P> fmt::Debug for Program<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("model", &self.model).finish_non_exhaustive()
    }
}
