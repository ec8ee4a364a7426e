//! The attribute's parts, as written.

use darling::FromMeta;
use proc_macro2::TokenStream;

use crate::errors::Errors;
use crate::parts::parse_fields;
use crate::value::Value;

/// The parts of `#[km::program(..)]`.
#[derive(Debug, Default, FromMeta)]
#[darling(default)]
pub(crate) struct Attribute {
    pub(crate) kernels: Option<Value>,
    pub(crate) header: Option<Value>,
    pub(crate) grid: Option<Value>,
    pub(crate) depth: Option<Value>,
    pub(crate) buffers: Option<Value>,
    pub(crate) compute: Option<Value>,
    pub(crate) opt: Option<Value>,
    pub(crate) defines: Option<Value>,
    pub(crate) compile_args: Option<Value>,
    pub(crate) kernel_bytes: Option<Value>,
    pub(crate) threads: Option<Value>,
    pub(crate) regions: Option<Value>,
    #[darling(rename = "crate")]
    pub(crate) krate: Option<Value>,
}

/// A value for each kernel: of `kernels`, `opt` and `compile_args`.
#[derive(Debug, Default, FromMeta)]
#[darling(default)]
pub(crate) struct PerKernel {
    pub(crate) reader: Option<Value>,
    pub(crate) compute: Option<Value>,
    pub(crate) writer: Option<Value>,
}

/// The parts of a buffer.
#[derive(Debug, Default, FromMeta)]
#[darling(default)]
pub(crate) struct BufferParts {
    pub(crate) index: Option<Value>,
    pub(crate) format: Option<Value>,
    pub(crate) page_bytes: Option<Value>,
    pub(crate) pages: Option<Value>,
}

/// The parts of `compute`.
#[derive(Debug, Default, FromMeta)]
#[darling(default)]
pub(crate) struct ComputeParts {
    pub(crate) math_fidelity: Option<Value>,
    pub(crate) unpack_to_dest_mode: Option<Value>,
    pub(crate) fp32_dest_acc_en: Option<Value>,
    pub(crate) math_approx_mode: Option<Value>,
    pub(crate) dst_full_sync_en: Option<Value>,
    pub(crate) bfp8_pack_precise: Option<Value>,
    pub(crate) enable_trisc2_rvv: Option<Value>,
}

/// The parts of a thread but `deadline`, whose value is no expression.
#[derive(Debug, Default, FromMeta)]
#[darling(default)]
pub(crate) struct ThreadParts {
    pub(crate) cluster: Option<Value>,
    pub(crate) clusters: Option<Value>,
    pub(crate) sources: Option<Value>,
    pub(crate) regions: Option<Value>,
    pub(crate) words: Option<Value>,
    pub(crate) prefetch: Option<Value>,
    pub(crate) host_fallback: Option<Value>,
}

impl Attribute {
    const PARTS: [&str; 13] = [
        "kernels",
        "header",
        "grid",
        "depth",
        "buffers",
        "compute",
        "opt",
        "defines",
        "compile_args",
        "kernel_bytes",
        "threads",
        "regions",
        "crate",
    ];
}

impl PerKernel {
    pub(crate) const PARTS: [&str; 3] = ["reader", "compute", "writer"];

    /// In the order of [`Kernel::ALL`](komorebi_abi::program::Kernel::ALL).
    pub(crate) fn in_order(self) -> [Option<Value>; 3] {
        [self.reader, self.compute, self.writer]
    }
}

impl BufferParts {
    pub(crate) const PARTS: [&str; 4] = ["index", "format", "page_bytes", "pages"];
}

impl ThreadParts {
    pub(crate) const PARTS: [&str; 8] =
        ["cluster", "clusters", "sources", "regions", "words", "deadline", "prefetch", "host_fallback"];
}

/// Reads the attribute.
pub(crate) fn parse_attribute(tokens: TokenStream, errors: &mut Errors) -> Attribute {
    parse_fields(tokens, "the program", &Attribute::PARTS, errors)
}
