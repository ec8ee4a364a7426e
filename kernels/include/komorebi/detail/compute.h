// The command loop of the three compute threads.
#pragma once
#include "../compute.h"
#include "boot.h"
#include "commands.h"

namespace km::detail {

[[noreturn]] inline void run() {
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
