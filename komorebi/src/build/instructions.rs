//! Instructions the cores lack: a core that meets one stops without a report, so they are looked for before anything is loaded.
//!
//! The compiler is told of none of them; they come from inline assembly, or from a compiler with other defaults.

use std::fmt;
use std::path::Path;

use object::{Object, ObjectSection, SectionKind};

use super::error::{Error, Result};
use super::symbols::{CodePlace, locate};

/// Instructions, by mask and match of their bits (tensix.md §2; the contract's list, and what else the cores have not).
const ABSENT: [(u32, u32, &str); 20] = [
    (0xfe00_007f, 0x1800_0053, "fdiv.s"),
    (0xfff0_007f, 0x5800_0053, "fsqrt.s"),
    (0xfe00_007f, 0x1a00_0053, "fdiv.d"),
    (0xfff0_007f, 0x5a00_0053, "fsqrt.d"),
    (0xf800_707f, 0x1000_202f, "lr.w"),
    (0xf800_707f, 0x1800_202f, "sc.w"),
    (0xfc00_707f, 0x8000_2057, "vdivu.vv"),
    (0xfc00_707f, 0x8000_6057, "vdivu.vx"),
    (0xfc00_707f, 0x8400_2057, "vdiv.vv"),
    (0xfc00_707f, 0x8400_6057, "vdiv.vx"),
    (0xfc00_707f, 0x8800_2057, "vremu.vv"),
    (0xfc00_707f, 0x8800_6057, "vremu.vx"),
    (0xfc00_707f, 0x8c00_2057, "vrem.vv"),
    (0xfc00_707f, 0x8c00_6057, "vrem.vx"),
    (0xfc00_707f, 0x8000_1057, "vfdiv.vv"),
    (0xfc00_707f, 0x8000_5057, "vfdiv.vf"),
    (0xfc00_707f, 0x8400_5057, "vfrdiv.vf"),
    (0xfc0f_f07f, 0x4c00_1057, "vfsqrt.v"),
    (0xfc0f_f07f, 0x4c02_1057, "vfrsqrt7.v"),
    (0xfc0f_f07f, 0x4c02_9057, "vfrec7.v"),
];

/// An instruction that a core lacks, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The thread.
    pub thread: String,
    /// The instruction.
    pub instruction: &'static str,
    /// Its address.
    pub address: u64,
    /// The function and line it is in.
    pub place: Option<CodePlace>,
}

/// A program whose kernels hold instructions their cores lack. Nothing was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionError {
    /// Every one found.
    pub findings: Vec<Finding>,
}

impl std::error::Error for InstructionError {}

impl fmt::Display for InstructionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the kernels hold instructions that the cores lack")?;
        for finding in &self.findings {
            let Finding { thread, instruction, address, place } = finding;
            write!(f, "\n  {thread}: {instruction} at {address:#x}")?;
            place.iter().try_for_each(|place| write!(f, " in {place}"))?;
        }
        write!(
            f,
            "\nmultiply by a reciprocal computed on the host, or divide integers; KMR_INSN_CHECK=0 turns this check off"
        )
    }
}

/// Every absent instruction in the text of the ELF file at `path`, built for `place`.
pub(super) fn find_absent(thread: &str, path: &Path, place: &Path) -> Result<Vec<Finding>> {
    let wrong = |error: object::Error| Error::Image { path: path.to_owned(), message: error.to_string() };
    let elf = std::fs::read(path).map_err(|error| Error::cache("cannot read", path, &error))?;
    let file = object::File::parse(elf.as_slice()).map_err(wrong)?;
    let mut findings = Vec::new();
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        let bytes = section.data().map_err(wrong)?;
        for (i, word) in bytes.chunks_exact(4).enumerate() {
            let word = u32::from_le_bytes(word.try_into().unwrap_or_default());
            let Some(instruction) = absent(word) else { continue };
            let address = section.address() + 4 * i as u64;
            findings.push(Finding {
                thread: thread.to_owned(),
                instruction,
                address,
                place: locate(path, place, address).map(|(found, _)| found),
            });
        }
    }
    Ok(findings)
}

fn absent(word: u32) -> Option<&'static str> {
    // Two low bits other than 11: compressed, or an instruction pushed to the coprocessor (tensix.md §2).
    ABSENT.iter().find(|(mask, value, _)| word & mask == *value).map(|(_, _, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_instructions_are_told_from_their_neighbours() {
        assert_eq!(absent(0x18b5_7553), Some("fdiv.s")); // fdiv.s fa0, fa0, fa1
        assert_eq!(absent(0x5805_7553), Some("fsqrt.s")); // fsqrt.s fa0, fa0
        assert_eq!(absent(0x10b5_7553), None); // fmul.s fa0, fa0, fa1
        assert_eq!(absent(0x02b5_4533), None); // div a0, a0, a1
        assert_eq!(absent(0x1005_252f), Some("lr.w")); // lr.w a0, (a0)
        assert_eq!(absent(0x00b5_252f), None); // amoadd.w a0, a1, (a0)
    }
}
