//! The value of an expression, by C++'s rules.
//!
//! What C++ does not evaluate (the other side of `&&`, `||`, `?:`, the operand of `sizeof`) is followed for its type only
//! (`live` is false), and its arithmetic cannot fail.

use crate::convert::{Conversion, common, convert, not_integer, promote, truth};
use crate::error::ErrorKind;
use crate::expr::{BinaryOp, Expr, ExprKind, Tree, UnaryOp, bytes};
use crate::fault::Fault;
use crate::location::Place;
use crate::name::Names;
use crate::types::{IntType, Model, Type, Typed};

/// Evaluates expressions under a model with the names of a scope.
pub(crate) struct Evaluator<'e, 'a> {
    pub(crate) model: Model,
    pub(crate) names: &'e dyn Names,
    pub(crate) tree: &'e Tree<'a>,
}

impl Evaluator<'_, '_> {
    /// The value of an expression.
    pub(crate) fn evaluate(&self, expr: Expr) -> Result<Typed, Fault> {
        self.value(expr, true)
    }

    fn place(&self, expr: Expr) -> Place {
        self.tree.place(expr)
    }

    fn value(&self, expr: Expr, live: bool) -> Result<Typed, Fault> {
        let place = self.place(expr);
        match self.tree.kind(expr) {
            ExprKind::Literal(value) => Ok(*value),
            ExprKind::Name(name) => self.names.constant(name, live),
            ExprKind::Opaque(_) if !live => Ok(Typed::UNKNOWN),
            ExprKind::Opaque(what) => {
                Err(Fault::at(ErrorKind::NotAConstant, format!("{what} is not evaluated here"), place))
            }
            ExprKind::Unary(operator, operand) => {
                let value = self.value(*operand, live)?;
                self.unary(*operator, value, place, self.place(*operand), live)
            }
            ExprKind::Chain(first, links) => {
                let mut left = self.value(*first, live)?;
                let mut left_place = self.place(*first);
                for link in self.tree.links(*links) {
                    left = self.binary(left, left_place, link.operator, link.at, link.operand, live)?;
                    left_place = left_place.to(self.place(link.operand));
                }
                Ok(left)
            }
            ExprKind::Conditional(parts) => self.conditional(*parts, live),
            ExprKind::Cast(ty, None, _) => {
                convert(Typed::int(IntType::I32, 0), *ty, Conversion::Explicit, place)
            }
            ExprKind::Cast(ty, Some(operand), true) => self.braces(*ty, *operand, live),
            ExprKind::Cast(ty, Some(operand), false) => {
                let value = self.value(*operand, live)?;
                if !live && ty.stored().is_none() {
                    return Ok(Typed { ty: *ty, number: 0 });
                }
                convert(value, *ty, Conversion::Explicit, self.place(*operand))
            }
            ExprKind::SizeOf(operand) => self.size(*operand, "size", place),
            ExprKind::AlignOf(operand) => self.size(*operand, "alignment", place),
            ExprKind::Underlying(operand) => {
                let value = self.value(*operand, live)?;
                match value.ty {
                    Type::Enum(of) => Ok(Typed::int(of.underlying, value.number)),
                    Type::Unknown => Ok(value),
                    _ => Err(Fault::at(ErrorKind::Type, "expected an enumeration", self.place(*operand))),
                }
            }
        }
    }

    /// `T{operand}`: a constant that does not fit is wrong even where it is not evaluated.
    fn braces(&self, ty: Type, operand: Expr, live: bool) -> Result<Typed, Fault> {
        match self.value(operand, true) {
            Ok(value) => convert(value, ty, Conversion::Braces, self.place(operand)),
            Err(fault) if live => Err(fault),
            Err(_) => {
                self.value(operand, false)?;
                Ok(Typed { ty, number: 0 })
            }
        }
    }

    fn size(&self, operand: Expr, what: &str, place: Place) -> Result<Typed, Fault> {
        let value = self.value(operand, false)?;
        let Some(bytes) = bytes(value.ty, self.model) else {
            let message = format!("the {what} of {} is not known", value.ty.describe());
            return Err(Fault::at(ErrorKind::NotAConstant, message, place));
        };
        Ok(Typed::int(self.model.size(), i128::from(bytes)))
    }

    fn unary(
        &self,
        operator: UnaryOp,
        value: Typed,
        place: Place,
        operand: Place,
        live: bool,
    ) -> Result<Typed, Fault> {
        if operator == UnaryOp::Not {
            return Ok(self.bool(!truth(value, operand)?));
        }
        if value.ty == Type::Unknown {
            return Ok(Typed::UNKNOWN);
        }
        let value = promote(value, self.model, operand)?;
        let Type::Int(ty) = value.ty else { return Err(not_integer(value.ty, operand)) };
        let number = match operator {
            UnaryOp::Minus => -value.number,
            UnaryOp::Complement => !value.number,
            UnaryOp::Plus | UnaryOp::Not => value.number,
        };
        fit(ty, number, live, place)
    }

    /// A truth value: `bool`, which in `#if` is as wide as everything.
    fn bool(&self, value: bool) -> Typed {
        if self.model == Model::DIRECTIVE {
            Typed::int(self.model.int(), i128::from(value))
        } else {
            Typed::bool(value)
        }
    }

