// From km_main to the first command: launch words, fingerprint, buffers, B's go, READY.
#pragma once
#include "../cb.h"
#include "../kernel.h"

namespace km::detail {

/// A time of two launch words.
inline Patience patience(CoreWord low, CoreWord high) {
    const uint64_t cycles = uint64_t{launch_word(high)} << 32 | launch_word(low);
    return {cycles, cycles < kTurn ? static_cast<uint32_t>(cycles) : kTurn};
}

/// Reads the launch words this thread needs.
inline void read_launch() {
    local.wait = patience(kCoreWaitLow, kCoreWaitHigh);
    local.idle = patience(kCoreIdleLow, kCoreIdleHigh);
    local.index = launch_word(kCoreIndex);
    local.cores = launch_word(kCoreCores);
    local.width = launch_word(kCoreGridWidth);
    local.height = launch_word(kCoreGridHeight);
    local.x = launch_word(kCoreColumn);
    local.y = local.index / local.width;
    constexpr CoreWord args = kIsReader ? kCoreReaderArgs : kIsWriter ? kCoreWriterArgs : kCoreComputeArgs;
    local.args = launch_word(args);
    local.arg_count = launch_word(static_cast<CoreWord>(args + 1));
    if constexpr (kIsMover) {
        local.banks = launch_word(kCoreBanks);
        for (uint32_t bank = 0; bank < kBanksMax; ++bank) {
            local.bank[bank] = hardware::reg(control(kControlBanks) + 8 * bank + 4 * kNoc);
        }
    }
}

/// Ends the thread when the host was built from other headers: nothing it wrote may be trusted then, but its fingerprint.
inline void check_fingerprint() {
    const uint32_t host = launch_word(kCoreFingerprint);
    if (host == kFingerprint) return;
    state(kThreadWanted) = host;
    state(kThreadSeen) = kFingerprint;
    leave(kThreadMismatch);
}

/// Everything before B's go. Local state only.
inline void boot() {
    state(kThreadStage) = kThreadBooting;
    check_fingerprint();
    read_launch();
    buffers_init();
}

/// Threads but B: waits for the go.
inline void wait_go() {
    wait_equal(control(kControlGo), kFingerprint, kWaitGo, 0);
    state(kThreadStage) = kThreadIdle;
}

}  // namespace km::detail
