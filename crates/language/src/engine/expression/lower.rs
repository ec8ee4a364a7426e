//! From a tree to statements, with as few temporaries as the order of evaluation allows.

use komorebi_abi::engine::{Opcode, Ref, Statement, Value, VariableKind};
use komorebi_abi::program::ArgKind;

use super::super::scope::Scope;
use super::tree::{Tree, TreeShape};
use crate::anchor::Anchor;

/// A statement, and what stands where in it.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) statement: Statement,
    pub(crate) target: Anchor,
    pub(crate) operands: Vec<Anchor>,
    pub(crate) whole: Anchor,
}

/// Lowers expressions; temporaries are free again behind each.
#[derive(Debug, Default)]
pub(crate) struct Lower {
    temporaries: Vec<u32>,
    used: usize,
}

impl Lower {
    /// `to = tree`.
    pub(crate) fn assign(
        &mut self,
        to: u32,
        target: Anchor,
        tree: &Tree,
        scope: &mut Scope<'_>,
    ) -> Vec<Code> {
        let mut code = Vec::new();
        self.used = 0;
        self.into(to, target, tree, scope, &mut code);
        code
    }

    /// The value of a tree, computed into a temporary if it must be. The temporary lives until [`Lower::release`].
    pub(crate) fn value(&mut self, tree: &Tree, scope: &mut Scope<'_>, code: &mut Vec<Code>) -> Value {
        match &tree.shape {
            TreeShape::Leaf(value) => value.clone(),
            TreeShape::Op(..) => {
                let to = self.temporary(tree.anchor, scope);
                self.into(to, tree.anchor, tree, scope, code);
                Value::Variable(Ref::Id(to))
            }
        }
    }

    /// Frees the temporaries.
    pub(crate) fn release(&mut self) {
        self.used = 0;
    }

    fn temporary(&mut self, anchor: Anchor, scope: &mut Scope<'_>) -> u32 {
        if self.used == self.temporaries.len() {
            self.temporaries.push(scope.declare(VariableKind::Temporary, None, None, anchor));
        }
        self.used += 1;
        self.temporaries[self.used - 1]
    }

    fn into(&mut self, to: u32, target: Anchor, tree: &Tree, scope: &mut Scope<'_>, code: &mut Vec<Code>) {
        let (op, kids) = match &tree.shape {
            TreeShape::Leaf(value) => {
                let statement = Statement::new(Opcode::Move, to, [value.clone()]);
                code.push(Code { statement, target, operands: vec![tree.anchor], whole: tree.anchor });
                return;
            }
            TreeShape::Op(op, kids) => (*op, kids),
        };
        let held = self.used;
        // Nothing has a side effect: the operand that needs most is computed first, while all temporaries are free.
        let mut order: Vec<usize> = (0..kids.len()).collect();
        order.sort_by_key(|kid| std::cmp::Reverse(kids[*kid].weight()));
        let own = order.first().copied().filter(|first| fits_target(*first, to, kids, scope));
        let mut operands = vec![Value::Word(0); kids.len()];
        for i in order {
            operands[i] = if own == Some(i) {
                self.into(to, kids[i].anchor, &kids[i], scope, code);
                Value::Variable(Ref::Id(to))
            } else {
                self.value(&kids[i], scope, code)
            };
        }
        self.used = held;
        let operands_at = kids.iter().map(|kid| kid.anchor).collect();
        code.push(Code {
            statement: Statement::new(op, to, operands),
            target,
            operands: operands_at,
            whole: tree.anchor,
        });
    }
}

/// May the operand be computed in the target itself? If no other one reads the target, and the target may hold its type.
fn fits_target(first: usize, to: u32, kids: &[Tree], scope: &Scope<'_>) -> bool {
    let Some(target) = scope.variables.get(to as usize) else { return false };
    let holds = target.ty.is_none_or(|ty| kids[first].ty.is_float() == (ty == ArgKind::F32));
    kids[first].is_computed() && holds && kids.iter().enumerate().all(|(i, kid)| i == first || !kid.reads(to))
}
