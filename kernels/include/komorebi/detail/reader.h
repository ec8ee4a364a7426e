// The reader's command loop: takes commands from the mailboxes in the order of submission, hands them on as tokens.
// See firmware/PROTOCOL.md, "Mailboxes".
#pragma once
#include "../noc.h"
#include "boot.h"
#include "commands.h"

namespace km::detail {

constexpr uint32_t kNoSlot = ~0u;
constexpr uint32_t kScanStep = 4;  // slots beyond the depth are never published: scanning them finds nothing

/// Sequence number last taken from each slot.
inline uint32_t taken_from[kSlotsMax];

/// A slot and the sequence number in its publish word.
struct Found {
    uint32_t slot;
    uint32_t sequence;
};

/// The first slot with a sequence number other than the one last taken from it.
inline Found find_published(uint32_t slots) {
    for (uint32_t slot = 0; slot < slots; slot += kScanStep) {
        // Four loads, then their uses: an L1 load takes 8 cycles, and they overlap (tensix.md §2).
        const uint32_t a = publish_word(slot, 0), b = publish_word(slot + 1, 0);
        const uint32_t c = publish_word(slot + 2, 0), d = publish_word(slot + 3, 0);
        if (a != taken_from[slot]) return {slot, a};
        if (b != taken_from[slot + 1]) return {slot + 1, b};
        if (c != taken_from[slot + 2]) return {slot + 2, c};
        if (d != taken_from[slot + 3]) return {slot + 3, d};
    }
    return {kNoSlot, 0};
}

/// Of the slots published, the one submitted first. `last` is the number this core took last: all of them are ahead of it.
[[gnu::noinline]] inline Found find_first(uint32_t slots, uint32_t last) {
    Found best{kNoSlot, last};
    uint32_t least = ~0u;
    for (uint32_t slot = 0; slot < slots; ++slot) {
        const uint32_t sequence = publish_word(slot, 0);
        if (sequence == taken_from[slot] || sequence - last > least) continue;
        best = {slot, sequence};
        least = sequence - last;
    }
    return best;
}

[[noreturn]] inline void run() {
    noc_init();
    const uint32_t slots = (launch_word(kCoreDepth) + kScanStep - 1) & ~(kScanStep - 1);
    wait_go();
    uint32_t last = 0;
    for (uint32_t taken = 1;; ++taken) {
        Found found = find_published(slots);
        if (found.slot == kNoSlot) {
            state(kThreadStage) = kThreadIdle;
            wait_until(kWaitCommand, 0, last + 1, local.idle_cycles, [&](uint32_t& seen) {
                seen = last;
                found = find_published(slots);
                return found.slot != kNoSlot;
            });
        }
        // The number after the last one taken is the least there can be; otherwise another slot may hold an earlier one.
        if (found.sequence != last + 1) found = find_first(slots, last);
        const uint32_t slot = found.slot;
        const Published published{publish_word(slot, 1)};
        taken_from[slot] = last = found.sequence;
        // A result word left from the slot's last command is nobody's result.
        if (published.wants_result()) hardware::reg(control(kControlResults) + 4 * slot) = 0;
        hardware::reg(control(kControlTokens) + 4 * ((taken - 1) % kTokens)) = taken << kTokenCountShift | slot;
        state(kThreadTaken) = taken;

        run_handler(slot, found.sequence, published);
        count_done(taken);
        if (published.handler() == KM_HANDLER_EXIT) leave(kThreadExited);
    }
}

}  // namespace km::detail
