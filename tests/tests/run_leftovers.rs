//! What a program leaves in a tile, and no reset of its cores clears, does not reach the next program.

use std::time::Duration;

use km::Card as _;
use km::build::Sources;
use komorebi as km;
use komorebi_card::NocXy;
use komorebi_sim::Card;

const TIMEOUT: Duration = Duration::from_secs(5);
/// The tile of core 0.
const TILE: NocXy = NocXy::new(1, 2);
/// A word of its L1 that nobody else uses.
const WORD: u64 = 0x10_0000;

fn program(kernel: &'static str, source: String) -> km::Program {
    km::Program::new("leftovers")
        .with_sources(Sources::new().file(kernel, source.into_bytes()))
        .handler("do", 1)
        .grid(1, 1)
}

fn run_once(session: &km::Session, program: km::Program) {
    let run = session.load(program).unwrap();
    run.wait(run.submit(km::call("do", &[])).unwrap(), TIMEOUT).unwrap();
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn hardware_semaphores_are_zero_when_a_program_starts() {
    let post = "#include <komorebi/kernel.h>
        KM_HANDLER(Do) {
            for (uint32_t i = 0; i < 8; ++i) km::hardware::reg(km::hardware::kSemaphores + 4 * i) = km::hardware::kSemaphorePost;
        }";
    let sum = format!(
        "#include <komorebi/kernel.h>
        KM_HANDLER(Do) {{
            uint32_t sum = 0;
            for (uint32_t i = 0; i < 8; ++i) sum += km::hardware::reg(km::hardware::kSemaphores + 4 * i) & 15;
            if constexpr (km::kIsMath) km::hardware::reg({WORD:#x}) = 0x100 + sum;
        }}"
    );
    let card = Card::builder().build();
    let session = km::Session::builder().on(&card).open().unwrap();
    run_once(&session, program("compute.cpp", post.to_owned()));
    run_once(&session, program("compute.cpp", sum));
    assert_eq!(card.read32(TILE, WORD).unwrap(), 0x100);
}

#[test]
fn the_upper_length_words_of_the_nius_are_zero_when_a_program_starts() {
    let card = Card::builder().build();
    let session = km::Session::builder().on(&card).open().unwrap();
    let registers =
        (0..2).flat_map(|noc| (0..4).map(move |buffer| 0xffb2_0024 + noc * 0x1_0000 + buffer * 0x800));
    for register in registers.clone() {
        card.write32(TILE, register, 1).unwrap();
    }
    run_once(&session, program("reader.cpp", "#include <komorebi/kernel.h>\nKM_HANDLER(Do) {}\n".to_owned()));
    for register in registers {
        assert_eq!(card.read32(TILE, register).unwrap(), 0, "{register:#x}");
    }
}
