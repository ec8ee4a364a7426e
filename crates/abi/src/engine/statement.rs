//! An arithmetic instruction as a model holds it, its types, and how it becomes instruction words.

use super::value::kind_name;
use super::{
    CommandCheck, Instruction, Opcode, Place, Problems, Ref, RegisterTable, Rule, Shape, Value, Variable,
    VariableKind, Word,
};
use crate::program::ArgKind;

/// `to = op operands`: two operands, one for a unary operation, three for a select (condition, then, else).
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The operation: binary, unary or select.
    pub op: Opcode,
    /// The register or binding that is written.
    pub to: Ref,
    /// What it is computed from.
    pub operands: Vec<Value>,
}

impl Statement {
    /// A statement.
    pub fn new(op: Opcode, to: impl Into<Ref>, operands: impl Into<Vec<Value>>) -> Self {
        Self { op, to: to.into(), operands: operands.into() }
    }
}

/// What an operation takes or gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Int,
    Float,
    Any,
}

/// Types of the operands and of the result.
fn classes(op: Opcode) -> (Class, Class) {
    use Opcode as O;
    match op {
        O::FAdd | O::FSub | O::FMul => (Class::Float, Class::Float),
        O::FEq | O::FNe | O::FLt | O::FLe | O::FGt | O::FGe | O::IFromF | O::UFromF => {
            (Class::Float, Class::Int)
        }
        O::FFromI | O::FFromU => (Class::Int, Class::Float),
        O::And | O::Or | O::Xor | O::Move | O::Select => (Class::Any, Class::Any),
        _ => (Class::Int, Class::Int),
    }
}

/// A statement with every name looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Computed {
    pub(crate) op: Opcode,
    pub(crate) to: Option<u32>,
    pub(crate) operands: Vec<Word>,
}

impl CommandCheck<'_> {
    pub(crate) fn statement(
        &self,
        item: u32,
        index: u32,
        statement: &Statement,
        problems: &mut Problems,
    ) -> Computed {
        let op = statement.op;
        let place = |operand| Place::Operand(item, index, operand);
        let (takes, gives) = classes(op);
        let to = self.target(&statement.to, place(Place::TARGET), problems);
        if let Some(id) = to
            && let Some(ty) = self.variables[id as usize].ty
            && (gives == Class::Float && ty != ArgKind::F32 || gives == Class::Int && ty == ArgKind::F32)
            && !problems.refused(id)
        {
            let label = self.variables[id as usize].label(id);
            let (given, advice) = match gives {
                Class::Float => {
                    ("f32", "declare it as `f32`, or convert the value with `i.f` or `u.f` first")
                }
                _ => {
                    ("an integer", "declare it as an integer, or convert the value with `f.i` or `f.u` first")
                }
            };
            let message = format!("`{}` gives {given}, and {label} is {}", op.mnemonic(), kind_name(ty));
            problems.conflict(
                Rule::VariableType,
                place(Place::TARGET),
                Place::Variable(id),
                format!("{label} is declared here"),
                message,
                advice,
            );
        }
        let wanted = match op.shape() {
            Shape::Binary => 2,
            Shape::Unary => 1,
            Shape::Select => 3,
            _ => 0,
        };
        if statement.operands.len() != wanted || wanted == 0 {
            let message = format!(
                "`{}` takes {wanted} operands, and is given {}",
                op.mnemonic(),
                statement.operands.len()
            );
            problems.add(
                Rule::ArgCount,
                Place::Statement(item, index),
                message,
                "give it what it computes with",
            );
        }
        let mut operands: Vec<Word> = statement
            .operands
            .iter()
            .take(3)
            .enumerate()
            .map(|(i, value)| {
                // The condition of a select is a truth, whatever the others are.
                let class = if op == Opcode::Select && i == 0 { Class::Int } else { takes };
                self.operand(op, class, value, place(i as u32), problems)
            })
            .collect();
        operands.resize(wanted, Word::Bits(0));
        Computed { op, to, operands }
    }

    fn operand(
        &self,
        op: Opcode,
        class: Class,
        value: &Value,
        place: Place,
        problems: &mut Problems,
    ) -> Word {
        let what = || format!("an operand of `{}`", op.mnemonic());
        let float = |given: &str, problems: &mut Problems| {
            let message = format!("`{}` computes with integers, and is given {given}", op.mnemonic());
            problems.add(
                Rule::ArgType,
                place,
                message,
                "use its `f` form, or convert with `i.f` or `u.f` first",
            );
            Word::Bits(0)
        };
        if class == Class::Int {
            match value {
                Value::Float(number) => return float(&format!("the float {number:?}"), problems),
                Value::Typed(ArgKind::F32, bits) => {
                    return float(&format!("the float {:?}", f32::from_bits(*bits as u32)), problems);
                }
                Value::Variable(name) => {
                    if let Some(id) = super::Declared(self.variables).find(name)
                        && self.variables[id as usize].ty == Some(ArgKind::F32)
                    {
                        if problems.refused(id) {
                            return Word::Variable(id);
                        }
                        return float(
                            &format!("{}, which is f32", self.variables[id as usize].label(id)),
                            problems,
                        );
                    }
                }
                _ => {}
            }
        }
        let kind = (class == Class::Float).then_some(ArgKind::F32);
        let words = self.value(value, kind, place, &what, problems);
        match *words {
            [word] => word,
            _ => {
                let message = format!("{} has 64 bits; an instruction computes with 32", what());
                problems.add(Rule::ArgType, place, message, "compute with its low and its high word");
                Word::Bits(0)
            }
        }
    }
}

