// What the loop knows of the engines without a load: one word, which `run` keeps in a register while an engine runs.
#pragma once
#include "komorebi/engine.h"
#include "slots.h"

namespace km {

// Engines that run have numbers: streams from 0, graphs from kStreamsMax on.
constexpr uint64_t kEnginesMax = kStreamsMax + kGraphsMax;
constexpr uint64_t kJobsTurn = kEnginesMax;  // the job queue, as far as it has turns: it is only ever due

// Sets of slots or engines, and one flag.
//   [15:0]  slots whose commands are engines'
//   [23:16] due: something is to be done in the engine's next turn; or kJobsTurn: jobs may find cores
//   [31:24] waiting: for a slot, a quiet group, event room or an open gate
//   [39:32] short: of those, the ones that wait for a slot or a gate, which lines take from them
//   [47:40] closed: the engine ends and submits nothing more
//   [55:48] running
//   [56]    a line went since the engines or their jobs had their turn
//   [59:57] the engine that has the first turn, if it is due
struct Shares {
    uint64_t bits;

    static constexpr uint32_t kDue = 16, kWaiting = 24, kShort = 32, kClosed = 40, kRunning = 48;
    static constexpr uint64_t kSet = 0xFF;
    static constexpr uint64_t kLineWent = uint64_t{1} << 56;
    static constexpr uint32_t kFirst = 57;

    static_assert(kSlotsMax <= kDue && kJobsTurn < 8, "fields");

    KM_INLINE uint64_t set(uint32_t which) const { return bits >> which & kSet; }
    KM_INLINE bool has(uint32_t which, uint64_t engine) const { return (bits >> which >> engine & 1) != 0; }
    KM_INLINE void add(uint32_t which, uint64_t engine) { bits |= uint64_t{1} << which << engine; }

    KM_INLINE uint64_t slots() const { return bits & ((uint64_t{1} << kDue) - 1); }
    KM_INLINE bool owns(uint64_t slot) const { return (bits >> slot & 1) != 0; }
    KM_INLINE void take(uint64_t slot) { bits |= uint64_t{1} << slot; }
    KM_INLINE void give_back(uint64_t slot) { bits &= ~(uint64_t{1} << slot); }

    // True when what becomes ready goes to the engine's lists: the engine has something before it, or ends.
    KM_INLINE bool behind(uint64_t engine) const {
        constexpr uint64_t kBehind = uint64_t{1} << kDue | uint64_t{1} << kWaiting | uint64_t{1} << kClosed;
        return (bits >> engine & kBehind) != 0;
    }

    uint64_t first() const { return bits >> kFirst & 7; }
    void set_first(uint64_t engine) { bits = (bits & ~(uint64_t{7} << kFirst)) | engine << kFirst; }

    // The engine's turn begins.
    void begin(uint64_t engine) {
        bits &= ~((uint64_t{1} << kDue | uint64_t{1} << kWaiting | uint64_t{1} << kShort) << engine);
        others_went();
    }

    // The engine is gone.
    void remove(uint64_t engine) { bits &= ~(uint64_t{0x0101010101} << kDue << engine); }

    // Something that an engine may wait for has changed.
    KM_INLINE void wake() { bits |= bits >> (kWaiting - kDue) & kSet << kDue; }

    // Of lines, engines and jobs that wait for slots none may take all: one line goes, then the others have their turn.
    KM_INLINE bool line_has_gone() const { return (bits & kLineWent) != 0; }
    KM_INLINE bool line_may_go() const { return !line_has_gone() || set(kShort) == 0; }
    KM_INLINE void line_went() { bits |= kLineWent; }
    KM_INLINE void others_went() { bits &= ~kLineWent; }
};

static Shares shares;

}  // namespace km
