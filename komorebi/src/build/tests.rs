//! Whole builds, each in a cache folder of its own.

use komorebi_abi::constants::layout::{KERNEL_BYTES, L1_KERNELS};
use komorebi_abi::program::{
    Arg, ArgKind, Buffer, Compute, Format, Handler, MathFidelity, OptLevel, ProgramModel, UnpackMode,
};

use super::cache::Cache;
use super::firmware::firmware_in;
use super::kernels::kernels_in;
use super::*;

const READER: &str = r#"#include <komorebi/kernel.h>

KM_HANDLER(Map) {
    noc_async_read(get_noc_addr(args.input), get_write_ptr(km::program::kBufferInput), 64);
    noc_async_read_barrier();
}
"#;

fn model() -> ProgramModel {
    let mut model = ProgramModel::new("test");
    model.buffers.push(Buffer {
        name: Some("input".into()),
        index: 0,
        format: Format::Uint32,
        page_bytes: 64,
        pages: 4,
    });
    let input = Arg { name: "input".into(), kind: ArgKind::Address, effect: None };
    model.handlers.push(Handler { name: "map".into(), number: 1, args: vec![input], result: None });
    model
}

struct Bench {
    _folder: tempfile::TempDir,
    cache: Cache,
    toolchain: Toolchain,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().to_owned());
        Self { _folder: folder, cache, toolchain: Toolchain::find().unwrap() }
    }

    fn build(&self, sources: &Sources, model: &ProgramModel, bytes: u32) -> Result<Kernels> {
        kernels_in(&self.cache, &self.toolchain, sources, model, L1_KERNELS, bytes)
    }
}

#[test]
fn five_images_lie_one_behind_the_other_from_the_kernel_buffers_base() {
    let bench = Bench::new();
    let sources = Sources::new().file("reader.cpp", READER.as_bytes());
    let built = bench.build(&sources, &model(), KERNEL_BYTES).unwrap();
    let mut at = u64::from(L1_KERNELS);
    for image in &built.threads {
        assert_eq!(image.base, at, "{image:?}");
        assert_eq!(image.entry, at, "the first instruction is the first byte: {image:?}");
        assert!(image.bytes.len() > 500, "{image:?}");
        at = image.end().next_multiple_of(16);
    }
    assert_eq!(u64::from(built.end), at);
    assert_eq!(built.sizes.total, built.end - L1_KERNELS);
    // The second build comes from the cache.
    let again = bench.build(&sources, &model(), KERNEL_BYTES).unwrap();
    assert_eq!(again.threads, built.threads);
}

#[test]
fn a_compile_error_names_the_users_file_line_and_column() {
    let bench = Bench::new();
    let wrong = READER.replace("args.input", "args.output");
    let sources = Sources::new().file("reader.cpp", wrong.into_bytes());
    let Err(Error::Compile(error)) = bench.build(&sources, &model(), KERNEL_BYTES) else {
        panic!("it compiled")
    };
    let place = error.place.as_ref().unwrap();
    assert_eq!((place.file.as_str(), place.line), ("reader.cpp", 4), "{error}");
    assert!(error.message.contains("output"), "{error}");
    assert!(error.output.contains("args.output"), "the source line is shown: {error}");
}

