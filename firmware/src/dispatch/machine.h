// The hart: loads and stores of shared words, the fence, the wait HINT, two bit operations.
//
// Nothing here is cached: LIM, the clock and the windows are all loads of tens of cycles and stores that are posted
// (PROTOCOL.md, "What the hardware promises"). So a value that is needed twice is loaded once.
#pragma once
#include <stdint.h>

#define KM_INLINE __attribute__((always_inline)) inline
#define KM_COLD __attribute__((noinline, cold))
#define KM_LIKELY(x) __builtin_expect_with_probability(!!(x), 1, 0.999)
#define KM_UNLIKELY(x) __builtin_expect_with_probability(!!(x), 0, 0.999)

namespace km {

// Two registers that the compiler would leave unused (there are no small-data section and no threads here) hold what
// every part of the image addresses: the launch parameters with the areas behind them, and mtime.
register uint64_t block asm("tp");
register uint64_t clock_address asm("gp");

template <class T = uint64_t>
KM_INLINE uint64_t load(uint64_t address) {
    return *reinterpret_cast<const volatile T*>(address);
}

template <class T = uint64_t>
KM_INLINE void store(uint64_t address, uint64_t value) {
    *reinterpret_cast<volatile T*>(address) = static_cast<T>(value);
}

// Waits for the acknowledgements of all earlier stores, windows included.
KM_INLINE void fence() { asm volatile("fence" ::: "memory"); }

// Marks a turn of a wait loop that found nothing (PROTOCOL.md, rule 10): a no-op on silicon. `wake`: the clock value
// at which the loop goes on by itself.
KM_INLINE void wait_hint(uint64_t wake) { asm volatile(".insn r 0x33, 0, 0, x0, sp, %0" ::"r"(wake)); }

// Zbb instructions (host.md 6.1), by name: a compiler that was not told of them would call a library for each.
#define KM_ZBB(instruction, to, from) \
    asm(".option push\n.option arch, +zbb\n" instruction " %0, %1\n.option pop" : "=r"(to) : "r"(from))

// The number of the lowest bit set; `bits` is not 0.
KM_INLINE uint64_t lowest(uint64_t bits) {
    uint64_t number;
    KM_ZBB("ctz", number, bits);
    return number;
}

KM_INLINE uint64_t bits_set(uint64_t bits) {
    uint64_t number;
    KM_ZBB("cpop", number, bits);
    return number;
}

// The 50 MHz clock.
KM_INLINE uint64_t clock_now() { return load(clock_address); }

// True when the clock value `now` has reached `then`.
KM_INLINE bool reached(uint64_t now, uint64_t then) { return static_cast<int64_t>(now - then) >= 0; }

}  // namespace km
