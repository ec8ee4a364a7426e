//! Places of a graph's nodes in a picture: a row a depth, the order in a row by the rows above and below it.

use super::order::{Order, depths};

/// Width of a letter, height of a line, room around nodes, in pixels.
pub(super) const LETTER: f64 = 7.2;
pub(super) const LINE: f64 = 16.0;
pub(super) const PAD: f64 = 10.0;
const GAP_X: f64 = 28.0;
const GAP_Y: f64 = 46.0;

/// A node's box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Boxes of all nodes, and the picture's width and height.
pub(super) struct Layout {
    pub(super) boxes: Vec<Rect>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Lays out nodes with these lines of text. Nodes in circles stand in the first row.
pub(super) fn lay_out(order: &Order, lines: &[Vec<String>]) -> Layout {
    let depth = depths(order);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); depth.iter().max().map_or(0, |most| *most as usize + 1)];
    for (node, depth) in depth.iter().enumerate() {
        rows[*depth as usize].push(node);
    }
    let mut at = vec![0.0_f64; lines.len()];
    let place = |row: &[usize], at: &mut [f64]| {
        row.iter().enumerate().for_each(|(i, node)| at[*node] = (i as f64 + 0.5) / row.len() as f64);
    };
    rows.iter().for_each(|row| place(row, &mut at));
    for sweep in 0..6 {
        let near = if sweep % 2 == 0 { &order.before } else { &order.after };
        let mean = |node: usize, at: &[f64]| {
            let near = &near[node];
            if near.is_empty() {
                at[node]
            } else {
                near.iter().map(|n| at[*n as usize]).sum::<f64>() / near.len() as f64
            }
        };
        let indices: Vec<usize> =
            if sweep % 2 == 0 { (0..rows.len()).collect() } else { (0..rows.len()).rev().collect() };
        for index in indices {
            let row = &mut rows[index];
            row.sort_by(|a, b| mean(*a, &at).total_cmp(&mean(*b, &at)).then(a.cmp(b)));
            place(row, &mut at);
        }
    }
    let size = |node: usize| {
        let letters = lines[node].iter().map(|line| line.chars().count()).max().unwrap_or(0);
        (letters as f64 * LETTER + 2.0 * PAD, lines[node].len() as f64 * LINE + PAD)
    };
    let row_width = |row: &[usize]| row.iter().map(|node| size(*node).0 + GAP_X).sum::<f64>() - GAP_X;
    let width = rows.iter().map(|row| row_width(row)).fold(0.0, f64::max);
    let mut boxes = vec![Rect::default(); lines.len()];
    let mut y = 0.0;
    for row in &rows {
        let mut x = (width - row_width(row)) / 2.0;
        let height = row.iter().map(|node| size(*node).1).fold(0.0, f64::max);
        for node in row {
            let (width, own) = size(*node);
            boxes[*node] = Rect { x, y: y + (height - own) / 2.0, width, height: own };
            x += width + GAP_X;
        }
        y += height + GAP_Y;
    }
    Layout { boxes, width, height: (y - GAP_Y).max(0.0) }
}
