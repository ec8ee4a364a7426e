//! How long a launch takes.

use std::time::Duration;

use komorebi_abi::constants::{command, core, layout};
use komorebi_abi::engine::{Facts, Run, UploadKind};
use komorebi_abi::graph::Graph;
use komorebi_abi::wire::{EventKind, Line};
use komorebi_card::Card as _;

use super::run_line;
use crate::dispatcher::{Rig, Setup, lim};

/// Microseconds of a graph of one NOP on every core, from the moment the RUN's line is visible to that at which the
/// command's doorbell is: of an upload that is new, with its check and with the windows of its group, and of a kept one.
///
/// # Panics
/// When the graph does not run.
pub fn launch_microseconds(setup: Setup) -> [f64; 2] {
    let mut rig = setup.run();
    let cores = setup.grid.0 * setup.grid.1;
    let facts = Facts {
        program: "launch".to_owned(),
        handlers: Vec::new(),
        cores: Some(cores),
        region_bytes: layout::UPLOAD_BYTES,
        typed: false,
        complete: true,
    };
    let mut graph = Graph::new().keep();
    graph.command(0, 0..cores, []);
    let bytes = graph.encode(&facts).expect("the graph is right").bytes;
    rig.put(0, &bytes);
    let run = Run::Upload { offset: 0, bytes: bytes.len() as u32, kind: UploadKind::Graph, bindings: None };
    let first = launch(&mut rig, run_line(run), 1);
    [first, launch(&mut rig, run_line(Run::Restart { req: 0, bindings: None }), 2)]
}

fn launch(rig: &mut Rig, line: Line, sequence: u32) -> f64 {
    let control = lim(layout::LIM_CONTROL) + 8 * u64::from(command::CONTROL_PROGRESS);
    let when = |rig: &Rig, holds: &dyn Fn(&Rig) -> bool| {
        while !holds(rig) {
            rig.pass(Duration::from_nanos(10));
        }
        rig.card.now()
    };
    let lines = rig.lim(control) as u32 + 1;
    rig.send(line);
    let seen = when(rig, &|rig| rig.lim(control) as u32 == lines);
    let rung = when(rig, &|rig| rig.mailbox(0, core::CONTROL_DOORBELL) as u32 == sequence);
    rig.complete(0, sequence, 0);
    assert_eq!(rig.event().kind, Ok(EventKind::End));
    rig.show_read();
    (rung - seen).as_nanos() as f64 / 1000.0
}
