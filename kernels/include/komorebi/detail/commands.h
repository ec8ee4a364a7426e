// What the five command loops share: a command's words, its handler, the token ring.
#pragma once
#include "../handler.h"
#include "../kernel.h"
#include "../wait.h"

namespace km::detail {

/// A slot's publish word: low or high half.
inline uint32_t publish_word(uint32_t slot, uint32_t half) {
    return hardware::reg(control(kControlPublish) + 8 * slot + 4 * half);
}

/// The high half of a publish word, taken apart.
struct Published {
    uint32_t high;

    uint32_t handler() const { return high & 0xFF; }
    bool wants_result() const { return (high >> kPublishFlagsShift & kPublishResult) != 0; }
    uint32_t first() const { return high >> kPublishFirstShift & 0xFF; }
    uint32_t count() const { return high >> kPublishCountShift; }
};

/// Runs this kernel's handler; a mover's writes are acknowledged when it is over. Body and publish word stand still until
/// the group has completed.
inline void run_handler(uint32_t taken, uint32_t slot, uint32_t sequence, Published published) {
    at_hand = {taken, published.handler(), sequence};
    [[maybe_unused]] const uint32_t body = control(kControlBodies) + kBodyBytes * slot;
    [[maybe_unused]] Command command{sequence, published.first(), published.count(), local.index - published.first(), slot};
    switch (published.handler()) {
#define KM_CASE(name)                                                                                     \
    case program::name::kHandler:                                                                         \
        tell_at_hand();                                                                                   \
        state(kThreadStage) = kThreadRunning;                                                             \
        compiler_fence();                                                                                 \
        on_command<program::name>(*reinterpret_cast<const program::name*>(body), command);                \
        break;
        KM_PROGRAM_HANDLERS(KM_CASE)
#undef KM_CASE
        default: return;  // NOP and EXIT
    }
    handler_over();
    compiler_fence();
    state(kThreadStage) = kThreadIdle;
}

/// The command a token names, for the threads that get one from the reader: waits until `taken` commands were taken.
/// Returns its slot.
inline uint32_t wait_token(uint32_t taken) {
    const uint32_t address = control(kControlTokens) + 4 * ((taken - 1) % kTokens);
    uint32_t token = 0;
    wait_until(kWaitCommand, address, taken, local.idle, [&](uint32_t& seen) {
        seen = token = hardware::reg(address);
        return token >> kTokenCountShift == (taken & (0xFFFFFFFF >> kTokenCountShift));
    });
    return token & 0xFF;
}

/// Counts a command as done. What this thread stored before is there for whoever sees the count: one region, in order.
inline void count_done(uint32_t done) {
    state(kThreadDone) = done;
}

}  // namespace km::detail
