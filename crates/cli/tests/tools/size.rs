//! `size`: the map of a program.

use super::{Folder, line, printed, refused};
use std::path::Path;

/// Address, bytes and name of each row of a map's section.
fn rows(section: &str) -> Vec<(u64, u64, String)> {
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let address = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
        let bytes = words.next()?.parse().ok()?;
        Some((address, bytes, words.skip(2).collect::<Vec<_>>().join(" ")))
    };
    section.lines().filter_map(row).collect()
}

#[test]
fn the_map_of_a_program_accounts_for_every_byte() {
    let folder = Folder::new();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/01_map/program.rs");
    let (upload, program) = (folder.text("converge.bin"), program.display().to_string());
    let text = printed(["size", &program, "--trace", "64", "--upload", &upload]);
    let (l1, region) = text.split_once("\n\n").unwrap();
    for (section, all) in [(l1, 1_572_864), (region, 707_840)] {
        let mut end = 0;
        for (address, bytes, what) in rows(section) {
            assert!(
                (end..end + 64).contains(&address),
                "{what} begins where the part before it ends: {text}"
            );
            end = address + bytes;
        }
        assert_eq!(end, all, "{text}");
    }
    let bytes = |name: &str| rows(&text).iter().find(|row| row.2.contains(name)).map(|row| (row.0, row.1));
    assert_eq!(bytes("buffer `source`"), Some(((41_088 + 70_656), 4 * 2048)), "{text}");
    assert_eq!(bytes("trace: 64").map(|row| row.1), Some(1024));
    assert!(bytes("kernel: reader").is_some_and(|row| row.0 == 41_088 && row.1 > 0), "{text}");
    let length = std::fs::metadata(&upload).unwrap().len();
    assert_eq!(bytes("converge.bin"), Some((0, length + 64)));
}

const PROGRAMS: &str = r#"
mod inner {
    #[komorebi::program(kernels = (reader = "k/reader.cpp", writer = "k/writer.cpp"), header = "k/tiles.h", buffers(
        large(index = 0, format = uint32, page_bytes = kPage, pages = 200),
    ), defines(TILES = 3), opt(reader = Os), compile_args(reader = [kPage]),
    compute(fp32_dest_acc_en, unpack_to_dest_mode(large = UnpackToDestFp32)))]
    pub trait Large {
        fn go(#[input] from: km::Address, pair: [u16; 2], far: u64) -> u32;
    }
}
#[km::program(kernels = "k")]
pub trait Small {
    #[handler(7)]
    fn go();
}
#[km::program(kernels = "k", threads(scan(cluster = 1, sources = ["k/reader.cpp"])))]
pub trait Threaded {
    #[handler(7)]
    fn go();
}
"#;

#[test]
fn a_program_that_does_not_fit_is_shown_with_what_is_too_much() {
    let folder = Folder::new();
    let file = folder.write("programs.rs", PROGRAMS).display().to_string();
    std::fs::create_dir(folder.path("k")).unwrap();
    folder.write(
        "k/reader.cpp",
        "#include \"tiles.h\"\nstatic_assert(TILES == 3 && kPage == 8192, \"the program's\");\n",
    );
    folder.write("k/writer.cpp", "");
    folder.write("k/tiles.h", "#pragma once\n#include <stdint.h>\nconstexpr uint32_t kHandlerGo = 7;\nconstexpr uint32_t kPage = 8192;\n");
    let both = line(["size", &file]);
    assert!(
        both.ends_with("it declares `Large`, `Small`, `Threaded`: choose one with `--program`"),
        "{both}"
    );
    assert!(
        line(["size", &file, "--program", "Lrage"])
            .ends_with("no program `Lrage`; there are `Large`, `Small`, `Threaded`")
    );
    let text = printed(["size", &file, "--program", "Large"]);
    assert!(text.contains("buffer `large` (index 0): 200 pages of 8192 bytes"), "{text}");
    assert!(text.contains(&format!("{} bytes too many", 41_088 + 70_656 + 200 * 8192 - 1_572_864)), "{text}");
    folder.write("k/reader.cpp", "");
    let small = printed(["size", &file, "--program", "Small"]);
    assert!(
        small.contains("upload region of the X280, 707840 bytes\n  0x000000     707840  100.0 %  free"),
        "{small}"
    );
    // A thread's ring takes the upload region.
    let threaded = printed(["size", &file, "--program", "Threaded"]);
    let (_, region) = threaded.split_once("\n\n").unwrap();
    assert_eq!(
        region,
        "upload region of the X280, 0 bytes\n  a program with a thread has none: the thread's ring lies there\n"
    );
    let upload = folder.text("converge.bin");
    let text = printed(["size", &file, "--program", "Threaded", "--upload", &upload]);
    let length = std::fs::metadata(&upload).unwrap().len() + 64;
    assert!(text.contains(&format!("{length} bytes too many")) && !text.contains("NaN"), "{text}");
}

#[test]
fn a_program_that_cannot_be_measured_is_refused() {
    let folder = Folder::new();
    assert!(line(["size", &folder.text("no.rs")]).contains("no.rs cannot be read"));
    assert!(line(["size", &folder.text("heat.h")]).contains("heat.h: it declares no program"));
    let open = folder.write("open.rs", "fn main() {\n    (\n");
    assert!(line([Path::new("size"), &open]).contains("open.rs: line 2, column 5: "));
    // However deep, however long.
    let deep = format!("fn f() -> u32 {{ {}1{} }}", "(".repeat(20_000), ")".repeat(20_000));
    let deep = folder.write("deep.rs", &deep);
    assert!(line([Path::new("size"), &deep]).contains("declares no program"));
    assert!(line(["size", &folder.text("converge.bin")]).contains("converge.bin: "));
    let empty = folder.write("empty.rs", "fn main() {}\n");
    assert!(line([Path::new("size"), &empty]).contains("declares no program"));
    let file = folder.write("programs.rs", PROGRAMS).display().to_string();
    // What a build refuses is refused in the same words, all of it, at its place.
    let nowhere = refused(["size", &file, "--program", "Small"]);
    assert!(
        nowhere.contains("programs.rs:11:25: [KM0019] there is no folder \"k\", of the kernels"),
        "{nowhere}"
    );
    let wrong = refused(["size", &file, "--program", "Large"]);
    assert!(wrong.contains("[KM0012] there is no header \"k/tiles.h\""), "{wrong}");
    std::fs::create_dir(folder.path("k")).unwrap();
    let empty = refused(["size", &file, "--program", "Small"]);
    assert!(empty.contains("the reader kernel") && empty.contains("the writer kernel"), "{empty}");
    folder.write("k/reader.cpp", "");
    folder.write("k/writer.cpp", "");
    let words = line(["size", &file, "--program", "Small", "--compile-args", "raeder=1"]);
    assert!(words.contains("`raeder=1` gives no words to a kernel"), "{words}");
}
