//! A photograph stretched from its darkest to its brightest part, by a program that the card runs by itself.
//!
//! A stream is uploaded and started once. It looks for the level of black and that of white by halving: eight cores count
//! the bytes that are not above a level, the stream adds the counts, decides which half to look into, and goes round again.
//! Then it has every core stretch its share of the picture. Levels and bytes are compared with the same arithmetic in Rust.
//!
//! ```text
//! cargo run --release --package komorebi-examples --bin 05_stream
//! cargo run --release --package komorebi-examples --bin 05_stream -- my.jpg --black 2 --white 990
//! ```

#![forbid(unsafe_code)]

mod error;
mod job;
mod levels;
#[path = "../log.rs"]
mod log;
#[path = "../picture.rs"]
mod picture;
mod program;
#[path = "../range.rs"]
mod range;
mod stream;

use clap::Parser;
use error::LevelsError;
use job::Work;
use komorebi as km;
use levels::{Levels, level, part};
use picture::{Output, Picture, name_beside};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Stretches a picture between its own black and white, on the cores of a card.
#[derive(Parser)]
struct Arguments {
    /// A PNG or JPEG file
    #[arg(default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/data/temple.jpg"))]
    picture: PathBuf,
    /// Where the result goes (PNG); NAME.stretched.png beside the picture without it
    #[arg(long)]
    out: Option<PathBuf>,
    /// How many of a thousand bytes become black
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=999))]
    black: u32,
    /// How many of a thousand bytes do not become white
    #[arg(long, default_value_t = 900, value_parser = clap::value_parser!(u32).range(1..=999))]
    white: u32,
}

fn main() -> ExitCode {
    log::start();
    match demo(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("05_stream: {error}");
            ExitCode::FAILURE
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "the wall time of the report is a statistic, not a decision")]
fn demo(arguments: &Arguments) -> Result<(), LevelsError> {
    let start = Instant::now();
    let picture = Picture::read(&arguments.picture)?;
    let path = arguments.out.clone().unwrap_or_else(|| name_beside(&arguments.picture, "stretched"));
    let output = Output::probe(&path)?;
    let bytes = &picture.bytes;
    let counts = [arguments.black, arguments.white].map(|thousandths| part(bytes.len(), thousandths));

    km::close_on_signals()?; // Ctrl-C leaves the card as a stop does
    let session = km::Session::open()?;
    let work = job::stretch(&session, bytes, counts[0], counts[1])?;
    check(bytes, counts, &work)?;
    let range_us = range::low_and_high(&session, |session, _| {
        let work = job::stretch(session, bytes, counts[0], counts[1])?;
        check(bytes, counts, &work)?;
        Ok::<_, LevelsError>(work.microseconds)
    })?;
    let output = output.write(&picture, &work.bytes)?;
    report(arguments, &picture, &work, range_us, &output, start.elapsed());
    Ok(())
}

/// Compares levels and bytes with the same arithmetic in Rust.
fn check(bytes: &[u8], [dark, bright]: [u32; 2], work: &Work) -> Result<(), LevelsError> {
    let expected = Levels { black: level(bytes, dark), white: level(bytes, bright) };
    if work.levels != expected {
        return Err(LevelsError::Levels { found: work.levels, expected });
    }
    let all = bytes.len();
    let wrong = (0..all).filter(|&at| work.bytes.get(at) != Some(&expected.stretch(bytes[at]))).count();
    if wrong == 0 { Ok(()) } else { Err(LevelsError::Differs { wrong, all }) }
}

fn report(
    arguments: &Arguments,
    picture: &Picture,
    work: &Work,
    range_us: Option<[f64; 2]>,
    output: &Path,
    wall: Duration,
) {
    let Work { bytes, levels, tried, pages, upload, microseconds, world } = work;
    let (input, width, height) = (arguments.picture.display(), picture.width, picture.height);
    println!("picture     {input}, {width} x {height}, {} bytes in {pages} pages", bytes.len());
    println!("card        {world}");
    println!("stream      {upload} bytes, uploaded and started once");
    println!("levels      black {}, white {}, after trying {tried:?}", levels.black, levels.white);
    print!("card time   {microseconds:.0} us from the start to the end event");
    match range_us {
        Some([low, high]) => {
            println!("; by the cost model: low {low:.0}, nominal {microseconds:.0}, high {high:.0}");
        }
        None => println!(),
    }
    println!("wall time   {:.2} s", wall.as_secs_f64());
    println!("checked     levels and all {} bytes are what the host computes", bytes.len());
    println!("result      {}", output.display());
}
