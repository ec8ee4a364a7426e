//! The arithmetic of the builders: a method an operation.

use super::{Opcode, Ref, Statement, Value};

macro_rules! arithmetic {
    (binary: $($name:ident $op:ident $doc:literal,)* ; unary: $($uname:ident $uop:ident $udoc:literal,)*) => {
        /// Instructions of a cpu node or a stream, in the order of the calls. The first operand is what is written; others are
        /// registers, bindings, constants or numbers.
        pub trait Arithmetic {
            /// Appends a statement.
            fn statement(&mut self, statement: Statement);

            $(
                #[doc = $doc]
                fn $name(&mut self, to: impl Into<Ref>, a: impl Into<Value>, b: impl Into<Value>) -> &mut Self
                where
                    Self: Sized,
                {
                    self.statement(Statement::new(Opcode::$op, to, [a.into(), b.into()]));
                    self
                }
            )*
            $(
                #[doc = $udoc]
                fn $uname(&mut self, to: impl Into<Ref>, value: impl Into<Value>) -> &mut Self
                where
                    Self: Sized,
                {
                    self.statement(Statement::new(Opcode::$uop, to, [value.into()]));
                    self
                }
            )*

            /// `to = if condition is not 0 { a } else { b }`.
            fn select(
                &mut self,
                to: impl Into<Ref>,
                condition: impl Into<Value>,
                a: impl Into<Value>,
                b: impl Into<Value>,
            ) -> &mut Self
            where
                Self: Sized,
            {
                self.statement(Statement::new(Opcode::Select, to, [condition.into(), a.into(), b.into()]));
                self
            }
        }
    };
}

arithmetic! {
    binary:
    add Add "`to = a + b`, wrapping.",
    sub Sub "`to = a - b`, wrapping.",
    mul Mul "`to = a * b`, the low 32 bits.",
    min Min "The lesser, signed.",
    max Max "The greater, signed.",
    minu MinU "The lesser, unsigned.",
    maxu MaxU "The greater, unsigned.",
    and And "`to = a & b`.",
    or Or "`to = a | b`.",
    xor Xor "`to = a ^ b`.",
    shl Shl "`to = a << (b mod 32)`.",
    shr Shr "`to = a >> (b mod 32)`, zeros in.",
    sar Sar "`to = a >> (b mod 32)`, the sign in.",
    eq Eq "1 if `a == b`, else 0.",
    ne Ne "1 if `a != b`, else 0.",
    lt Lt "1 if `a < b`, signed, else 0.",
    le Le "1 if `a <= b`, signed, else 0.",
    gt Gt "1 if `a > b`, signed, else 0.",
    ge Ge "1 if `a >= b`, signed, else 0.",
    ltu LtU "1 if `a < b`, unsigned, else 0.",
    leu LeU "1 if `a <= b`, unsigned, else 0.",
    gtu GtU "1 if `a > b`, unsigned, else 0.",
    geu GeU "1 if `a >= b`, unsigned, else 0.",
    fadd FAdd "`to = a + b`, f32.",
    fsub FSub "`to = a - b`, f32.",
    fmul FMul "`to = a * b`, f32.",
    feq FEq "1 if `a == b`, f32, else 0.",
    fne FNe "1 if `a != b`, f32, else 0.",
    flt FLt "1 if `a < b`, f32, else 0.",
    fle FLe "1 if `a <= b`, f32, else 0.",
    fgt FGt "1 if `a > b`, f32, else 0.",
    fge FGe "1 if `a >= b`, f32, else 0.",
    ;
    unary:
    set Move "`to = value`.",
    f_from_i FFromI "The f32 nearest to a signed number.",
    f_from_u FFromU "The f32 nearest to an unsigned number.",
    i_from_f IFromF "The signed number of an f32, towards zero, saturating; 0 of a NaN.",
    u_from_f UFromF "The unsigned number of an f32, towards zero, saturating; 0 of a NaN.",
}
