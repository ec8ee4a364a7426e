// State words: stored for people to read when a wait runs out; but for a slot's notes, never loaded.
#pragma once
#include "launch.h"

namespace km {

KM_INLINE uint64_t state_word(uint64_t index) { return block + kBlockState + 8 * index; }
KM_INLINE void set_state(StateWord index, uint64_t value) { store(state_word(index), value); }

// Words of a slot: its publish word, when it is late, and the dispatcher's notes (Notes, slots.h).
struct SlotWords {
    uint64_t row;  // one register for all three: their distances fit an instruction

    explicit KM_INLINE SlotWords(uint64_t slot) : row(block + 8 * slot) {}
    KM_INLINE uint64_t word() const { return row + kBlockState + 8 * kStateSlots; }
    KM_INLINE uint64_t deadline() const { return row + kBlockState + 8 * kStateSlotDeadlines; }
    KM_INLINE uint64_t notes() const { return row + kBlockState + 8 * kStateSlotOwn; }
};

}  // namespace km
