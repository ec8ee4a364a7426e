//! Engines: streams and graphs that the dispatcher runs from an upload, as values of the host.
//!
//! An [`Upload`] is what a run wrote into its upload region, an [`EngineHandle`] one start of it, an [`EngineEvent`] what
//! that start posted. `T` is the type that `km::graph!` or `km::stream!` declared, which types the bindings and the end, or
//! [`Untyped`] for what was built at run time. The calls are in `run/engines`.

mod bindings;
mod event;
mod handle;
mod hostfed;
mod region;
mod source;
mod typed;
mod upload;
pub mod via;

pub(crate) use bindings::Bound;
pub use bindings::{Binding, Bindings};
pub use event::{EngineEvent, EngineEventKind};
pub(crate) use handle::Engine;
pub use handle::{EngineHandle, EngineState};
pub use hostfed::HostfedResult;
pub(crate) use region::Region;
pub use source::UploadSource;
pub(crate) use source::{Content, head};
pub use typed::{EngineType, Untyped};
pub(crate) use upload::Uploaded;
pub use upload::{Upload, UploadState};
