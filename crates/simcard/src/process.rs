//! Which process it is, and whether it still lives.

use std::fs;

/// A process: its number, which is used again some day, and when it was started, which is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    /// Clock ticks from the machine's start to its own (`/proc/PID/stat`, field 22).
    started: u64,
}

impl Process {
    /// The process that has number `pid` now; `None` when none has.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let (_, started) = stat(pid)?;
        Some(Self { pid, started })
    }

    /// True while it runs: not when it ended, waits as a zombie for its parent, or another has its number.
    pub(crate) fn lives(self) -> bool {
        stat(self.pid).is_some_and(|(state, started)| !matches!(state, 'Z' | 'X') && started == self.started)
    }
}

/// State and start of a process.
fn stat(pid: u32) -> Option<(char, u64)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the command in parentheses, which may hold spaces and parentheses itself.
    let mut fields = text.get(text.rfind(')')? + 1..)?.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.nth(18)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_zombie_a_reused_number_and_nobody_do_not_live() {
        let own = Process::of(std::process::id()).unwrap();
        assert!(own.lives());
        assert!(!Process { started: own.started + 1, ..own }.lives(), "another process with its number");
        let mut child = Command::new("true").spawn().unwrap();
        let process = Process::of(child.id()).unwrap();
        while stat(child.id()).is_some_and(|(state, _)| state != 'Z') {
            std::thread::yield_now();
        }
        assert!(!process.lives(), "a zombie");
        child.wait().unwrap();
        assert!(!process.lives());
        assert_eq!(Process::of(child.id()), None);
    }
}
