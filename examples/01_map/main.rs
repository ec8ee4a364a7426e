//! A photograph through a tone curve, on the cores of the card.
//!
//! The picture's bytes are a tensor in the card's memory, cut into pages. Groups of eight cores each take a job's share of
//! the pages: the reader fetches them over the NoC, the compute kernel maps every byte, the writer stores them. What comes
//! back is compared, byte by byte, with the same arithmetic in Rust.
//!
//! ```text
//! cargo xtask demo                  # the photograph in examples/data
//! cargo xtask demo -- my.png --gain 1.4 --black 10
//! ```

#![forbid(unsafe_code)]

mod curve;
mod error;
mod job;
#[path = "../log.rs"]
mod log;
#[path = "../picture.rs"]
mod picture;
mod program;
mod progress;
#[path = "../range.rs"]
mod range;
mod report;

use clap::Parser;
use curve::Curve;
use error::DemoError;
use komorebi as km;
use picture::{Output, Picture, name_beside};
use progress::Progress;
use report::Report;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Maps a picture through a tone curve on the cores of a card.
#[derive(Parser)]
struct Arguments {
    /// A PNG or JPEG file
    #[arg(default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/data/temple.jpg"))]
    picture: PathBuf,
    /// Where the result goes (PNG); NAME.mapped.png beside the picture without it
    #[arg(long)]
    out: Option<PathBuf>,
    /// The byte that becomes black
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(0..=255))]
    black: u32,
    /// How much brighter, 0 to 16
    #[arg(long, default_value = "1.6", value_parser = parse_gain)]
    gain: u32,
    /// Above this byte the curve bends towards white
    #[arg(long, default_value_t = 160, value_parser = clap::value_parser!(u32).range(0..=255))]
    shoulder: u32,
}

/// A gain as the kernels take it, in 1/256.
fn parse_gain(text: &str) -> Result<u32, String> {
    let gain: f64 = text.parse().map_err(|_| "expected a number, such as 1.5".to_string())?;
    if !(0.0..=16.0).contains(&gain) {
        return Err("expected 0 to 16".into());
    }
    Ok((gain * 256.0).round() as u32)
}

fn main() -> ExitCode {
    log::start();
    match demo(&Arguments::parse()) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("01_map: {error}");
            ExitCode::FAILURE
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "the wall time of the report is a statistic, not a decision")]
fn demo(arguments: &Arguments) -> Result<Report, DemoError> {
    let start = Instant::now();
    let picture = Picture::read(&arguments.picture)?;
    let path = arguments.out.clone().unwrap_or_else(|| name_beside(&arguments.picture, "mapped"));
    let output = Output::probe(&path)?;
    let curve = Curve { black: arguments.black, gain: arguments.gain, shoulder: arguments.shoulder };

    km::close_on_signals()?; // Ctrl-C leaves the card as a stop does
    let session = km::Session::open()?;
    let work = job::map(&session, &picture.bytes, curve, &Progress::new("mapping"))?;
    check(&picture, curve, &work.bytes)?;
    let range_us = range::low_and_high(&session, |session, name| {
        let work = job::map(session, &picture.bytes, curve, &Progress::new(name))?;
        check(&picture, curve, &work.bytes)?;
        Ok::<_, DemoError>(work.command_us)
    })?;
    let output = output.write(&picture, &work.bytes)?;
    let (width, height) = (picture.width, picture.height);
    Ok(Report {
        input: arguments.picture.clone(),
        output,
        width,
        height,
        work,
        range_us,
        wall: start.elapsed(),
    })
}

/// Compares every byte with the same arithmetic in Rust.
fn check(picture: &Picture, curve: Curve, bytes: &[u8]) -> Result<(), DemoError> {
    let expected: Vec<u8> = picture.bytes.iter().map(|&byte| curve.apply(byte)).collect();
    let all = expected.len();
    let wrong = (0..all).filter(|&at| bytes.get(at) != Some(&expected[at]));
    let Some(first) = wrong.clone().next() else { return Ok(()) };
    let found = bytes.get(first).copied().unwrap_or_default();
    Err(DemoError::Differs {
        wrong: wrong.count(),
        all,
        place: place(picture, first),
        found,
        expected: expected[first],
    })
}

/// Column, row and colour (0 red, 1 green, 2 blue) of a byte.
fn place(picture: &Picture, byte: usize) -> (usize, usize, usize) {
    let pixel = byte / 3;
    (pixel % picture.width as usize, pixel / picture.width as usize, byte % 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_byte_is_found_and_placed() {
        let picture = Picture { width: 4, height: 2, bytes: vec![100; 24] };
        let neutral = Curve { black: 0, gain: 256, shoulder: 255 };
        let mut bytes = picture.bytes.clone();
        assert!(check(&picture, neutral, &bytes).is_ok());
        bytes[16] = 7;
        let error = check(&picture, neutral, &bytes).unwrap_err().to_string();
        assert!(error.starts_with("1 of 24 bytes") && error.contains("column 1, row 1, colour 1"), "{error}");
    }

    #[test]
    fn a_gain_is_a_number_in_its_range() {
        assert_eq!(parse_gain("1.5"), Ok(384));
        assert!(["", "x", "-1", "17", "NaN", "inf"].iter().all(|text| parse_gain(text).is_err()));
    }
}
