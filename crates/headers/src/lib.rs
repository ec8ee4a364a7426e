//! Reads the integer constants of C++ headers, so that no number two sides share is written twice.
//!
//! The text goes through a preprocessor ([includes, conditionals, macros](Header::read)) and a recogniser of declarations
//! that evaluates `constexpr`, `const`, enumerators and `#define`s by C++'s own rules (types of literals, promotions, wrapping,
//! scopes) under a data [`Model`], and passes over everything else a header holds. The judge is the compiler: the tests compare
//! thousands of random constants with what g++ says.
//!
//! ```
//! use komorebi_headers::{Header, Memory, Options};
//!
//! let files = Memory::new().with("lines.h", "constexpr unsigned kLines = 64;");
//! let text = r#"
//!     #pragma once
//!     #include "lines.h"
//!     #define KM_HANDLER_PING 254u
//!     namespace km::abi {
//!     enum class Kind : uint8_t { kIdle, kDone = kIdle + 3 };
//!     constexpr uint32_t kRingBytes = kLines * sizeof(uint64_t);  // of all lines
//!     }
//! "#;
//! let header = Header::parse("ring.h", text, &files, &Options::new())?;
//! let ring = header.get("kRingBytes")?;
//! assert_eq!((ring.value.number, &*ring.path), (512, "km::abi::kRingBytes"));
//! assert_eq!(ring.doc.as_deref(), Some("of all lines"));
//! assert_eq!(header.get("Kind::kDone")?.value.as_u32(), Some(3));
//! assert_eq!(header.get("KM_HANDLER_PING")?.value.number, 254);
//! let missing = header.get("kRingByte").unwrap_err();
//! assert_eq!(missing.help(), Some("did you mean `kRingBytes`?"));
//! # Ok::<(), komorebi_headers::HeaderError>(())
//! ```
//!
//! What is evaluated: the integer types (fixed-width, `int` to `long long`, `bool`, characters, `size_t`), enumerations, all
//! operators but assignment, casts, `sizeof`/`alignof` of integers, `std::numeric_limits`, `std::to_underlying`. What is not,
//! and has no value: calls, floating point, arrays, strings, templates. Left shifts follow C++20. The default model is
//! [`Model::ILP32`], the one of the kernels' processors.
#![forbid(unsafe_code)]

mod builtin;
mod conditional;
mod constant;
mod convert;
mod declare;
mod doc;
mod entry;
mod enums;
mod error;
mod eval;
mod expand;
mod expr;
mod fault;
mod file;
mod header;
mod hidden;
mod include;
mod lexer;
mod literal;
mod loader;
mod location;
mod name;
mod options;
mod preprocess;
mod scope;
mod skip;
mod source;
pub mod suggest;
mod text;
mod token;
mod typename;
mod types;
mod variable;
mod view;

pub use constant::{Constant, ConstantKind, Unevaluated};
pub use error::{ErrorKind, HeaderError};
pub use file::{no_regular_file, read_file};
pub use header::Header;
pub use loader::{Files, Loader, Memory, normal};
pub use location::Location;
pub use options::Options;
pub use typename::is_keyword;
pub use types::{IntKind, IntType, Model, Value};
