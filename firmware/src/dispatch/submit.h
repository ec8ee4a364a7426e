// An engine's command: from its record into a slot or into the job queue.
#pragma once
#include "code.h"
#include "jobs.h"
#include "record.h"

namespace km {

// A pair of argument words of a record: bits 0 and 1 of `mask` say which are numbers of registers.
KM_INLINE uint64_t argument_pair(uint64_t pair, uint64_t mask, uint64_t registers) {
    if (KM_UNLIKELY((mask & 1) != 0)) pair = pair >> 32 << 32 | load<uint32_t>(engine_register(registers, pair));
    if (KM_UNLIKELY((mask & 2) != 0)) pair = static_cast<uint32_t>(pair) | load<uint32_t>(engine_register(registers, pair >> 32)) << 32;
    return pair;
}

// Pairs of argument words; of a record that was written to no more than it holds.
KM_INLINE uint64_t record_pairs(uint64_t head) {
    const uint64_t pairs = (record_args(head) + 1) / 2;
    return KM_UNLIKELY(pairs > kArgsMax / 2) ? kArgsMax / 2 : pairs;
}

// What of the loop a command's way to the grid needs.
struct Port {
    Slots slots;
    Mailbox mailbox;
    uint64_t ticks;

    KM_INLINE uint64_t limit() const { return ticks; }
};

// Sends the command of `record` with the first word `head` in the lowest free slot, which becomes the engine's.
KM_INLINE void send_record(Port& port, Shares& own, uint64_t engine, uint64_t record, uint64_t number, uint64_t head,
                           uint64_t registers, Target to, uint64_t now) {
    const uint64_t slot = lowest(port.slots.free), word = port.mailbox.begin(slot, head >> 32 << 32, now + port.limit());
    own.take(slot);
    uint64_t from = record + 8 * kRecordArgs, offset = kControlBodies + kBodyBytes * slot, mask = record_mask(head);
    for (uint64_t left = record_pairs(head); left != 0; --left) {
        to.put(offset, argument_pair(load(from), mask, registers));
        mask >>= 2;
        from += 8;
        offset += 8;
    }
    const Notes notes = {Owner::make(record, engine) | number << Notes::kNumberShift | record_first(head) << Notes::kLeaderShift};
    port.mailbox.publish(port.slots, slot, word, notes, to);
}

enum class Sent {
    kYes,
    kNoSlot,     // or a gate is closed
    kNotQuiet,   // an exclusive one
    kQueueFull,
    kNoGroup,    // it leaves the cores
};

// An exclusive command of the engine found its group busy: when that has lasted long, nothing else is taken until it goes.
static void be_patient(Loop& loop, uint64_t number, Engine& engine) {
    if (engine.since == 0) engine.since = loop.mailbox.sequence;
    if (loop.mailbox.sequence - engine.since <= kExclusivePatience) return;
    account.holder = number;
    loop.set_gate(account.gate | kGateExclusive);
}

// The engine has no exclusive command any more that waits for its group.
static void stop_holding(Loop& loop, uint64_t number) {
    engines[number].since = 0;
    if ((account.gate & kGateExclusive) == 0 || account.holder != number) return;
    loop.set_gate(account.gate & ~kGateExclusive);
    shares.wake();
}

// Puts the command of a record into the job queue.
static Sent queue_record(Loop& loop, uint64_t number, Engine& engine, uint64_t node, uint64_t head, uint64_t now) {
    if (jobs.full() && shares.has(Shares::kDue, kJobsTurn)) pump_jobs(loop, now);  // it is not full of what finds no cores
    if (jobs.full()) return Sent::kQueueFull;
    const uint64_t record = engine.record(node), handler = record_handler(head), args = record_args(head), count = record_cores(head);
    const uint64_t result = (record_publish_flags(head) & kPublishResult) != 0 ? uint64_t{KM_FLAG_RESULT} : 0;
    uint64_t to = jobs.add(handler << kHeadHandlerShift | result << kHeadFlagsShift | count << kHeadCountShift,
                           node | (args > kArgsMax ? kArgsMax : args) << kTailArgsShift, Owner::make(record, number),
                           loop.mailbox.sequence);
    uint64_t mask = record_mask(head), from = record + 8 * kRecordArgs;
    for (uint64_t left = record_pairs(head); left != 0; --left) {
        to += 8;
        store(to, argument_pair(load(from), mask, engine.registers()));
        mask >>= 2;
        from += 8;
    }
    engine.counts += Engine::kOneInFlight;
    shares.add(Shares::kDue, kJobsTurn);
    return Sent::kYes;
}

// Sends the command of a record to a group that has windows, in a free slot.
KM_INLINE void send_from_turn(Loop& loop, uint64_t number, Engine& engine, uint64_t node, uint64_t head, Target to, uint64_t now) {
    engine.counts += Engine::kOneInFlight;
    // Copies: what is stored in between would have the compiler load each of them anew.
    Port port = {loop.slots, loop.mailbox, loop.limit()};
    Shares own = shares;
    send_record(port, own, number, engine.record(node), node, head, engine.registers(), to, now);
    shares = own;
    loop.slots = port.slots;
    loop.mailbox.sequence = port.mailbox.sequence;
}

// What `submit_record` leaves: a queued command, an exclusive one, one for a group that has no windows yet.
KM_COLD static Sent submit_special(Loop& loop, uint64_t number, Engine& engine, uint64_t node, uint64_t head, uint64_t now) {
    const uint64_t first = record_first(head), count = record_cores(head), flags = record_flags(head);
    if ((flags & kRecordQueued) != 0) return queue_record(loop, number, engine, node, head, now);
    if (loop.slots.free == 0) return Sent::kNoSlot;
    if ((flags & kRecordExclusive) != 0) {
        if (overlapping(loop, first, count) != 0) {
            be_patient(loop, number, engine);
            return Sent::kNotQuiet;
        }
        stop_holding(loop, number);
    }
    send_from_turn(loop, number, engine, node, head, loop.mailbox.mapped(first, count), now);
    return Sent::kYes;
}

// Submits the command of a record with the first word `head`, or puts it into the job queue. It calls nothing on the way of a
// plain command, so that it saves few registers.
static Sent submit_record(Loop& loop, uint64_t number, Engine& engine, uint64_t node, uint64_t head, uint64_t now) {
    const uint64_t first = record_first(head), count = record_cores(head);
    if (count == 0 || first + count > engine.cores()) return Sent::kNoGroup;
    if (loop.holds_engine(number)) return Sent::kNoSlot;
    if (KM_UNLIKELY(record_flags(head) != 0)) return submit_special(loop, number, engine, node, head, now);
    if (loop.slots.free == 0) return Sent::kNoSlot;
    const Target to = loop.mailbox.target(first, count);
    if (KM_UNLIKELY(to.count == 0)) return submit_special(loop, number, engine, node, head, now);
    send_from_turn(loop, number, engine, node, head, to, now);
    return Sent::kYes;
}

// Stores a completion's result word into the register that the record's links name, if they name one.
KM_INLINE void store_result(uint64_t links, uint64_t registers, uint64_t result) {
    const uint64_t number = links_result(links);
    if (KM_UNLIKELY(number != 0)) store<uint32_t>(engine_register(registers, number - 1), result);
}

// Posts an event of an engine, or lets it wait for room.
static bool post_of(Loop& loop, uint64_t number, EventKind kind, uint64_t value, uint64_t auxiliary, uint64_t now) {
    if (!loop.finds_room()) {
        shares.add(Shares::kWaiting, number);
        return false;
    }
    const Engine& engine = engines[number];
    Events events = loop.events;  // a copy, as in submit_record
    events.promise();
    events.post(kind, value, auxiliary, now - engine.started, engine.req, loop.ring.consumed);
    loop.events = events;
    return true;
}

// The engine is gone. `stays`: a graph that is kept is still kept.
static void remove_engine(Loop& loop, uint64_t number, bool stays) {
    const Engine& engine = engines[number];
    if (engine.kept != 0) {
        if (stays) {
            kept.rest(engine.kept - 1u);
        } else {
            kept.remove(engine.kept - 1u);
        }
    }
    shares.remove(number);
    if (shares.set(Shares::kRunning) == 0) loop.set_gate(account.gate & ~kGateEngines);
}

// What an engine does about a command that was not sent.
static void wait_or_stop(uint64_t number, Sent sent, uint32_t place) {
    switch (sent) {
        case Sent::kYes: return;
        case Sent::kNoSlot: shares.add(Shares::kShort, number); [[fallthrough]];
        case Sent::kNotQuiet: shares.add(Shares::kWaiting, number); return;
        case Sent::kQueueFull: engines[number].stop(KM_STREAM_ERROR_QUEUE, place); break;
        case Sent::kNoGroup: engines[number].stop(KM_STREAM_ERROR_GROUP, place); break;
    }
    shares.add(Shares::kDue, number);
}

}  // namespace km
