//! Persistent kernels on the Tensix grid of a Tenstorrent Blackhole card, fed with commands by a dispatcher on the card.
//!
//! ```no_run
//! use std::time::Duration;
//! use komorebi as km;
//!
//! # fn main() -> km::Result<()> {
//! let session = km::Session::open()?;
//! let program = km::Program::new("map").kernels_dir("kernels").handlers_from("kernels/map.h");
//! let run = session.load(program)?;
//! let jobs: Vec<_> = (0..15)
//!     .map(|job| run.submit(km::call("map", &[job]).on((job * 8, 8))))
//!     .collect::<km::Result<_>>()?;
//! run.wait(&jobs, Duration::from_secs(5))?;
//! run.stop(Duration::from_secs(10))?;
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod address;
pub mod build;
mod call;
#[doc(hidden)]
pub mod declare;
mod engine;
pub mod error;
mod load;
#[doc(hidden)]
pub mod macro_support;
mod postmortem;
mod program;
mod run;
mod session;
pub mod state;
mod tensor;

pub use address::Address;
pub use call::{Argument, Call, Command, HandlerRef, NamedCall, Place, Queued, Word, call, nop};
pub use engine::{
    Binding, Bindings, EngineEvent, EngineEventKind, EngineHandle, EngineState, EngineType, HostfedResult,
    Untyped, Upload, UploadSource, UploadState, via,
};
pub use error::{Error, Result};
pub use komorebi_abi::engine::{
    Arithmetic, DeclaredUpload, Encoded, EngineCommand, Facts, Output, Problem, Reason, Refusal, UploadKind,
    Value, Var,
};
pub use komorebi_abi::graph::{Graph, Node};
pub use komorebi_abi::program::{
    ArgKind, Compute, Format, Kernel, MathFidelity, OptLevel, Prefetch, ResultKind, UnpackMode,
};
pub use komorebi_abi::stream::Stream;
pub use komorebi_card::{Board, Card, CardTime, Core, Description, Grid, Group, Holder, NocXy, World};
pub use komorebi_macros::program;
pub use load::LoadOptions;
pub use postmortem::{
    BusyRecord, CommandRecord, CoreRecord, DispatcherRecord, PostMortem, PostMortemFile, ThreadRecord,
    WaitRecord, inspect,
};
pub use program::{CoreArgs, Declared, Dynamic, Program, Thread};
pub use run::{
    Columns, CommandGroup, CoreTrace, Event, EventKind, Handle, Handles, Phases, Restart, Run, StartOptions,
    Trace, Waitable,
};
pub use session::{HartState, L1, Nocs, Session, SessionBuilder, close_on_signals};
pub use tensor::{Chunks, DType, Element, Tensor};
