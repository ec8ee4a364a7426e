// The command loop of the three compute threads.
#pragma once
#include "../compute.h"
#include "boot.h"
#include "commands.h"

namespace km::detail {

/// T0: zeroes the semaphores that the last program left behind; at B's addresses lies the other side of the PCBufs. The
/// other threads touch them in a command, which comes after this thread's word that it is idle.
inline void semaphores_init() {
    for (uint32_t number = 0; number < hardware::kSemaphoreCount; ++number) {
        while (semaphore_value(number) != 0) semaphore_get(number);
    }
}

/// The handlers that this kernel has, and EXIT, for which every thread returns.
constexpr Handlers own_handlers() {
    Handlers own{};
    own.add(KM_HANDLER_EXIT);
#define KM_ADD(name) \
    if (handles<program::name>) own.add(program::name::kHandler);
    KM_PROGRAM_HANDLERS(KM_ADD)
#undef KM_ADD
    return own;
}

/// Tells the reader which commands it need not hand on. It looks with the first one, long after this thread said that it is idle.
inline void tell_handlers() {
    constexpr Handlers own = own_handlers();
    for (uint32_t word = 0; word < kHandledWords; ++word) hardware::reg(handled_place(kThread) + 4 * word) = own.words[word];
}

/// No limit: while other commands keep the core busy, this thread has nothing to do for as long as it pleases them. That nothing
/// comes at all is for reader and writer to say.
constexpr Patience kForEver{uint64_t{1} << 62, kTurn};

[[noreturn]] inline void run() {
    if constexpr (kIsUnpack) semaphores_init();
    tell_handlers();
    wait_go();
    for (uint32_t taken = 1;; ++taken) {
        const uint32_t slot = wait_token(kControlComputeTokens, taken, kForEver) & kTokenSlots;
        const uint32_t sequence = publish_word(slot, 0);
        const Published published{publish_word(slot, 1)};

        run_handler(taken, slot, sequence, published);
        count_done(taken);
        if (published.handler() == KM_HANDLER_EXIT) leave(kThreadExited);
    }
}

}  // namespace km::detail
