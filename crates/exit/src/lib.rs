//! Work to do when the process ends: when `main` returns, or [`std::process::exit`] is called.
//!
//! Rust drops what lives on the stack of a `main` that returns, not what was forgotten or lies in a static, and nothing when
//! the process is told to exit. A card that is left to itself then runs on. The C library's `atexit` is the one hook there
//! is; this crate is the only place that calls it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

/// The name of the thread that does the work.
pub const THREAD: &str = "komorebi-exit";

/// What is to be done, the last of it first.
static WORK: Mutex<Vec<fn()>> = Mutex::new(Vec::new());

/// The C library takes no more work for the end of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the C library takes no more work for the end of the process; close what is open before it ends")]
pub struct NoRoom;

/// Does `work` when the process ends by `exit`, before work that was given earlier. Not when it is killed or aborts.
///
/// It runs on a thread of its own, [`THREAD`], which the one that ends the process waits for, while others may still run; a
/// panic in it ends that piece of work only. Where the system gives no thread any more, it runs on the one that ends the
/// process, whose thread-locals are gone.
///
/// # Errors
/// [`NoRoom`], and nothing is noted then.
pub fn at_exit(work: fn()) -> Result<(), NoRoom> {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    room(&REGISTERED, register)?;
    WORK.lock().unwrap_or_else(PoisonError::into_inner).push(work);
    Ok(())
}

/// Registers once. What came of it holds for every later call too.
fn room(registered: &OnceLock<bool>, register: fn() -> bool) -> Result<(), NoRoom> {
    if *registered.get_or_init(register) { Ok(()) } else { Err(NoRoom) }
}

#[allow(unsafe_code, reason = "the one call of the C library's atexit")]
fn register() -> bool {
    // SAFETY: `end` is a function of this program, so it can be called as long as the process lives; it takes no argument,
    // does not unwind, and `atexit` does nothing but keep its address.
    unsafe { libc::atexit(end) == 0 }
}

extern "C" fn end() {
    // The C library has destroyed the thread-locals of this thread already, and work may need them: a subscriber of tracing
    // panics without. To spawn uses one as well, where a test captures what is printed.
    let spawned = catch_unwind(|| thread::Builder::new().name(THREAD.to_owned()).spawn(do_all));
    match spawned {
        Ok(Ok(thread)) => drop(thread.join()),
        _ => do_all(),
    }
}

fn do_all() {
    loop {
        // Not held while work is done: it may give more.
        let work = WORK.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let Some(work) = work else { return };
        // Nothing can be told of a panic here but what its hook has printed.
        let _ = catch_unwind(AssertUnwindSafe(work));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_c_library_refused_once_is_refused_later_too() {
        let registered = OnceLock::new();
        assert_eq!(room(&registered, || false), Err(NoRoom));
        assert_eq!(room(&registered, || true), Err(NoRoom), "nothing calls the work");
        let registered = OnceLock::new();
        assert_eq!(room(&registered, || true), Ok(()));
        assert_eq!(room(&registered, || false), Ok(()), "it is registered once");
    }
}
