//! A jump through a word that was loaded before its turn goes where strict turns would go.
use km::build::Sources;
use komorebi as km;
use komorebi_sim::Card;
use std::time::Duration;
const T: Duration = Duration::from_secs(5);
const COMMON: &str = r#"
#include <komorebi/kernel.h>
inline volatile uint32_t& word(uint32_t i) { return reinterpret_cast<volatile uint32_t*>(0x150000)[i]; }
inline void until(uint32_t at) { while (static_cast<int32_t>(km::wall_clock_low() - at) < 0) asm volatile(""); }
template <uint32_t N> inline void idle() { asm volatile(".rept %0\nnop\n.endr" :: "i"(N)); }
inline void meet(bool first, uint32_t round) {
    if (first) { word(0) = 0xfffffff0; word(9) = km::wall_clock_low() + 1000; asm volatile("fence" ::: "memory"); word(8) = round; }
    while (word(8) != round) asm volatile("");
    until(word(9));
}
"#;
const READER: &str = r#"
static uint32_t good() { return 42; }
KM_HANDLER(Race) {
    meet(true, args.round);
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
    meet(false, args.round);
    until(word(9) + 40);
    const uint32_t f = word(20);
    until(word(9) + 100);
    word(17) = 1;
    idle<15>();
    word(0) = f;
}
"#;
fn race(parking: bool, offset: u32) -> Result<u32, String> {
    let card = Card::builder().parking(parking).build();
    let s = km::Session::builder().on(&card).open().unwrap();
    let p = km::Program::new("race")
        .with_sources(
            Sources::new()
                .file("reader.cpp", format!("{COMMON}{READER}").into_bytes())
                .file("writer.cpp", format!("{COMMON}{WRITER}").into_bytes()),
        )
        .handler_with(
            "race",
            1,
            &[("round", km::ArgKind::U32), ("offset", km::ArgKind::U32)],
            Some(km::ResultKind::U32),
        )
        .grid(1, 1);
    let r = s.load(p).unwrap();
    let h = r.submit(km::call("race", &[1, offset]).result::<u32>()).unwrap();
    r.wait(h, T).map(|e| e.value()).map_err(|e| e.to_string().chars().take(150).collect())
}
#[test]
fn fetch_race() {
    let mut bad = 0;
    for offset in 50..150 {
        let (a, b) = (race(true, offset), race(false, offset));
        if a.is_ok() != b.is_ok() {
            bad += 1;
            if bad < 5 {
                println!("offset {offset}: parked {a:?} polled {b:?}");
            }
        }
        if offset == 50 || offset == 149 {
            println!("offset {offset}: {a:?} {b:?}")
        }
    }
    println!("{bad} differ");
    assert_eq!(bad, 0);
}
const PCS: &str = r#"
KM_HANDLER(Race) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 200; ++i) { sum = sum * 31 + *reinterpret_cast<volatile uint32_t*>(0xffb13138 + 4 * (i % 5)); idle<7>(); }
    command.set_result(sum);
}
"#;
#[test]
fn pcs() {
    let f = |parking| {
        let s = km::Session::builder().on(&Card::builder().parking(parking).build()).open().unwrap();
        let p = km::Program::new("pcs")
            .with_sources(Sources::new().file("reader.cpp", format!("{COMMON}{PCS}").into_bytes()))
            .handler_with("race", 1, &[], Some(km::ResultKind::U32))
            .grid(1, 1);
        let r = s.load(p).unwrap();
        let h = r.submit(km::call("race", &[]).result::<u32>()).unwrap();
        let v = r.wait(h, T).unwrap();
        r.stop(T).unwrap();
        (v.value(), v.ticks)
    };
    println!("pcs {:x?} {:x?}", f(true), f(false));
}
