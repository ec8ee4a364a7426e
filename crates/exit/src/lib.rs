//! Work to do when the process ends: when `main` returns, or [`std::process::exit`] is called.
//!
//! Rust drops what lives on the stack of a `main` that returns, not what was forgotten or lies in a static, and nothing when
//! the process is told to exit. A card that is left to itself then runs on. The C library's `atexit` is the one hook there
//! is; this crate is the only place that calls it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, Once, PoisonError};

/// What is to be done, the last of it first.
static WORK: Mutex<Vec<fn()>> = Mutex::new(Vec::new());

/// The C library takes no more work for the end of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the C library takes no more work for the end of the process; close what is open before it ends")]
pub struct NoRoom;

/// Does `work` when the process ends by `exit`, before work that was given earlier. Not when it is killed or aborts.
///
/// It runs on the thread that ends the process, while others may still run; a panic in it ends that piece of work only.
///
/// # Errors
/// [`NoRoom`], and nothing is noted then.
pub fn at_exit(work: fn()) -> Result<(), NoRoom> {
    static REGISTERED: Once = Once::new();
    let mut taken = true;
    REGISTERED.call_once(|| taken = register());
    if !taken {
        return Err(NoRoom);
    }
    WORK.lock().unwrap_or_else(PoisonError::into_inner).push(work);
    Ok(())
}

#[allow(unsafe_code, reason = "the one call of the C library's atexit")]
fn register() -> bool {
    // SAFETY: `end` is a function of this program, so it can be called as long as the process lives; it takes no argument,
    // does not unwind, and `atexit` does nothing but keep its address.
    unsafe { libc::atexit(end) == 0 }
}

extern "C" fn end() {
    loop {
        // Not held while work is done: it may give more.
        let work = WORK.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let Some(work) = work else { return };
        // Nothing can be told of a panic here but what its hook has printed.
        let _ = catch_unwind(AssertUnwindSafe(work));
    }
}
