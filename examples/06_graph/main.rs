//! A scratched photograph, mended on the cores of the card.
//!
//! Each colour is a plane of binary32 numbers in the card's memory. The pixels that a mask marks become the mean of their
//! neighbours, again and again, until none of them changes any more: a graph that the card runs by itself, from the first
//! round to the last. It is uploaded once and runs three times, for red, green and blue. What comes back is compared, bit by
//! bit, with the same arithmetic in Rust.
//!
//! ```text
//! cargo run --release --package komorebi-examples --bin 06_graph
//! cargo run --release --package komorebi-examples --bin 06_graph -- my.jpg --mask my-mask.png --width 256
//! ```

#![forbid(unsafe_code)]

mod error;
mod graph;
mod job;
#[path = "../log.rs"]
mod log;
mod mask;
#[path = "../picture.rs"]
mod picture;
mod program;
mod progress;
#[path = "../range.rs"]
mod range;
mod relax;
mod report;

use clap::Parser;
use error::InpaintError;
use job::Mended;
use komorebi as km;
use picture::{Output, Picture, name_beside};
use progress::Progress;
use relax::Plane;
use report::Report;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// The planes of a picture.
pub(crate) const COLOURS: [&str; 3] = ["red", "green", "blue"];

/// Mends the marked pixels of a picture on the cores of a card.
#[derive(Parser)]
struct Arguments {
    /// A PNG or JPEG file
    #[arg(default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/data/temple.jpg"))]
    picture: PathBuf,
    /// A picture of the same size, white where the picture is to be mended; without it a scratch is drawn
    #[arg(long)]
    mask: Option<PathBuf>,
    /// Where the result goes (PNG); NAME.mended.png beside the picture without it
    #[arg(long)]
    out: Option<PathBuf>,
    /// The width it is scaled down to, pixels; more take longer
    #[arg(long, default_value_t = 96, value_parser = clap::value_parser!(u32).range(16..=256))]
    width: u32,
    /// It is done when no pixel would change by more, in 1/255 of white
    #[arg(long, default_value = "0.05", value_parser = parse_limit)]
    limit: f32,
}

fn parse_limit(text: &str) -> Result<f32, String> {
    let limit: f32 = text.parse().map_err(|_| "expected a number, such as 0.05".to_string())?;
    if (0.001..=16.0).contains(&limit) { Ok(limit) } else { Err("expected 0.001 to 16".into()) }
}

fn main() -> ExitCode {
    log::start();
    match demo(&Arguments::parse()) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("06_graph: {error}");
            ExitCode::FAILURE
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "the wall time of the report is a statistic, not a decision")]
fn demo(arguments: &Arguments) -> Result<Report, InpaintError> {
    let start = Instant::now();
    let picture = Picture::read(&arguments.picture)?;
    let path = arguments.out.clone().unwrap_or_else(|| name_beside(&arguments.picture, "mended"));
    let output = Output::probe(&path)?;
    let (picture, mask) = damaged(arguments, &picture)?;
    let planes = [0, 1, 2].map(|colour| mask::plane(&picture, &mask, colour));

    km::close_on_signals()?; // Ctrl-C leaves the card as a stop does
    let session = km::Session::open()?;
    let mended = mend(&session, &planes, arguments.limit, "mending")?;
    let range = range::low_and_high(&session, |session, name| mend(session, &planes, arguments.limit, name))?;
    let range_us =
        range.map(|range| range.map(|mended| mended.iter().map(|plane| plane.microseconds).collect()));
    let pixels = 0..picture.bytes.len() / 3;
    let bytes: Vec<u8> =
        pixels.flat_map(|at| mended.iter().map(move |mended| mask::byte(mended.plane.pixels[at]))).collect();
    let output = output.write(&picture, &bytes)?;
    Ok(Report {
        input: arguments.picture.clone(),
        output,
        size: (picture.width, picture.height),
        marked: mask.iter().filter(|&&fill| fill).count(),
        limit: arguments.limit,
        mended,
        range_us,
        world: format!("{} {}", session.world(), session.description().board),
        wall: start.elapsed(),
    })
}

/// Mends the planes on the session's card, and compares them with the same arithmetic in Rust.
fn mend(
    session: &km::Session,
    planes: &[Plane; 3],
    limit: f32,
    name: &'static str,
) -> Result<Vec<Mended>, InpaintError> {
    let mended = job::mend(session, planes, limit, &Progress::new(name))?;
    for ((plane, mended), colour) in planes.iter().zip(&mended).zip(COLOURS) {
        check(plane, mended, limit, colour)?;
    }
    Ok(mended)
}

/// The picture and its mask at the width that was asked for.
fn damaged(arguments: &Arguments, picture: &Picture) -> Result<(Picture, Vec<bool>), InpaintError> {
    let scaled = mask::scale(picture, arguments.width)?;
    let mask = match &arguments.mask {
        Some(path) => {
            let mask = mask::read(path, picture)?;
            let bytes = mask.iter().flat_map(|&fill| [if fill { 255 } else { 0 }; 3]).collect();
            let mask = mask::scale(&Picture { bytes, ..*picture }, arguments.width)?;
            mask.bytes.chunks_exact(3).map(|pixel| pixel[0] > 127).collect()
        }
        None => mask::scratch(scaled.width, scaled.height),
    };
    let marked = mask.iter().filter(|&&fill| fill).count();
    if marked == 0 || marked == mask.len() {
        return Err(InpaintError::Mask { marked, all: mask.len() });
    }
    Ok((scaled, mask))
}

/// Compares every bit with the same arithmetic in Rust.
fn check(plane: &Plane, mended: &Mended, limit: f32, colour: &'static str) -> Result<(), InpaintError> {
    let mut expected = plane.clone();
    let relaxed = expected.relax(limit, job::most_rounds());
    let wrong = expected.pixels.iter().zip(&mended.plane.pixels).filter(|(a, b)| a != b).count();
    if wrong == 0 && relaxed == mended.relaxed {
        return Ok(());
    }
    let (all, rounds) = (expected.pixels.len(), mended.relaxed.rounds);
    Err(InpaintError::Differs { colour, wrong, all, rounds, expected: relaxed.rounds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_bit_or_another_count_of_rounds_is_found() {
        let picture = Picture { width: 16, height: 16, bytes: vec![100; 16 * 16 * 3] };
        let plane = mask::plane(&picture, &mask::scratch(16, 16), 0);
        let mut mended = plane.clone();
        let relaxed = mended.relax(0.5, job::most_rounds());
        let mut mended = Mended { plane: mended, relaxed, microseconds: 0.0 };
        assert!(check(&plane, &mended, 0.5, "red").is_ok());
        mended.relaxed.rounds += 1;
        assert!(check(&plane, &mended, 0.5, "red").is_err());
        mended.relaxed.rounds -= 1;
        mended.plane.pixels[100] ^= 1;
        let error = check(&plane, &mended, 0.5, "red").unwrap_err().to_string();
        assert!(error.starts_with("1 of 256 pixels of the red plane"), "{error}");
    }

    #[test]
    fn a_limit_is_a_number_in_its_range() {
        assert_eq!(parse_limit("0.5"), Ok(0.5));
        assert!(["", "x", "0", "17", "NaN", "-1"].iter().all(|text| parse_limit(text).is_err()));
    }
}
