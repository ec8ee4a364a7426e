//! The story of a failure, in plain words: who waits for whom, since when, at which line.

use std::fmt::Write as _;

use super::{CommandRecord, CoreRecord, PostMortem, ThreadRecord, WaitRecord};

/// Cores that are told of one by one; those that say the same count once.
const SHOWN: usize = 8;

impl PostMortem {
    /// What happened, for people.
    pub fn explain(&self) -> String {
        let mut text = format!("{}: {}\n", self.kind, self.message);
        let (width, height) = self.grid;
        let _ = writeln!(
            text,
            "\n{}, on {width} x {height} cores of a {}; this was read at {} of the card's clock.",
            self.program(),
            self.card,
            time(self.at)
        );
        self.tell_dispatcher(&mut text);
        self.tell_commands(&mut text);
        self.tell_cores(&mut text);
        text
    }

    fn program(&self) -> String {
        // The name is not on the card: who looks from outside does not know it.
        match self.load {
            0 => format!("The program is {}", self.program),
            load => format!("Program `{}`, load {load}", self.program),
        }
    }

    fn tell_dispatcher(&self, text: &mut String) {
        let Some(dispatcher) = &self.dispatcher else {
            text.push_str(
                "\nThe card did not answer any more: of the dispatcher and the cores nothing is known.\n",
            );
            return;
        };
        let _ = writeln!(
            text,
            "\nThe dispatcher is {}: it has consumed {} lines, posted {} events and gone round its loop {} times.",
            dispatcher.stage, dispatcher.consumed, dispatcher.posted, dispatcher.passes
        );
        if let Some(result) = &dispatcher.result {
            let _ = writeln!(text, "  {result}");
        }
        for (hart, state) in dispatcher.harts.iter().enumerate() {
            // Those that are parked, as all but the first are in most runs, are not worth a line.
            match state.starts_with("trap of") {
                true => _ = writeln!(text, "  {state}"),
                false if hart == 0 || !state.starts_with("parked") => {
                    _ = writeln!(text, "  hart {hart}: {state}")
                }
                false => {}
            }
        }
        for busy in &dispatcher.busy {
            let _ = writeln!(
                text,
                "  in flight: command with sequence number {}, `{}`, on {} (slot {})",
                busy.sequence,
                self.handler(u32::from(busy.handler)),
                cores(busy.first, busy.count),
                busy.slot
            );
        }
    }

    fn tell_commands(&self, text: &mut String) {
        for command in self.commands.iter().take(SHOWN) {
            let _ = writeln!(text, "\n{}", self.command(command));
        }
        if self.commands.len() > SHOWN {
            let _ = writeln!(text, "\nand {} more commands without an event.", self.commands.len() - SHOWN);
        }
    }

    fn command(&self, command: &CommandRecord) -> String {
        let on = command.first.map_or_else(
            || format!("{} cores that the dispatcher chooses", command.count),
            |first| cores(first, command.count),
        );
        let stored = match command.stored {
            Some(stored) => {
                format!("sent at {}, {} before that", time(stored), time(self.at.saturating_sub(stored)))
            }
            None => "not sent in the last batches, if at all".to_owned(),
        };
        let mut line =
            format!("Command {} of the host, on {on}, has no event: it was {stored}.", command.number);
        if self.deadline != 0 && command.stored.is_some() {
            let _ = write!(line, " A command may take {}.", time(self.deadline));
        }
        line
    }

    fn tell_cores(&self, text: &mut String) {
        let told = |core: &CoreRecord| {
            let lines = core.threads.iter().filter(|thread| at_work(thread)).map(|t| self.thread(core, t));
            lines.collect::<Vec<_>>().join("\n")
        };
        let mut groups: Vec<(String, Vec<u32>)> = Vec::new();
        for core in &self.cores {
            let lines = told(core);
            match groups.iter_mut().find(|(other, _)| *other == lines) {
                _ if lines.is_empty() => {}
                Some((_, same)) => same.push(core.core),
                None => groups.push((lines, vec![core.core])),
            }
        }
        let runs = self.dispatcher.as_ref().is_some_and(|dispatcher| dispatcher.result.is_none());
        if self.cores.is_empty() && runs {
            let _ = writeln!(
                text,
                "\nThe cores' own state is read when the program has ended. A command may take {}.",
                time(self.deadline)
            );
        }
        if groups.is_empty() {
            if !self.cores.is_empty() {
                text.push_str("\nEvery core had done its commands and waited for the next one.\n");
            }
            return;
        }
        text.push_str("\nWho waits for whom:\n");
        for (lines, same) in groups.iter().take(SHOWN) {
            let same: Vec<String> = same.iter().map(u32::to_string).collect();
            let plural = if same.len() == 1 { "core" } else { "cores" };
            let _ = writeln!(text, "{plural} {}:\n{lines}", same.join(", "));
        }
        let rest: usize = groups.iter().skip(SHOWN).map(|(_, same)| same.len()).sum();
        if rest > 0 {
            let _ = writeln!(text, "and {rest} more cores, each with another story.");
        }
    }

