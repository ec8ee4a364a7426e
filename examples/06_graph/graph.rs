//! The graph: a round relaxes both colours of the chessboard and measures what is left to do; another follows while that is
//! over the limit.

use crate::program::Inpaint;
use komorebi as km;

/// The most rounds of a run, as the graph has it.
pub(crate) const ROUNDS: u32 = 5_000;

km::graph! {
    <Inpaint>
    /// Relaxes `state` until no pixel would change by more than `limit`.
    pub(crate) graph Relaxing(max_runs = 5000, req = 6, keep) {
        bind
            /// Where the plane lies.
            state: km::Address,
            /// Rounds done; 0 to start with.
            iteration: u32,
            /// It goes on while a pixel would change by more.
            limit: f32;
        reg error: f32;

        let advance = step[0..60](state, iteration);
        let l = left[0..30](state, iteration) after advance;
        let r = right[30..60](state, iteration) after advance;
        let measure = norm[0..60](state) -> error after l, r;
        cpu after measure {
            iteration += 1;
            again = error > limit;
        }
        end(iteration, error);
    }
}
