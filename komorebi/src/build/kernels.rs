//! A program's five thread images.

use std::path::{Path, PathBuf};

use komorebi_abi::constants::{core, layout};
use komorebi_abi::program::{Kernel, OptLevel, ProgramModel};

use super::cache::{Cache, Key, Kind, remove_object, write_files};
use super::compiler::{Unit, link};
use super::error::{Error, Result};
use super::image::Image;
use super::instructions::{InstructionError, find_absent};
use super::library::{self, Library};
use super::program_header::program_header;
use super::sizes::{KernelSizes, THREADS};
use super::sources::Sources;
use super::symbols::SOURCES;
use super::target::Target;
use super::toolchain::Toolchain;

/// Images start at multiples of this: a fetch is 16 bytes.
const IMAGE_ALIGN: u64 = 16;

/// A thread, as a build sees it.
#[derive(Clone, Copy)]
struct Thread {
    name: &'static str,
    /// `KM_THREAD`.
    number: u32,
    kernel: Kernel,
    local_ram: u32,
}

/// The threads in the order of their images.
fn threads() -> [Thread; 5] {
    let mover = layout::LOCAL_RAM_MOVER_BYTES;
    let compute = layout::LOCAL_RAM_COMPUTE_BYTES;
    let about = [
        (core::THREAD_READER, Kernel::Reader, mover),
        (core::THREAD_WRITER, Kernel::Writer, mover),
        (core::THREAD_UNPACK, Kernel::Compute, compute),
        (core::THREAD_MATH, Kernel::Compute, compute),
        (core::THREAD_PACK, Kernel::Compute, compute),
    ];
    about.map(|(number, kernel, local_ram)| Thread {
        name: THREADS[number as usize],
        number,
        kernel,
        local_ram,
    })
}

impl Thread {
    /// The optimisation level, and the define that a level set by the program brings.
    fn opt(self, model: &ProgramModel) -> Vec<String> {
        match model.opt[self.kernel as usize] {
            // GCC 12 has no Oz; Os is its smallest.
            Some(OptLevel::Oz) => vec!["-Os".into(), "-DKM_OPT_LEVEL=Oz".into()],
            Some(level) => vec![format!("-{}", level.name()), format!("-DKM_OPT_LEVEL={}", level.name())],
            None if self.kernel == Kernel::Compute => vec!["-O3".into()],
            None => vec!["-O2".into()],
        }
    }

    /// Flags besides the target's.
    fn flags(self, model: &ProgramModel, sources: &Sources) -> Vec<String> {
        let mut flags = self.opt(model);
        flags.push(format!("-DKM_THREAD={}", self.number));
        flags.push(format!("-DKM_CONTROL={:#x}u", layout::L1_CONTROL));
        flags.extend(model.defines.iter().map(|(name, value)| format!("-D{name}={value}")));
        if let Some(path) = &sources.kernels[self.kernel as usize] {
            flags.extend(["-include".to_owned(), path.to_string()]);
        }
        flags
    }

    fn what(self) -> String {
        match self.kernel {
            Kernel::Compute => format!("compute kernel, {} thread", self.name),
            kernel => format!("{} kernel", kernel.name()),
        }
    }
}

/// A program's kernels, laid out in the kernel buffer one after the other.
#[derive(Clone, Debug)]
pub struct Kernels {
    /// The images in the order of [`THREADS`].
    pub threads: [Image; 5],
    /// What they take of the kernel buffer.
    pub sizes: KernelSizes,
    /// Where the kernel buffer is free again, for arguments; a multiple of 16.
    pub end: u32,
}

impl Kernels {
    /// What goes to L1 address 0, where B leaves its reset: a jump to the writer, wherever it lies
    /// (`lui t0; jalr t0`).
    pub fn boot_jump(&self) -> [u8; 8] {
        let entry = self.threads[core::THREAD_WRITER as usize].entry as u32;
        let upper = entry.wrapping_add(0x800) & 0xffff_f000;
        let lui = upper | 5 << 7 | 0x37;
        let jalr = (entry.wrapping_sub(upper) & 0xfff) << 20 | 5 << 15 | 0x67;
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&lui.to_le_bytes());
        bytes[4..].copy_from_slice(&jalr.to_le_bytes());
        bytes
    }
}

/// Builds the kernels of `model` for the kernel buffer of `kernel_bytes` bytes at L1 address `kernel_base`, or finds them in
/// the cache.
///
/// # Errors
/// [`Error::Compile`] with the user's file and line, [`Error::KernelSize`] when they do not fit,
/// [`Error::Instruction`] for instructions the cores lack; the toolchain's and the cache's.
pub fn kernels(
    toolchain: &Toolchain,
    sources: &Sources,
    model: &ProgramModel,
    kernel_base: u32,
    kernel_bytes: u32,
) -> Result<Kernels> {
    kernels_in(&Cache::open()?, toolchain, sources, model, kernel_base, kernel_bytes)
}

