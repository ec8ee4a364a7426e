// The event ring in host memory, and the rule that keeps room for every event (PROTOCOL.md, "Event ring", "Event room").
#pragma once
#include "komorebi/event.h"
#include "launch.h"

namespace km {

struct Events {
    uint64_t next = 0;  // [47:0] where the next event goes  [59:48] bytes of the ring - 1  [63:60] its lap
    uint64_t owed = 0;  // events posted + slots busy - depth of the ring, mod 2^64

    static constexpr uint32_t kMaskShift = 48;
    static constexpr uint64_t kMaskMax = kEventBytes * kEventDepthMax - 1;

    KM_COLD void start() {
        next = launch.word(kLaunchEvents) | (kEventBytes * launch.word(kLaunchEventDepth) - 1) << kMaskShift |
               uint64_t{1} << kEventLapShift;
        owed = 0 - launch.word(kLaunchEventDepth);
    }

    // Unread events + busy slots + 1 <= depth.
    KM_INLINE bool room(uint32_t read) const { return static_cast<int32_t>(read - static_cast<uint32_t>(owed)) > 0; }

    // A slot becomes busy, or an event is posted that no slot stood for.
    KM_INLINE void promise() { owed += 1; }

    // Events posted so far.
    uint64_t posted(uint64_t busy) const { return owed + launch.word(kLaunchEventDepth) - busy; }

    KM_INLINE void post(EventKind kind, uint64_t value, uint64_t auxiliary, uint64_t ticks, uint64_t number, uint64_t consumed) {
        const uint64_t to = next << (64 - kMaskShift) >> (64 - kMaskShift), lap = next >> kEventLapShift << kEventLapShift;
        store(to + 8 * kEventValue, value | auxiliary << kEventAuxShift | uint64_t{kind} << kEventKindShift | lap);
        store(to + 8 * kEventTicks, static_cast<uint32_t>(ticks) | number << kEventNumberShift |
                                          uint64_t{static_cast<uint8_t>(consumed)} << kEventConsumedShift | lap);
        next += kEventBytes;
        if (KM_UNLIKELY((next >> kMaskShift & next & kMaskMax) == 0)) {  // the ring is aligned to its length
            next += (uint64_t{1} << kEventLapShift) - ((next >> kMaskShift & kMaskMax) + 1);
        }
    }
};

}  // namespace km
