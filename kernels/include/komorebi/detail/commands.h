// What the five command loops share: a command's words, its handler, the token rings.
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
        if constexpr (handles<program::name>) {                                                           \
            tell_at_hand();                                                                               \
            state(kThreadStage) = kThreadRunning;                                                         \
            compiler_fence();                                                                             \
            on_command<program::name>(*reinterpret_cast<const program::name*>(body), command);            \
            break;                                                                                        \
        }                                                                                                 \
        return;
        KM_PROGRAM_HANDLERS(KM_CASE)
#undef KM_CASE
        default: return;  // NOP, EXIT
    }
    handler_over();
    compiler_fence();
    state(kThreadStage) = kThreadIdle;
}

/// Where a token ring has its token number `taken`.
inline uint32_t token_place(uint32_t ring, uint32_t taken) {
    return control(ring) + 4 * ((taken - 1) % kTokens);
}

/// A token, for the threads that get one from the reader: waits until their ring has had `taken` of them.
inline uint32_t wait_token(uint32_t ring, uint32_t taken, const Patience& patience) {
    const uint32_t address = token_place(ring, taken);
    uint32_t token = 0;
    wait_until(kWaitCommand, address, taken, patience, [&](uint32_t& seen) {
        seen = token = hardware::reg(address);
        return token >> kTokenCountShift == (taken & (0xFFFFFFFF >> kTokenCountShift));
    });
    return token;
}

/// A set of handler numbers.
struct Handlers {
    uint32_t words[kHandledWords];

    constexpr void add(uint32_t handler) { words[handler / 32] |= 1u << handler % 32; }
    constexpr bool has(uint32_t handler) const { return (words[handler / 32] >> handler % 32 & 1) != 0; }
};

/// Where a compute thread tells which handlers it has.
inline uint32_t handled_place(uint32_t thread) {
    return control(kControlHandled) + 4 * kHandledWords * (thread - kThreadUnpack);
}

/// Counts a command as done. What this thread stored before is there for whoever sees the count: one region, in order.
inline void count_done(uint32_t done) {
    state(kThreadDone) = done;
}

}  // namespace km::detail
