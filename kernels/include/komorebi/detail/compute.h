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

[[noreturn]] inline void run() {
    if constexpr (kIsUnpack) semaphores_init();
    wait_go();
    for (uint32_t taken = 1;; ++taken) {
        const uint32_t slot = wait_token(taken);
        const uint32_t sequence = publish_word(slot, 0);
        const Published published{publish_word(slot, 1)};

        run_handler(taken, slot, sequence, published);
        count_done(taken);
        if (published.handler() == KM_HANDLER_EXIT) leave(kThreadExited);
    }
}

}  // namespace km::detail
