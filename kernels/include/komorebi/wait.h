// The one way to wait. Every loop of the library that waits for somebody else is one of these two.
//
// A wait ends in three ways: the condition holds; the stop flag is set, or the time is over, and then the thread
// writes what it waited for into its state block and never comes back (there is nobody to return to: the host takes the
// core by its reset). Only then: nobody reads the state while a thread waits, and a store into L1 concerns all five cores.
//
// A turn of the loop only loads, and keeps no clock value for a later turn: that is the contract of the wait HINT
// `add x0, rs1, rs2` (firmware/PROTOCOL.md), by which a simulator may skip turns that would see the same.
#pragma once
#include "clock.h"
#include "detail/local.h"
#include "state.h"

namespace km::detail {

/// Never comes back. No deadline: nothing that this thread could still do depends on one.
[[noreturn]] inline void park() {
    for (;;) asm volatile("add x0, sp, x0");
}

/// Copies the command at hand into the state block.
inline void tell_at_hand() {
    state(kThreadTaken) = at_hand.taken;
    state(kThreadHandler) = at_hand.handler;
    state(kThreadSequence) = at_hand.sequence;
}

/// Ends the thread.
[[noreturn, gnu::noinline, gnu::cold]] inline void leave(ThreadStage stage) {
    tell_at_hand();
    state(kThreadStage) = stage;
    fence();
    park();
}

/// Ends the thread in a wait, in which it saw `seen` last: the one behind whose call `place` is, 0 for that of this function.
[[noreturn, gnu::noinline, gnu::cold]] inline void leave_wait(ThreadStage stage, WaitKind kind, uint32_t object,
                                                              uint32_t wanted, uint32_t seen, uint32_t place) {
    if (place == 0) place = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
    state(kThreadPlace) = place;
    state(kThreadWait) = kind;
    state(kThreadObject) = object;
    state(kThreadWanted) = wanted;
    state(kThreadSeen) = seen;
    leave(stage);
}

/// Ends the thread when the wait is over; else gives the next value of the clock's low word to wake at: odd, so that it is
/// never the HINT's "no clock value", 0, and never more than 2^31 cycles ahead.
///
/// `place` as in `leave_wait`.
///
/// A wait reads the low word alone when it starts: most are over before the first value to wake at, 2^31 cycles later at
/// most, so from there its start is still known.
[[gnu::noinline, gnu::cold]] inline uint32_t check_deadline(uint32_t start, bool first, const Patience& patience,
                                                            WaitKind kind, uint32_t object, uint32_t wanted, uint32_t seen,
                                                            uint32_t place) {
    using namespace hardware;
    if (place == 0) place = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
    uint32_t high = 0, low = 0;
    do {
        high = reg(kWallClockHigh);
        low = reg(kWallClockLow);
    } while (reg(kWallClockHigh) != high);
    const uint64_t now = uint64_t{high} << 32 | low;
    if (first) deadline = now - (low - start) + patience.cycles;
    if (now >= deadline) leave_wait(kThreadGaveUp, kind, object, wanted, seen, place);
    const uint64_t rest = deadline - now;
    return (low + (rest < kTurn ? static_cast<uint32_t>(rest) : kTurn)) | 1;
}

/// The turns of a wait: until `ready(seen)` is true, or the thread ends.
///
/// The HINT stands at the start of a turn: whatever the turn loads is tested before the next one.
template <class Ready>
[[gnu::always_inline]] inline void wait_turns(uint32_t start, uint32_t wake, bool first, const Patience& patience,
                                              WaitKind kind, uint32_t object, uint32_t wanted, uint32_t place,
                                              Ready&& ready) {
    for (;;) {
        uint32_t seen = 0;
        asm volatile("add x0, sp, %0" ::"r"(wake));
        fence();
        // Loaded before what `ready` loads: the two overlap.
        const uint32_t stop = hardware::reg(control(kControlStopFlag));
        if (ready(seen)) return;
        if (stop != 0) leave_wait(kThreadStopped, kind, object, wanted, seen, place);
        if (static_cast<int32_t>(hardware::reg(hardware::kWallClockLow) - wake) >= 0) {
            wake = check_deadline(start, first, patience, kind, object, wanted, seen, place);
            first = false;
        }
    }
}

/// Waits until `ready(seen)` is true; `seen` is set by it for the state words.
template <class Ready>
[[gnu::always_inline]] inline void wait_until(WaitKind kind, uint32_t object, uint32_t wanted, const Patience& patience,
                                              Ready&& ready) {
    uint32_t seen = 0;
    if (!ready(seen)) {
        const uint32_t start = hardware::reg(hardware::kWallClockLow);
        wait_turns(start, (start + patience.turn) | 1, true, patience, kind, object, wanted, 0, ready);
    }
    compiler_fence();
}

/// What `wait_word_loop` does at the stop flag, or once its value to wake at has come.
[[gnu::noinline, gnu::cold]] inline void wait_word_late(uint32_t address, uint32_t base, uint32_t least, uint32_t mask,
                                                        WaitKind kind, uint32_t object, uint32_t start, uint32_t place) {
    const uint32_t wanted = (base + least) & mask;
    const uint32_t wake = check_deadline(start, true, local.wait, kind, object, wanted, hardware::reg(address), place);
    wait_turns(start, wake, false, local.wait, kind, object, wanted, place, [=](uint32_t& seen) {
        seen = hardware::reg(address);
        return ((seen - base) & mask) >= least;
    });
}

/// The loop of `wait_word`, once per image. It calls nothing that comes back, so it saves no register: most waits are short.
[[gnu::noinline]] inline void wait_word_loop(uint32_t address, uint32_t base, uint32_t least, uint32_t mask, WaitKind kind,
                                             uint32_t object) {
    const uint32_t start = hardware::reg(hardware::kWallClockLow), wake = (start + local.wait.turn) | 1;
    for (;;) {
        asm volatile("add x0, sp, %0" ::"r"(wake));
        fence();
        const uint32_t stop = hardware::reg(control(kControlStopFlag)), seen = hardware::reg(address);
        if (((seen - base) & mask) >= least) return;
        if (stop != 0 || static_cast<int32_t>(hardware::reg(hardware::kWallClockLow) - wake) >= 0) break;
    }
    const auto place = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
    wait_word_late(address, base, least, mask, kind, object, start, place);
}

/// Waits until the word at `address` is at least `least` ahead of `base`, counted in `mask`'s bits.
[[gnu::always_inline]] inline void wait_word(uint32_t address, uint32_t base, uint32_t least, uint32_t mask, WaitKind kind,
                                             uint32_t object) {
    if (((hardware::reg(address) - base) & mask) < least) wait_word_loop(address, base, least, mask, kind, object);
    compiler_fence();
}

/// Waits until the count at `address` has reached `value`; it may be ahead, by less than 2^31.
[[gnu::always_inline]] inline void wait_count(uint32_t address, uint32_t value, WaitKind kind, uint32_t object) {
    wait_word(address, value - 0x80000000, 0x80000000, 0xFFFFFFFF, kind, object);
}

/// Waits until the word at `address` is `value`: it is then all of 2^32 - 1 ahead of `value + 1`.
[[gnu::always_inline]] inline void wait_equal(uint32_t address, uint32_t value, WaitKind kind, uint32_t object) {
    wait_word(address, value + 1, 0xFFFFFFFF, 0xFFFFFFFF, kind, object);
}

}  // namespace km::detail
