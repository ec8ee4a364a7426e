//! Every way a session and a run can fail: each error and each reason of a rejection is reached, with the facts it must
//! carry, and the card works afterwards.

mod bench;
mod child;
mod errors;
mod rejections;
mod starts;
mod stops;
mod table;
mod timeouts;
