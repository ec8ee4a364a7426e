//! The client's end of a connection: requests out, answers in, posted requests gathered.

use std::io::{self, BufReader, ErrorKind, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use komorebi_card::{CardError, CardTime, Description};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use crate::error::ConnectError;
use crate::frame;
use crate::wire::{Answer, MAGIC, Reply, Request, VERSION};

/// How long the system waits for the greeting of who listens. The greeting costs no card time and waits for no card, so
/// this is no wait of the card's clock; every later answer takes as long as the card does.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of posted requests that are gathered before they are sent.
const GATHER: usize = 256 * 1024;

/// A stream whose reads keep the files that come with the bytes.
struct Receiver {
    stream: UnixStream,
    files: Vec<OwnedFd>,
}

impl Read for Receiver {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let flags = RecvFlags::CMSG_CLOEXEC;
        let got = recvmsg(&self.stream, &mut [IoSliceMut::new(bytes)], &mut control, flags)?;
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(files) = message {
                self.files.extend(files);
            }
        }
        Ok(got.bytes)
    }
}

/// A connection.
pub(crate) struct Line {
    path: PathBuf,
    receiver: BufReader<Receiver>,
    out: Vec<u8>,
    /// Requests were posted since the clock was last told.
    stale: bool,
    now: CardTime,
    /// What every later call returns.
    ended: Option<CardError>,
    payload: Vec<u8>,
}

impl Line {
    /// Connects, and asks what card it is.
    pub(crate) fn connect(path: &Path) -> Result<(Self, Description, u64), ConnectError> {
        let stream = UnixStream::connect(path).map_err(|error| ConnectError::absent(path, &error))?;
        Self::over(stream, path, PATIENCE)
    }

