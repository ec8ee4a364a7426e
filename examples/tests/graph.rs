//! Example 06_graph as a person runs it.

use std::path::Path;
use std::process::{Command, Output};

fn mend(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_06_graph"));
    command.args(arguments).env("KM_CARD", "sim").output().expect("the example starts")
}

const SIZE: u32 = 32;

fn write(path: &Path, pixel: impl Fn(u32, u32) -> u8) {
    let bytes: Vec<u8> = (0..SIZE * SIZE).flat_map(|i| [pixel(i % SIZE, i / SIZE); 3]).collect();
    image::save_buffer(path, &bytes, SIZE, SIZE, image::ColorType::Rgb8).expect("the folder can be written");
}

#[test]
fn a_hole_in_a_slope_is_mended_with_the_slope() {
    let folder = tempfile::tempdir().unwrap();
    let [picture, mask, out] = ["slope.png", "mask.png", "out.png"].map(|name| folder.path().join(name));
    let slope = |x: u32| 40 + 5 * x as u8;
    let hole = |x: u32, y: u32| (12..18).contains(&x) && (10..15).contains(&y);
    write(&picture, |x, y| if hole(x, y) { 255 } else { slope(x) });
    write(&mask, |x, y| if hole(x, y) { 255 } else { 0 });
    let [picture, mask, to] = [&picture, &mask, &out].map(|path| path.to_str().unwrap());
    let output = mend(&[picture, "--mask", mask, "--out", to, "--limit", "0.01"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("30 of 1024 pixels to mend") && said.contains("checked     all bits"), "{said}");
    assert_eq!(said.matches("us a round; by the cost model: low ").count(), 3, "{said}");
    let mended = image::open(&out).unwrap().into_rgb8();
    for (x, y, pixel) in mended.enumerate_pixels() {
        assert!(pixel.0.iter().all(|&byte| byte.abs_diff(slope(x)) <= 1), "{x} {y}: {pixel:?}");
    }
}

#[test]
fn what_cannot_be_done_is_one_line_and_status_1() {
    let folder = tempfile::tempdir().unwrap();
    let [picture, black] = ["grey.png", "black.png"].map(|name| folder.path().join(name));
    write(&picture, |_, _| 100);
    write(&black, |_, _| 0);
    let small = folder.path().join("small.png");
    image::save_buffer(&small, &[0; 48], 4, 4, image::ColorType::Rgb8).unwrap();
    let [picture, black, small] = [&picture, &black, &small].map(|path| path.to_str().unwrap());
    for (arguments, fix) in [
        (vec!["/no/such/picture.png"], "name a PNG or JPEG file"),
        (vec![picture, "--mask", black], "the mask marks 0 of 1024 pixels; mark some"),
        (
            vec![picture, "--mask", small],
            "is 4 x 4 pixels and the picture 32 x 32; give a mask of the picture's size",
        ),
        (vec![small], "give one that is less narrow"),
    ] {
        let output = mend(&arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{said}");
        assert!(said.starts_with("06_graph: ") && said.contains(fix), "{said}");
    }
}
