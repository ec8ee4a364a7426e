//! The card's process: connections, their requests, their ends.

use std::fs::{self, FileType};
use std::io::{self, BufReader, ErrorKind, IoSlice, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

use komorebi_card::{Card as _, CardError, CardTime};
use komorebi_sim::Card;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg, sockopt};

use crate::error::too_long;
use crate::frame;
use crate::hold::Held;
use crate::process::Process;
use crate::wire::{Answer, MAGIC, Reply, Request, VERSION};

/// A simulated card behind a Unix socket.
pub struct Server {
    listener: UnixListener,
    path: PathBuf,
    /// Which file of the system the socket is, where that is known.
    made: Option<(u64, u64)>,
    held: Arc<Held>,
}

impl Server {
    /// Listens at `path`. The socket of a server that is gone is replaced, and nothing else.
    ///
    /// # Errors
    /// [`ErrorKind::AddrInUse`] while another server listens there, or when something else than a socket is there: which
    /// stays as it is. [`ErrorKind::InvalidInput`] for a path of more than 107 bytes.
    pub fn bind(path: impl AsRef<Path>, card: Card) -> io::Result<Self> {
        let path = path.as_ref();
        if let Some(found) = too_long(path) {
            return Err(io::Error::new(ErrorKind::InvalidInput, found));
        }
        let listener = match UnixListener::bind(path) {
            Err(error) if error.kind() == ErrorKind::AddrInUse => {
                let Ok(there) = fs::symlink_metadata(path).map(|file| file.file_type()) else {
                    return Err(error);
                };
                if !there.is_socket() {
                    return Err(occupied(there));
                }
                if !is_left_over(path) {
                    return Err(error);
                }
                fs::remove_file(path)?;
                UnixListener::bind(path)?
            }
            other => other?,
        };
        let made = which(path);
        Ok(Self { listener, path: path.to_path_buf(), made, held: Arc::new(Held::new(card)) })
    }