    fn binary(
        &self,
        left: Typed,
        left_place: Place,
        operator: BinaryOp,
        at: Place,
        right_expr: Expr,
        live: bool,
    ) -> Result<Typed, Fault> {
        let right_place = self.place(right_expr);
        match operator {
            BinaryOp::LogicalAnd | BinaryOp::LogicalOr => {
                let decides = operator == BinaryOp::LogicalOr;
                let first = truth(left, left_place)?;
                let second = truth(self.value(right_expr, live && first != decides)?, right_place)?;
                return Ok(self.bool(if first == decides { decides } else { second }));
            }
            BinaryOp::Comma => return self.value(right_expr, live),
            _ => {}
        }
        let right = self.value(right_expr, live)?;
        let compares = compare(operator, 0, 0).is_some();
        if left.ty == Type::Unknown || right.ty == Type::Unknown {
            return Ok(if compares { self.bool(false) } else { Typed::UNKNOWN });
        }
        // Scoped enumerations of one type compare; nothing else is done with them.
        let same_enum = matches!(left.ty, Type::Enum(_)) && left.ty == right.ty;
        if compares && same_enum {
            return Ok(self.bool(compare(operator, left.number, right.number).unwrap_or(false)));
        }
        let left = promote(left, self.model, left_place)?;
        let right = promote(right, self.model, right_place)?;
        let (Type::Int(left_type), Type::Int(right_type)) = (left.ty, right.ty) else {
            return Err(not_integer(left.ty, left_place));
        };
        let whole = left_place.to(right_place);
        if matches!(operator, BinaryOp::Shl | BinaryOp::Shr) {
            return shift(operator, left.number, left_type, right.number, live, at, right_place);
        }
        let ty = common(left_type, right_type);
        let (a, b) = (ty.wrap(left.number), ty.wrap(right.number));
        if let Some(answer) = compare(operator, a, b) {
            return Ok(self.bool(answer));
        }
        let number = match operator {
            // 64-bit factors have products of 128 bits: exact when signed, and right modulo 2^64 when not.
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::Div | BinaryOp::Rem if b == 0 => {
                if !live {
                    return Ok(Typed::int(ty, 0));
                }
                let message =
                    if operator == BinaryOp::Div { "division by zero" } else { "remainder by zero" };
                let help = match self.tree.kind(right_expr) {
                    ExprKind::Name(name) => {
                        format!("`{}` is 0: change its value, or divide by another", name.last())
                    }
                    _ => "the divisor is 0: change it, or what it is made of".to_owned(),
                };
                return Err(Fault::at(ErrorKind::Arithmetic, message, at).help(help));
            }
            BinaryOp::Div => a / b,
            BinaryOp::Rem => {
                // The quotient must exist for the remainder to.
                fit(ty, a / b, live, whole)?;
                a % b
            }
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::And => a & b,
            BinaryOp::Xor => a ^ b,
            _ => a | b,
        };
        fit(ty, number, live, whole)
    }

    fn conditional(&self, parts: [Expr; 3], live: bool) -> Result<Typed, Fault> {
        let [condition, yes, no] = parts;
        let takes = truth(self.value(condition, live)?, self.place(condition))?;
        let yes_value = self.value(yes, live && takes)?;
        let no_value = self.value(no, live && !takes)?;
        let taken = if takes { yes_value } else { no_value };
        if yes_value.ty == no_value.ty {
            return Ok(taken);
        }
        if yes_value.ty == Type::Unknown || no_value.ty == Type::Unknown {
            if !live {
                return Ok(Typed::UNKNOWN);
            }
            let place = if takes { self.place(no) } else { self.place(yes) };
            let message = "the type of this side is not known, so that of the whole is not";
            return Err(Fault::at(ErrorKind::NotAConstant, message, place));
        }
        let a = promote(yes_value, self.model, self.place(yes))?;
        let b = promote(no_value, self.model, self.place(no))?;
        let (Type::Int(a_type), Type::Int(b_type)) = (a.ty, b.ty) else {
            return Err(not_integer(a.ty, self.place(yes)));
        };
        let ty = common(a_type, b_type);
        Ok(Typed::int(ty, ty.wrap(taken.number)))
    }
}

fn compare(operator: BinaryOp, a: i128, b: i128) -> Option<bool> {
    Some(match operator {
        BinaryOp::Less => a < b,
        BinaryOp::LessEq => a <= b,
        BinaryOp::Greater => a > b,
        BinaryOp::GreaterEq => a >= b,
        BinaryOp::Equal => a == b,
        BinaryOp::NotEqual => a != b,
        _ => return None,
    })
}

/// Unsigned results wrap; signed ones that do not fit are no constant expression.
fn fit(ty: IntType, number: i128, live: bool, place: Place) -> Result<Typed, Fault> {
    if ty.signed && live && !ty.holds(number) {
        let message =
            format!("the result {number} does not fit `{ty}`: signed overflow is no constant expression");
        return Err(
            Fault::at(ErrorKind::Arithmetic, message, place).help("make an operand unsigned or wider")
        );
    }
    Ok(Typed::int(ty, ty.wrap(number)))
}

/// Shifts have the type of the left side; the count must be less than its width (C++20 lets the left side be negative).
fn shift(
    operator: BinaryOp,
    number: i128,
    ty: IntType,
    count: i128,
    live: bool,
    at: Place,
    count_place: Place,
) -> Result<Typed, Fault> {
    if !(0..i128::from(ty.bits)).contains(&count) {
        if !live {
            return Ok(Typed::int(ty, 0));
        }
        let message = format!("a shift by {count} is out of range: `{ty}` has {} bits", ty.bits);
        return Err(Fault::at(ErrorKind::Arithmetic, message, if count < 0 { count_place } else { at }));
    }
    let number = match operator {
        BinaryOp::Shl => number.wrapping_shl(count as u32),
        _ => number >> count,
    };
    Ok(Typed::int(ty, ty.wrap(number)))
}
