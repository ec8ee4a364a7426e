//! What ttsim, Tenstorrent's own simulator of the card, does with the same device code: the judge of the baby cores'
//! floating point and of the device images, and what our speed is compared with.
//!
//! Run by hand: `KM_TTSIM` names a libttsim.so, which docs/judges.md says how to build.

#![deny(unsafe_code)]

mod child;
mod floats;
mod images;
#[path = "../kernels_bench/mod.rs"]
mod kernels_bench;
mod library;
mod machine;
mod operands;
mod processor;
mod speed;
