// The reader's command loop: waits for the doorbell, takes commands from the mailboxes in the order of submission, hands
// them on as tokens. See firmware/PROTOCOL.md, "Taking".
#pragma once
#include "../noc.h"
#include "boot.h"
#include "commands.h"
#include "trace.h"

namespace km::detail {

constexpr uint32_t kNoSlot = ~0u;
constexpr uint32_t kScanStep = 4;  // slots beyond the depth are never published: looking at them finds nothing

/// Sequence number last taken from each slot. A slot shows it until its next command, for which `last` may wrap around it.
inline uint32_t taken_from[kSlotsMax];

/// A slot and the sequence number in its publish word.
struct Found {
    uint32_t slot;
    uint32_t sequence;
};

/// Of the slots with a new number from `last + 1` to `rung`, the one with the least. Numbers beyond `rung` are left for the
/// next turn: this scan may have been too early to see the commands before them.
[[gnu::noinline]] inline Found find_first(uint32_t slots, uint32_t last, uint32_t rung) {
    Found found{kNoSlot, last};
    uint32_t least = rung - last;
    for (uint32_t slot = 0; slot < slots; ++slot) {
        const uint32_t sequence = publish_word(slot, 0), ahead = sequence - last;
        if (ahead - 1 >= least || sequence == taken_from[slot]) continue;
        found = {slot, sequence};
        least = ahead;
    }
    return found;
}

/// The same. No number is before `last + 1`, and the likeliest slot is `likely` or one of its neighbours: they are looked at
/// first.
inline Found find_published(uint32_t slots, uint32_t likely, uint32_t last, uint32_t rung) {
    const uint32_t next = last + 1, group = likely & ~(kScanStep - 1);
    // Four loads, then their uses: an L1 load takes 8 cycles, and they overlap (tensix.md §2).
    const uint32_t a = publish_word(group, 0), b = publish_word(group + 1, 0);
    const uint32_t c = publish_word(group + 2, 0), d = publish_word(group + 3, 0);
    const uint32_t slot = a == next ? group : b == next ? group + 1 : c == next ? group + 2 : group + 3;
    if ((slot != group + 3 || d == next) && taken_from[slot] != next) return {slot, next};
    return find_first(slots, last, rung);
}

/// The handlers that compute threads have.
inline Handlers computed;

/// Reads them, from all three: a handler may stand in one of them only.
[[gnu::noinline, gnu::cold]] inline void read_computed() {
    for (uint32_t word = 0; word < kHandledWords; ++word) {
        for (Thread thread : kComputing) {
            computed.words[word] |= hardware::reg(handled_place(thread) + 4 * word);
        }
    }
}

[[noreturn]] inline void run() {
    noc_init();
    trace_init();
    const uint32_t slots = launch_word(kCoreDepth);
    wait_go();
    uint32_t slot = kNoSlot, sequence = 0, handed = 0;
    for (uint32_t taken = 1;; ++taken) {
        const uint32_t last = sequence, likely = slot + 1 < slots ? slot + 1 : 0;
        [[maybe_unused]] uint32_t passes = 0;
        wait_until(kWaitCommand, 0, last + 1, local.idle, [&](uint32_t& seen) {
            seen = hardware::reg(control(kControlDoorbell));
            if (seen == last) return false;
            if constexpr (kTraced) ++passes;
            const Found found = find_published(slots, likely, last, seen);
            slot = found.slot;
            sequence = found.sequence;
            return slot != kNoSlot;
        });
        taken_from[slot] = sequence;
        const Published published{publish_word(slot, 1)};
        // A result word left from the slot's last command is nobody's result.
        if (published.wants_result()) hardware::reg(control(kControlResults) + 4 * slot) = 0;
        if (taken == 1) read_computed();
        uint32_t token = taken << kTokenCountShift | slot;
        if (computed.has(published.handler())) {
            ++handed;
            hardware::reg(token_place(kControlComputeTokens, handed)) = handed << kTokenCountShift | slot;
            token |= kTokenCompute;
        }
        hardware::reg(token_place(kControlTokens, taken)) = token;
        trace_taken(sequence, published, passes);

        run_handler(taken, slot, sequence, published);
        count_done(taken);
        if (published.handler() == KM_HANDLER_EXIT) leave(kThreadExited);
    }
}

}  // namespace km::detail
