// The trace of a run: when this core took each command, finished it, told so. The movers' part of it.
//
// A load that asks for a trace builds its kernels with KM_TRACE; without it every function here is empty, so that a run
// without a trace runs no instruction for it. See firmware/PROTOCOL.md, "Trace".
#pragma once
#include "../noc.h"
#include "commands.h"

namespace km::detail {

#ifdef KM_TRACE
constexpr bool kTraced = true;

/// What the launch words say of it.
struct Trace {
    uint32_t base;
    uint32_t entries;  // 0 once a command lay beyond them: sequence numbers wrap
};

inline Trace trace;

/// Reads a register of core 0's tile into own L1 at `l1`; `sent` is the own clock just before the request. Returns the own
/// clock when it is there.
[[gnu::noinline]] inline uint64_t read_reference(uint32_t address, uint32_t l1, uint32_t& sent) {
    using namespace hardware;
    wait_buffer(kBufferReads);
    buffer(kBufferReads, kNiuRetLow) = l1;
    buffer(kBufferReads, kNiuRetHi) = local.own;
    buffer(kBufferReads, kNiuTargLow) = address;
    buffer(kBufferReads, kNiuTargHi) = core_place(0);
    buffer(kBufferReads, kNiuLength) = 4;
    sent = wall_clock_low();
    buffer(kBufferReads, kNiuCommand) = 1;
    ++issued.reads;
    noc_async_read_barrier();
    return wall_clock();
}

/// Compares this tile's clock with core 0's. The shortest round trip tells most; the reader's and the writer's NoC run in
/// opposite directions, so that the host takes the mean of the two and the longer way back of one is the other's way there.
inline void compare_clocks() {
    using namespace hardware;
    if (local.index == 0) return;
    // The words that hold the result are where the reads land: they agree with the registers mod 16.
    const uint32_t words = control(kControlClocks) + (kIsWriter ? kClocksStride : 0);
    const uint32_t low = words + 4 * kClockAheadLow, high = words + 4 * kClockAheadHigh;
    uint32_t best = ~0u, sent = 0, unused = 0;
    uint64_t ahead = 0;
    for (uint32_t left = kClockReads; left != 0;) {
        read_reference(kWallClockHigh, high, unused);
        const uint32_t before = reg(high);
        const uint64_t now = read_reference(kWallClockLow, low, sent);
        const uint32_t round_trip = static_cast<uint32_t>(now) - sent, reference = reg(low);
        read_reference(kWallClockHigh, high, unused);
        if (reg(high) != before) continue;  // the low word wrapped in between
        --left;
        if (round_trip >= best) continue;
        best = round_trip;
        ahead = (uint64_t{before} << 32 | reference) - (now - round_trip / 2);
    }
    reg(low) = static_cast<uint32_t>(ahead);
    reg(high) = static_cast<uint32_t>(ahead >> 32);
    reg(words + 4 * kClockRoundTrip) = best;
}

inline void trace_init() {
    trace = {launch_word(kCoreTrace), launch_word(kCoreTraceEntries)};
    compare_clocks();
}

/// The entry of a command; 0 without one.
inline uint32_t trace_entry(uint32_t sequence) {
    if (sequence - 1 < trace.entries) return trace.base + kTraceBytes * (sequence - 1);
    trace.entries = 0;
    return 0;
}

/// The reader has handed the command on.
inline void trace_taken(uint32_t sequence, Published published, uint32_t passes) {
    const uint32_t entry = trace_entry(sequence);
    if (entry == 0) return;
    const uint64_t now = wall_clock();
    const uint32_t counted = passes < kTracePassesMax ? passes : kTracePassesMax;
    hardware::reg(entry + 4 * kTraceTaken) = static_cast<uint32_t>(now);
    hardware::reg(entry + 4 * kTraceAbout) = static_cast<uint32_t>(now >> 32) << kTraceClockShift |
                                             published.handler() << kTraceHandlerShift | counted;
}

/// The writer has come to `word` of the command.
inline void trace_time(uint32_t sequence, TraceWord word) {
    const uint32_t entry = trace_entry(sequence);
    if (entry == 0) return;
    const uint32_t now = wall_clock_low();
    hardware::reg(entry + 4 * word) = now == 0 ? 1 : now;
}
#else
constexpr bool kTraced = false;

inline void trace_init() {}
inline void trace_taken(uint32_t, Published, uint32_t) {}
inline void trace_time(uint32_t, TraceWord) {}
#endif

}  // namespace km::detail
