//! The simulator reads the code of every image, the firmware's and the examples' kernels', as objdump does.

#[path = "../06_graph/program.rs"]
mod inpaint;
#[path = "../05_stream/program.rs"]
mod levels;
#[path = "../02_pipeline/program.rs"]
mod pipeline;
#[path = "../04_reduce/program.rs"]
mod reduce;
#[path = "../01_map/program.rs"]
mod tone_map;

use std::process::Command;

use inpaint::Inpaint;
use komorebi::build::{Image, Toolchain, firmware, kernels};
use komorebi::{Kernel, Program};
use komorebi_sim::hart::{Isa, disassemble};
use levels::Levels;
use pipeline::Pipeline;
use reduce::Reduce;
use tone_map::ToneMap;

/// Where kernels go, and room for them: nothing here depends on it.
const BASE: u32 = 0x1_0000;
const ROOM: u32 = 0x1_0000;

/// Instructions of an image as objdump finds them: address, bytes, text.
fn objdump(image: &Image) -> Vec<(u64, u32, String)> {
    let output = Command::new("riscv64-unknown-elf-objdump")
        .args(["-d", "-M", "no-aliases"])
        .arg(&image.path)
        .output()
        .expect("binutils-riscv64-unknown-elf (Debian) judges the disassembler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("objdump writes text");
    let instruction = |line: &str| {
        let (address, rest) = line.split_once(":\t")?;
        let (bytes, text) = rest.split_once('\t')?;
        let address = u64::from_str_radix(address.trim(), 16).ok()?;
        Some((address, u32::from_str_radix(bytes.trim(), 16).ok()?, normal(text)))
    };
    text.lines().filter_map(instruction).collect()
}

/// Numbers and blanks in one spelling.
fn normal(text: &str) -> String {
    let text = text.split(['#', '<']).next().unwrap_or(text);
    text.trim().replace('\t', " ").replace("0x", "")
}

/// The same but for the name that objdump has for a control register.
fn same(ours: &str, theirs: &str) -> bool {
    let parts = |text: &str| -> Vec<String> { text.split([' ', ',']).map(str::to_owned).collect() };
    let (ours, theirs) = (parts(ours), parts(theirs));
    let is_control = ours[0].starts_with("csrr");
    ours.len() == theirs.len()
        && ours
            .iter()
            .zip(&theirs)
            .enumerate()
            .all(|(at, (ours, theirs))| ours == theirs || is_control && at == 2)
}

/// Compares the instructions of an image; gives their number. What a two-byte one stands for, a test of the simulator
/// compares for all there are.
fn check(isa: Isa, image: &Image) -> usize {
    let instructions = objdump(image);
    let mut wrong = Vec::new();
    for (address, word, theirs) in &instructions {
        let ours = normal(&disassemble(isa, *word, *address));
        let alike = match word & 3 {
            3 => same(&ours, theirs),
            _ => isa == Isa::Rv64 && theirs.starts_with("c.") && !ours.starts_with('.'),
        };
        // Data among code: assembled numbers, which objdump marks.
        if !alike && !theirs.starts_with('.') {
            wrong.push(format!("{address:x}: {word:08x}: ours {ours:?}, objdump's {theirs:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", image.name, image.path.display(), wrong.join("\n"));
    instructions.len()
}

/// Compares the five images of a program's kernels.
fn check_kernels<P>(toolchain: &Toolchain, program: &Program<P>) {
    let kernels =
        kernels(toolchain, program.sources(), program.model(), BASE, ROOM).expect("the kernels build");
    let cores: usize = kernels.threads.iter().map(|image| check(Isa::Rv32, image)).sum();
    assert!(cores > 1000, "{cores} instructions of {}", program.model().name);
}

#[test]
fn every_image_reads_as_objdump_reads_it() {
    let toolchain = Toolchain::find().expect("a compiler");
    let firmware = firmware(&toolchain).expect("the firmware builds");
    let harts: usize =
        [&firmware.monitor, &firmware.dispatcher].map(|image| check(Isa::Rv64, image)).iter().sum();
    assert!(harts > 1000, "{harts} instructions of firmware");
    check_kernels(&toolchain, &ToneMap::program());
    check_kernels(&toolchain, &Pipeline::program());
    check_kernels(&toolchain, &Reduce::program());
    check_kernels(&toolchain, &Levels::program());
    // Rows, pixels of a row, bytes of a row of the tensor.
    let sizes = [64, 96, 384];
    let inpaint = [Kernel::Reader, Kernel::Compute, Kernel::Writer]
        .into_iter()
        .fold(Inpaint::program(), |program, kernel| program.compile_args(kernel, &sizes));
    check_kernels(&toolchain, &inpaint);
}
