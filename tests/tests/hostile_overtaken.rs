//! A store in between two loads that another thread makes before their turns is seen by the later one only.
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
    if (first) { word(0) = word(1) = 0; word(9) = km::wall_clock_low() + 1000; asm volatile("fence" ::: "memory"); word(8) = round; }
    while (word(8) != round) asm volatile("");
    until(word(9));
}
"#;
const READER: &str = r#"
KM_HANDLER(Race) {
    meet(true, args.round);
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
    meet(false, args.round);
    until(word(9) + 100);
    word(17) = 1;
    idle<30>();
    word(0) = 5;
    idle<20>();
    word(1) = 7;
}
"#;
fn race(parking: bool) -> Vec<(u32, u32)> {
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
    let out = (1..150)
        .map(|i| {
            let h = r.submit(km::call("race", &[i, 50 + i]).result::<u32>()).unwrap();
            let e = r.wait(h, T).unwrap();
            (e.value(), e.ticks)
        })
        .collect();
    r.stop(T).unwrap();
    out
}
#[test]
fn race_is_the_same() {
    let (a, b) = (race(true), race(false));
    for (i, (a, b)) in a.iter().zip(&b).enumerate() {
        if a != b {
            println!("offset {}: parked {:x?} polled {:x?}", 51 + i, a, b);
        }
    }
    assert_eq!(a, b);
}
