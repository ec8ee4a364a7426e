//! A server that has no open files left.

use std::fs::File;
use std::os::unix::net::UnixStream;

use komorebi_card::Card as _;
use komorebi_sim::Card;
use komorebi_simcard::{RemoteCard, Server};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// The most open files of this process, which the test below fills.
const FILES: u64 = 64;

#[test]
fn a_connection_for_which_there_is_no_file_waits_for_the_end_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("card");
    let server = Server::bind(&path, Card::builder().build()).unwrap();
    std::thread::spawn(move || server.run());
    let first = RemoteCard::connect(&path).unwrap();

    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, FILES, most).unwrap();
    let null = File::open("/dev/null").unwrap();
    let mut filled: Vec<File> = std::iter::from_fn(|| null.try_clone().ok()).collect();
    // The one that is free is the client's end; the server has none for its own.
    filled.pop().unwrap();
    let stream = UnixStream::connect(&path).unwrap();
    let full = null.try_clone().unwrap_err();
    assert_eq!(full.raw_os_error(), Some(nix::libc::EMFILE));

    drop(first);
    let second = RemoteCard::over(stream, &path).unwrap();
    drop(filled);
    let third = RemoteCard::connect(&path).unwrap();
    assert_eq!(second.description(), third.description());
}
