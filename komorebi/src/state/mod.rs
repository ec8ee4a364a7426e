//! What the device leaves to read: the dispatcher's state and result, the threads' state blocks.

mod dispatcher;
mod report;
mod result;
mod thread;

pub use dispatcher::{DispatcherState, SlotState};
pub use report::{CoreState, StopReport};
pub use result::{DispatcherError, DispatcherStage, ResultBlock};
pub use thread::{ThreadStage, ThreadState, WaitKind};
