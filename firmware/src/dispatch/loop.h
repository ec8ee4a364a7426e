// The state of the dispatcher's loop: the nouns it is made of, and when to look at what is not looked at in every turn.
//
// `run` (main.cpp) keeps a copy of it in registers, since memory here is tens of cycles away, and writes it back around
// each call of a function that is not part of a plain command's way.
#pragma once
#include "mailbox.h"
#include "ring.h"
#include "shares.h"

namespace km {

// What holds back the ring (Account::gate). Bits 15 to 0: slots that must be free before the next line is looked at again.
constexpr uint64_t kGateQueue = uint64_t{1} << 16;  // a job that waited long, or an exclusive command behind queued ones
constexpr uint64_t kGateStop = uint64_t{1} << 17;   // nothing is taken any more
constexpr uint64_t kGateJobs = uint64_t{1} << 18;   // holds nothing: queued jobs wait for a slot to be freed
constexpr uint64_t kGateEngines = uint64_t{1} << 19;  // an EXIT waits for the last engine
constexpr uint64_t kGateExclusive = uint64_t{1} << 20;  // an engine's exclusive command waited long (Account::holder)

// What is off the fast path.
struct Account {
    uint64_t gate;
    uint64_t holder;         // with kGateExclusive: the engine that all else waits for
    uint64_t passes;
    uint64_t rejected;
    uint64_t ready_at;       // when the grid was ready
    uint64_t active_at;      // when something was last in flight or taken
    uint64_t seen_consumed;  // lines consumed then
    bool exited;             // EXIT was submitted
    Failure failure;
};

static Account account;

struct Loop {
    Ring ring;
    Events events;
    Slots slots;
    Mailbox mailbox;
    uint64_t bounds = 0;  // [7:0] cores a plain command may name  [63:8] ticks until a command is late
    uint64_t wake = 0;    // when the upkeep is due

    static constexpr uint32_t kLimitShift = 8;

    KM_COLD void start() {
        ring.start();
        events.start();
        slots.start();
        mailbox.start();
        bounds = launch.word(kLaunchDeadline) << kLimitShift;
        set_gate(0);
    }

    KM_INLINE uint64_t cores() const { return static_cast<uint8_t>(bounds); }
    KM_INLINE uint64_t limit() const { return bounds >> kLimitShift; }

    // A gate, and EXIT, leave no core to plain commands: all lines and all completions then go the slow way. So the
    // fast path needs no register for them.
    KM_INLINE bool watched() const { return cores() == 0; }
    void set_gate(uint64_t gate) {
        account.gate = gate;
        const uint64_t named = gate == 0 && !account.exited ? launch.word(kLaunchCores) : 0;
        bounds = bounds >> kLimitShift << kLimitShift | named;
    }

    // True while the next line may not be looked at.
    bool held() const { return (account.gate & ~slots.free & ~kGateJobs) != 0; }

    // True when nothing but slots that are free now held the next line.
    bool opens() const { return (account.gate & ~slots.free) == 0; }

    // An exclusive line behind one command in flight, which shares a core with it: sets the gate that holds it. Anything else
    // is left to `take_special`.
    KM_INLINE bool waits_for_one(uint64_t head, uint64_t tail) {
        const uint64_t flags = head >> kHeadFlagsShift & 0xFF, handler = head >> kHeadHandlerShift & 0xFF;
        const uint64_t first = head >> kHeadFirstShift & 0xFFFF, count = head >> kHeadCountShift;
        // What is to be rejected waits for nobody. The condition is `take_plain`'s; as one function it costs the plain command's
        // way an instruction, and a graph's node 40 ns.
        if ((flags & ~uint64_t{KM_FLAG_RESULT}) != KM_FLAG_EXCLUSIVE || handler > kHandlerMax || count == 0 ||
            first + count > cores() || (tail >> kTailArgsShift & 0xFF) > kArgsMax) {
            return false;
        }
        if (slots.heads == 0 || (slots.heads & (slots.heads - 1)) != 0) return false;
        const SlotWords words(lowest(slots.heads));
        const Notes notes = {load(words.notes())};
        if (notes.next() != 0 || !words.overlaps(first, count)) return false;
        set_gate(slots.heads);
        return true;
    }

    // True while an engine may not submit: a line, a job or another engine that waits for quiet cores is before it.
    KM_INLINE bool holds_engine(uint64_t number) const {
        if (KM_LIKELY(!watched())) return false;
        const uint64_t others = account.gate & ~(kGateJobs | kGateEngines);
        return others != 0 && (others != kGateExclusive || account.holder != number);
    }

    // True when the event that ends the next command has room, by what the host had read last.
    KM_INLINE bool room() const { return events.room(ring.events_read()); }

    // The same, by what the host has read by now.
    KM_INLINE bool finds_room() {
        if (!room()) ring.refresh();
        return room();
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

    // The same for an engine's command, whose notes name its owner: no event ends it.
    void submit_owned(const Command& command, uint64_t first, uint64_t count, uint64_t now) {
        const Target to = mailbox.mapped(first, count);
        const uint64_t slot = lowest(slots.free), word = mailbox.begin(slot, command.word, now + command.limit);
        shares.take(slot);
        put_words(to, slot, command.body, command.args());
        mailbox.publish(slots, slot, word, command.notes, to);
    }

    // Slots whose commands end with an event.
    uint64_t promised() const { return slots.busy() & ~shares.slots(); }

    bool idle() const { return slots.busy() == 0 && (account.gate & kGateJobs) == 0 && shares.set(Shares::kRunning) == 0; }
};

static Loop loop;

}  // namespace km
