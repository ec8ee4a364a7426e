//! The figures: name, unit, reference, and what measures each. Names are fixed.
//!
//! References are goals, except `nop1_card_us_*`: what the Python implementation measured on a card with its clock at
//! 1000 and 1750 MHz, `exclusive_card_us_*` and `node_card_us_120`: its periods of exclusive NOPs, and `ttsim_ratio_*`: 1 is
//! ttsim's own speed.

use crate::exclusive::Cores;
use crate::figure::{Figure, Reading};
use crate::{
    BenchError, engine, exclusive, host, idle, language, nop, rebuild, reopen, session, snapshot, speed,
    trace, ttsim,
};
use komorebi_sim::Counters;

/// A row: how a figure is measured, and what it stands beside.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    unit: &'static str,
    reference: Option<f64>,
    measure: fn() -> Result<Reading, BenchError>,
}

impl Row {
    /// Measures the figure.
    pub(crate) fn measure(&self) -> Result<Figure, BenchError> {
        let Self { name, unit, reference, measure } = *self;
        Ok(Figure { name, unit, reference, reading: measure()? })
    }
}

const fn row(
    name: &'static str,
    unit: &'static str,
    reference: Option<f64>,
    measure: fn() -> Result<Reading, BenchError>,
) -> Row {
    Row { name, unit, reference, measure }
}

/// Instructions of the X280.
const INSTRUCTIONS: fn(Counters) -> u64 = |counters| counters.x280_instructions;
/// Its loads and stores past its caches.
const UNCACHED: fn(Counters) -> u64 = |counters| counters.x280_uncached_loads + counters.x280_uncached_stores;

/// All figures, in the order they are printed.
pub(crate) const TABLE: [Row; 56] = [
    row("host_ns", "ns", Some(150.0), host::nanoseconds),
    row("host_allocs", "allocations", Some(0.0), host::allocations),
    row("nop1_per_s", "1/s", Some(60_000.0), nop::rate_1),
    row("nop120_per_s", "1/s", Some(2_000.0), nop::rate_120),
    row("rv32_ips", "1/s", Some(350e6), speed::rv32),
    row("rv64_ips", "1/s", Some(350e6), speed::rv64),
    row("grid_ips", "1/s", Some(150e6), speed::grid),
    row("idle_grid_ms", "ms", Some(50.0), idle::second),
    row("nop1_x280_instr", "instructions", None, || nop::count(INSTRUCTIONS)),
    row("nop1_x280_uncached", "accesses", None, || nop::count(UNCACHED)),
    row("nop1_noc_packets", "packets", None, || nop::count(|counters| counters.noc_packets)),
    row("nop1_card_us_1000", "us", Some(1.228), || nop::card_time(1000)),
    row("nop1_card_us_1750", "us", Some(0.726), || nop::card_time(1750)),
    row("nop1_card_us_depth_1", "us", None, || nop::card_time_at_depth(1)),
    row("nop1_card_us_depth_4", "us", None, || nop::card_time_at_depth(4)),
    row("nop1_card_us_batch_1", "us", None, || nop::card_time_in_batches(1)),
    row("nop1_card_us_batch_8", "us", None, || nop::card_time_in_batches(8)),
    row("nop12_card_us", "us", None, nop::card_time_12),
    row("nop120_card_us", "us", None, nop::card_time_120),
    row("events_per_s", "1/s", None, nop::events),
    row("exclusive_x280_instr_1", "instructions", None, || exclusive::count(Cores::One, INSTRUCTIONS)),
    row("exclusive_x280_instr_12", "instructions", None, || exclusive::count(Cores::Twelve, INSTRUCTIONS)),
    row("exclusive_x280_instr_120", "instructions", None, || exclusive::count(Cores::All, INSTRUCTIONS)),
    row("exclusive_uncached_1", "accesses", None, || exclusive::count(Cores::One, UNCACHED)),
    row("exclusive_uncached_12", "accesses", None, || exclusive::count(Cores::Twelve, UNCACHED)),
    row("exclusive_uncached_120", "accesses", None, || exclusive::count(Cores::All, UNCACHED)),
    row("exclusive_card_us_1", "us", Some(1.90), || exclusive::card_time(Cores::One)),
    row("exclusive_card_us_12", "us", Some(2.28), || exclusive::card_time(Cores::Twelve)),
    row("exclusive_card_us_120", "us", Some(2.27), || exclusive::card_time(Cores::All)),
    row("node_x280_instr_1", "instructions", None, || engine::node_instructions(1)),
    row("node_x280_instr_12", "instructions", None, || engine::node_instructions(12)),
    row("node_x280_instr_120", "instructions", None, || engine::node_instructions(120)),
    row("node_uncached_120", "accesses", None, || engine::node_uncached(120)),
    row("node_card_us_120", "us", Some(2.27), || engine::node_time(120)),
    row("launch_card_us", "us", Some(5.0), || engine::launch_time(engine::Launch::Kept)),
    row("launch_new_card_us", "us", None, || engine::launch_time(engine::Launch::New)),
    row("round_card_us", "us", None, engine::round_time),
    row("stream_ips", "1/s", None, engine::stream_rate),
    row("upload_card_us_1k", "us", None, || engine::upload_time(1 << 10)),
    row("upload_card_us_64k", "us", None, || engine::upload_time(64 << 10)),
    row("upload_card_us_640k", "us", None, || engine::upload_time(640 << 10)),
    row("trace_cost", "times", None, trace::card_time),
    row("trace_wall_cost", "times", None, trace::wall_time),
    row("cold_load_ms", "ms", None, session::cold_load),
    row("warm_load_ms", "ms", None, session::warm_load),
    row("open_ms", "ms", None, session::open),
    row("close_ms", "ms", None, session::close),
    row("reopen_after_kill_ms", "ms", Some(100.0), reopen::after_kill),
    row("snapshot_ms", "ms", None, snapshot::taken),
    row("fork_ms", "ms", None, snapshot::forked),
    row("expand_1000_ms", "ms", Some(100.0), language::expand_1000),
    row("check_10000_ms", "ms", Some(50.0), language::check_10000),
    row("header_5000_ms", "ms", Some(20.0), language::header_5000),
    row("rebuild_ms", "ms", None, rebuild::rebuild),
    row("ttsim_ratio_spin120", "times", Some(1.0), ttsim::spin_120),
    row("ttsim_ratio_pipeline", "times", Some(1.0), ttsim::pipeline),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_has_a_name_of_its_own() {
        let mut names = TABLE.map(|row| row.name);
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