#[test]
fn a_buffer_the_declaration_lacks_is_an_error_at_its_line_in_every_call_and_level() {
    let bench = Bench::new();
    let mut model = model();
    model.buffers.push(Buffer { name: None, index: 3, ..model.buffers[0].clone() });
    let sources = |file: &'static str, call: &str| {
        let text = format!("#include <komorebi/kernel.h>\n\nKM_HANDLER(Map) {{\n    {call};\n}}\n");
        Sources::new().file(file, text.into_bytes())
    };
    let refused = |file, call: &str, model: &ProgramModel| {
        let Err(Error::Compile(error)) = bench.build(&sources(file, call), model, KERNEL_BYTES) else {
            panic!("{call} compiled")
        };
        let place = error.place.as_ref().unwrap_or_else(|| panic!("{call}: {error}"));
        assert_eq!((place.file.as_str(), place.line), (file, 4), "{call}: {error}");
        assert!(error.message.contains("this program declares no circular buffer of this index"), "{error}");
    };
    for call in [
        "cb_reserve_back(4, 1)",
        "cb_push_back(1, 1)",
        "cb_wait_front(31, 1)",
        "cb_pop_front(32, 1)",
        "if (cb_pages_reservable_at_back(2, 1)) cb_push_back(3, 1)",
        "if (cb_pages_available_at_front(4, 1)) cb_pop_front(3, 1)",
        "noc_async_read(get_noc_addr(args.input), get_write_ptr(4), 64)",
        "noc_async_read(get_noc_addr(args.input), get_read_ptr(4), 64)",
        "noc_async_read(get_noc_addr(args.input), get_write_ptr(3), get_tile_size(4))",
    ] {
        refused("reader.cpp", call, &model);
    }
    for call in [
        "km::map_page(0, 4, [](const uint32_t*, uint32_t*, uint32_t) {})",
        "km::zip_pages(0, 1, 3, 1, [](const uint32_t*, const uint32_t*, uint32_t*, uint32_t) {})",
        "km::consume_pages(2, 1, [](const uint32_t*, uint32_t) {})",
        "km::produce_pages(4, 1, [](uint32_t*, uint32_t) {})",
    ] {
        refused("compute.cpp", call, &model);
    }
    // Declared ones compile at every level; O0 knows no index before the run.
    let declared = "cb_reserve_back(3, 1); cb_push_back(3, 1); cb_wait_front(0, 1); cb_pop_front(0, 1)";
    for level in OptLevel::ALL {
        model.opt[0] = Some(level);
        bench.build(&sources("reader.cpp", declared), &model, KERNEL_BYTES).unwrap();
        if level == OptLevel::O0 {
            bench.build(&sources("reader.cpp", "cb_reserve_back(4, 1)"), &model, KERNEL_BYTES).unwrap();
        } else {
            refused("reader.cpp", "cb_reserve_back(4, 1)", &model);
        }
    }
}

#[test]
fn a_handler_the_declaration_lacks_is_an_error_at_its_line() {
    let bench = Bench::new();
    let wrong = READER.replace("Map", "Mop");
    let sources = Sources::new().file("reader.cpp", wrong.into_bytes());
    let Err(Error::Compile(error)) = bench.build(&sources, &model(), KERNEL_BYTES) else {
        panic!("it compiled")
    };
    let place = error.place.as_ref().unwrap();
    assert_eq!((place.file.as_str(), place.line), ("reader.cpp", 3), "{error}");
    assert!(error.message.contains("Mop") && error.message.contains("km::program"), "{error}");
}

#[test]
fn a_kernel_includes_its_own_headers_by_their_place_in_its_folder() {
    let bench = Bench::new();
    let reader = "#include \"shared/sizes.h\"\n#include <komorebi/kernel.h>\nstatic_assert(kWords == 7);\n";
    let sources = Sources::new()
        .file("reader.cpp", reader.as_bytes())
        .file("shared/sizes.h", b"constexpr unsigned kWords = KM_WORDS;\n".as_slice());
    let mut model = model();
    model.defines.push(("KM_WORDS".into(), "7".into()));
    bench.build(&sources, &model, KERNEL_BYTES).unwrap();
    model.defines[0].1 = "8".into();
    assert!(
        matches!(bench.build(&sources, &model, KERNEL_BYTES), Err(Error::Compile(_))),
        "defines are in the key"
    );
}

#[test]
fn kernels_that_do_not_fit_name_total_buffer_and_the_largest_thread() {
    let bench = Bench::new();
    let body = "static const uint32_t table[2000] = {1};\n    command.set_result(table[args.input]);";
    let large = format!("#include <komorebi/kernel.h>\nKM_HANDLER(Map) {{\n    {body}\n}}\n");
    let sources = Sources::new().file("writer.cpp", large.into_bytes());
    let Err(Error::KernelSize(sizes)) = bench.build(&sources, &model(), 8192) else { panic!("it fits") };
    assert_eq!(sizes.largest().0, "writer");
    assert_eq!(sizes.buffer, 8192);
    let text = Error::KernelSize(sizes.clone()).to_string();
    assert!(
        text.contains(&sizes.total.to_string()) && text.contains("8192") && text.contains("writer"),
        "{text}"
    );
}

