//! Graphs and streams: wire, checks, encoders, machines.

mod advice;
mod alu;
mod graph_rules;
mod header;
mod machines;
mod pictures;
mod roundtrip;
mod speed;
mod stream_rules;
mod support;
