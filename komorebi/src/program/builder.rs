//! Programs described at run time, checked by the rules the macro uses.

use std::path::Path;

use komorebi_abi::program::{
    Arg, ArgKind, Buffer, Compute, Format, Handler, Kernel, OptLevel, ProgramModel, Region, ResultKind,
    Thread as ThreadModel, handler_name,
};
use komorebi_headers::{Header, Options};

use super::source::{name_of, read_beside, read_folder};
use super::{Dynamic, Program, Thread};
use crate::build::Sources;

impl Program<Dynamic> {
    /// A program without kernels, buffers and handlers. Mistakes are collected: [`check`](Program::check) and
    /// [`Session::load`](crate::Session::load) tell them all.
    pub fn new(name: impl Into<String>) -> Self {
        Self::from_parts(ProgramModel::new(name), Sources::new())
    }

    /// Takes `reader.cpp`, `compute.cpp`, `writer.cpp` and the headers of a folder; a kernel that is not there does nothing.
    #[must_use]
    pub fn kernels_dir(mut self, folder: impl AsRef<Path>) -> Self {
        match read_folder(folder.as_ref()) {
            Ok(sources) => self.sources = sources,
            Err(messages) => self.messages.extend(messages),
        }
        self
    }

    /// Takes the file of one kernel, wherever it is, with the headers beside it. Files have names of their own: two of one
    /// name and different content are refused.
    #[must_use]
    pub fn kernel_file(mut self, kernel: Kernel, path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        self.messages.extend(read_beside(path, &mut self.sources.files));
        self.sources.kernels[kernel as usize] = Some(name_of(path).into());
        self
    }

    /// Takes the kernels' texts.
    #[must_use]
    pub fn with_sources(mut self, sources: Sources) -> Self {
        self.sources = sources;
        self
    }

    /// A circular buffer of `pages` pages of `page_bytes` bytes on every core.
    #[must_use]
    pub fn buffer(mut self, index: u32, format: Format, page_bytes: u32, pages: u32) -> Self {
        self.model.buffers.push(Buffer { name: None, index, format, page_bytes, pages });
        self
    }

    /// A handler whose commands carry any words.
    #[must_use]
    pub fn handler(mut self, name: impl Into<String>, number: u32) -> Self {
        let name = name.into();
        self.untyped.push(name.clone());
        self.model.handlers.push(Handler { name, number, args: Vec::new(), result: None });
        self
    }

    /// A handler with named arguments, which its kernels see as a struct.
    #[must_use]
    pub fn handler_with(
        mut self,
        name: impl Into<String>,
        number: u32,
        args: &[(&str, ArgKind)],
        result: Option<ResultKind>,
    ) -> Self {
        let arg = |&(name, kind): &(&str, ArgKind)| Arg { name: name.into(), kind, effect: None };
        let args = args.iter().map(arg).collect();
        self.model.handlers.push(Handler { name: name.into(), number, args, result });
        self
    }

    /// The handlers of a header: each `constexpr uint32_t kHandlerName = n;` is the handler `name`.
    #[must_use]
    pub fn handlers_from(mut self, header: impl AsRef<Path>) -> Self {
        let header = header.as_ref();
        match Header::read(header, &Options::new()) {
            Ok(found) => {
                for constant in found.constants() {
                    let Some(name) = handler_name(&constant.name) else { continue };
                    match u32::try_from(constant.value.number) {
                        Ok(number) => self = self.handler(name, number),
                        Err(_) => self.messages.push(format!(
                            "{}: {} is {}; handlers are numbers from 1 to 239",
                            header.display(),
                            constant.name,
                            constant.value.number
                        )),
                    }
                }
            }
            Err(error) => self.messages.push(error.render()),
        }
        self
    }

    /// A preprocessor definition for all kernels.
    #[must_use]
    pub fn define(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        self.model.defines.push((name.into(), value.to_string()));
        self
    }

    /// Commands in flight, 1 to 16.
    #[must_use]
    pub fn depth(mut self, depth: u32) -> Self {
        self.model.depth = depth;
        self
    }

    /// The optimisation level of one kernel.
    #[must_use]
    pub fn opt(mut self, kernel: Kernel, level: OptLevel) -> Self {
        self.model.opt[kernel as usize] = Some(level);
        self
    }

    /// Bytes of each core's L1 that hold the kernels, a multiple of 64; those of the session, if it sets any, go first.
    #[must_use]
    pub fn kernel_bytes(mut self, bytes: u32) -> Self {
        self.model.kernel_bytes = Some(bytes);
        self
    }

