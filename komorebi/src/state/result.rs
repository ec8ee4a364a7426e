//! The dispatcher's result block.

use std::fmt;

use komorebi_abi::constants::launch as l;

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($(#[$item:meta])* $variant:ident = $number:path, $text:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$item])* $variant,)*
            /// A number this host does not know.
            Unknown(u32),
        }

        impl $name {
            pub(crate) const fn from_word(word: u64) -> Self {
                match word as u32 {
                    $($number => Self::$variant,)*
                    other => Self::Unknown(other),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant => f.write_str($text),)*
                    Self::Unknown(number) => write!(f, "{number}, which this host does not know"),
                }
            }
        }
    };
}
pub(crate) use numbered;

numbered! {
    /// Where the dispatcher is in its life.
    DispatcherStage {
        /// It has not run.
        None = l::STAGE_NONE, "not started";
        /// It checks its launch parameters.
        Starting = l::STAGE_STARTING, "checking its launch parameters";
        /// It waits for the grid's READY words.
        Ready = l::STAGE_READY, "waiting for the grid to report READY";
        /// It runs commands.
        Running = l::STAGE_RUNNING, "running";
        /// Stop seen: commands in flight complete.
        Stopping = l::STAGE_STOPPING, "stopping";
        /// It ended as it should.
        Done = l::STAGE_DONE, "done";
        /// It ended with an error.
        Failed = l::STAGE_FAILED, "failed";
    }
}

numbered! {
    /// Why the dispatcher ended.
    DispatcherError {
        /// No error.
        None = l::ERROR_NONE, "no error";
        /// Image and host were built from different headers.
        Fingerprint = l::ERROR_FINGERPRINT, "image and host were built from different headers";
        /// A launch address is not a multiple of 16.
        Alignment = l::ERROR_ALIGNMENT, "a launch address is not a multiple of 16";
        /// A launch parameter is out of its range.
        Launch = l::ERROR_LAUNCH, "a launch parameter is out of its range";
        /// A column did not report READY in time.
        Ready = l::ERROR_READY, "a column did not report READY in time";
        /// A group missed its deadline.
        Deadline = l::ERROR_DEADLINE, "a group missed its deadline";
        /// No command for longer than its idle timeout.
        Idle = l::ERROR_IDLE, "no command came for longer than kernel_idle";
        /// A command line whose phases do not match.
        Line = l::ERROR_LINE, "a command line was stored without a fence";
    }
}

/// What the dispatcher wrote at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultBlock {
    /// Done or failed.
    pub stage: DispatcherStage,
    /// Why it ended.
    pub error: DispatcherError,
    /// Fingerprint, launch word, column or slot the error is about.
    pub detail: u64,
    /// Commands submitted to the grid.
    pub commands: u64,
    /// Events posted.
    pub events: u64,
    /// Commands rejected.
    pub rejected: u64,
    /// Commands left without their done event.
    pub abandoned: u64,
    /// The last sequence number given.
    pub sequence: u64,
    /// Passes of its loop.
    pub passes: u64,
    /// Ticks of 20 ns from READY to the end.
    pub ticks: u64,
}

impl ResultBlock {
    /// The block, if the dispatcher has finished it.
    pub(crate) fn decode(words: &[u64; l::RESULT_WORDS as usize]) -> Option<Self> {
        let word = |index: u32| words[index as usize];
        (word(l::RESULT_READY) == l::RESULT_MAGIC).then(|| Self {
            stage: DispatcherStage::from_word(word(l::RESULT_STAGE)),
            error: DispatcherError::from_word(word(l::RESULT_ERROR)),
            detail: word(l::RESULT_DETAIL),
            commands: word(l::RESULT_COMMANDS),
            events: word(l::RESULT_EVENTS),
            rejected: word(l::RESULT_REJECTED),
            abandoned: word(l::RESULT_ABANDONED),
            sequence: word(l::RESULT_SEQUENCE),
            passes: word(l::RESULT_PASSES),
            ticks: word(l::RESULT_TICKS),
        })
    }

    /// True when it ended as a stop should end it.
    pub fn clean(&self) -> bool {
        self.stage == DispatcherStage::Done && self.error == DispatcherError::None
    }
}

impl fmt::Display for ResultBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "result: {}, {} (detail {:#x}), {} commands, {} events, {} rejected, {} abandoned",
            self.stage, self.error, self.detail, self.commands, self.events, self.rejected, self.abandoned
        )
    }
}
