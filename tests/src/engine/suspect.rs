//! What the dispatcher may do with an upload that nobody trusts.

use komorebi_abi::constants::engine as c;
use komorebi_abi::engine::{Image, Output, Reason, Record, RecordBody, Refusal, UploadKind};
use komorebi_abi::wire::RawEvent;

use crate::dispatcher::MICROSECOND;

/// An upload whose bytes may be anything.
#[derive(Clone, Debug)]
pub struct Suspect {
    /// Its req.
    pub req: u16,
    /// Its kind, as its RUN says.
    pub kind: UploadKind,
    checked: Result<Image, Refusal>,
    deadline_us: u32,
}

impl Suspect {
    /// Checks it as the dispatcher must.
    ///
    /// # Panics
    /// When it is shorter than a header.
    pub fn new(bytes: &[u8], kind: UploadKind, cores: u32, bindings: &[u32]) -> Self {
        let given = (!bindings.is_empty()).then_some(bindings);
        let limits = bytes[8 * c::UPLOAD_LIMITS as usize..][..4].try_into().unwrap();
        Self {
            req: Image::peek(bytes).unwrap().1,
            kind,
            checked: Image::check(bytes, kind, cores, given),
            deadline_us: u32::from_le_bytes(limits),
        }
    }

    /// Why it must be refused, if it must.
    pub fn refusal(&self) -> Option<Refusal> {
        self.checked.as_ref().err().copied()
    }

    /// True when it stays after its end event.
    pub fn keeps(&self) -> bool {
        self.checked.as_ref().is_ok_and(|image| image.header.keep)
    }

    /// What an event of it says. `cancelled`: a CANCEL was sent.
    ///
    /// # Panics
    /// When the dispatcher has no reason to post it.
    pub fn judge(&self, event: &RawEvent, cancelled: bool) -> Output {
        assert_eq!(event.number, self.req, "{event:?}");
        let output = Output::of_event(event, self.kind).unwrap_or_else(|| panic!("{event:?}"));
        let Output::Error(refusal) = output else {
            assert!(self.checked.is_ok(), "{event:?} of an upload that must be refused: {:?}", self.checked);
            return output;
        };
        let allowed = match &self.checked {
            Err(expected) if refusal == *expected => true,
            // While it was checked: at its first instruction. The header is checked at the RUN.
            Err(expected) => {
                let place = (self.kind == UploadKind::Stream).then_some(0);
                expected.reason > Reason::BINDINGS
                    && refusal.place == place
                    && self.ends_it(refusal.reason, event, cancelled)
            }
            Ok(image) => match refusal.reason {
                Reason::STUCK => self.kind == UploadKind::Graph,
                Reason::GROUP => self.kind == UploadKind::Stream,
                Reason::QUEUE => image.records.iter().any(is_queued),
                reason => self.ends_it(reason, event, cancelled),
            },
        };
        assert!(allowed, "{event:?} {output:?} of {self:?}");
        output
    }

    /// Is it what ends an engine from outside, and has that happened?
    fn ends_it(&self, reason: Reason, event: &RawEvent, cancelled: bool) -> bool {
        let late = u64::from(event.ticks) >= u64::from(self.deadline_us) * MICROSECOND;
        match reason {
            Reason::CANCELLED => cancelled,
            Reason::DEADLINE => self.deadline_us != 0 && late,
            _ => false,
        }
    }
}

fn is_queued(record: &Record) -> bool {
    matches!(record.body, RecordBody::Command { queued: true, .. })
}
