// The completion of an engine's command, on the fast path.
//
// A function of its own, since the registers do not hold both the loop and this; it is given and gives back in registers
// what it needs of the loop, since memory here is slower than all of its arithmetic.
#pragma once
#include "graph.h"
#include "stream.h"

namespace km {

// Free slots, heads and commands submitted; and the shares.
struct Completed {
    uint64_t slots, shares;

    static constexpr uint32_t kHeadsShift = 16;
    static constexpr uint32_t kSubmittedShift = 32;

    static KM_INLINE uint64_t pack(Slots slots) { return slots.free | slots.heads << kHeadsShift; }
    static KM_INLINE Slots unpack(uint64_t bits) { return {static_cast<uint16_t>(bits), static_cast<uint16_t>(bits >> kHeadsShift)}; }
};

// What may go before the commands that a completion makes ready.
enum Before : uint64_t {
    kNoneBefore,
    kLineBefore,  // a line, which needs a slot
    kGateBefore,  // what a closed gate lets through: all waits for the engine's turn
};

// Frees `slot` and gives its engine the completion; a graph submits what is ready by it, if nothing is before it.
[[gnu::noinline, gnu::hot]] static Completed complete_owned(uint64_t packed, Shares m, uint64_t slot, Owner owner, uint64_t completion,
                                                            uint64_t sequence, uint64_t now, uint64_t before) {
    Port port = {Completed::unpack(packed), {loop.mailbox.base, sequence}, loop.limit()};
    port.slots.release(slot, {owner.notes});
    m.give_back(slot);
    if (KM_LIKELY(owner.engine() >= kStreamsMax)) {
        const bool last = (port.slots.free & (port.slots.free - 1)) == 0;
        complete_node(port, m, owner, completion >> 32, before == kNoneBefore || (before == kLineBefore && !last), now);
    } else {
        complete_step(m, owner, completion >> 32);
    }
    m.wake();
    return {Completed::pack(port.slots) | (port.mailbox.sequence - sequence) << Completed::kSubmittedShift, m.bits};
}

}  // namespace km
