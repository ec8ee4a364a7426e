//! A graph as text.

use std::fmt::Write as _;

use super::label::Labels;
use super::order::Order;
use super::{GraphModel, NodeBody};
use crate::engine::{Facts, Problems, VariableKind};

/// The graph as text, a line a node, in the order of the model. `facts` name handlers given by number.
pub fn listing(model: &GraphModel, facts: Option<&Facts>) -> String {
    let labels = Labels { model, facts };
    let order = Order::of(model, &mut Problems::default());
    let mut text = labels.title();
    text.push('\n');
    for (id, variable) in model.variables.iter().enumerate() {
        let name = labels.variable(&crate::engine::Ref::Id(id as u32));
        let _ = match variable.kind {
            VariableKind::Binding => writeln!(text, "  bind {name}"),
            VariableKind::Register | VariableKind::Temporary => writeln!(text, "  reg {name}"),
            VariableKind::Constant(bits) => writeln!(text, "  const {name} = {bits:#x}"),
        };
    }
    for (id, node) in model.nodes.iter().enumerate() {
        let name = labels.node(id as u32);
        let mut after: Vec<String> = order.before[id].iter().map(|node| labels.node(*node)).collect();
        if !after.is_empty() {
            after.insert(0, " after".to_owned());
        }
        let after = after.join(" ");
        match &node.body {
            NodeBody::Command(command) => {
                let mut more = String::new();
                if let Some(result) = &command.result {
                    more += &format!(" -> {}", labels.variable(result));
                }
                for (set, word) in [(command.exclusive, " exclusive"), (command.queued, " queued")] {
                    more += if set { word } else { "" };
                }
                let _ = writeln!(text, "  {name} = {}{more}{after}", labels.command(command));
            }
            NodeBody::Cpu(statements) => {
                let _ = writeln!(text, "  {name} = cpu{after}");
                for statement in statements {
                    let _ = writeln!(text, "    {}", labels.statement(statement));
                }
            }
        }
    }
    text
}
