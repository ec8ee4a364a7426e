// The command ring: which line is next, and how many the host has stored (PROTOCOL.md, "Command ring").
#pragma once
#include "komorebi/command.h"
#include "launch.h"

namespace km {

struct Ring {
    uint64_t progress = 0;  // the control line's progress word as loaded last: lines stored, events read
    uint64_t line = 0;      // hart address of the next line
    uint64_t phase = 0;     // [15:0] what the next line must carry  [63:32] bytes of the ring - 1, to see its end
    uint64_t consumed = 0;  // lines consumed since the start

    static constexpr uint32_t kMaskShift = 32;

    KM_COLD void start() {
        line = launch.word(kLaunchRing);
        phase = 1 | (kLineBytes * launch.word(kLaunchRingLines) - 1) << kMaskShift;
    }

    // Lines and events are counted mod 2^32 on the wire.
    KM_INLINE bool empty() const { return static_cast<uint32_t>(progress) == static_cast<uint32_t>(consumed); }
    KM_INLINE uint32_t events_read() const { return static_cast<uint32_t>(progress >> kControlReadShift); }
    KM_INLINE void refresh() { progress = load(block + kBlockControl + 8 * kControlProgress); }

    // True when both phases are the line's; `head` and `tail` are its first and last word.
    KM_INLINE bool matches(uint64_t head, uint64_t tail) const {
        return (((head ^ phase) | ((tail >> kTailPhaseShift) ^ phase)) << 48) == 0;
    }

    KM_INLINE void consume() {
        consumed += 1;
        line += kLineBytes;
        if (KM_UNLIKELY((line & phase >> kMaskShift) == 0)) {  // the ring is aligned to its length
            line = launch.word(kLaunchRing);
            phase += 1;
        }
    }
};

}  // namespace km
