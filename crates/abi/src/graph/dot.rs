//! A graph for Graphviz.

use std::fmt::Write as _;

use super::label::Labels;
use super::order::Order;
use super::{GraphModel, NodeBody};
use crate::engine::{Facts, Problems};

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// The graph in Graphviz's language. Rounds are a dashed edge back.
pub fn dot(model: &GraphModel, facts: Option<&Facts>) -> String {
    let labels = Labels { model, facts };
    let order = Order::of(model, &mut Problems::default());
    let mut text = String::from(
        "digraph {\n  rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", fillcolor=\"#eaf2fb\", fontname=\"sans-serif\", fontsize=11];\n",
    );
    let _ =
        writeln!(text, "  label=\"{}\";\n  labelloc=t;\n  fontname=\"sans-serif\";", quoted(&labels.title()));
    for (id, node) in model.nodes.iter().enumerate() {
        let lines: Vec<String> = labels.lines(node, id as u32).iter().map(|line| quoted(line)).collect();
        let fill = if matches!(node.body, NodeBody::Cpu(_)) { ", fillcolor=\"#fdf3dc\"" } else { "" };
        let _ = writeln!(text, "  n{id} [label=\"{}\"{fill}];", lines.join("\\n"));
    }
    for (id, after) in order.after.iter().enumerate() {
        for next in after {
            let _ = writeln!(text, "  n{id} -> n{next};");
        }
    }
    if model.again.is_some() {
        let last = order.sequence.last().copied().unwrap_or(0);
        for root in (0..order.before.len()).filter(|node| order.before[*node].is_empty()) {
            let _ = writeln!(
                text,
                "  n{last} -> n{root} [style=dashed, constraint=false, label=\"again\", fontsize=10];"
            );
        }
    }
    text.push_str("}\n");
    text
}
