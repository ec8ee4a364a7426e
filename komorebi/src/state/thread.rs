//! The state block of a thread of a core.

use std::fmt;

use komorebi_abi::constants::core as c;

use super::result::numbered;

numbered! {
    /// Where a thread is in its life.
    ThreadStage {
        /// It has not run.
        Reset = c::THREAD_RESET, "has not run";
        /// It boots.
        Booting = c::THREAD_BOOTING, "boots";
        /// It waits for a command.
        Idle = c::THREAD_IDLE, "waits for a command";
        /// It is in a handler.
        Running = c::THREAD_RUNNING, "runs a handler";
        /// It returned after EXIT.
        Exited = c::THREAD_EXITED, "returned after EXIT";
        /// It returned because of the stop flag.
        Stopped = c::THREAD_STOPPED, "returned at the stop flag";
        /// A wait of it timed out.
        GaveUp = c::THREAD_GAVE_UP, "gave up";
        /// Its fingerprint is not the host's.
        Mismatch = c::THREAD_MISMATCH, "was built from other headers";
    }
}

numbered! {
    /// What a thread waits for, or gave up waiting for.
    WaitKind {
        /// Nothing.
        None = c::WAIT_NONE, "nothing";
        /// The next command.
        Command = c::WAIT_COMMAND, "the next command";
        /// The writer's go at the start.
        Go = c::WAIT_GO, "the go at the start";
        /// The other threads of its core.
        Threads = c::WAIT_THREADS, "the other threads";
        /// The other cores of its group.
        Acks = c::WAIT_ACKS, "acknowledgements of its group";
        /// Room in a circular buffer.
        BufferSpace = c::WAIT_BUFFER_SPACE, "room in circular buffer";
        /// Data in a circular buffer.
        BufferData = c::WAIT_BUFFER_DATA, "data in circular buffer";
        /// NoC read responses.
        Reads = c::WAIT_READS, "read responses of NoC";
        /// NoC write acknowledgements.
        Writes = c::WAIT_WRITES, "write acknowledgements of NoC";
        /// A semaphore in L1.
        Semaphore = c::WAIT_SEMAPHORE, "the semaphore at";
        /// A semaphore between compute threads.
        Hardware = c::WAIT_HARDWARE, "the hardware semaphore";
        /// The other cores of its column, at the start.
        Column = c::WAIT_COLUMN, "the other cores of its column";
        /// A command buffer of a NIU.
        Niu = c::WAIT_NIU, "the command buffer of NoC";
    }
}

/// What a thread of a core said last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadState {
    /// Where it is in its life.
    pub stage: ThreadStage,
    /// Commands taken. A compute thread is handed those alone for which compute.cpp has a handler, and EXIT.
    pub taken: u32,
    /// Commands done, of those.
    pub done: u32,
    /// Handler of the command at hand.
    pub handler: u32,
    /// Sequence number of the command at hand.
    pub sequence: u32,
    /// What it waited for when it ended: the stop flag or the time ended the wait.
    pub wait: WaitKind,
    /// The buffer, slot, NoC or address the wait is about.
    pub object: u32,
    /// The value it waited for.
    pub wanted: u32,
    /// The value it saw last.
    pub seen: u32,
    /// An address in its image right behind the call of that wait; 0 when it did not end in one.
    pub place: u32,
}

impl ThreadState {
    /// The state in a block of `THREAD_STRIDE` bytes.
    pub(crate) fn decode(block: &[u8]) -> Self {
        let word = |index: u32| {
            let at = 4 * index as usize;
            block.get(at..at + 4).map_or(0, |word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        };
        Self {
            stage: ThreadStage::from_word(u64::from(word(c::THREAD_STAGE))),
            taken: word(c::THREAD_TAKEN),
            done: word(c::THREAD_DONE),
            handler: word(c::THREAD_HANDLER),
            sequence: word(c::THREAD_SEQUENCE),
            wait: WaitKind::from_word(u64::from(word(c::THREAD_WAIT))),
            object: word(c::THREAD_OBJECT),
            wanted: word(c::THREAD_WANTED),
            seen: word(c::THREAD_SEEN),
            place: word(c::THREAD_PLACE),
        }
    }

    /// True when it has nothing left to run.
    pub fn returned(&self) -> bool {
        use ThreadStage::{Exited, GaveUp, Mismatch, Reset, Stopped};
        matches!(self.stage, Reset | Exited | Stopped | GaveUp | Mismatch)
    }
}

impl ThreadState {
    /// True when it waits for a command, or did when it was stopped.
    pub(crate) fn waits(&self) -> bool {
        match self.stage {
            ThreadStage::Idle | ThreadStage::Exited => true,
            ThreadStage::Stopped => self.wait == WaitKind::Command,
            _ => false,
        }
    }

