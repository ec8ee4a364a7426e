//! Lanes for spans that overlap: in one lane they follow each other.

use super::json::Time;

/// When each lane, from 1 on, is free again.
#[derive(Default)]
pub(super) struct Lanes(Vec<Time>);

impl Lanes {
    /// The first lane that is free at `start`, which then is until `end`. Spans come in the order of their starts.
    pub(super) fn take(&mut self, start: Time, end: Time) -> u32 {
        let free = self.0.iter().position(|&free| free <= start);
        let lane = free.unwrap_or_else(|| {
            self.0.push(end);
            self.0.len() - 1
        });
        if let Some(free) = self.0.get_mut(lane) {
            *free = end;
        }
        lane as u32 + 1
    }
}
