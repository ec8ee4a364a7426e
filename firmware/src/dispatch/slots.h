// Completion slots: which commands are in flight, and which of their completion words are worth a load.
//
// A core runs its commands in order, so of the commands with one leader only the oldest can complete next: the slots
// with one leader form a chain, and only its head is polled. A completion word is zeroed before its slot is used
// again, so any value in it is the completion (a sequence number is never 0).
#pragma once
#include "komorebi/core.h"
#include "state.h"

namespace km {

// A slot's notes, one word:
//   [31:0] tick of the submit  [47:32] command number  [55:48] leader  [63:56] next of the chain + 1
struct Notes {
    static constexpr uint32_t kNumberShift = 32;
    static constexpr uint32_t kLeaderShift = 48;
    static constexpr uint32_t kNextByte = 7;

    uint64_t bits;

    KM_INLINE uint64_t ticks(uint64_t now) const { return static_cast<uint32_t>(now - bits); }
    KM_INLINE uint64_t number() const { return static_cast<uint16_t>(bits >> kNumberShift); }
    KM_INLINE uint64_t leader() const { return static_cast<uint8_t>(bits >> kLeaderShift); }
    KM_INLINE uint64_t next() const { return bits >> (8 * kNextByte); }
};

// By core: the last slot of the chain it leads + 1, or 0.
static uint8_t chain_ends[kCoresMax];

struct Slots {
    uint64_t free = 0;   // bit s: slot s may be used
    uint64_t heads = 0;  // bit s: slot s is the oldest of its leader

    KM_COLD void start() {
        free = all();
        for (uint64_t slot = 0; slot < kSlotsMax; ++slot) store(completion(slot), 0);
    }

    static uint64_t all() { return (uint64_t{1} << launch.word(kLaunchDepth)) - 1; }
    uint64_t busy() const { return all() ^ free; }

    static KM_INLINE uint64_t completion(uint64_t slot) { return block + kBlockCompletions + kCompletionStride * slot; }

    // Takes `slot`, the lowest free one, for a command with `notes`.
    KM_INLINE void take(uint64_t slot, SlotWords words, Notes notes) {
        const uint64_t end = reinterpret_cast<uint64_t>(&chain_ends[notes.leader()]);
        const uint64_t before = load<uint8_t>(end);
        store<uint8_t>(end, slot + 1);
        store(words.notes(), notes.bits);
        const uint64_t bit = free & (0 - free);
        free ^= bit;
        if (before != 0) {
            store<uint8_t>(SlotWords(before - 1).notes() + Notes::kNextByte, slot + 1);
        } else {
            heads |= bit;
        }
    }

    // Frees `slot`, whose completion was seen.
    KM_INLINE void release(uint64_t slot, Notes notes) {
        const uint64_t bit = uint64_t{1} << slot;
        store(completion(slot), 0);
        free |= bit;
        heads ^= bit;
        const uint64_t next = notes.next();
        if (next != 0) {
            heads |= uint64_t{1} << (next - 1);
        } else {
            store<uint8_t>(reinterpret_cast<uint64_t>(&chain_ends[notes.leader()]), 0);
        }
    }
};

}  // namespace km
