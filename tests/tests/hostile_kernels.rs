//! Kernels that do what they must not: what the command then says, and that the next load of the session works.

use std::time::Duration;

use km::build::Sources;
use komorebi as km;
use komorebi_sim::Card;

const TIMEOUT: Duration = Duration::from_secs(5);

const READER: &str = r#"
#include <komorebi/kernel.h>
namespace {
[[noreturn, gnu::noinline]] void spin() {
    for (;;) asm volatile("");
}
void fill(uint32_t from, uint32_t bytes, uint32_t word = 0xdeadbeef) {
    for (uint32_t a = from; a < from + bytes; a += 4) *reinterpret_cast<volatile uint32_t*>(a) = word;
}
// Its own return address is on the stack, whatever the compiler keeps in registers: it goes on in `spin`.
[[gnu::noinline]] void ruin_stack() {
    asm volatile("" ::: "ra");
    fill(0xffb01000, 0x1000, reinterpret_cast<uint32_t>(&spin));
}
uint32_t deep(uint32_t n) {
    volatile uint32_t room[64];
    room[n & 63] = n;
    return n == 0 ? 0 : deep(n - 1) + room[n & 63];
}
}  // namespace
KM_HANDLER(Bad) {
    switch (args.what) {
        case 1: for (;;) asm volatile("");
        case 2: fill(0, 0x180000, 0x6f); break;                 // all of L1, own code included: jumps to themselves
        case 3: ruin_stack(); break;
        case 4: cb_wait_front(1, 1); break;                     // a page nobody pushes
        case 5: cb_reserve_back(0, 5); break;                   // more than the buffer has
        case 6: km::hardware::reg(0xffb121b0) = 0x47800; break; // every core of the tile into reset
        case 7:                                                 // one acknowledgement too many is waited for
            noc_async_write_multicast(0x150000, km::grid_multicast_addr(0, 0, 1, 1, 0x150100), 64, 7);
            noc_async_write_barrier();
            break;
        case 20: *reinterpret_cast<volatile uint32_t*>(0x200000) = 1; break;
        case 21: reinterpret_cast<void (*)()>(0xfffffff0)(); break;
        case 22: noc_async_read(get_noc_addr(63, 63, 0), 0x100000, 32); break;
        case 23: noc_async_read(km::bank_noc_addr(0, 64), 0x100000, 0); break;
        case 24: noc_async_read(km::bank_noc_addr(0, 64), 0x17ffc0, 4096); break;
        case 25: command.set_result(deep(100000)); break;
        case 26: fill(0, 0x180000); break;                      // all of L1, with what is no instruction
        default: command.set_result(42);
    }
}
"#;

fn program() -> km::Program {
    km::Program::new("bad")
        .with_sources(Sources::new().file("reader.cpp", READER.as_bytes()))
        .handler_with("bad", 1, &[("what", km::ArgKind::U32)], Some(km::ResultKind::U32))
        .buffer(0, km::Format::Uint32, 64, 2)
        .buffer(1, km::Format::Uint32, 64, 2)
        .grid(2, 2)
}

fn quick() -> km::LoadOptions {
    km::LoadOptions {
        deadline: Duration::from_millis(5),
        wait: Duration::from_millis(2),
        ..Default::default()
    }
}

fn bad(run: &km::Run, what: u32) -> km::Result<u32> {
    let before = run.submit(km::call("bad", &[0]).on(1..2).result::<u32>())?;
    let handle = run.submit(km::call("bad", &[what]).on(0..2).result::<u32>())?;
    run.submit(km::call("bad", &[0]).result::<u32>())?;
    assert_eq!(run.wait(before, TIMEOUT)?.value(), 42, "a command before it keeps its event");
    Ok(run.wait(handle, TIMEOUT)?.value())
}

#[test]
fn a_kernel_that_hangs_or_ruins_its_core_is_late_and_the_next_load_works() {
    let session = km::Session::builder().on(&Card::builder().build()).open().unwrap();
    for what in 1..=7 {
        let run = session.load_with(program(), quick()).unwrap();
        let Err(error) = bad(&run, what) else { panic!("{what}: no error") };
        assert!(matches!(error, km::Error::CommandTimeout(_)), "{what}: {error}");
        assert!(run.stop(TIMEOUT).unwrap().cause.is_some());
        let run = session.load_with(program(), quick()).unwrap();
        assert_eq!(bad(&run, 0).unwrap(), 42, "after {what}");
        run.stop(TIMEOUT).unwrap();
    }
}

#[test]
fn a_kernel_that_breaks_a_rule_of_the_hardware_halts_the_card_with_a_fault() {
    for what in 20..=26 {
        let session = km::Session::builder().on(&Card::builder().build()).open().unwrap();
        let run = session.load_with(program(), quick()).unwrap();
        let error = bad(&run, what).unwrap_err();
        let km::Error::Fault(report) = &error else { panic!("{what}: {error}") };
        assert_eq!(report.fault.agent, "NC", "{what}: {error}");
        assert!(matches!(run.submit(km::nop()), Err(km::Error::RunEnded { .. })));
    }
}
