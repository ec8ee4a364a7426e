// The monitor: what the four harts of an X280 cluster run whenever they run nothing else.
//
// It starts the harts after their only reset, parks them, starts what the host asks for, reports how that ended, and
// takes a hart back when the host pulses its RNMI bit (monitor.h, PROTOCOL.md "Monitor"). No stack, no data: all four
// harts share this text, and each keeps its words in its own block. s0 holds the hart's block wherever the code loops.
#include "komorebi/monitor.h"

namespace {

using namespace km::monitor;

// s0 = this hart's block. Harts of every cluster are numbered 0 to 3 or in fours (host.md 6.1): two bits count.
#define KM_BLOCK                  \
    "csrr t0, mhartid\n"          \
    "andi t0, t0, %[harts] - 1\n" \
    "li t1, %[stride]\n"          \
    "mul t0, t0, t1\n"            \
    "lla s0, km_block + %c[first]\n" \
    "add s0, s0, t0\n"

// Exceptions of the image come here: it is the monitor's to answer for them. No interrupt is enabled.
#define KM_TRAPS                     \
    "lla t0, km_monitor_trap\n"      \
    "csrw mtvec, t0\n"               \
    "csrw mie, zero\n"

// Operands of the code below: offsets in the hart's block, states, and what KM_BLOCK needs.
#define KM_OPERANDS                                                                                            \
    [harts] "i"(kHarts), [stride] "i"(kHartStride), [first] "i"(kOffsetHarts), [entry] "i"(8 * kEntry),         \
        [argument] "i"(8 * kArgument), [stack] "i"(8 * kStack), [state] "i"(8 * kState), [value] "i"(8 * kValue), \
        [cause] "i"(8 * kCause), [pc] "i"(8 * kPc), [tval] "i"(8 * kTrapValue), [parked] "i"(kHartParked),      \
        [running] "i"(kHartRunning), [trapped] "i"(kHartTrapped),                                               \
        [magic] "i"(uint64_t{kMagic} | uint64_t{kVersion} << 32), [nmi] "i"(kTextNmi),                           \
        [exception] "i"(kTextNmiException)

}  // namespace

extern "C" {

// The places the hardware jumps to, at fixed offsets (monitor.h).
[[gnu::naked, gnu::used, gnu::section(".text.km_vectors")]] void km_monitor_reset() {
    asm volatile(
        ".option push\n"
        ".option norvc\n"
        "0: csrw 0x7c1, zero\n"  // SiFive's feature-disable bits: without this the core stays slow (host.md 6.5)
        "j km_monitor_start\n"
        ".org 0b + %c[nmi]\n"
        "j km_monitor_take_back\n"
        ".org 0b + %c[exception]\n"
        "j km_monitor_take_back\n"
        ".option pop\n" ::KM_OPERANDS);
}

[[gnu::naked, gnu::used]] void km_monitor_start() {
    asm volatile(
        KM_TRAPS KM_BLOCK
        "sd zero, %[entry](s0)\n"
        "li t1, %[magic]\n"
        "lla t0, km_block\n"
        "sd t1, 0(t0)\n"
        "fence\n"
        "j km_monitor_park\n" ::KM_OPERANDS);
}

[[gnu::naked, gnu::used]] void km_monitor_park() {
    asm volatile(
        "li t0, %[parked]\n"
        "sd t0, %[state](s0)\n"
        "j km_monitor_wait\n" ::KM_OPERANDS);
}

[[gnu::naked, gnu::used]] void km_monitor_wait() {
    asm volatile(
        // The wait HINT (PROTOCOL.md): nothing but a store wakes this loop. What a turn loads is tested before the next HINT.
        "0: .insn r 0x33, 0, 0, x0, s0, x0\n"
        "ld t0, %[entry](s0)\n"
        "beqz t0, 0b\n"
        "ld a0, %[argument](s0)\n"
        "ld sp, %[stack](s0)\n"
        "li t1, %[running]\n"
        "sd t1, %[state](s0)\n"
        "sd zero, %[entry](s0)\n"
        "fence\n"
        "fence.i\n"
        "jalr ra, 0(t0)\n"
        // The image returned; it may have changed every register and mtvec.
        KM_TRAPS KM_BLOCK
        "sd a0, %[value](s0)\n"
        "fence\n"
        "j km_monitor_park\n" ::KM_OPERANDS);
}

[[gnu::naked, gnu::used, gnu::aligned(64)]] void km_monitor_trap() {
    asm volatile(
        KM_BLOCK
        "csrr t0, mcause\n"
        "sd t0, %[cause](s0)\n"
        "csrr t0, mepc\n"
        "sd t0, %[pc](s0)\n"
        "csrr t0, mtval\n"
        "sd t0, %[tval](s0)\n"
        "fence\n"
        "li t0, %[trapped]\n"
        "sd t0, %[state](s0)\n"
        "j km_monitor_wait\n" ::KM_OPERANDS);
}

// RNMI, whatever ran. While the bit is set the hart comes back here from mnret (level-triggered, host.md 6.3), so the
// state is stored before it.
[[gnu::naked, gnu::used]] void km_monitor_take_back() {
    asm volatile(
        KM_BLOCK
        "sd zero, %[entry](s0)\n"
        "fence\n"
        "li t0, %[parked]\n"
        "sd t0, %[state](s0)\n"
        KM_TRAPS
        "lla t0, km_monitor_wait\n"
        "csrw 0x351, t0\n"  // mnepc
        "li t0, 0x1800\n"
        "csrs 0x353, t0\n"  // mnstatus.MNPP: machine mode
        ".4byte 0x70200073\n"  // mnret
        ::KM_OPERANDS);
}

}  // extern "C"
