//! What the integration tests share.
#![forbid(unsafe_code)]

pub mod dispatcher;
pub mod engine;
pub mod life;
pub mod mortal;
pub mod scene;
