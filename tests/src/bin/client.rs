//! A client of a simulated card in another process, for tests that kill it.
#![forbid(unsafe_code)]

use std::error::Error;
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use komorebi as km;
use komorebi_card::{Card as _, Power};
use komorebi_simcard::RemoteCard;
use komorebi_tests::life;
use komorebi_tests::mortal::{Death, Mortal};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [socket, "nops"] => nops(&km::Session::builder().sim_card(socket).open()?),
        [socket, "obedient"] => {
            km::close_on_signals()?;
            nops(&km::Session::builder().sim_card(socket).open()?)
        }
        [socket, "once"] => {
            let session = km::Session::builder().sim_card(socket).open()?;
            life::nop_everywhere(&session)?;
            Ok(session.close()?)
        }
        [socket, "call", last] => die_at(socket, last.parse()?),
        [socket, "leave"] => leave(socket),
        _ => Err("give a socket and nops, obedient, once, call N or leave".into()),
    }
}

/// NOPs for ever, a line each batch.
fn nops(session: &km::Session) -> Result<(), Box<dyn Error>> {
    let run = session.load(life::program())?;
    let mut out = std::io::stdout();
    loop {
        let handles = run.submit_many((0..32).map(|job| km::nop().on((job % 8, 1))))?;
        run.wait(handles, Duration::from_secs(5))?;
        writeln!(out, "ready")?;
        out.flush()?;
    }
}

/// A life that ends by SIGKILL at a call of the card; says how many there were when it lived on.
fn die_at(socket: &str, last: u64) -> Result<(), Box<dyn Error>> {
    let card = Mortal::new(RemoteCard::connect(socket)?, Death::Kill, last);
    let session = km::Session::builder().on(&card).open()?;
    life::live(&session)?;
    session.close()?;
    println!("{}", card.calls());
    Ok(())
}

/// Takes the card and dies, while a child of it has the connection, too. Prints the child's number.
fn leave(socket: &str) -> Result<(), Box<dyn Error>> {
    let stream = UnixStream::connect(socket)?;
    let inherited = OwnedFd::from(stream.try_clone()?);
    let card = RemoteCard::over(stream, socket)?;
    card.claim(Power { tensix: true, dram: true, l2cpu: true, busy: true })?;
    let child = Command::new("cat").stdin(inherited).stdout(Stdio::null()).spawn()?;
    println!("{}", child.id());
    std::io::stdout().flush()?;
    nix::sys::signal::kill(nix::unistd::Pid::this(), nix::sys::signal::Signal::SIGKILL)?;
    Ok(())
}
