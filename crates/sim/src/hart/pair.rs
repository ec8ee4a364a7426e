//! Pairs of instructions that are executed in one step.
//!
//! What costs most of an instruction's step is to find out what it is. Of two that follow one another often, the first one's
//! operation in a page says so of both ([`Op::pair`](super::decode::Op::pair)); the second one has its own besides, for whoever
//! jumps there. The first one only computes, so that nothing can come between them. The second one is left to its own
//! operation where it has to wait for an operand, or loads what is not near.
//!
//! `pairs!(m { rows })` hands the list to the macro `m`, in sections by what the second one is, and then `rows`. Columns: the
//! pair, its two codes, and of each the columns of the instruction's row in `table.rs`, a computation's with its operands.

use super::table::Code;

macro_rules! pairs {
    ($then:ident { $($rows:tt)* }) => {
        $then! {
            computed {
                AddiAddi Addi Addi immediate add immediate add;
                AddiAdd Addi Add immediate add register add;
                AddAddi Add Addi register add immediate add;
                AddAdd Add Add register add register add;
                AddiAddw Addi Addw immediate add register addw;
                AddiwAddi Addiw Addi immediate addw immediate add;
                AddiSlli Addi Slli immediate add immediate sll;
                AndiSlli Andi Slli immediate and immediate sll;
                AddiSh2add Addi Sh2add immediate add register sh2add;
                Sh2addAddi Sh2add Addi register sh2add immediate add;
                SlliAdd Slli Add immediate sll register add;
                SlliSrli Slli Srli immediate sll immediate srl;
                SrliAndi Srli Andi immediate srl immediate and;
                AndiAddi Andi Addi immediate and immediate add;
                LuiAddi Lui Addi upper value immediate add;
                LuiAddiw Lui Addiw upper value immediate addw;
            }
            back {
                AddiBne Addi BneBack immediate add ne;
                AddBne Add BneBack register add ne;
                AddwBne Addw BneBack register addw ne;
                AddiwBne Addiw BneBack immediate addw ne;
                AddiBlt Addi BltBack immediate add lt;
                AddiBltu Addi BltuBack immediate add ltu;
            }
            on {
                AndiBeq Andi BeqOn immediate and eq;
                AndiBne Andi BneOn immediate and ne;
                AndBeq And BeqOn register and eq;
                AddiBeq Addi BeqOn immediate add eq;
                AddBgeu Add BgeuOn register add geu;
                AddwBgeu Addw BgeuOn register addw geu;
            }
            loaded {
                Sh2addLw Sh2add Lw register sh2add Word i32;
                AddLw Add Lw register add Word i32;
            }
            $($rows)*
        }
    };
}
pub(super) use pairs;

macro_rules! as_codes {
    ($($section:ident { $($pair:ident $first:ident $second:ident $($_columns:ident)*;)* })*) => {
        impl Code {
            /// The code of the pair of this instruction and the one behind it.
            pub(super) fn pair(self, behind: Self) -> Option<Self> {
                match (self, behind) {
                    $($((Self::$first, Self::$second) => Some(Self::$pair),)*)*
                    _ => None,
                }
            }

            /// The first instruction of a pair; any other code is its own.
            pub(super) fn first(self) -> Self {
                match self {
                    $($(Self::$pair => Self::$first,)*)*
                    _ => self,
                }
            }
        }
    };
}
pairs!(as_codes {});

#[cfg(test)]
mod tests {
    use super::super::table::instructions;

    /// A row of the table: its section, its codes, and its columns behind the instruction sets.
    type Row = (&'static str, Vec<&'static str>, &'static str);

    macro_rules! as_rows {
        ($($section:ident { $(
            $code:ident $_1:literal $_2:literal $_3:ident $operation:ident $($more:ident)* $(: $back:ident $on:ident)?;
        )* })*) => {
            fn rows() -> Vec<Row> {
                vec![$($((
                    stringify!($section),
                    vec![stringify!($code) $(, stringify!($back), stringify!($on))?],
                    stringify!($operation $($more)*),
                ),)*)*]
            }
        };
    }
    instructions!(as_rows);

    macro_rules! as_parts {
        (
            computed { $($_c:ident $c1:ident $c2:ident $c_operands:ident $c_op:ident $c_operands2:ident $c_op2:ident;)* }
            back { $($_d:ident $d1:ident $d2:ident $d_operands:ident $d_op:ident $d_condition:ident;)* }
            on { $($_e:ident $e1:ident $e2:ident $e_operands:ident $e_op:ident $e_condition:ident;)* }
            loaded { $($_f:ident $f1:ident $f2:ident $f_operands:ident $f_op:ident $f_width:ident $f_extend:ident;)* }
        ) => {
            /// The parts of all pairs: code, operands, and columns.
            const PARTS: &[(&str, &str, &str)] = &[
                $((stringify!($c1), stringify!($c_operands), stringify!($c_op)),)*
                $((stringify!($c2), stringify!($c_operands2), stringify!($c_op2)),)*
                $((stringify!($d1), stringify!($d_operands), stringify!($d_op)),)*
                $((stringify!($d2), "back", stringify!($d_condition)),)*
                $((stringify!($e1), stringify!($e_operands), stringify!($e_op)),)*
                $((stringify!($e2), "on", stringify!($e_condition)),)*
                $((stringify!($f1), stringify!($f_operands), stringify!($f_op)),)*
                $((stringify!($f2), "load", stringify!($f_width $f_extend)),)*
            ];
        };
    }
    pairs!(as_parts {});

    #[test]
    fn the_parts_of_a_pair_do_what_the_table_says_of_them() {
        let rows = rows();
        for (code, operands, columns) in PARTS {
            let row = rows.iter().find(|(_, codes, _)| codes.contains(code));
            let (section, codes, operation) = row.expect("a part is an instruction of the table");
            let form = codes.iter().position(|name| name == code);
            let known = match (*section, form) {
                ("register" | "load", Some(0)) => *section == *operands && operation == columns,
                ("immediate" | "shift" | "shift_word", Some(0)) => {
                    *operands == "immediate" && operation == columns
                }
                ("branch", Some(1)) => *operands == "back" && operation == columns,
                ("branch", Some(2)) => *operands == "on" && operation == columns,
                ("other", Some(0)) => (*code, *operands, *columns) == ("Lui", "upper", "value"),
                _ => false,
            };
            assert!(known, "{code}: {operands} {columns}, where its row is {section} {operation}");
        }
    }
}
