// READY: the grid has started when every column's head has said so (PROTOCOL.md, "Core").
#pragma once
#include "loop.h"
#include "upkeep.h"

namespace km {

// Waits for the READY words. An error names the first column that is missing or wrong.
KM_COLD static Failure wait_ready(Loop& loop) {
    const uint64_t words = launch.word(kLaunchReady), end = clock_now() + launch.word(kLaunchStart);
    const uint64_t expected = uint64_t{KM_ABI_FINGERPRINT} | launch.word(kLaunchGridHeight) << 32;
    const uint64_t columns = (uint64_t{1} << launch.word(kLaunchGridWidth)) - 1;
    uint64_t missing = columns;
    loop.wake = clock_now();
    for (;;) {
        const uint64_t now = clock_now();
        if (reached(now, loop.wake)) {
            count_pass(loop, now);
            set_state(kStateReady, columns ^ missing);
            if (reached(now, end) || load(block + kBlockControl + 8 * kControlStop) != kStopNone) return {kErrorReady, lowest(missing)};
        }
        for (uint64_t left = missing; left != 0; left &= left - 1) {
            const uint64_t word = load(words + kReadyStride * lowest(left));
            if (word == 0) continue;
            if (word != expected) return {kErrorReady, lowest(left)};
            missing ^= left & (0 - left);
        }
        if (missing == 0) break;
        wait_hint(loop.wake);
    }
    set_state(kStateReady, columns);
    return {};
}

}  // namespace km
