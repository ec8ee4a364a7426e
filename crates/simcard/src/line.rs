//! The client's end of a connection: requests out, answers in, posted requests gathered.

use std::io::{self, BufReader, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use komorebi_card::{CardError, CardTime, Description};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use crate::error::ConnectError;
use crate::frame;
use crate::wire::{Answer, MAGIC, Reply, Request, VERSION};

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
        Self::over(stream, path)
    }

    /// Asks what card is at the other end.
    pub(crate) fn over(stream: UnixStream, path: &Path) -> Result<(Self, Description, u64), ConnectError> {
        let mut line = Self {
            path: path.to_path_buf(),
            receiver: BufReader::new(Receiver { stream, files: Vec::new() }),
            out: Vec::new(),
            stale: false,
            now: CardTime::default(),
            ended: None,
            payload: Vec::new(),
        };
        match line.call(&Request::Hello { magic: MAGIC, version: VERSION }) {
            Ok(Reply::Hello { version: VERSION, description, seed }) => Ok((line, description, seed)),
            Ok(Reply::Hello { version, .. }) => {
                let found = format!("its protocol has version {version}, this client's has {VERSION}");
                Err(ConnectError::stranger(path, found))
            }
            Ok(_) => Err(ConnectError::stranger(path, "its first answer is no greeting")),
            Err(error) => Err(ConnectError::stranger(path, error.to_string())),
        }
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
        self.append(request, &[])?;
        self.flush()?;
        let answer: Option<Answer> = match frame::read(&mut self.receiver, &mut self.payload) {
            Ok(answer) => answer,
            Err(error) => return Err(self.end(&error.to_string())),
        };
        let Some(Answer { now, outcome }) = answer else { return Err(self.end("it closed the connection")) };
        (self.now, self.stale) = (now, false);
        if let Err(error @ (CardError::Fault(_) | CardError::Lost { .. })) = &outcome {
            self.ended.get_or_insert_with(|| error.clone());
        }
        outcome
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
        let sent = self.receiver.get_mut().stream.write_all(&self.out);
        self.out.clear();
        sent.map_err(|error| self.end(&error.to_string()))
    }

    /// The process of the card is gone.
    fn end(&mut self, what: &str) -> CardError {
        let what = format!("the simulated card at {}: {what}", self.path.display());
        self.ended.get_or_insert(CardError::Lost { what }).clone()
    }
}
