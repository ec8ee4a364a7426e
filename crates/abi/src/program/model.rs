//! The program as declared.

use super::{Buffer, Compute, Handler, OptLevel, Region, Thread};

/// One of a program's three kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// `reader.cpp`, on NC with NoC 0.
    Reader,
    /// `compute.cpp`, compiled three times: unpack, math, pack.
    Compute,
    /// `writer.cpp`, on B with NoC 1.
    Writer,
}

impl Kernel {
    /// All three, in the order of host-api, "Program".
    pub const ALL: [Self; 3] = [Self::Reader, Self::Compute, Self::Writer];

    /// The name used in declarations and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Compute => "compute",
            Self::Writer => "writer",
        }
    }
}

/// What the persistent kernels of a program are built from. Sources are not part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramModel {
    /// The program's name.
    pub name: String,
    /// Columns and rows of its grid; `None` takes the card's.
    pub grid: Option<(u32, u32)>,
    /// Mailbox slots the cores scan and the dispatcher uses: commands in flight, 1 to 16.
    pub depth: u32,
    /// Circular buffers on every core.
    pub buffers: Vec<Buffer>,
    /// Handlers, in the order of their declaration.
    pub handlers: Vec<Handler>,
    /// Compute kernel options.
    pub compute: Compute,
    /// Optimisation level of the reader, the compute and the writer kernel; `None` is the default of each.
    pub opt: [Option<OptLevel>; 3],
    /// Preprocessor definitions for all kernels.
    pub defines: Vec<(String, String)>,
    /// Compile-time argument words of the reader, the compute and the writer kernel.
    pub compile_args: [Vec<u32>; 3],
    /// Bytes of each core's L1 that hold the kernels; `None` is the default of 70,656.
    pub kernel_bytes: Option<u32>,
    /// Threads on the X280's work clusters.
    pub threads: Vec<Thread>,
    /// Regions that the threads of a DRAM channel share.
    pub regions: Vec<Region>,
}

impl ProgramModel {
    /// The depth of a program that does not say (host-api, "Program").
    pub const DEFAULT_DEPTH: u32 = 4;

    /// A program without buffers and handlers.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            grid: None,
            depth: Self::DEFAULT_DEPTH,
            buffers: Vec::new(),
            handlers: Vec::new(),
            compute: Compute::default(),
            opt: [None; 3],
            defines: Vec::new(),
            compile_args: [Vec::new(), Vec::new(), Vec::new()],
            kernel_bytes: None,
            threads: Vec::new(),
            regions: Vec::new(),
        }
    }

    /// The handler named `name`.
    pub fn handler(&self, name: &str) -> Option<&Handler> {
        self.handlers.iter().find(|handler| handler.name == name)
    }

    /// Bytes of the upload region: none with a thread, whose ring lies there (host-api, "Run").
    pub fn upload_bytes(&self) -> u32 {
        if self.threads.is_empty() { crate::constants::layout::UPLOAD_BYTES } else { 0 }
    }

    /// Bytes of the kernel buffer.
    pub fn kernel_buffer(&self) -> u32 {
        self.kernel_bytes.unwrap_or(crate::constants::layout::KERNEL_BYTES)
    }
}
