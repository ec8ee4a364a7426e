//! The next client's open behind a killed one: processes and a kill are real, the card is served by this process.

use crate::BenchError;
use crate::figure::Reading;
use crate::program::Bench;
use crate::stopwatch::{median, milliseconds, timed};
use komorebi as km;
use komorebi_sim::Card;
use komorebi_simcard::Server;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long a wait may take, in card time.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Kills of which the median is taken.
const RUNS: usize = 5;

/// Milliseconds of wall time from the next client's open to its first result on 120 cores: the dead one's commands were
/// running.
pub(crate) fn after_kill() -> Result<Reading, BenchError> {
    let fail = |error: std::io::Error| BenchError::Child(format!("no card could be served: {error}"));
    let folder = tempfile::tempdir().map_err(fail)?;
    let socket = folder.path().join("card");
    let server = Server::bind(&socket, Card::builder().build()).map_err(fail)?;
    std::thread::spawn(move || server.run());
    let times = (0..RUNS).map(|_| {
        kill_a_client(&socket).map_err(fail)?;
        let (opened, took) = timed(|| first_result(&socket));
        let (session, run) = opened?;
        run.stop(TIMEOUT)?;
        session.close()?;
        Ok(milliseconds(took))
    });
    Ok(median(times.collect::<Result<_, BenchError>>()?).into())
}

fn first_result(socket: &Path) -> km::Result<(km::Session, km::Run<Bench>)> {
    let session = km::Session::builder().sim_card(socket).open()?;
    let run = session.load(Bench::program())?;
    run.wait(run.submit(km::nop())?, TIMEOUT)?;
    Ok((session, run))
}

/// Starts a client, and kills it while its commands run.
fn kill_a_client(socket: &Path) -> std::io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    let mut client = command.arg("--hold").arg(socket).stdout(Stdio::piped()).spawn()?;
    let mut said = String::new();
    if let Some(out) = client.stdout.take() {
        BufReader::new(out).read_line(&mut said)?;
    }
    client.kill()?;
    client.wait()?;
    if said.is_empty() {
        return Err(std::io::Error::other("the client to be killed did not start"));
    }
    Ok(())
}

/// The child's side: commands without end, and a line when the first are done.
pub(crate) fn hold(socket: &Path) -> Result<(), BenchError> {
    let (_session, run) = first_result(socket)?;
    let mut out = std::io::stdout();
    loop {
        let handles = run.submit_many((0..64).map(|_| km::nop()))?;
        // Nobody reads any more once this process is about to be killed.
        let _ = writeln!(out, "running");
        let _ = out.flush();
        run.wait(handles, TIMEOUT)?;
    }
}
