//! Graphs of many nodes.

use crate::engine::testing::{heat, invocation};
use crate::graph::expand;

/// The text of a graph of `count` nodes: commands of every kind and arithmetic.
fn large(count: usize) -> String {
    let mut text = String::from(
        "km::graph! { <Heat> pub graph Large(req = 1, keep) { bind state: km::Address, a: u32; reg e: u32;\n",
    );
    for i in 0..count {
        let after = if i == 0 { String::new() } else { format!(" after n{}", i - 1) };
        text += &match i % 4 {
            0 => format!("let n{i} = step[0..60](state, a){after};\n"),
            1 => format!("let n{i} = norm[0..60](state, {i}) -> e{after};\n"),
            2 => format!("let n{i} = cpu{after} {{ a += e * 3; again = a < 1000; }}\n"),
            _ => format!("let n{i} = touch(){after} queued(8);\n"),
        };
    }
    text + "end(a, e); } }"
}

#[test]
fn a_thousand_nodes_expand_without_errors() {
    let expanded = expand(invocation(&large(1_000), &heat())).to_string();
    assert!(!expanded.contains("compile_error"), "{expanded}");
}

/// Prints the least of ten expansions: `cargo test -p komorebi-language --lib expand_1000 -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement, which passes whatever it measures"]
#[allow(clippy::disallowed_methods, reason = "wall time is what is measured")]
fn expand_1000() {
    let text = large(1_000);
    let least = (0..10)
        .map(|_| {
            let tokens = invocation(&text, &heat());
            let start = std::time::Instant::now();
            let expanded = expand(tokens);
            let took = start.elapsed();
            assert!(!expanded.is_empty());
            took
        })
        .min();
    println!("expand_1000_ms {:.1}", least.unwrap_or_default().as_secs_f64() * 1e3);
}
