//! A graph as a picture.

use std::fmt::Write as _;

use super::label::Labels;
use super::layout::{LINE, PAD, Rect, lay_out};
use super::order::Order;
use super::{GraphModel, NodeBody};
use crate::engine::{Facts, Problems};

/// Room around the picture, and for its title.
const MARGIN: f64 = 24.0;
const TITLE: f64 = 34.0;

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The graph as an SVG document: rows from the first nodes to the last, a dashed way back for rounds.
pub fn svg(model: &GraphModel, facts: Option<&Facts>) -> String {
    let labels = Labels { model, facts };
    let order = Order::of(model, &mut Problems::default());
    let lines: Vec<Vec<String>> =
        model.nodes.iter().enumerate().map(|(id, node)| labels.lines(node, id as u32)).collect();
    let layout = lay_out(&order, &lines);
    let title = labels.title();
    let back = if model.again.is_some() { 90.0 } else { 0.0 };
    let width = (layout.width + back).max(title.chars().count() as f64 * 7.0) + 2.0 * MARGIN;
    let height = layout.height + TITLE + 2.0 * MARGIN;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"ui-monospace, monospace\" font-size=\"12\">\n\
         <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#4a5a6a\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let _ = writeln!(
        text,
        "<text x=\"{MARGIN}\" y=\"{:.1}\" font-weight=\"bold\">{}</text>",
        MARGIN + 4.0,
        escaped(&title)
    );
    let _ = writeln!(text, "<g transform=\"translate({MARGIN},{:.1})\">", MARGIN + TITLE);
    for (id, after) in order.after.iter().enumerate() {
        for next in after {
            edge(&mut text, &layout.boxes[id], &layout.boxes[*next as usize]);
        }
    }
    if model.again.is_some() && !model.nodes.is_empty() {
        rounds(&mut text, layout.width, layout.height);
    }
    for (id, (node, lines)) in model.nodes.iter().zip(&lines).enumerate() {
        let Rect { x, y, width, height } = layout.boxes[id];
        let fill = if matches!(node.body, NodeBody::Cpu(_)) { "#fdf3dc" } else { "#eaf2fb" };
        let _ = writeln!(
            text,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"6\" fill=\"{fill}\" stroke=\"#4a5a6a\"/>"
        );
        for (i, line) in lines.iter().enumerate() {
            let weight = if i == 0 { " font-weight=\"bold\"" } else { "" };
            let _ = writeln!(
                text,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\"{weight}>{}</text>",
                x + width / 2.0,
                y + PAD / 2.0 + LINE * (i as f64 + 0.75),
                escaped(line)
            );
        }
    }
    text.push_str("</g>\n</svg>\n");
    text
}

fn edge(text: &mut String, from: &Rect, to: &Rect) {
    let (x, y) = (from.x + from.width / 2.0, from.y + from.height);
    let (end_x, end_y) = (to.x + to.width / 2.0, to.y - 2.0);
    let bend = ((end_y - y) / 2.0).abs().max(12.0);
    let _ = writeln!(
        text,
        "<path d=\"M{x:.1},{y:.1} C{x:.1},{:.1} {end_x:.1},{:.1} {end_x:.1},{end_y:.1}\" fill=\"none\" stroke=\"#4a5a6a\" marker-end=\"url(#arrow)\"/>",
        y + bend,
        end_y - bend
    );
}

/// The way back from the last row to the first, beside the picture.
fn rounds(text: &mut String, width: f64, height: f64) {
    let (near, far) = (width + 14.0, width + 44.0);
    let _ = writeln!(
        text,
        "<path d=\"M{near:.1},{height:.1} L{far:.1},{height:.1} L{far:.1},0 L{near:.1},0\" fill=\"none\" stroke=\"#b06a1a\" stroke-dasharray=\"6 4\" marker-end=\"url(#arrow)\"/>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" fill=\"#b06a1a\">again</text>",
        far + 6.0,
        height / 2.0
    );
}
