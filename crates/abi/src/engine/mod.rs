//! What streams and graphs share: instructions and what they compute, uploads and their check, commands, problems.
//!
//! The wire is argued in `firmware/PROTOCOL.md`, "Engines". [`Image`] is an upload as data: [`Image::encode`] gives its
//! bytes, [`Image::check`] reads bytes as the dispatcher does, with the same reasons in the same order. [`opcode`] is the
//! one table of instructions: encoder, decoder, disassembler, interpreter and the table in the documents come from it.

mod alu;
mod arena;
mod arithmetic;
mod check;
mod command;
mod command_check;
mod deadline;
mod declared_upload;
mod encoded;
mod facts;
mod group_check;
mod header;
mod heads;
mod image;
mod instruction;
mod limits;
mod machine;
pub mod opcode;
mod place;
mod problem;
mod reason;
mod record;
mod resolved;
mod rule;
mod run;
mod size;
mod statement;
mod value;
mod value_check;
mod var;

pub use alu::{binary, unary};
pub(crate) use arena::known as known_names;
pub use arena::{Declared, RegisterTable, Variable, VariableKind};
pub use arithmetic::Arithmetic;
pub use command::{Command, Group, HandlerRef, NamedGroup};
pub(crate) use command_check::{CommandCheck, resolve_command};
pub use deadline::DEADLINE_UNITS;
pub(crate) use deadline::deadline_refused;
pub use declared_upload::{BindingWords, DeclaredUpload, EndWords, UploadFor};
pub use encoded::{BindError, Encoded, order_by_name};
pub use facts::Facts;
pub use header::{Header, UploadKind};
pub(crate) use heads::builder_head;
pub use image::Image;
pub use instruction::{Instruction, disassemble};
pub(crate) use limits::{check_limits, check_size};
pub use machine::{Accepted, Commands, EngineCommand, Finish, Machine, Output, Step, drive};
pub(crate) use machine::{initial, store_result};
pub use opcode::{Opcode, Shape};
pub use place::Place;
pub use problem::{Problem, Problems};
pub use reason::{Reason, Refusal};
pub use record::{Links, Record, RecordBody};
pub(crate) use resolved::{Resolved, TensorKey, TensorUse, Word};
pub use rule::{Domain, Rule};
pub use run::{Cancel, Run};
pub use size::{SizeLine, size_lines};
pub use statement::Statement;
pub(crate) use statement::{Computed, Operand, check_scratch};
pub use value::{Ref, Value, kind_name};
pub(crate) use var::declare;
pub use var::{ConstantValue, Var};