    /// A thread on a work cluster of the X280. It takes the dispatcher's upload region, so the program's graphs and
    /// streams cannot be uploaded. Sessions do not run threads yet: loading the program is
    /// [`Error::ThreadsNotRun`](crate::Error::ThreadsNotRun).
    #[must_use]
    pub fn thread(mut self, thread: Thread) -> Self {
        let (mut model, others, paths) = thread.into_parts();
        for path in paths {
            // One that cannot be read is told as that, and not as a thread without sources.
            model.sources.push(name_of(&path));
            self.messages.extend(read_beside(&path, &mut self.thread_sources));
        }
        let others = others.into_iter().map(|cluster| ThreadModel { cluster, ..model.clone() });
        let others: Vec<ThreadModel> = others.collect();
        self.model.threads.push(model);
        self.model.threads.extend(others);
        self
    }

    /// A region of `bytes` bytes, a multiple of 64, that the threads on one DRAM bank share: clusters 2 and 3 have one
    /// bank, cluster 1 another.
    #[must_use]
    pub fn region(mut self, name: impl Into<String>, bytes: u32) -> Self {
        self.model.regions.push(Region { name: name.into(), bytes });
        self
    }

    /// Options of the compute kernel.
    #[must_use]
    pub fn compute(mut self, compute: Compute) -> Self {
        self.model.compute = compute;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mistake_of_a_program_is_told_at_once() {
        let program = Program::new("heat")
            .kernels_dir("/nowhere/at/all")
            .depth(17)
            .buffer(30, Format::Bfloat16, 2048, 2)
            .handler("step", 240);
        let error = program.check().unwrap_err();
        let codes: Vec<&str> = error.problems.iter().map(|problem| problem.rule.code()).collect();
        assert_eq!(codes, ["KM0002", "KM0003", "KM0007"]);
        assert_eq!(error.messages.len(), 1);
        assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
    }

    #[test]
    fn kernels_may_lie_in_folders_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for (name, text) in [
            ("in/load.cpp", "// in"),
            ("in/map.h", "// map"),
            ("out/store.cpp", "// out"),
            ("out/load.cpp", ""),
        ] {
            std::fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            std::fs::write(path(name), text).unwrap();
        }
        let reader = Program::new("map").kernel_file(Kernel::Reader, path("in/load.cpp"));
        let program = reader.clone().kernel_file(Kernel::Writer, path("out/store.cpp"));
        program.check().unwrap();
        let names: Vec<&str> = program.sources().files.iter().map(|file| &*file.path).collect();
        assert_eq!(names, ["load.cpp", "map.h", "store.cpp"]);
        let kernels = program.sources().kernels.each_ref().map(|name| name.as_deref());
        assert_eq!(kernels, [Some("load.cpp"), None, Some("store.cpp")]);
        let error = reader.kernel_file(Kernel::Writer, path("out/load.cpp")).check().unwrap_err();
        assert!(error.to_string().contains("both called load.cpp"), "{error}");
        let error = Program::new("map").kernel_file(Kernel::Reader, path("none.cpp")).check().unwrap_err();
        assert!(error.to_string().contains("none.cpp cannot be read"), "{error}");
    }

    #[test]
    fn every_field_of_a_program_reaches_its_model() {
        let compute = Compute { fp32_dest_acc_en: true, enable_trisc2_rvv: true, ..Compute::default() };
        let program = Program::new("heat")
            .define("KM_TILES", 4)
            .depth(8)
            .grid(12, 10)
            .opt(Kernel::Compute, OptLevel::Oz)
            .compute(compute.clone())
            .kernel_bytes(131_072)
            .compile_args(Kernel::Writer, &[1, 2])
            .compile_args(Kernel::Writer, &[3])
            .args(|core| (vec![core.0], vec![], vec![7]));
        program.check().unwrap();
        let model = program.model();
        assert_eq!(model.defines, [("KM_TILES".into(), "4".into())]);
        assert_eq!((model.depth, model.grid, model.kernel_bytes), (8, Some((12, 10)), Some(131_072)));
        assert_eq!(model.opt, [None, Some(OptLevel::Oz), None]);
        assert_eq!(model.compute, compute);
        assert_eq!(model.compile_args, [vec![], vec![], vec![1, 2, 3]]);
        let args = program.core_args(komorebi_card::Core(5));
        assert_eq!((args.reader, args.writer, args.compute), (vec![5], vec![], vec![7]));
        assert_eq!(Program::new("heat").kernel_bytes(100).check().unwrap_err().problems.len(), 1);
    }

    #[test]
    fn a_headers_handlers_are_named_in_rusts_way() {
        let folder = tempfile::tempdir().unwrap();
        let header = folder.path().join("heat.h");
        std::fs::write(
            &header,
            "#pragma once\n#include <stdint.h>\nconstexpr uint32_t kHandlerBigStep = 1 + 2;\nconstexpr uint32_t kOther = 4;\n",
        )
        .unwrap();
        let program = Program::new("heat").handlers_from(&header);
        let handlers: Vec<_> = program.model().handlers.iter().map(|h| (h.name.as_str(), h.number)).collect();
        assert_eq!(handlers, [("big_step", 3)]);
    }
}