#[test]
fn an_optimisation_level_is_a_define_and_another_build() {
    let bench = Bench::new();
    let reader = "#include <komorebi/kernel.h>\n#ifndef KM_OPT_LEVEL\n#error no level\n#endif\n";
    let sources = Sources::new().file("reader.cpp", reader.as_bytes());
    let mut model = model();
    assert!(bench.build(&sources, &model, KERNEL_BYTES).is_err());
    model.opt[0] = Some(OptLevel::Os);
    bench.build(&sources, &model, KERNEL_BYTES).unwrap();
}

#[test]
fn compute_options_reach_the_compute_kernel_and_its_key() {
    let bench = Bench::new();
    let compute = "#include <komorebi/kernel.h>
namespace options = km::program::compute;
static_assert(options::kMathFidelity == options::MathFidelity::LoFi && options::kMathFidelityPhases == 1);
static_assert(options::kFp32DestAccEn && options::kMathApproxMode && options::kDstFullSyncEn);
static_assert(options::kBfp8PackPrecise && options::kEnableTrisc2Rvv);
static_assert(options::kUnpackToDestFp32 == 1u << km::program::kBufferInput);
";
    let sources = Sources::new().file("compute.cpp", compute.as_bytes());
    let mut model = model();
    model.compute = Compute {
        math_fidelity: MathFidelity::LoFi,
        unpack_to_dest_mode: vec![(0, UnpackMode::UnpackToDestFp32)],
        fp32_dest_acc_en: true,
        math_approx_mode: true,
        dst_full_sync_en: true,
        bfp8_pack_precise: true,
        enable_trisc2_rvv: true,
    };
    bench.build(&sources, &model, KERNEL_BYTES).unwrap();
    // Every option is in the key: what was built with another one is not taken.
    let changes: [fn(&mut Compute); 7] = [
        |options| options.math_fidelity = MathFidelity::HiFi4,
        |options| options.unpack_to_dest_mode.clear(),
        |options| options.fp32_dest_acc_en = false,
        |options| options.math_approx_mode = false,
        |options| options.dst_full_sync_en = false,
        |options| options.bfp8_pack_precise = false,
        |options| options.enable_trisc2_rvv = false,
    ];
    for change in changes {
        let mut other = model.clone();
        change(&mut other.compute);
        let error = bench.build(&sources, &other, KERNEL_BYTES).unwrap_err();
        assert!(
            matches!(&error, Error::Compile(error) if error.to_string().contains("static assertion")),
            "{error}"
        );
    }
    // A data mover has no compute units to set.
    let reader = Sources::new().file("reader.cpp", compute.as_bytes());
    assert!(matches!(bench.build(&reader, &model, KERNEL_BYTES), Err(Error::Compile(_))));
}

