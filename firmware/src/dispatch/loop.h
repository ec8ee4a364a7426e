// The state of the dispatcher's loop: the nouns it is made of, and when to look at what is not looked at in every turn.
//
// `run` (main.cpp) keeps a copy of it in registers, since memory here is tens of cycles away, and writes it back around
// each call of a function that is not part of a plain command's way.
#pragma once
#include "mailbox.h"
#include "ring.h"

namespace km {

// What holds back the ring (Loop::gate). Bits 15 to 0: slots that must be free before the next line is looked at again.
constexpr uint64_t kGateQueue = uint64_t{1} << 16;  // a job that waited long, or an exclusive command behind queued ones
constexpr uint64_t kGateStop = uint64_t{1} << 17;   // nothing is taken any more
// Not a hold: queued jobs wait, so look at them when a slot was freed.
constexpr uint64_t kGateJobs = uint64_t{1} << 63;

struct Loop {
    Ring ring;
    Events events;
    Slots slots;
    Mailbox mailbox;
    uint64_t gate = 0;
    uint64_t bounds = 0;  // [7:0] cores a plain command may name; 0 after EXIT, which sends each line the slow way
                          // [63:8] ticks until a command is late
    uint64_t wake = 0;    // when the upkeep is due

    KM_COLD void start() {
        ring.start();
        events.start();
        slots.start();
        mailbox.start();
        bounds = launch.word(kLaunchDeadline) << kLimitShift | launch.word(kLaunchCores);
    }

    static constexpr uint32_t kLimitShift = 8;
    KM_INLINE uint64_t cores() const { return static_cast<uint8_t>(bounds); }
    KM_INLINE uint64_t limit() const { return bounds >> kLimitShift; }


    // True when the next line may be looked at; a gate whose slots are all free is open from then on.
    KM_INLINE bool open_gate() {
        if ((gate & ~slots.free & ~kGateJobs) != 0) return false;
        gate &= kGateJobs;
        return true;
    }

    // True when the event that ends the next line has room; looks at what the host has read last if it must.
    KM_INLINE bool room() {
        if (KM_LIKELY(events.room(ring.events_read()))) return true;
        ring.refresh();
        return events.room(ring.events_read());
    }

    // Posts an event that no slot stood for; the caller has seen to its room.
    void answer(EventKind kind, uint64_t auxiliary, uint64_t number) {
        events.promise();
        events.post(kind, 0, auxiliary, 0, number, ring.consumed);
    }

    // Submits a command that is off the fast path, in a free slot.
    void submit(const Command& command, uint64_t first, uint64_t count, uint64_t now) {
        mailbox.submit(slots, events, command, mailbox.mapped(first, count), now);
    }

    bool idle() const { return slots.busy() == 0 && (gate & kGateJobs) == 0; }
};

// What only the upkeep and the end need.
struct Account {
    uint64_t passes;
    uint64_t rejected;
    uint64_t ready_at;      // when the grid was ready
    uint64_t active_at;     // when something was last in flight or taken
    uint64_t seen_consumed; // lines consumed then
    bool exited;            // EXIT was submitted
    Failure failure;
};

static Loop loop;
static Account account;

}  // namespace km
