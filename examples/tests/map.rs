//! Example 01_map as a person runs it: what it writes, and how it ends when it cannot.

use std::path::Path;
use std::process::{Command, Output};

fn map(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_01_map")).args(arguments).output().expect("the example starts")
}

/// A picture of every byte, with a last page that is not full.
fn write_picture(path: &Path) -> Vec<u8> {
    let bytes: Vec<u8> = (0..41 * 29 * 3).map(|i| (i % 256) as u8).collect();
    image::save_buffer(path, &bytes, 41, 29, image::ColorType::Rgb8).expect("the folder can be written");
    bytes
}

#[test]
fn the_neutral_curve_gives_the_picture_back_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grey.png");
    let bytes = write_picture(&path);
    let output = map(&[path.to_str().unwrap(), "--black", "0", "--gain", "1", "--shoulder", "255"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mapped = image::open(folder.path().join("grey.mapped.png")).unwrap().into_rgb8();
    assert_eq!(mapped.into_raw(), bytes);
}

#[test]
fn a_gain_of_zero_makes_every_pixel_black() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("grey.png"), folder.path().join("black.png"));
    write_picture(&path);
    let output = map(&[path.to_str().unwrap(), "--gain", "0", "--out", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(image::open(out).unwrap().into_rgb8().into_raw().iter().all(|&byte| byte == 0));
}

#[test]
fn what_cannot_be_done_is_one_line_and_status_1() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grey.png");
    write_picture(&path);
    let picture = path.to_str().unwrap();
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let folder_name = folder.path().to_str().unwrap();
    let jpeg = folder.path().join("a.jpg");
    let huge = folder.path().join("huge.png");
    std::fs::write(&huge, png_header(1 << 20, 1 << 20)).unwrap();
    let cut = folder.path().join("cut.png");
    std::fs::write(&cut, png_header(4000, 4000)).unwrap();
    for (arguments, fix) in [
        (vec![picture, "--out", folder_name], "is a folder; name a file with --out"),
        (vec![picture, "--out", jpeg.to_str().unwrap()], "a.jpg is no name for one; name a .png file"),
        (
            vec![huge.to_str().unwrap()],
            "is 1048576 x 1048576 pixels, and this example takes 67108864 at most",
        ),
        (vec![cut.to_str().unwrap()], "name a PNG or JPEG file"),
        (vec![here], "name a PNG or JPEG file"),
        (vec!["/no/such/picture.png"], "name a PNG or JPEG file"),
        (vec![picture, "--out", "/no/such/folder/a.png"], "with --out"),
    ] {
        let output = map(&arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains(fix), "{said}");
    }
    let mut left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["cut.png", "grey.png", "huge.png"], "nothing is written");
}

/// A PNG file that ends where its pixels begin: `width` x `height` of 8-bit colours.
fn png_header(width: u32, height: u32) -> Vec<u8> {
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, data) in [(b"IHDR", &header[..]), (b"IDAT", &[0x78, 0x9C])] {
        let chunk = [kind, data].concat();
        file.extend((data.len() as u32).to_be_bytes());
        file.extend(&chunk);
        file.extend(crc32(&chunk).to_be_bytes());
    }
    file
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ (0xEDB8_8320 * (crc & 1)))
    })
}