    /// Asks what card is at the other end, and waits for the answer as long as `patience`.
    pub(crate) fn over(
        stream: UnixStream,
        path: &Path,
        patience: Duration,
    ) -> Result<(Self, Description, u64), ConnectError> {
        let mut line = Self::new(stream, path);
        let greeting = line.greet(patience).map_err(|error| match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => ConnectError::silent(path),
            _ => ConnectError::stranger(path, error.to_string()),
        })?;
        match greeting.map(|answer| answer.outcome) {
            Some(Ok(Reply::Hello { version: VERSION, description, seed })) => Ok((line, description, seed)),
            Some(Ok(Reply::Hello { version, .. })) => {
                let found = format!("its protocol has version {version}, this client's has {VERSION}");
                Err(ConnectError::stranger(path, found))
            }
            Some(Ok(_)) => Err(ConnectError::stranger(path, "its first answer is no greeting")),
            Some(Err(error)) => Err(ConnectError::stranger(path, error.to_string())),
            None => Err(ConnectError::stranger(path, "it closed the connection")),
        }
    }

    fn new(stream: UnixStream, path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            receiver: BufReader::new(Receiver { stream, files: Vec::new() }),
            out: Vec::new(),
            // A greeting does not tell the clock.
            stale: true,
            now: CardTime::default(),
            ended: None,
            payload: Vec::new(),
        }
    }

    /// The first request, the only one whose answer is late after a time.
    fn greet(&mut self, patience: Duration) -> io::Result<Option<Answer>> {
        self.set_patience(Some(patience))?;
        let greeting = self.ask(&Request::Hello { magic: MAGIC, version: VERSION })?;
        self.set_patience(None)?;
        Ok(greeting)
    }

    fn set_patience(&self, patience: Option<Duration>) -> io::Result<()> {
        let stream = &self.receiver.get_ref().stream;
        stream.set_read_timeout(patience)?;
        stream.set_write_timeout(patience)
    }

    /// Posts a request: no answer, and no error before that of a later call.
    pub(crate) fn post(&mut self, request: &Request, payload: &[u8]) -> Result<(), CardError> {
        self.check()?;
        self.append(request, payload)?;
        self.stale = true;
        if self.out.len() >= GATHER { self.flush() } else { Ok(()) }
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn call(&mut self, request: &Request) -> Result<Reply, CardError> {
        self.check()?;
        self.exchange(request)
    }

    /// The same after a fault, too: for a release.
    pub(crate) fn exchange(&mut self, request: &Request) -> Result<Reply, CardError> {
        let Answer { now, outcome } = match self.ask(request) {
            Ok(Some(answer)) => answer,
            Ok(None) => return Err(self.end("it closed the connection")),
            Err(error) => return Err(self.end(&error.to_string())),
        };
        (self.now, self.stale) = (now, false);
        if let Err(error @ (CardError::Fault(_) | CardError::Lost { .. })) = &outcome {
            self.ended.get_or_insert_with(|| error.clone());
        }
        outcome
    }

    fn ask(&mut self, request: &Request) -> io::Result<Option<Answer>> {
        frame::append(&mut self.out, request, &[])?;
        self.send()?;
        frame::read(&mut self.receiver, &mut self.payload)
    }

    /// The bytes that came with the last answer.
    pub(crate) fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// The file that came with the last answer.
    pub(crate) fn take_file(&mut self) -> Option<OwnedFd> {
        self.receiver.get_mut().files.pop()
    }

    /// The card's clock behind everything sent.
    pub(crate) fn now(&mut self) -> CardTime {
        if self.stale && self.ended.is_none() {
            // One that cannot say keeps the clock where it was: every other call tells of it.
            let _ = self.exchange(&Request::Now);
        }
        self.now
    }

    /// What every call returns, once the card has halted or is gone.
    fn check(&self) -> Result<(), CardError> {
        self.ended.clone().map_or(Ok(()), Err)
    }

    fn append(&mut self, request: &Request, payload: &[u8]) -> Result<(), CardError> {
        if payload.len() > frame::PAYLOAD_MAX as usize {
            let what = format!("{} bytes: a request carries at most {}", payload.len(), frame::PAYLOAD_MAX);
            return Err(CardError::Request { what });
        }
        frame::append(&mut self.out, request, payload).map_err(|error| self.end(&error.to_string()))
    }

    fn flush(&mut self) -> Result<(), CardError> {
        self.send().map_err(|error| self.end(&error.to_string()))
    }

    fn send(&mut self) -> io::Result<()> {
        let sent = self.receiver.get_mut().stream.write_all(&self.out);
        self.out.clear();
        sent
    }

    /// The process of the card is gone.
    fn end(&mut self, what: &str) -> CardError {
        let path = self.path.display();
        let what = format!(
            "the simulated card at {path}: {what}; to reset it, start `cargo komorebi sim-card {path}` again"
        );
        self.ended.get_or_insert(CardError::Lost { what }).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Server;
    use komorebi_sim::Card;
    use std::os::unix::net::UnixListener;

    const SHORT: Duration = Duration::from_millis(20);

    #[track_caller]
    fn silent(path: &Path) {
        let stream = UnixStream::connect(path).unwrap();
        let error = Line::over(stream, path, SHORT).err().unwrap();
        assert!(matches!(error, ConnectError::Silent { .. }), "{error}");
        let message = error.to_string();
        assert!(message.contains("took the connection and does not answer; is it stopped?"), "{message}");
    }

    #[test]
    fn who_takes_the_connection_and_stays_silent_is_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("card");
        let listener = UnixListener::bind(&path).unwrap();
        // The system takes it for a process that is stopped.
        silent(&path);
        let (_first, _) = listener.accept().unwrap();
        let accepts = std::thread::spawn(move || listener.accept().unwrap());
        silent(&path);
        accepts.join().unwrap();
    }

    #[test]
    fn what_comes_after_the_greeting_is_waited_for_as_long_as_it_takes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("card");
        let server = Server::bind(&path, Card::builder().build()).unwrap();
        std::thread::spawn(move || server.run());
        let (line, ..) = Line::connect(&path).unwrap();
        let stream = &line.receiver.get_ref().stream;
        assert_eq!((stream.read_timeout().unwrap(), stream.write_timeout().unwrap()), (None, None));
    }

    #[test]
    fn a_card_whose_process_has_ended_is_lost_with_the_command_that_starts_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("card");
        let (stream, other) = UnixStream::pair().unwrap();
        drop(other);
        let mut line = Line::new(stream, &path);
        let error = line.call(&Request::Now).unwrap_err();
        let start = format!("to reset it, start `cargo komorebi sim-card {}` again", path.display());
        assert!(matches!(&error, CardError::Lost { what } if what.ends_with(&start)), "{error}");
    }
}
