//! Differential fuzz: five threads that share words of L1, with and without parking.
use km::build::Sources;
use komorebi as km;
use komorebi_sim::Card;
use std::fmt::Write as _;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(5);
const WORDS: u32 = 0x150000; // shared words
const LOGS: u32 = 0x152000; // 5 logs of 64 words
const THREADS: usize = 5;

struct Rng(u64);
impl Rng {
    fn next(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545F4914F6CDD1D) >> 33) % n
    }
}

/// One thread's part of a handler.
fn body(rng: &mut Rng, thread: usize, ops: usize, style: u64) -> String {
    let mut t = String::new();
    let log = LOGS + 256 * thread as u32;
    let mut slot = 0;
    writeln!(t, "  uint32_t x = 0, y = 0; (void)x; (void)y; volatile uint32_t* w = (volatile uint32_t*){WORDS:#x}u; volatile uint32_t* l = (volatile uint32_t*){log:#x}u;").unwrap();
    let delay = rng.next(120);
    writeln!(t, "  rendezvous({thread}, args.round, {delay});").unwrap();
    for i in 0..ops {
        let word = rng.next(4);
        match rng.next(if style == 0 { 8 } else { 13 }) {
            0..=2 => writeln!(t, "  x = w[{word}]; y = y * 3 + x;").unwrap(),
            3 | 4 => { let n = 1 + rng.next(40); writeln!(t, "  asm volatile(\".rept {n}\\nnop\\n.endr\");").unwrap() }
            5 | 6 => writeln!(t, "  w[{word}] = {}u;", (thread as u64 + 1) * 1000 + i as u64).unwrap(),
            7 => { if slot < 60 { writeln!(t, "  l[{slot}] = y;").unwrap(); slot += 1; } }
            8 => writeln!(t, "  {{ uint32_t old; asm volatile(\".option push\\n.option arch, +a\\namoadd.w %0, %1, (%2)\\n.option pop\" : \"=r\"(old) : \"r\"({}), \"r\"(w + {word}) : \"memory\"); y = y * 5 + old; }}", thread + 1).unwrap(),
            9 => writeln!(t, "  y += mine[{word}]; mine[{word}] = x + {i}u;").unwrap(),
            10 | 11 => { let n = 10 + rng.next(150); writeln!(t, "  x = wait_for(w + {word}, x, {n});").unwrap() }
            _ => { let n = 2 + rng.next(12); writeln!(t, "  for (uint32_t n = 0; n < {n} && w[{word}] == x; ++n) asm volatile(\"\");").unwrap() }
        }
    }
    writeln!(t, "  l[61] = y; l[62] = (uint32_t)km::wall_clock(); l[63] += 1;").unwrap();
    t
}

const PRELUDE: &str = r#"
#include <komorebi/kernel.h>
// In the core's own RAM.
static volatile uint32_t mine[4];
// Waits as the library does, with its HINT: until the word is no longer `was`, for so many cycles at most.
static inline uint32_t wait_for(volatile uint32_t* word, uint32_t was, uint32_t cycles) {
    const uint32_t wake = ((uint32_t)km::wall_clock() + cycles) | 1;
    for (;;) {
        asm volatile("add x0, sp, %0" ::"r"(wake));
        asm volatile("fence" ::: "memory");
        const uint32_t now = *word;
        if (now != was || (int32_t)(km::wall_clock_low() - wake) >= 0) return now;
    }
}
// Word 32 of WORDS: the moment all start at, from thread 0; it is given by a store and then waited for on the clock.
static inline void rendezvous(uint32_t thread, uint32_t round, uint32_t delay) {
    volatile uint32_t* m = (volatile uint32_t*)0x150100u;
    if (thread == 0) {
        for (uint32_t i = 0; i < 16; ++i) ((volatile uint32_t*)0x150000u)[i] = i * 7 + 1;
        m[1] = (uint32_t)km::wall_clock() + 1500;
        asm volatile("fence" ::: "memory");
        m[0] = round;
    }
    while (m[0] != round) asm volatile("");
    const uint32_t at = m[1] + delay;
    while ((int32_t)((uint32_t)km::wall_clock() - at) < 0) asm volatile("");
}
"#;