    /// Which load option a thread that gave up went by.
    fn exceeded(&self) -> String {
        match (self.stage, self.wait) {
            (ThreadStage::GaveUp, WaitKind::Command) => " after the load option `idle`".into(),
            (ThreadStage::GaveUp, _) => " after the load option `wait`".into(),
            _ => String::new(),
        }
    }
}

impl fmt::Display for ThreadState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.stage)?;
        match self.stage {
            ThreadStage::GaveUp | ThreadStage::Stopped if self.wait == WaitKind::Command => {
                write!(f, "{} waiting for the next command", self.exceeded())
            }
            ThreadStage::Running | ThreadStage::GaveUp | ThreadStage::Stopped => {
                f.write_str(&self.exceeded())?;
                if self.taken != 0 {
                    write!(f, " (handler {}, command {})", self.handler, self.sequence)?;
                }
                if self.wait != WaitKind::None {
                    write!(f, " waiting for {} ", self.wait)?;
                    // In decimal, as a post-mortem has it, but for an address, and a number that is made of two.
                    match self.wait {
                        WaitKind::Semaphore | WaitKind::Niu => write!(f, "{:#x}", self.object)?,
                        _ => write!(f, "{}", self.object)?,
                    }
                    write!(f, ": wanted {}, saw {}", self.wanted, self.seen)?;
                }
                Ok(())
            }
            ThreadStage::Mismatch => {
                write!(f, " (host {:#010x}, kernel {:#010x})", self.wanted, self.seen)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use komorebi_headers::{Header, Options};

    use super::*;

    #[test]
    fn every_wait_of_the_header_has_a_name_here() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware/include/komorebi/core.h");
        let header = Header::read(&path, &Options::new()).unwrap();
        let numbers = |name: &str| {
            let found = header.constants().filter(|constant| constant.path.starts_with(name));
            found.map(|constant| constant.value.number as u64).collect::<Vec<_>>()
        };
        let waits = numbers("km::kWait");
        assert!(waits.len() > 10, "{waits:?}");
        for wait in waits {
            assert!(!matches!(WaitKind::from_word(wait), WaitKind::Unknown(_)), "{wait}");
        }
    }

    #[test]
    fn a_thread_that_gave_up_names_the_option_it_went_by() {
        let mut block = [0; c::THREAD_STRIDE as usize];
        block[4 * c::THREAD_STAGE as usize] = c::THREAD_GAVE_UP as u8;
        block[4 * c::THREAD_WAIT as usize] = c::WAIT_COLUMN as u8;
        let text = ThreadState::decode(&block).to_string();
        assert!(
            text.starts_with("gave up after the load option `wait` waiting for the other cores"),
            "{text}"
        );
        block[4 * c::THREAD_WAIT as usize] = c::WAIT_COMMAND as u8;
        let text = ThreadState::decode(&block).to_string();
        assert_eq!(text, "gave up after the load option `idle` waiting for the next command");
    }

    #[test]
    fn a_wait_is_told_in_decimal_and_an_address_in_hex() {
        let told = |wait: u32, object: u16| {
            let mut block = [0; c::THREAD_STRIDE as usize];
            let mut set =
                |word: u32, value: u16| block[4 * word as usize..][..2].copy_from_slice(&value.to_le_bytes());
            set(c::THREAD_STAGE, c::THREAD_STOPPED as u16);
            set(c::THREAD_WAIT, wait as u16);
            set(c::THREAD_OBJECT, object);
            set(c::THREAD_WANTED, 16);
            set(c::THREAD_SEEN, 10);
            ThreadState::decode(&block).to_string()
        };
        let buffer = "returned at the stop flag waiting for data in circular buffer 31: wanted 16, saw 10";
        assert_eq!(told(c::WAIT_BUFFER_DATA, 31), buffer);
        let semaphore = "returned at the stop flag waiting for the semaphore at 0x8010: wanted 16, saw 10";
        assert_eq!(told(c::WAIT_SEMAPHORE, 0x8010), semaphore);
    }
}
