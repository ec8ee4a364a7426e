//! A simulated card in a process of its own, so that two clients, kills and locks are real.
//!
//! * [`Server`] — the card's process: a Unix socket in front of a [`komorebi_sim::Card`]. A connection is what an open
//!   device node is to a driver: its end, whatever brought it, is the driver's close.
//! * [`RemoteCard`] — the client's end, a [`komorebi_card::Card`].
//! * [`Look`] — a connection that reads memory and changes nothing, beside the one that holds the card.
//!
//! `docs/sim-card.md` describes what goes over the socket and why.

#![forbid(unsafe_code)]

mod client;
mod error;
mod frame;
mod hold;
mod line;
mod look;
mod process;
mod server;
mod wire;

pub use client::RemoteCard;
pub use error::ConnectError;
pub use look::Look;
pub use server::Server;