fn program(seed: u64, handlers: u32) -> km::Program {
    let mut rng = Rng(seed * 2 + 1);
    let (mut r, mut w, mut c) = (String::from(PRELUDE), String::from(PRELUDE), String::from(PRELUDE));
    for h in 1..=handlers {
        let style = rng.next(2);
        let ops = 4 + rng.next(24) as usize;
        let used = [true, true, rng.next(2) == 0, rng.next(3) == 0, rng.next(3) == 0];
        let b: Vec<String> = (0..THREADS)
            .map(|t| if used[t] { body(&mut rng, t, ops, style) } else { String::new() })
            .collect();
        write!(r, "KM_HANDLER(H{h}) {{\n{}}}\n", b[0]).unwrap();
        write!(w, "KM_HANDLER(H{h}) {{\n{}}}\n", b[1]).unwrap();
        write!(
            c,
            "KM_HANDLER(H{h}) {{\n#if KM_THREAD == 2\n{}#elif KM_THREAD == 3\n{}#else\n{}#endif\n}}\n",
            b[2], b[3], b[4]
        )
        .unwrap();
    }
    let dump = format!(
        "KM_HANDLER(Dump) {{ const TensorAccessor to{{args.to, 2048}}; noc_async_write_page(args.page, to, {LOGS:#x}u); noc_async_write_barrier(); }}\n"
    );
    w += &dump;
    let mut p = km::Program::new("fuzz")
        .with_sources(
            Sources::new()
                .file("reader.cpp", r.into_bytes())
                .file("writer.cpp", w.into_bytes())
                .file("compute.cpp", c.into_bytes()),
        )
        .handler_with("dump", 200, &[("to", km::ArgKind::Address), ("page", km::ArgKind::U32)], None)
        .grid(1, 1)
        .depth(4);
    for h in 1..=handlers {
        p = p.handler_with(format!("h{h}"), h, &[("round", km::ArgKind::U32)], None);
    }
    p
}

fn one(seed: u64, card_seed: u64, handlers: u32, parking: bool) -> (Vec<Vec<u8>>, Vec<u32>) {
    let card = Card::builder().seed(card_seed).parking(parking).build();
    let session = km::Session::builder().on(&card).kernel_bytes(262144).open().unwrap();
    let to = session.empty(&[handlers as usize, 512], km::DType::Uint32).unwrap();
    let run = session.load(program(seed, handlers)).map_err(|e| e.to_string()).unwrap();
    let mut ticks = vec![];
    for h in 1..=handlers {
        let a = run.submit(km::call(&*format!("h{h}"), &[h])).unwrap();
        let b = run.submit(km::call("dump", &[to.address().0, h - 1]).exclusive()).unwrap();
        for e in run.wait(&[a, b], TIMEOUT).map_err(|e| e.to_string()).unwrap() {
            ticks.push(e.ticks);
        }
    }
    let pages = (0..handlers).map(|h| session.read(&to, h as usize, 1).unwrap()[..1280].to_vec()).collect();
    run.stop(TIMEOUT).unwrap();
    (pages, ticks)
}

#[test]
fn fuzz() {
    let from: u64 = std::env::var("FROM").ok().and_then(|v| v.parse().ok()).unwrap_or(1);
    let to: u64 = std::env::var("TO").ok().and_then(|v| v.parse().ok()).unwrap_or(6);
    let mut bad = 0;
    let mut all = 0;
    for seed in from..to {
        for card_seed in [0, seed] {
            let a = one(seed, card_seed, 40, true);
            let b = one(seed, card_seed, 40, false);
            all += 40;
            for h in 0..40usize {
                if a.0[h] != b.0[h] || a.1[2 * h] != b.1[2 * h] {
                    bad += 1;
                    let diff: Vec<_> = (0..320)
                        .filter(|i| a.0[h][4 * i..4 * i + 4] != b.0[h][4 * i..4 * i + 4])
                        .map(|i| {
                            let v = |x: &Vec<u8>| u32::from_le_bytes(x[4 * i..4 * i + 4].try_into().unwrap());
                            (i / 64, i % 64, v(&a.0[h]), v(&b.0[h]))
                        })
                        .take(4)
                        .collect();
                    if bad < 12 {
                        println!(
                            "program {seed} card {card_seed} handler {}: ticks {} {} {:?}",
                            h + 1,
                            a.1[2 * h],
                            b.1[2 * h],
                            diff
                        );
                    }
                }
            }
        }
    }
    println!("{bad} of {all} differ");
    assert_eq!(bad, 0);
}
