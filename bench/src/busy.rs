//! The image that harts are timed with (`cores/busy.cpp`), compiled for a kind of hart.

use crate::BenchError;
use komorebi::build::Toolchain;
use object::{Object as _, ObjectSection as _};
use std::path::Path;
use std::process::Command;

/// Where its memory begins, from its first byte on.
const MEMORY: u64 = 0x1000;
/// What each pass leaves, whatever it runs on.
const SUM: u32 = 0x980d_b6d2;

/// A kind of hart.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A baby core.
    Rv32,
    /// A hart of the X280.
    Rv64,
}

/// The bytes of the image; they run at any multiple of 4 KiB.
pub(crate) fn image(kind: Kind) -> Result<Vec<u8>, BenchError> {
    let failed = |why: String| BenchError::Child(format!("cores/busy.cpp was not compiled: {why}"));
    let toolchain = Toolchain::find().map_err(|error| failed(error.to_string()))?;
    let folder = tempfile::tempdir().map_err(|error| failed(error.to_string()))?;
    let made = folder.path().join("busy.elf");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("cores");
    let machine: [&str; 2] = match kind {
        Kind::Rv32 => ["-march=rv32im_zicsr_zba_zbb", "-mabi=ilp32"],
        Kind::Rv64 => ["-march=rv64imac_zicsr_zifencei", "-mabi=lp64"],
    };
    let output = Command::new(toolchain.compiler())
        .args(machine)
        .args(["-O2", "-std=c++17", "-ffreestanding", "-nostdlib", "-fno-exceptions", "-fno-rtti"])
        .args([
            "-fno-asynchronous-unwind-tables",
            "-mcmodel=medany",
            "-mno-relax",
            "-Wl,--build-id=none",
            "-T",
        ])
        .args([sources.join("busy.ld"), sources.join("busy.cpp")])
        .arg("-o")
        .arg(&made)
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let file = std::fs::read(&made).map_err(|error| failed(error.to_string()))?;
    let elf = object::File::parse(&*file).map_err(|error| failed(error.to_string()))?;
    let text = elf.section_by_name(".text").ok_or_else(|| failed("it has no .text".to_owned()))?;
    let mut bytes = text.data().map_err(|error| failed(error.to_string()))?.to_vec();
    if bytes.len() as u64 > MEMORY {
        return Err(failed(format!("its {} bytes do not fit into a page", bytes.len())));
    }
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    Ok(bytes)
}

/// Checks what a hart whose image lies at `base` has left; `peek` copies a word out.
pub(crate) fn check(base: u64, peek: impl Fn(u64) -> u32) -> Result<(), BenchError> {
    let [passes, sum] = [0, 4].map(|offset| peek(base + MEMORY + offset));
    if passes > 0 && sum == SUM {
        return Ok(());
    }
    Err(BenchError::Child(format!("a hart made {passes} passes and left {sum:#x}; {SUM:#x} is expected")))
}
