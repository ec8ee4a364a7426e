//! Sessions that are open when the process ends: closed on its way out, and on the signals that ask for its end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError, Weak, mpsc};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;

use super::Inner;
use crate::{Error, Result};

/// The name of the thread that a signal tells.
const THREAD: &str = "komorebi-signals";

/// A session, and the process that opened it: a child of a fork has copies of its parent's sessions; the card is the parent's.
#[derive(Clone)]
struct Opened {
    session: Weak<Inner>,
    process: u32,
}

/// The sessions that may be open: from their open to the end of their drop.
static OPEN: Mutex<Vec<Opened>> = Mutex::new(Vec::new());

/// Told when one of them is gone.
static GONE: Condvar = Condvar::new();

fn open_ones() -> MutexGuard<'static, Vec<Opened>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True once a signal ends the process: calls that find their session closed wait for that end.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Notes a session that was opened, so that the end of the process closes it (host-api, "Session").
pub(super) fn opened(session: &Arc<Inner>) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        if let Err(error) = komorebi_exit::at_exit(close_all) {
            tracing::warn!(%error, "sessions are not closed by the end of the process");
        }
    });
    open_ones().push(Opened { session: Arc::downgrade(session), process: std::process::id() });
}

/// Lives as long as a session's drop: the end of the process waits for it.
pub(super) struct Dropping(*const Inner);

impl Dropping {
    pub(super) fn of(session: &Inner) -> Self {
        Self(session)
    }
}

impl Drop for Dropping {
    fn drop(&mut self) {
        open_ones().retain(|open| !std::ptr::eq(open.session.as_ptr(), self.0));
        GONE.notify_all();
    }
}

/// Closes every session of this process that is open; a clean-up that fails is tried once more.
///
/// The sessions stay noted: when the process ends while a signal's call closes them, the call of its end finds them too, and
/// each close waits for the one that is under way, a drop's too. It waits for nothing else, since the end of the process
/// waits for it.
fn close_all() {
    let process = std::process::id();
    // Not held meanwhile: the drop of a session takes it.
    let open = open_ones().clone();
    for session in
        open.iter().filter(|open| open.process == process).filter_map(|open| open.session.upgrade())
    {
        if session.close().is_err()
            && let Err(error) = session.close()
        {
            tracing::warn!(%error, "a session did not close before the end of the process");
        }
    }
    let dropping = |open: &mut Vec<Opened>| {
        open.iter().any(|open| open.process == process && open.session.strong_count() == 0)
    };
    drop(GONE.wait_while(open_ones(), dropping));
}

/// Closes every open session on SIGTERM and SIGINT, then exits with status 143 or 130. A second one of the same kind exits at
/// once.
///
/// This is for programs to ask for, once, at their start: signals belong to the program, not to a library in it, so nothing
/// is done about them without this call. The handler itself does no more than tell a thread, which closes the sessions as
/// [`Session::close`](crate::Session::close) does, while other threads may be in calls on them; such a call ends with the
/// process. Work of [`std::process::exit`] follows. SIGKILL cannot be caught.
///
/// # Errors
/// [`Error::Signals`] when the system refuses.
pub fn close_on_signals() -> Result<()> {
    static ASKED: Mutex<bool> = Mutex::new(false);
    let mut asked = ASKED.lock().unwrap_or_else(PoisonError::into_inner);
    if *asked {
        return Ok(());
    }
    let refused = |error: std::io::Error| Error::Signals { cause: error.to_string() };
    // The thread first, then the pipe of the signals: a signal that is registered never gets its default back.
    let (hand, taken) = mpsc::channel::<Signals>();
    let end = move || {
        let Ok(mut signals) = taken.recv() else { return };
        if let Some(signal) = signals.forever().next() {
            ENDING.store(true, Ordering::SeqCst);
            tracing::info!(signal, "closing every session");
            close_all();
            std::process::exit(status(signal));
        }
    };
    std::thread::Builder::new().name(THREAD.to_owned()).spawn(end).map_err(refused)?;
    let signals = Signals::new([SIGTERM, SIGINT]).map_err(refused)?;
    for signal in [SIGTERM, SIGINT] {
        let seen = Arc::new(AtomicBool::new(false));
        // In this order: the first signal sets the flag behind the test of it, the second one finds it set.
        flag::register_conditional_shutdown(signal, status(signal), seen.clone()).map_err(refused)?;
        flag::register(signal, seen).map_err(refused)?;
    }
    hand.send(signals).map_err(|_| refused(std::io::Error::other("the thread for them is gone")))?;
    *asked = true;
    Ok(())
}

/// The exit status that shells give a process that a signal ended.
const fn status(signal: i32) -> i32 {
    128 + signal
}

/// Waits for the end of the process, if a signal has begun it: its status is the signal's, not that of a `main` that met a
/// closed session. For calls of the program; the threads that end the process go on.
pub(super) fn wait_if_ending() {
    let ends = || matches!(std::thread::current().name(), Some(THREAD | komorebi_exit::THREAD));
    while ENDING.load(Ordering::SeqCst) && !ends() {
        std::thread::park();
    }
}
