//! `sim-card`: a simulated card that other processes open.

use crate::arguments::SimCardArguments;
use crate::failure::Failure;
use crate::output;
use komorebi_sim::Card;
use komorebi_simcard::Server;

/// Serves the card until the process is ended.
pub(crate) fn run(arguments: &SimCardArguments) -> Result<(), Failure> {
    let card = Card::builder()
        .board(arguments.board.into())
        .columns(arguments.columns)
        .seed(arguments.seed)
        .costs(arguments.costs.into())
        .clock_stops_at_once(arguments.clock_stops_at_once)
        .lim_lost(arguments.lim_lost)
        .build();
    let path = &arguments.path;
    let fail = |error| Failure::Serve { path: path.clone(), error };
    let server = Server::bind(path, card).map_err(fail)?;
    output::write(
        &format!("a simulated card is served; open it with KM_CARD=sim:{}\n", path.display()),
        None,
    )?;
    server.run().map_err(fail)
}
