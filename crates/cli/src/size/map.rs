//! What lies where in a core's L1, and in the upload region.

use komorebi::build::Kernels;
use komorebi_abi::constants::core::TRACE_BYTES;
use komorebi_abi::constants::{engine, layout};
use komorebi_abi::program::ProgramModel;
use std::fmt::Write as _;

/// A part, and the bytes of it.
struct Line {
    address: u64,
    bytes: u64,
    what: String,
}

/// The parts of L1 and of the upload region, in the order of their addresses.
pub(super) struct Map {
    name: String,
    l1: Vec<Line>,
    /// What the kernels take more than their buffer has.
    kernels_over: u64,
    /// Bytes of the upload region.
    region: u32,
    uploads: Vec<Line>,
}

impl Map {
    /// The map of a program as a load lays it out: the runtime's own, the kernel buffer with the threads' images and room for
    /// arguments, the circular buffers, the trace.
    pub(super) fn of_l1(model: &ProgramModel, kernels: &Kernels, trace: u32) -> Self {
        let mut l1 = vec![Line { address: 0, bytes: layout::L1_KERNELS.into(), what: "runtime".into() }];
        for image in &kernels.threads {
            let what = format!("kernel: {}", image.name);
            l1.push(Line { address: image.base, bytes: image.bytes.len() as u64, what });
        }
        let (used, end) = (u64::from(kernels.end), u64::from(layout::L1_KERNELS + model.kernel_buffer()));
        if used < end {
            let what = "kernel buffer: free, arguments of the cores go here".into();
            l1.push(Line { address: used, bytes: end - used, what });
        }
        let mut next = end.max(used).next_multiple_of(layout::L1_BUFFER_ALIGN.into());
        for buffer in &model.buffers {
            let what =
                format!("buffer {}: {} pages of {} bytes", buffer.label(), buffer.pages, buffer.page_bytes);
            l1.push(Line { address: next, bytes: buffer.bytes(), what });
            next += buffer.bytes();
        }
        if trace != 0 {
            let what = format!("trace: {trace} commands of {TRACE_BYTES} bytes");
            l1.push(Line { address: next, bytes: u64::from(trace) * u64::from(TRACE_BYTES), what });
        }
        Self {
            name: model.name.clone(),
            l1,
            kernels_over: used.saturating_sub(end),
            region: model.upload_bytes(),
            uploads: Vec::new(),
        }
    }

    /// Puts an upload behind those before it, with the line of its bindings.
    pub(super) fn add_upload(&mut self, what: String, bytes: u64) {
        let address = self.uploads.last().map_or(0, |line| line.address + line.bytes);
        let bytes = bytes.next_multiple_of(engine::UPLOAD_ALIGN.into()) + u64::from(engine::UPLOAD_ALIGN);
        self.uploads.push(Line { address, bytes, what: format!("{what}, with its bindings' line") });
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let mut text = format!("{}: L1 of a core, {} bytes\n", self.name, layout::L1_BYTES);
        section(&mut text, &self.l1, layout::L1_BYTES.into());
        if self.kernels_over != 0 {
            let _ = writeln!(
                text,
                "the kernels take {} bytes more than their buffer: raise `kernel_bytes`, or set `opt(reader = Os, writer = Os)`",
                self.kernels_over
            );
        }
        let _ = writeln!(text, "\nupload region of the X280, {} bytes", self.region);
        if self.region == 0 {
            text.push_str("  a program with a thread has none: the thread's ring lies there\n");
        }
        section(&mut text, &self.uploads, self.region.into());
        text
    }
}

fn section(text: &mut String, lines: &[Line], all: u64) {
    let mut row = |address: u64, bytes: u64, what: &str| {
        // Nothing has parts of nothing.
        let share = if all == 0 { "-".into() } else { format!("{:.1}", bytes as f64 * 100.0 / all as f64) };
        let _ = writeln!(text, "  {address:#08x}  {bytes:>9}  {share:>5} %  {what}");
    };
    let mut end = 0;
    for line in lines {
        row(line.address, line.bytes, &line.what);
        end = line.address + line.bytes;
    }
    if end > all {
        let _ = writeln!(text, "  {} bytes too many", end - all);
    } else if all > 0 {
        row(end, all - end, "free");
    }
}