    /// Serves connections, each in a thread of its own, for ever. What one of them fails at is logged and ends no other: while
    /// this process has no room for one more, the next waits until another has ended.
    ///
    /// # Errors
    /// When no connection can be accepted and there is none whose end could change that.
    pub fn run(&self) -> io::Result<()> {
        let (ended, ends) = mpsc::channel();
        let mut open = 0;
        for number in 0.. {
            let stream = loop {
                open -= ends.try_iter().count();
                match self.listener.accept() {
                    Ok((stream, _)) => break stream,
                    Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                    Err(error) if open > 0 => {
                        tracing::warn!(%error, open, "the next connection waits until another has ended");
                        open -= ends.iter().take(1).count();
                    }
                    Err(error) => return Err(error),
                }
            };
            open += 1;
            let (held, end) = (self.held.clone(), End(ended.clone()));
            let serve = move || {
                let _end = end;
                let stream = stream; // closed before its end is told
                Connection::new(number, &held, &stream).serve(&stream);
            };
            if let Err(error) = std::thread::Builder::new().name(format!("client {number}")).spawn(serve) {
                tracing::warn!(%error, "there is no thread for a connection: it is closed");
            }
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // What was put there since is somebody else's. What is left over is replaced by the next bind.
        if self.made.is_some() && which(&self.path) == self.made {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Tells the end of a connection, whatever brought it.
struct End(mpsc::Sender<()>);

impl Drop for End {
    fn drop(&mut self) {
        // A server that ended has nobody who waits for it.
        let _ = self.0.send(());
    }
}

/// Which file of the system is at `path`, without following a link.
fn which(path: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// The error of a path at which something else than a socket is.
fn occupied(there: FileType) -> io::Error {
    let what = match there {
        file if file.is_file() => "a file",
        folder if folder.is_dir() => "a folder",
        link if link.is_symlink() => "a symbolic link",
        pipe if pipe.is_fifo() => "a named pipe",
        _ => "a device",
    };
    let message = format!("{what} is there, and only the socket of a server that is gone is replaced");
    io::Error::new(ErrorKind::AddrInUse, message)
}

/// True for a socket at which nobody listens.
fn is_left_over(path: &Path) -> bool {
    UnixStream::connect(path).is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
}

/// A client. Its end is the driver's close.
struct Connection<'a> {
    number: u64,
    held: &'a Held,
    pid: u32,
    process: Option<Process>,
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        self.held.release(self.number);
    }
}

impl<'a> Connection<'a> {
    fn new(number: u64, held: &'a Held, stream: &UnixStream) -> Self {
        let pid = sockopt::socket_peercred(stream).map_or(0, |peer| peer.pid.as_raw_nonzero().get() as u32);
        Self { number, held, pid, process: Process::of(pid) }
    }

    fn serve(&self, stream: &UnixStream) {
        match self.requests(stream) {
            Ok(()) => tracing::info!(pid = self.pid, "the client closed its connection"),
            Err(error) => tracing::info!(pid = self.pid, %error, "the connection of the client ended"),
        }
    }

    fn requests(&self, stream: &UnixStream) -> io::Result<()> {
        let mut reader = BufReader::with_capacity(256 * 1024, stream);
        let (mut payload, mut out) = (Vec::new(), Vec::new());
        let mut greeted = false;
        // What was wrong with the first posted request that failed since the last answer.
        let mut posted: Option<CardError> = None;
        while let Some(request) = frame::read::<Request>(&mut reader, &mut payload)? {
            let hello = matches!(request, Request::Hello { magic: MAGIC, version: VERSION });
            let greets = matches!(request, Request::Hello { .. });
            if !greeted && !greets {
                return Err(io::Error::new(ErrorKind::InvalidData, "it did not greet"));
            }
            greeted |= hello;
            let mut answered = Answered::default();
            if request.is_posted() {
                if let Err(error) = self.answer(&request, &payload, &mut answered) {
                    posted.get_or_insert(error);
                }
                continue;
            }
            let outcome = match posted.take_if(|_| request.tells_posted()) {
                Some(error) => Err(error),
                None => self.answer(&request, &payload, &mut answered),
            };
            // A greeting does not wait for a card that is at work for its holder: who gets none knows this process as stopped.
            let now = if greets { CardTime::default() } else { self.held.card.now() };
            let answer = Answer { now, outcome };
            out.clear();
            frame::append(&mut out, &answer, &answered.bytes)?;
            send(stream, &out, answered.file.as_ref())?;
        }
        Ok(())
    }

    fn answer(&self, request: &Request, payload: &[u8], answered: &mut Answered) -> Result<Reply, CardError> {
        if request.needs_claim() {
            return self.held.with(self.number, |card| holders(card, request, payload, answered));
        }
        let card = &self.held.card;
        match request {
            Request::Hello { .. } => Ok(Reply::Hello {
                version: VERSION,
                description: card.description().clone(),
                seed: card.seed(),
            }),
            Request::Claim(power) => {
                self.held.claim(self.number, self.process, self.pid, *power)?;
                tracing::info!(pid = self.pid, "the client has taken the card");
                Ok(Reply::Done)
            }
            Request::Release => {
                self.held.release(self.number);
                Ok(Reply::Done)
            }
            Request::Peek { tile, address, bytes } => {
                answered.room(*bytes)?;
                let found = card.peek(*tile, *address, &mut answered.bytes);
                Ok(if found { Reply::Bytes } else { Reply::Nothing })
            }
            Request::Holder => Ok(Reply::Holder(self.held.holder())),
            _ => Ok(Reply::Done),
        }
    }
}

/// What goes with an answer.
#[derive(Default)]
struct Answered {
    bytes: Vec<u8>,
    file: Option<OwnedFd>,
}

impl Answered {
    fn room(&mut self, bytes: u32) -> Result<(), CardError> {
        if bytes > frame::PAYLOAD_MAX {
            let what = format!("{bytes} bytes: an answer carries at most {}", frame::PAYLOAD_MAX);
            return Err(CardError::Request { what });
        }
        self.bytes.resize(bytes as usize, 0);
        Ok(())
    }
}

/// Requests of the card's holder.
fn holders(
    card: &Card,
    request: &Request,
    payload: &[u8],
    answered: &mut Answered,
) -> Result<Reply, CardError> {
    match request {
        Request::Vote(power) => card.vote(*power)?,
        Request::SetCleanup(cleanup) => card.set_cleanup(*cleanup)?,
        Request::KeepOff(word) => card.keep_off(*word)?,
        Request::Write { tile, address, order } => card.write(*tile, *address, payload, *order)?,
        Request::Multicast { tiles, address } => card.multicast(*tiles, *address, payload)?,
        Request::Read { tile, address, bytes } => {
            answered.room(*bytes)?;
            card.read(*tile, *address, &mut answered.bytes)?;
            return Ok(Reply::Bytes);
        }
        Request::Fence(tile) => card.fence(*tile)?,
        Request::HostMem { bytes } => {
            let (memory, file) = card.shared_host_mem(*bytes as usize)?;
            answered.file = Some(file);
            return Ok(Reply::Memory { tile: memory.tile(), noc_address: memory.noc_address() });
        }
        Request::Relax(until) => return card.relax(*until).map(Reply::Reached),
        _ => {}
    }
    Ok(Reply::Done)
}

/// Sends an answer, a file beside its first bytes.
fn send(mut stream: &UnixStream, bytes: &[u8], file: Option<&OwnedFd>) -> io::Result<()> {
    let Some(file) = file else { return stream.write_all(bytes) };
    let files = [file.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&files));
    let sent = sendmsg(stream, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)?;
    stream.write_all(bytes.get(sent..).unwrap_or_default())
}