pub(super) fn kernels_in(
    cache: &Cache,
    toolchain: &Toolchain,
    sources: &Sources,
    model: &ProgramModel,
    kernel_base: u32,
    kernel_bytes: u32,
) -> Result<Kernels> {
    sources.check()?;
    let header = program_header(model);
    let key = key(toolchain, sources, model, &header, kernel_base);
    let place = cache.entry(Kind::Kernels, &key, |draft, place| {
        let library = Library::open(cache)?;
        Build { toolchain, library: &library, sources, model, draft, place }.run(&header, kernel_base)
    })?;
    let images = read(&place)?;
    let end = images[4].end().next_multiple_of(IMAGE_ALIGN) as u32;
    let bytes = |image: &Image| image.bytes.len() as u32;
    let sizes = KernelSizes {
        threads: [0, 1, 2, 3, 4].map(|i| bytes(&images[i])),
        total: end - kernel_base,
        buffer: kernel_bytes,
    };
    if sizes.total > kernel_bytes {
        return Err(Error::KernelSize(Box::new(sizes)));
    }
    Ok(Kernels { threads: images, sizes, end })
}

/// Everything the images depend on.
fn key(toolchain: &Toolchain, sources: &Sources, model: &ProgramModel, header: &str, base: u32) -> Key {
    let mut key = library::key();
    key.add(toolchain.compiler());
    key.add(toolchain.version());
    key.add(header);
    key.add(base.to_le_bytes());
    for file in &sources.files {
        key.add(&*file.path);
        key.add(&file.bytes);
    }
    for flag in Target::Tensix.compile().into_iter().chain(Target::Tensix.link()) {
        key.add(flag);
    }
    for thread in threads() {
        for flag in thread.flags(model, sources) {
            key.add(flag);
        }
    }
    key
}

fn elf(folder: &Path, thread: Thread) -> PathBuf {
    folder.join(format!("{}.elf", thread.name))
}

fn read(place: &Path) -> Result<[Image; 5]> {
    let images = threads().map(|thread| Image::read(thread.name, &elf(place, thread)));
    let mut found = Vec::with_capacity(5);
    for image in images {
        found.push(image?);
    }
    found.try_into().map_err(|_| Error::NoCache)
}

/// A build in progress.
struct Build<'a> {
    toolchain: &'a Toolchain,
    library: &'a Library,
    sources: &'a Sources,
    model: &'a ProgramModel,
    draft: &'a Path,
    place: &'a Path,
}

impl Build<'_> {
    fn run(&self, header: &str, base: u32) -> Result<()> {
        self.toolchain.probe(Target::Tensix, self.draft)?;
        let source_folder = self.draft.join(SOURCES);
        std::fs::create_dir_all(&source_folder)
            .map_err(|error| Error::cache("cannot make", &source_folder, &error))?;
        write_files(&source_folder, self.sources.files.iter().map(|file| (&*file.path, &*file.bytes)))?;
        write_files(self.draft, [("generated/komorebi/program.h", header.as_bytes())])?;
        self.compile(&source_folder)?;
        self.link(base)?;
        self.check()
    }

    /// Compiles the five threads at the same time.
    fn compile(&self, folder: &Path) -> Result<()> {
        let main = self.library.path("kernels/src/thread.cpp");
        let mut shared = vec![format!("-I{}", self.draft.join("generated").display())];
        shared.extend(self.library.includes(&["kernels/include", "firmware/include"]));
        // The draft is renamed: debug information names the final place.
        shared.push(format!("-ffile-prefix-map={}={}", self.draft.display(), self.place.display()));
        let results = std::thread::scope(|scope| {
            let jobs = threads().map(|thread| {
                let (shared, main) = (&shared, &main);
                scope.spawn(move || {
                    let mut flags = thread.flags(self.model, self.sources);
                    flags.extend(shared.iter().cloned());
                    Unit {
                        what: &thread.what(),
                        target: Target::Tensix,
                        folder,
                        flags: &flags,
                        source: main,
                        object: &self.object(thread),
                    }
                    .compile(self.toolchain)
                })
            });
            jobs.map(|job| job.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        results.into_iter().collect()
    }

    fn object(&self, thread: Thread) -> PathBuf {
        self.draft.join(format!("{}.o", thread.name))
    }

    /// Links one behind the other: where a thread starts is where the one before it ends.
    fn link(&self, base: u32) -> Result<()> {
        let script = self.library.path("kernels/link/kernel.ld");
        let mut at = u64::from(base);
        for thread in threads() {
            let (object, image) = (self.object(thread), elf(self.draft, thread));
            let symbols = [("km_text", at), ("km_local", u64::from(thread.local_ram))];
            link(self.toolchain, &thread.what(), Target::Tensix, &script, &symbols, &[&object], &image)?;
            remove_object(&object)?;
            at = Image::read(thread.name, &image)?.end().next_multiple_of(IMAGE_ALIGN);
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        if std::env::var_os("KMR_INSN_CHECK").is_some_and(|value| value == "0") {
            return Ok(());
        }
        let mut findings = Vec::new();
        for thread in threads() {
            findings.extend(find_absent(thread.name, &elf(self.draft, thread), self.place)?);
        }
        if findings.is_empty() { Ok(()) } else { Err(Error::Instruction(InstructionError { findings })) }
    }
}
