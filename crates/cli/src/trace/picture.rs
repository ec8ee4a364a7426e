//! A trace as an SVG document: a row a lane, time from left to right.

use super::read::{Lane, Timeline};
use std::fmt::Write as _;

const MARGIN: f64 = 16.0;
/// Room for the names of lanes, and for time.
const NAMES: f64 = 150.0;
const WIDTH: f64 = 1000.0;
const ROW: f64 = 22.0;
const BAR: f64 = 16.0;
const TOP: f64 = 52.0;
/// The width of a letter.
const LETTER: f64 = 6.7;
/// Marks of the axis, at most.
const MARKS: f64 = 10.0;
/// Colours of handlers.
const FILLS: [&str; 6] = ["#8fb8de", "#f2b880", "#9ccc9c", "#d9a0c0", "#c9b6e4", "#e6d27a"];

/// The picture.
pub(super) fn svg(timeline: &Timeline) -> String {
    let height = TOP + ROW * timeline.lanes.len() as f64 + MARGIN;
    let width = 2.0 * MARGIN + NAMES + WIDTH;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"ui-monospace, monospace\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let _ = writeln!(
        text,
        "<text x=\"{MARGIN}\" y=\"{:.0}\" font-weight=\"bold\">{}</text>",
        MARGIN + 6.0,
        escaped(&timeline.title)
    );
    axis(&mut text, timeline.end, height);
    let names = handlers(timeline);
    for (row, lane) in timeline.lanes.iter().enumerate() {
        draw(&mut text, row, lane, timeline.end, &names);
    }
    for arrow in &timeline.arrows {
        for pair in arrow.windows(2) {
            let [(x, y), (to_x, to_y)] =
                [pair[0], pair[1]].map(|(row, at)| (left(at, timeline.end), middle(row)));
            let _ = writeln!(
                text,
                "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{to_x:.1}\" y2=\"{to_y:.1}\" stroke=\"#4a5a6a\" stroke-width=\"0.6\" stroke-opacity=\"0.55\"/>"
            );
        }
    }
    text.push_str("</svg>\n");
    text
}

/// Names of spans that are no state of a lane, in the order of their first lane.
fn handlers(timeline: &Timeline) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for span in timeline.lanes.iter().flat_map(|lane| &lane.spans) {
        if !names.contains(&span.name.as_str())
            && !matches!(span.name.as_str(), "idle" | "complete" | "acknowledge")
        {
            names.push(&span.name);
        }
    }
    names
}

fn draw(text: &mut String, row: usize, lane: &Lane, end: f64, names: &[&str]) {
    let top = TOP + ROW * row as f64;
    let _ = writeln!(
        text,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
        MARGIN + NAMES - 8.0,
        top + 12.0,
        escaped(&lane.name)
    );
    for span in &lane.spans {
        let (x, width) = (left(span.start, end), (WIDTH * span.length / end.max(f64::MIN_POSITIVE)).max(0.8));
        let fill = match names.iter().position(|name| *name == span.name) {
            Some(at) => FILLS[at % FILLS.len()],
            None if span.name == "idle" => "#f0f0f0",
            None => "#5f6f7f",
        };
        let _ = writeln!(
            text,
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{BAR}\" fill=\"{fill}\"><title>{}: {:.3} us at {:.3} us</title></rect>",
            escaped(&span.name),
            span.length,
            span.start
        );
        if width > LETTER * (span.name.chars().count() + 1) as f64 {
            let _ = writeln!(
                text,
                "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                x + 3.0,
                top + 12.0,
                escaped(&span.name)
            );
        }
    }
}

/// Marks of time at round numbers of microseconds.
fn axis(text: &mut String, end: f64, height: f64) {
    let rough = (end / MARKS).max(f64::MIN_POSITIVE);
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].iter().map(|factor| factor * power).find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let marks = (end / step).min(2.0 * MARKS) as usize;
    for mark in 0..=marks {
        let at = step * mark as f64;
        let x = left(at, end);
        let _ = writeln!(
            text,
            "<line x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{:.1}\" stroke=\"#dddddd\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#666666\">{} us</text>",
            TOP - 6.0,
            height - MARGIN,
            TOP - 10.0,
            (at * 1000.0).round() / 1000.0
        );
    }
}

fn left(at: f64, end: f64) -> f64 {
    MARGIN + NAMES + WIDTH * at / end.max(f64::MIN_POSITIVE)
}

fn middle(row: usize) -> f64 {
    TOP + ROW * row as f64 + BAR / 2.0
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
