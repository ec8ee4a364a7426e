// The tile's wall clock: 64 bits of AICLK cycles, the same for the five cores.
#pragma once
#include <stdint.h>

#include "hardware.h"

namespace km {

/// Cycles since the tile was powered.
///
/// The low word wraps in 3.2 s, so the high one is read with it. The hardware's latch (the low word's load latches
/// the high one) is one for five cores: another core's load between ours would change it. So the live word is read,
/// before and after.
inline uint64_t wall_clock() {
    for (;;) {
        const uint32_t high = hardware::reg(hardware::kWallClockHigh);
        const uint32_t low = hardware::reg(hardware::kWallClockLow);
        if (hardware::reg(hardware::kWallClockHigh) == high) return uint64_t{high} << 32 | low;
    }
}

/// The low word of the wall clock: enough for lengths below 3 s.
inline uint32_t wall_clock_low() {
    return hardware::reg(hardware::kWallClockLow);
}

}  // namespace km
