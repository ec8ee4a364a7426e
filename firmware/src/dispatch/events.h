// The event ring in host memory, and the rule that keeps room for every event (PROTOCOL.md, "Event ring", "Event room").
#pragma once
#include "komorebi/event.h"
#include "launch.h"

namespace km {

struct Events {
    uint64_t next = 0;  // where the next event goes
    uint64_t lap = 0;   // [63:60] the lap  [31:0] bytes of the ring - 1, to see its end
    uint64_t owed = 0;  // events posted + slots busy - depth of the ring, mod 2^64

    KM_COLD void start() {
        next = launch.word(kLaunchEvents);
        lap = uint64_t{1} << kEventLapShift | (kEventBytes * launch.word(kLaunchEventDepth) - 1);
        owed = 0 - launch.word(kLaunchEventDepth);
    }

    // Unread events + busy slots + 1 <= depth.
    KM_INLINE bool room(uint32_t read) const { return static_cast<int32_t>(read - static_cast<uint32_t>(owed)) > 0; }

    // A slot becomes busy, or an event is posted that no slot stood for.
    KM_INLINE void promise() { owed += 1; }

    // Events posted so far.
    uint64_t posted(uint64_t busy) const { return owed + launch.word(kLaunchEventDepth) - busy; }

    KM_INLINE void post(EventKind kind, uint64_t value, uint64_t auxiliary, uint64_t ticks, uint64_t number, uint64_t consumed) {
        const uint64_t marked = lap >> kEventLapShift << kEventLapShift;
        store(next + 8 * kEventValue, value | auxiliary << kEventAuxShift | uint64_t{kind} << kEventKindShift | marked);
        store(next + 8 * kEventTicks, static_cast<uint32_t>(ticks) | number << kEventNumberShift |
                                          uint64_t{static_cast<uint8_t>(consumed)} << kEventConsumedShift | marked);
        next += kEventBytes;
        if (KM_UNLIKELY((next & static_cast<uint32_t>(lap)) == 0)) {  // the ring is aligned to its length
            next = launch.word(kLaunchEvents);
            lap += uint64_t{1} << kEventLapShift;
        }
    }
};

}  // namespace km
