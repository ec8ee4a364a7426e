// Launch parameters: where everything lies, and the check before anything is touched (PROTOCOL.md, "Launch").
#pragma once
#include "komorebi/core.h"
#include "komorebi/engine.h"
#include "komorebi/event.h"
#include "komorebi/launch.h"
#include "komorebi/layout.h"
#include "machine.h"

#ifndef KM_ABI_FINGERPRINT
#error "give the fingerprint of the ABI headers: -DKM_ABI_FINGERPRINT=...u"
#endif

namespace km {

constexpr uint64_t kSmallWindowBytes = 2 * 1024 * 1024;  // host.md 6.3
constexpr uint64_t kSmallWindowRegs = 16;                // bytes from one window's registers to the next's
constexpr uint64_t kDeadlineMax = uint64_t{1} << 48;     // ticks: 65 days

// The launch parameters and the areas that every turn of the loop touches are one block, so that one register finds
// them all: they lie at these distances from the parameters, which `check` makes sure of.
constexpr uint64_t kBlockState = kLimState - kLimLaunch;
constexpr uint64_t kBlockControl = kLimControl - kLimLaunch;
constexpr uint64_t kBlockCompletions = kLimCompletions - kLimLaunch;

// An error and what it is about.
struct Failure {
    DispatcherError error = kErrorNone;
    uint64_t detail = 0;
};

struct Launch {
    uint64_t word(LaunchWord index) const { return load(block + 8 * index); }

    KM_COLD Failure check() const;
};

// The launch parameters stay in LIM. Loops keep what they use in every turn in registers; the rest is loaded anew.
constexpr Launch launch;

static bool is_power_of_two_up_to(uint64_t value, uint64_t most) {
    return value != 0 && value <= most && (value & (value - 1)) == 0;
}

Failure Launch::check() const {
    if (word(kLaunchFingerprint) != KM_ABI_FINGERPRINT) return {kErrorFingerprint, KM_ABI_FINGERPRINT};
    static constexpr LaunchWord kAddresses[] = {
        kLaunchRing,      kLaunchEvents, kLaunchControl, kLaunchState,     kLaunchResult,     kLaunchReady,       kLaunchCompletions,
        kLaunchCoreTable, kLaunchJobs,   kLaunchSpare,   kLaunchMailboxes, kLaunchWindowRegs, kLaunchWindowSpace,
    };
    for (const LaunchWord address : kAddresses) {
        if (word(address) == 0) return {kErrorLaunch, address};
        if (word(address) % 16 != 0) return {kErrorAlignment, address};
    }
    if (word(kLaunchUpload) % kUploadAlign != 0) return {kErrorAlignment, kLaunchUpload};
    if (word(kLaunchUploadBytes) > kUploadBytes) return {kErrorLaunch, kLaunchUploadBytes};
    // A slot's notes hold the address of a record in 32 bits.
    if (word(kLaunchUpload) > UINT32_MAX - word(kLaunchUploadBytes)) return {kErrorLaunch, kLaunchUpload};
    if (word(kLaunchClock) == 0 || word(kLaunchClock) % 8 != 0) return {kErrorAlignment, kLaunchClock};
    if (word(kLaunchState) != block + kBlockState) return {kErrorLaunch, kLaunchState};
    if (word(kLaunchControl) != block + kBlockControl) return {kErrorLaunch, kLaunchControl};
    if (word(kLaunchCompletions) != block + kBlockCompletions) return {kErrorLaunch, kLaunchCompletions};
    const uint64_t lines = word(kLaunchRingLines), depth = word(kLaunchEventDepth);
    if (!is_power_of_two_up_to(lines, kRingLinesMax)) return {kErrorLaunch, kLaunchRingLines};
    if (!is_power_of_two_up_to(depth, kEventDepthMax)) return {kErrorLaunch, kLaunchEventDepth};
    if (word(kLaunchRing) % (lines * kLineBytes) != 0) return {kErrorAlignment, kLaunchRing};
    if (word(kLaunchEvents) % (depth * kEventBytes) != 0) return {kErrorAlignment, kLaunchEvents};
    const uint64_t cores = word(kLaunchCores), width = word(kLaunchGridWidth), height = word(kLaunchGridHeight);
    if (cores == 0 || cores > kCoresMax) return {kErrorLaunch, kLaunchCores};
    if (width == 0 || width > kColumnsMax) return {kErrorLaunch, kLaunchGridWidth};
    if (height > kCoresMax || width * height != cores) return {kErrorLaunch, kLaunchGridHeight};
    if (word(kLaunchDepth) == 0 || word(kLaunchDepth) > kSlotsMax) return {kErrorLaunch, kLaunchDepth};
    if (word(kLaunchMailboxes) + kControlBytes > kSmallWindowBytes) return {kErrorLaunch, kLaunchMailboxes};
    if (word(kLaunchWindows) < cores + 3 || word(kLaunchWindows) > 255) return {kErrorLaunch, kLaunchWindows};
    if (word(kLaunchDeadline) == 0 || word(kLaunchDeadline) > kDeadlineMax) return {kErrorLaunch, kLaunchDeadline};
    if (word(kLaunchStart) > kDeadlineMax) return {kErrorLaunch, kLaunchStart};
    if (word(kLaunchIdle) > kDeadlineMax) return {kErrorLaunch, kLaunchIdle};
    return {};
}

}  // namespace km