    /// A thread that had something to do.
    fn thread(&self, core: &CoreRecord, thread: &ThreadRecord) -> String {
        let mut line = format!("  {}", thread.thread);
        if thread.taken != 0 {
            let handler = self.handler(thread.handler);
            let _ = write!(line, ", in `{handler}` (sequence number {}),", thread.sequence);
        }
        match (&thread.wait, thread.stage.as_str()) {
            (Some(wait), stage) => {
                let gave_up = if stage == "GaveUp" { " (it gave up: load option `wait`)" } else { "" };
                let _ = write!(line, " waits for {}{gave_up}", self.whom(core, thread, wait));
            }
            (None, "Mismatch") => line.push_str(" was built from other headers"),
            (None, "Booting" | "Reset") => line.push_str(" did not get through its start"),
            (None, _) => line.push_str(" runs on and waits for nobody"),
        }
        if let Some(place) = &thread.place {
            let _ = write!(line, ", in {place}");
        }
        line
    }

    /// What a wait is for, and who would end it.
    fn whom(&self, core: &CoreRecord, thread: &ThreadRecord, wait: &WaitRecord) -> String {
        let WaitRecord { kind, what, object, wanted, seen } = wait;
        match kind.as_str() {
            "BufferData" => format!(
                "data in circular buffer {object}, which another thread of the core would push ({wanted} wanted, {seen} seen)"
            ),
            "BufferSpace" => format!(
                "room in circular buffer {object}, which another thread of the core would pop ({wanted} wanted, {seen} seen)"
            ),
            "Semaphore" => format!("the semaphore at {object:#x} to be {wanted} (it is {seen})"),
            "Threads" => {
                let busy =
                    core.threads.iter().filter(|other| other.thread != thread.thread && at_work(other));
                let busy: Vec<&str> = busy.map(|other| other.thread.as_str()).collect();
                match busy.is_empty() {
                    true => "the other threads of its core".to_owned(),
                    false => format!("the {} of its core", busy.join(", ")),
                }
            }
            "Acks" => format!(
                "the other cores of its group to be done: {} of {} have said so{}",
                seen,
                wanted,
                self.late_members(core, thread)
            ),
            "Reads" | "Writes" => format!("{what} {object} ({wanted} wanted, {seen} seen)"),
            "Hardware" => format!("{what} {object}"),
            _ => what.clone(),
        }
    }

    /// The other cores that are at the same command, whose writers do not wait for acknowledgements.
    fn late_members(&self, leader: &CoreRecord, thread: &ThreadRecord) -> String {
        let late = self.cores.iter().filter(|core| {
            core.core != leader.core
                && core.threads.iter().any(|other| at_work(other) && other.sequence == thread.sequence)
        });
        let late: Vec<String> = late.map(|core| core.core.to_string()).take(SHOWN).collect();
        if late.is_empty() { String::new() } else { format!("; not core {}", late.join(", ")) }
    }

    fn handler(&self, number: u32) -> String {
        let known = self.handlers.iter().find(|(known, _)| u32::from(*known) == number);
        match known {
            Some((_, name)) => name.clone(),
            None if number == 0 => "nop".to_owned(),
            None => format!("handler {number}"),
        }
    }
}

/// True for a thread that was in a command or in a start, not between commands.
fn at_work(thread: &ThreadRecord) -> bool {
    match (thread.stage.as_str(), &thread.wait) {
        ("Idle" | "Exited", _) => false,
        (_, Some(wait)) => wait.kind != "Command",
        ("Stopped", None) => false,
        _ => true,
    }
}

fn cores(first: u32, count: u32) -> String {
    // Of a file, which may say anything.
    let end = u64::from(first) + u64::from(count);
    if count == 1 { format!("core {first}") } else { format!("cores {first}..{end}") }
}

/// A time in the largest unit that gives a number from 1 on.
fn time(nanoseconds: u64) -> String {
    format!("{:?}", std::time::Duration::from_nanos(nanoseconds))
}
