//! What the macros say. `fail` holds programs that do not compile, one for each rule, with the messages expected beside
//! them; `pass` holds programs that do.
//!
//! The messages are those of the compiler in `rust-toolchain.toml`: on another one the test is ignored.
//! `TRYBUILD=overwrite cargo test -p komorebi-ui-tests` writes them anew.
