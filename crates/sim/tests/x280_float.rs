//! Floating-point loads and stores of an X280 hart meet its cluster as integer ones do: the same bytes, in the same time.

mod support;

use komorebi_sim::Card;
use support::x280::*;
use support::*;

/// LIM, local DRAM by both views, and L1 of a core through a window.
const REGIONS: [&str; 4] = ["0x08020000", "CACHED + 0x1000", "UNCACHED + 0x2000", "LARGE + 0x50000"];

/// Doubles a number in each region by two additions, and leaves the sum and the cycles of load and store, with these
/// instructions.
fn moved(load: &str, store: &str, register: &str, add: &str, parking: bool) -> [[u64; 3]; 4] {
    let regions: String = REGIONS
        .iter()
        .enumerate()
        .map(|(number, region)| {
            format!(
                "R64({region}) = 0x3ff8000000000000; FENCE();
                 asm volatile(\"fence; csrr %0, mcycle; {load} {register}, 0(%2); fence; csrr %1, mcycle\"
                     : \"=&r\"(a), \"=&r\"(b) : \"r\"({region}) : \"memory\");
                 RESULT({at}) = b - a;
                 asm volatile(\"{add}; fence; csrr %0, mcycle; {store} {register}, 8(%2); fence; csrr %1, mcycle\"
                     : \"=&r\"(a), \"=&r\"(b) : \"r\"({region}) : \"memory\");
                 RESULT({at} + 1) = b - a; RESULT({at} + 2) = R64({region} + 8);",
                at = 3 * number
            )
        })
        .collect();
    let body = format!(
        "asm volatile(\".option arch, +d\\n csrs mstatus, %0\" :: \"r\"(0x2000)); uint64_t a, b; HEAR(1); {regions}"
    );
    let program = Program::start(Card::builder().parking(parking), &body);
    window(&program.card, 0, 3 | 4 << 6, 0);
    program.answer(1).finish();
    [0, 1, 2, 3].map(|region| [0, 1, 2].map(|at| program.result(3 * region + at)))
}

#[test]
fn floating_point_goes_everywhere_that_integers_go_in_the_same_time() {
    let floats = moved("fld", "fsd", "f1", "fadd.d f1, f1, f1", true);
    assert_eq!(floats.map(|[.., sum]| f64::from_bits(sum)), [3.0; 4]);
    // One more in the exponent doubles it, too.
    let integers = moved("ld", "sd", "t3", "li t4, 1; slli t4, t4, 52; add t3, t3, t4", true);
    assert_eq!(floats, integers);
    assert_eq!(floats, moved("fld", "fsd", "f1", "fadd.d f1, f1, f1", false));
}
