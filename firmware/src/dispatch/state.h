// State words: stored for people to read when a wait runs out; but for a slot's notes, never loaded.
#pragma once
#include "komorebi/core.h"
#include "launch.h"

namespace km {

KM_INLINE uint64_t state_word(uint64_t index) { return block + kBlockState + 8 * index; }
KM_INLINE void set_state(StateWord index, uint64_t value) { store(state_word(index), value); }

// The fields of a publish word in 64 bits.
constexpr uint32_t kWordHandlerShift = 32;
constexpr uint32_t kWordArgsShift = 32 + kPublishArgsShift;
constexpr uint32_t kWordFlagsShift = 32 + kPublishFlagsShift;
constexpr uint32_t kWordFirstShift = 32 + kPublishFirstShift;
constexpr uint32_t kWordCountShift = 32 + kPublishCountShift;

// Words of a slot: its publish word, when it is late, and the dispatcher's notes (Notes, slots.h).
struct SlotWords {
    uint64_t row;  // one register for all three: their distances fit an instruction

    explicit KM_INLINE SlotWords(uint64_t slot) : row(block + 8 * slot) {}
    KM_INLINE uint64_t word() const { return row + kBlockState + 8 * kStateSlots; }
    KM_INLINE uint64_t deadline() const { return row + kBlockState + 8 * kStateSlotDeadlines; }
    KM_INLINE uint64_t notes() const { return row + kBlockState + 8 * kStateSlotOwn; }

    // True when the group of the command in the slot shares a core with [first, first + count).
    KM_INLINE bool overlaps(uint64_t first, uint64_t count) const {
        const uint64_t slot = load(word()), other = slot >> kWordFirstShift & 0xFF, others = slot >> kWordCountShift;
        return first < other + others && other < first + count;
    }
};

}  // namespace km
