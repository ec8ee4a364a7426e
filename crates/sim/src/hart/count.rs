//! A counter that software can set, and hold by mcountinhibit.

/// How far a counter's value is from what it counts, or where it is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// What to add to the count since power-on.
    offset: u64,
    /// The value while it does not count.
    held: Option<u64>,
}

impl Count {
    /// The value when `count` have passed since power-on.
    pub(super) fn value(self, count: u64) -> u64 {
        self.held.unwrap_or(count.wrapping_add(self.offset))
    }

    pub(super) fn set(&mut self, count: u64, value: u64) {
        match &mut self.held {
            Some(held) => *held = value,
            None => self.offset = value.wrapping_sub(count),
        }
    }

    pub(super) fn is_held(self) -> bool {
        self.held.is_some()
    }

    /// Holds it, or lets it count on.
    pub(super) fn hold(&mut self, count: u64, hold: bool) {
        let value = self.value(count);
        self.held = hold.then_some(value);
        if !hold {
            self.set(count, value);
        }
    }
}
