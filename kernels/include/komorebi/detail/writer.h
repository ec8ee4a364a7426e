// The writer's command loop: besides its handler it starts the core, joins its threads, acknowledges, completes.
// See firmware/PROTOCOL.md, "Mailboxes" and "Core".
#pragma once
#include "../noc.h"
#include "boot.h"
#include "commands.h"
#include "trace.h"

namespace km::detail {

/// What completions need, in local RAM.
struct Completions {
    uint32_t dispatcher;  // HI word of the X280's tile
    uint32_t low;         // NoC address of the completion words
    uint32_t high;
    uint32_t acks[kSlotsMax];  // acknowledgements this core, as leader, has seen in each slot
};

inline Completions completions;

/// Sends 8 bytes of the control block to the dispatcher's tile; posted: nobody waits for it here. The upper address word
/// is 0 for LIM; where it is not, the program's own small writes get theirs back.
inline void send_dispatcher(uint32_t l1, uint32_t low, uint32_t high) {
    using namespace hardware;
    l1_stores_landed(l1);
    if (high != 0) {
        wait_buffer(kBufferSmallWrites);
        buffer(kBufferSmallWrites, kNiuRetMid) = high;
    }
    send_write(kBufferSmallWrites, kCtrlWritePosted, l1, completions.dispatcher, low, 8);
    if (high != 0) {
        wait_buffer(kBufferSmallWrites);
        buffer(kBufferSmallWrites, kNiuRetMid) = 0;
    }
}

/// Zeroes what the last program left behind, then lets the other threads go. Streams are another region than L1: one is
/// read back and used before the go is stored.
inline void start_core() {
    using namespace hardware;
    reg(kDestClockGate) = 0;  // these two as tt-metal's start does (tensix.md §3)
    reg(kTdmaClockGate) = 0x3F;
    for (uint32_t cb = 0; cb < kBuffers; ++cb) {
        reg(stream(cb, kStreamReceived)) = 0;
        reg(stream(cb, kStreamAcked)) = 0;
    }
    fence();
    uint32_t zero = reg(stream(kBuffers - 1, kStreamAcked));
    asm volatile("mv %0, %0" : "+r"(zero)::"memory");
    reg(control(kControlGo)) = kFingerprint;
}

constexpr Thread kOthers[] = {kThreadReader, kThreadUnpack, kThreadMath, kThreadPack};

/// Waits until the other threads are up, then reports this core to its column's head, and the column to the dispatcher.
inline void report_ready() {
    wait_until(kWaitThreads, 0, kThreadIdle, local.wait, [](uint32_t& seen) {
        for (Thread thread : kOthers) {
            seen = state_of(thread, kThreadStage);
            if (seen != kThreadIdle) return false;
        }
        return true;
    });
    atomic_add(core_place(local.x), control(kControlReadyCount), 1);
    if (local.y != 0) return;
    wait_equal(control(kControlReadyCount), local.height, kWaitColumn, local.x);
    hardware::reg(control(kControlReadyWord) + 4) = local.height;
    hardware::reg(control(kControlReadyWord)) = kFingerprint;
    send_dispatcher(control(kControlReadyWord), launch_word(kCoreReadyLow) + kReadyStride * local.x,
                    launch_word(kCoreReadyHigh));
}

/// Waits until another thread of this core has done `done` commands.
inline void wait_done(Thread thread, uint32_t done) {
    wait_count(control(kControlThreads) + kThreadStride * thread + 4 * kThreadDone, done, kWaitThreads, thread);
}

/// Waits until the reader has done `taken` commands and the compute threads `handed`, all that they had. They may be ahead:
/// nobody waits for the writer. They are waited for one after the other, so that a thread that finishes wakes this one at
/// most once.
inline void join(uint32_t taken, uint32_t handed) {
    // Four loads, then their uses: they overlap.
    const uint32_t reader = state_of(kThreadReader, kThreadDone), unpack = state_of(kThreadUnpack, kThreadDone);
    const uint32_t math = state_of(kThreadMath, kThreadDone), pack = state_of(kThreadPack, kThreadDone);
    // A count that is behind makes its difference negative.
    if (static_cast<int32_t>((reader - taken) | (unpack - handed) | (math - handed) | (pack - handed)) >= 0) return;
    wait_done(kThreadReader, taken);
    for (Thread thread : kComputing) wait_done(thread, handed);
}

/// A member tells the leader; the leader waits for its members and tells the dispatcher.
inline void acknowledge(uint32_t slot, uint32_t sequence, Published published) {
    const uint32_t acks = control(kControlAcks) + kAckStride * slot;
    const uint32_t first = published.first(), members = published.count() - 1;
    if (first != local.index) {
        atomic_add(core_place(first), acks, 1);
        return;
    }
    if (members != 0) {
        completions.acks[slot] += members;
        wait_equal(acks, completions.acks[slot], kWaitAcks, slot);
    }
    const uint32_t scratch = control(kControlScratch) + kCompletionStride * slot;
    hardware::reg(scratch + 4) = published.wants_result() ? hardware::reg(control(kControlResults) + 4 * slot) : 0;
    hardware::reg(scratch) = sequence;
    send_dispatcher(scratch, completions.low + kCompletionStride * slot, completions.high);
}

[[noreturn]] inline void run() {
    noc_init();
    completions.dispatcher = launch_word(kCoreDispatcher);
    completions.low = launch_word(kCoreCompletionsLow);
    completions.high = launch_word(kCoreCompletionsHigh);
    trace_init();
    start_core();
    report_ready();
    state(kThreadStage) = kThreadIdle;
    uint32_t handed = 0;
    for (uint32_t taken = 1;; ++taken) {
        const uint32_t token = wait_token(kControlTokens, taken, local.idle), slot = token & kTokenSlots;
        const uint32_t sequence = publish_word(slot, 0);
        const Published published{publish_word(slot, 1)};

        run_handler(taken, slot, sequence, published);
        if (token & kTokenCompute) {
            join(taken, ++handed);
        } else {
            wait_done(kThreadReader, taken);
        }
        trace_time(sequence, kTraceWritten);
        acknowledge(slot, sequence, published);
        trace_time(sequence, kTraceSent);
        count_done(taken);
        if (published.handler() == KM_HANDLER_EXIT) leave(kThreadExited);
    }
}

}  // namespace km::detail
