//! A Tensix tile: five baby cores, L1, two NIUs, streams, semaphores, control registers.

mod alone;
pub(crate) mod atomic;
mod bus;
pub(crate) mod command;
mod cores;
mod csrs;
mod debug;
mod devices;
mod icache;
mod incoming;
mod l0;
mod local_ram;
mod loose;
mod mailboxes;
mod map;
mod niu;
mod order;
mod outgoing;
mod owners;
mod pcbufs;
mod place;
mod semaphores;
mod shared;
mod store_queue;
mod streams;
mod tensix;
mod undo;

pub(crate) use cores::Core;
pub(crate) use tensix::Tensix;
