//! What is at the path of a server already.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use komorebi_sim::Card;
use komorebi_simcard::{ConnectError, RemoteCard, Server};
use nix::sys::stat::Mode;

fn bind(path: &Path) -> std::io::Result<Server> {
    Server::bind(path, Card::builder().build())
}

#[track_caller]
fn refused(path: &Path, what: &str) {
    let error = bind(path).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::AddrInUse, "{error}");
    assert!(error.to_string().starts_with(&format!("{what} is there")), "{error}");
}

#[test]
fn a_file_a_pipe_a_folder_and_a_link_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("file"), "kept").unwrap();
    refused(&at("file"), "a file");
    assert_eq!(fs::read_to_string(at("file")).unwrap(), "kept");

    nix::unistd::mkfifo(&at("pipe"), Mode::S_IRWXU).unwrap();
    refused(&at("pipe"), "a named pipe");
    assert!(fs::symlink_metadata(at("pipe")).unwrap().file_type().is_fifo());

    fs::create_dir(at("folder")).unwrap();
    refused(&at("folder"), "a folder");
    assert!(at("folder").is_dir());

    // A link to a socket that is left over, too: who made it wants it where it points.
    drop(UnixListener::bind(at("socket")).unwrap());
    for (link, target) in [("to file", "file"), ("to socket", "socket"), ("to nothing", "nothing")] {
        symlink(at(target), at(link)).unwrap();
        refused(&at(link), "a symbolic link");
        assert_eq!(fs::read_link(at(link)).unwrap(), at(target));
    }
    assert_eq!(fs::read_to_string(at("file")).unwrap(), "kept");
    drop(bind(&at("socket")).unwrap());
    assert!(!at("socket").exists());
}

#[test]
fn what_was_put_in_the_place_of_a_servers_socket_stays_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("card");
    let server = bind(&path).unwrap();
    fs::rename(&path, folder.path().join("moved")).unwrap();
    fs::write(&path, "kept").unwrap();
    drop(server);
    assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
}

#[test]
fn a_path_that_is_too_long_is_told_with_the_limit_on_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    let of = |bytes: usize| {
        let name = bytes - folder.path().as_os_str().len() - 1;
        folder.path().join("x".repeat(name))
    };
    let server = bind(&of(107)).unwrap();
    std::thread::spawn(move || server.run());
    RemoteCard::connect(of(107)).unwrap();

    let found = "it has 108 bytes, and the path of a socket at most 107";
    let error = bind(&of(108)).err().unwrap();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::InvalidInput, found));
    let error = RemoteCard::connect(of(108)).unwrap_err();
    assert!(matches!(error, ConnectError::Path { .. }), "{error}");
    let message = error.to_string();
    assert!(message.ends_with(&format!("{found}; serve it at a shorter one")), "{message}");
}
