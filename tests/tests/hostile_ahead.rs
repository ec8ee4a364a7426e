//! Two threads race for words of L1. Loads that the simulator makes before a hart's turn give what strict turns give, so a
//! card that parks its harts and one that lets them poll see the same.

use std::time::Duration;

use km::build::Sources;
use komorebi as km;
use komorebi_sim::Card;

const TIMEOUT: Duration = Duration::from_secs(5);

/// Words both threads share, a place to meet, and lengths of time in cycles.
const COMMON: &str = r#"
#include <komorebi/kernel.h>
inline volatile uint32_t& word(uint32_t i) { return reinterpret_cast<volatile uint32_t*>(0x150000)[i]; }
inline void until(uint32_t at) { while (static_cast<int32_t>(km::wall_clock_low() - at) < 0) asm volatile(""); }
template <uint32_t N> inline void idle() { asm volatile(".rept %0\nnop\n.endr" :: "i"(N)); }
inline void meet(bool first, uint32_t round, uint32_t start) {
    if (first) {
        word(0) = word(1) = start;
        word(9) = km::wall_clock_low() + 1000;
        asm volatile("fence" ::: "memory");
        word(8) = round;
    }
    while (word(8) != round) asm volatile("");
    until(word(9));
}
"#;

/// One core with these two kernels, and the card it is on.
fn load(parking: bool, reader: &str, writer: &str) -> km::Run {
    let card = Card::builder().parking(parking).build();
    let session = km::Session::builder().on(&card).open().unwrap();
    let kernel = |text: &str| format!("{COMMON}{text}").into_bytes();
    let sources = Sources::new().file("reader.cpp", kernel(reader)).file("writer.cpp", kernel(writer));
    let args = [("round", km::ArgKind::U32), ("offset", km::ArgKind::U32)];
    let program = km::Program::new("race").with_sources(sources).grid(1, 1);
    session.load(program.handler_with("race", 1, &args, Some(km::ResultKind::U32))).unwrap()
}

/// The reader's result word, and the command's ticks.
fn race(run: &km::Run, round: u32, offset: u32) -> km::Result<(u32, u32)> {
    let handle = run.submit(km::call("race", &[round, offset]).result::<u32>())?;
    run.wait(handle, TIMEOUT).map(|event| (event.value(), event.ticks))
}

#[test]
fn a_store_between_two_loads_is_seen_by_the_later_one_only() {
    const READER: &str = r#"
KM_HANDLER(Race) {
    meet(true, args.round, 0);
    until(word(9) + args.offset);
    word(16) = 1;            // the writer may not pass this
    idle<30>();
    const uint32_t a = word(0);
    idle<60>();
    const uint32_t b = word(1);
    command.set_result(a << 16 | b);
}
"#;
    const WRITER: &str = r#"
KM_HANDLER(Race) {
    meet(false, args.round, 0);
    until(word(9) + 100);
    word(17) = 1;
    idle<30>();
    word(0) = 5;
    idle<20>();
    word(1) = 7;
}
"#;
    let races = |parking| {
        let run = load(parking, READER, WRITER);
        let found: Vec<_> = (1..150).map(|round| race(&run, round, 50 + round).unwrap()).collect();
        run.stop(TIMEOUT).unwrap();
        found
    };
    assert_eq!(races(true), races(false));
}

#[test]
fn a_jump_through_a_word_that_was_loaded_ahead_halts_the_card_only_where_strict_turns_would() {
    const READER: &str = r#"
static uint32_t good() { return 42; }
KM_HANDLER(Race) {
    meet(true, args.round, 0xfffffff0);
    word(20) = reinterpret_cast<uint32_t>(&good);
    asm volatile("fence" ::: "memory");
    until(word(9) + args.offset);
    idle<30>();
    const auto f = reinterpret_cast<uint32_t (*)()>(word(0));
    command.set_result(f());
}
"#;
    const WRITER: &str = r#"
KM_HANDLER(Race) {
    meet(false, args.round, 0xfffffff0);
    until(word(9) + 40);
    const uint32_t f = word(20);
    until(word(9) + 100);
    word(17) = 1;
    idle<15>();
    word(0) = f;
}
"#;
    let differing: Vec<_> = (50..150)
        .map(|offset| {
            // A fault ends its card.
            let ends = |parking| race(&load(parking, READER, WRITER), 1, offset).ok();
            (offset, ends(true), ends(false))
        })
        .filter(|(_, parked, polled)| parked != polled)
        .collect();
    assert_eq!(differing, []);
}