impl Computed {
    /// The operands' bits, and whether each is known.
    pub(crate) fn known(&self, variables: &[Variable], value: impl Fn(u32) -> Option<u32>) -> Option<u32> {
        let bits = |word: &Word| match *word {
            Word::Bits(bits) => Some(bits),
            Word::Variable(id) => match variables[id as usize].kind {
                VariableKind::Constant(bits) => Some(bits),
                _ => value(id),
            },
        };
        match (self.op.shape(), self.operands.as_slice()) {
            (Shape::Binary, [a, b]) => super::binary(self.op, bits(a)?, bits(b)?),
            (Shape::Unary, [b]) => super::unary(self.op, bits(b)?),
            (Shape::Select, [a, b, c]) => bits(if bits(a)? != 0 { b } else { c }),
            _ => None,
        }
    }

    /// The variables it reads, each with its operand.
    pub(crate) fn reads<'a>(&'a self, variables: &'a [Variable]) -> impl Iterator<Item = (u32, u32)> + 'a {
        self.operands.iter().enumerate().filter_map(|(i, word)| match *word {
            Word::Variable(id) if !matches!(variables[id as usize].kind, VariableKind::Constant(_)) => {
                Some((id, i as u32))
            }
            _ => None,
        })
    }

    /// Appends its instructions: one, and one more for each number that must stand in a register.
    pub(crate) fn lower(&self, variables: &[Variable], table: &RegisterTable, code: &mut Vec<Instruction>) {
        let Some(d) = self.to.and_then(|id| table.number(id)) else { return };
        let mut operands = [Operand::Bits(0); 3];
        for (to, word) in operands.iter_mut().zip(&self.operands) {
            *to = Operand::of(*word, variables, table);
        }
        let mut scratch = 0;
        let mut held = |operand: Operand, code: &mut Vec<Instruction>| match operand {
            Operand::Register(register) => register,
            Operand::Bits(bits) => {
                let register = table.scratch(scratch);
                scratch += 1;
                code.push(Instruction::unary_value(Opcode::Move, register, bits));
                register
            }
        };
        let last = match self.op.shape() {
            Shape::Binary => {
                let (mut op, [mut a, mut b, _]) = (self.op, operands);
                if let (Operand::Bits(_), Operand::Register(_), Some(mirrored)) = (a, b, op.mirrored()) {
                    op = mirrored;
                    std::mem::swap(&mut a, &mut b);
                }
                let a = held(a, code);
                match b {
                    Operand::Register(b) => Instruction::binary(op, d, a, b),
                    Operand::Bits(bits) => Instruction::binary_value(op, d, a, bits),
                }
            }
            Shape::Unary => match operands[0] {
                Operand::Register(b) => Instruction::unary(self.op, d, b),
                Operand::Bits(bits) => Instruction::unary_value(self.op, d, bits),
            },
            _ => {
                let [a, b, c] = operands.map(|operand| held(operand, code));
                Instruction::select(d, a, b, c)
            }
        };
        code.push(last);
    }

    /// Registers it needs beside those of the variables.
    pub(crate) fn scratch(&self, variables: &[Variable], table: &RegisterTable) -> u32 {
        let numbers = self
            .operands
            .iter()
            .filter(|word| matches!(Operand::of(**word, variables, table), Operand::Bits(_)))
            .count();
        match self.op.shape() {
            Shape::Select => numbers as u32,
            Shape::Binary => {
                let first = self.operands.first().map(|word| Operand::of(*word, variables, table));
                let both = numbers == 2;
                u32::from(matches!(first, Some(Operand::Bits(_))) && (both || self.op.mirrored().is_none()))
            }
            _ => 0,
        }
    }
}

/// An operand of the machine.
#[derive(Clone, Copy)]
pub(crate) enum Operand {
    Bits(u32),
    Register(u8),
}

impl Operand {
    pub(crate) fn of(word: Word, variables: &[Variable], table: &RegisterTable) -> Self {
        match word {
            Word::Bits(bits) => Self::Bits(bits),
            Word::Variable(id) => match variables[id as usize].kind {
                VariableKind::Constant(bits) => Self::Bits(bits),
                _ => Self::Register(table.number(id).unwrap_or(0)),
            },
        }
    }
}

/// Says that values which need a register for a moment find none.
pub(crate) fn check_scratch(table: &RegisterTable, needed: u32, place: Place, problems: &mut Problems) {
    let most = crate::constants::engine::REGISTERS;
    if needed != 0 && table.used() <= most && table.used() + needed > most {
        let message = format!(
            "{} bindings and registers are declared, and a number here needs {needed} more of the {most} for a moment",
            table.used()
        );
        problems.add(
            Rule::Registers,
            place,
            message,
            "write the number as the second operand, or use one register less",
        );
    }
}