#[test]
fn a_global_with_a_constructor_and_too_large_globals_are_refused_with_the_reason() {
    let bench = Bench::new();
    for (text, reason) in [
        (
            "int f();\nint f() { return KM_THREAD; }\nint x = f() * *reinterpret_cast<volatile int*>(64);\n",
            "constructor",
        ),
        (
            "#include <komorebi/kernel.h>\nint table[4096];\nKM_HANDLER(Map) { table[args.input] = 1; }\n",
            "local RAM",
        ),
    ] {
        let sources = Sources::new().file("compute.cpp", text.as_bytes());
        let error = bench.build(&sources, &model(), KERNEL_BYTES).unwrap_err();
        assert!(matches!(error, Error::Link { .. }) && error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn an_instruction_the_cores_lack_is_found_with_its_function_and_line() {
    let bench = Bench::new();
    let root = "[[gnu::noinline]] static void root() { asm volatile(\".word 0x58057553\"); }\n";
    let text =
        READER.replace("KM_HANDLER", &format!("{root}KM_HANDLER")).replace("(Map) {", "(Map) {\n    root();");
    let sources = Sources::new().file("reader.cpp", text.into_bytes());
    match bench.build(&sources, &model(), KERNEL_BYTES) {
        Err(Error::Instruction(error)) => {
            assert_eq!(error.findings[0].instruction, "fsqrt.s");
            let place = error.findings[0].place.as_ref().unwrap();
            assert!(place.function.contains("root"), "{error}");
            assert_eq!(place.line.as_deref(), Some("reader.cpp:3"), "{error}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_source_outside_the_folder_or_a_missing_kernel_is_refused() {
    let bench = Bench::new();
    for path in ["../reader.cpp", "/reader.cpp", ""] {
        let sources = Sources::new().file(path, b"".as_slice());
        assert!(
            matches!(bench.build(&sources, &model(), KERNEL_BYTES), Err(Error::SourcePath { .. })),
            "{path}"
        );
    }
    let sources = Sources { kernels: [Some("read.cpp".into()), None, None], ..Sources::new() };
    assert!(matches!(bench.build(&sources, &model(), KERNEL_BYTES), Err(Error::NoKernel { .. })));
}

#[test]
fn a_changed_image_in_the_cache_is_built_again() {
    let bench = Bench::new();
    let sources = Sources::new().file("reader.cpp", READER.as_bytes());
    let built = bench.build(&sources, &model(), KERNEL_BYTES).unwrap();
    let bytes = |kernels: &Kernels| kernels.threads.each_ref().map(|image| image.bytes.clone());
    type Spoil = fn(&mut Vec<u8>, &[u8]);
    let spoils: [Spoil; 3] = [
        // A byte of the text flipped: the file is as good an ELF file as before.
        |elf, text| {
            let at =
                elf.windows(text.len()).position(|bytes| bytes == text).expect("the text lies in one piece");
            elf[at + 100] ^= 1;
        },
        |elf, _| elf.truncate(elf.len() / 2),
        |elf, _| elf.clear(),
    ];
    let mut path = built.threads[3].path.clone();
    for spoil in spoils {
        let mut elf = std::fs::read(&path).unwrap();
        spoil(&mut elf, &built.threads[3].bytes);
        std::fs::write(&path, elf).unwrap();
        let again = bench.build(&sources, &model(), KERNEL_BYTES).unwrap();
        assert_eq!(bytes(&again), bytes(&built));
        path.clone_from(&again.threads[3].path);
    }
}

#[test]
fn the_firmware_fits_its_places() {
    use komorebi_abi::constants::layout::{LIM_BASE, LIM_IMAGE, LIM_MONITOR};
    let bench = Bench::new();
    let firmware = firmware_in(&bench.cache, &bench.toolchain).unwrap();
    assert_eq!(firmware.monitor.base, LIM_BASE + u64::from(LIM_MONITOR));
    assert_eq!(firmware.dispatcher.base, LIM_BASE + u64::from(LIM_IMAGE));
}

#[test]
fn an_address_is_told_by_the_users_line_even_where_the_library_was_inlined() {
    let bench = Bench::new();
    let sources = Sources::new().file("reader.cpp", READER.as_bytes());
    let built = bench.build(&sources, &model(), KERNEL_BYTES).unwrap();
    let reader = &built.threads[0];
    let places: Vec<CodePlace> =
        (reader.base..reader.end()).step_by(4).filter_map(|at| reader.locate(at)).collect();
    for line in ["reader.cpp:4", "reader.cpp:5"] {
        let found = places.iter().find(|place| place.line.as_deref() == Some(line));
        assert!(found.is_some_and(|place| place.function.contains("Map")), "{line}: {found:?}");
    }
    assert_eq!(reader.locate(reader.end()), None);
    let own = |place: &CodePlace| place.line.as_ref().is_some_and(|line| line.starts_with("reader.cpp:"));
    let (mut users, mut library) = (0, 0);
    for at in (reader.base..reader.end()).step_by(4) {
        let place = reader.locate(at);
        if place.as_ref().is_some_and(own) {
            users += 1
        } else {
            library += usize::from(place.is_some())
        }
        assert_eq!(reader.locate_own(at), place.filter(own), "{at:#x}");
    }
    assert!(users > 0 && library > 0, "{users} {library}");
}
