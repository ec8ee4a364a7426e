//! Example 05_stream as a person runs it.

use std::path::Path;
use std::process::{Command, Output};

fn stretch(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_05_stream"));
    command.args(arguments).env("KM_CARD", "sim").output().expect("the example starts")
}

/// A picture of the bytes from 60 to 187, each as often.
fn write_picture(path: &Path) {
    let bytes: Vec<u8> = (0..64 * 32 * 3).map(|i| 60 + (i % 128) as u8).collect();
    image::save_buffer(path, &bytes, 64, 32, image::ColorType::Rgb8).expect("the folder can be written");
}

#[test]
fn a_pale_picture_is_stretched_from_0_to_255_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pale.png");
    write_picture(&path);
    let output = stretch(&[path.to_str().unwrap(), "--black", "1", "--white", "999"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("black 60, white 187, after trying [127, 63, "), "{said}");
    assert!(said.contains("to the end event; by the cost model: low "), "{said}");
    let stretched = image::open(folder.path().join("pale.stretched.png")).unwrap().into_rgb8().into_raw();
    assert_eq!((stretched.iter().min(), stretched.iter().max()), (Some(&0), Some(&255)));
}

#[test]
fn a_picture_that_cannot_be_read_is_one_line_and_status_1() {
    let output = stretch(&["/no/such/picture.png"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{said}");
    assert!(said.starts_with("05_stream: cannot read /no/such/picture.png"), "{said}");
}
