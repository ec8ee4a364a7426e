//! Random lives of runs with one fault each, and clients that die at any of their calls: every one ends well or with an
//! error that is documented, no event is lost or invented, and the card works afterwards.
//!
//! `KM_SEEDS=first..end` chooses the lives, `KM_KILLS=count` how many deaths; a failure names its seed, and that seed gives
//! the same life again.

mod kills;
mod life;
mod lives;
mod trouble;
