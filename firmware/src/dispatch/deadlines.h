// Deadlines: a command that is late is reported, and ends the run (PROTOCOL.md, "Deadlines").
#pragma once
#include "engine.h"

namespace km {

// Posts the timeout event of the first late slot, if there is one. Its room is the one promised to its done event.
static Failure check_deadlines(Loop& loop, uint64_t now) {
    for (uint64_t left = loop.slots.busy(); left != 0; left &= left - 1) {
        const uint64_t slot = lowest(left);
        if (KM_LIKELY(!reached(now, load(SlotWords(slot).deadline())))) continue;
        if (load(loop.slots.completion(slot)) != 0) continue;  // it just made it
        const Notes notes = {load(SlotWords(slot).notes())};
        const uint64_t auxiliary = slot | (load(SlotWords(slot).word()) & 0xFFFF) << kAuxSequenceShift;
        if (shares.owns(slot)) {
            const Owner owner = {notes.bits};
            const uint64_t submitted = load(SlotWords(slot).deadline()) - loop.limit();
            // No room was promised to it. The rooms of other commands will do: they end no more.
            if (loop.promised() == 0 && !loop.finds_room()) return {kErrorDeadline, slot};
            loop.events.promise();
            loop.events.post(kEventTimeout, kTimeoutEngine | owner.number(), auxiliary, now - submitted, engines[owner.engine()].req,
                             loop.ring.consumed);
        } else {
            loop.events.post(kEventTimeout, 0, auxiliary, notes.ticks(now), notes.number(), loop.ring.consumed);
        }
        return {kErrorDeadline, slot};
    }
    return {};
}

}  // namespace km
