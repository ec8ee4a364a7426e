// Submitting: a command's body and publish word into the slot's mailbox of every core of its group (PROTOCOL.md,
// "Mailboxes"). Host lines, the job queue and whatever source comes next all submit here.
#pragma once
#include "events.h"
#include "slots.h"
#include "windows.h"

namespace km {

struct Command {
    uint64_t word;   // its publish word, but for the sequence number
    Notes notes;     // the slot's, but for the tick
    uint64_t body;   // hart address of the argument words, two in each 64-bit word
    uint64_t limit;  // ticks until it is late

    KM_INLINE uint64_t args() const { return word >> kWordArgsShift & 0xF; }

    // A command for cores [first, first + count), `first` leading, whose event carries the host's `number`.
    static KM_INLINE Command make(uint64_t handler, uint64_t args, bool result, uint64_t first, uint64_t count, uint64_t number,
                                  uint64_t body, uint64_t limit) {
        static_assert(kPublishResult == 1, "the flag is the bool");
        return {handler << kWordHandlerShift | args << kWordArgsShift | uint64_t{result} << kWordFlagsShift | first << kWordFirstShift |
                    count << kWordCountShift,
                {number << Notes::kNumberShift | first << Notes::kLeaderShift}, body, limit};
    }
};

// Copies `args` argument words from hart address `from` into the body of `slot`.
KM_INLINE void put_words(Target to, uint64_t slot, uint64_t from, uint64_t args) {
    uint64_t offset = kControlBodies + kBodyBytes * slot;
    for (uint64_t left = (args + 1) / 2; left != 0; --left) {
        to.put(offset, load(from));
        from += 8;
        offset += 8;
    }
}

struct Mailbox {
    uint64_t base = 0;      // core 0's control block, through its window
    uint64_t sequence = 0;  // the last given; the wire carries the low 32 bits, which are never 0

    KM_COLD void start() { base = launch.word(kLaunchWindowSpace) + launch.word(kLaunchMailboxes); }

    KM_INLINE Target target_of(uint64_t entry) const {
        return {base + (entry >> Windows::kFirstShift & 0xFF) * kSmallWindowBytes, entry >> Windows::kCountShift};
    }

    // Where stores for a group go; a count of 0 when it has no windows yet.
    KM_INLINE Target target(uint64_t first, uint64_t count) const {
        if (KM_LIKELY(count == 1)) return {base + first * kSmallWindowBytes, 1};
        return target_of(windows.find(first, count));
    }

    // The same, and gives it windows if it has none.
    KM_INLINE Target mapped(uint64_t first, uint64_t count) const {
        if (count == 1) return target(first, count);
        uint64_t entry = windows.find(first, count);
        if (KM_UNLIKELY(entry == 0)) entry = windows.map(first, count);
        return target_of(entry);
    }

    // Submits `command` to its target in a free slot. The caller has seen to the slot and to the event's room.
    KM_INLINE void submit(Slots& slots, Events& events, const Command& command, Target to, uint64_t now) {
        events.promise();
        const Notes notes = {command.notes.bits | static_cast<uint32_t>(now)};
        const uint64_t slot = lowest(slots.free), word = begin(slot, command.word, now + command.limit);
        put_words(to, slot, command.body, command.args());
        publish(slots, slot, word, notes, to);
    }

    // A command has three steps, the second being that its argument words go into the slot's body. The first gives the
    // publish word with its sequence number.
    KM_INLINE uint64_t begin(uint64_t slot, uint64_t word, uint64_t late) {
        const SlotWords words(slot);
        sequence += 1;
        if (KM_UNLIKELY(static_cast<uint32_t>(sequence) == 0)) sequence += 1;
        word |= static_cast<uint32_t>(sequence);
        store(words.word(), word);
        store(words.deadline(), late);
        return word;
    }

    // The third takes `slot`, the lowest free one.
    KM_INLINE void publish(Slots& slots, uint64_t slot, uint64_t word, Notes notes, Target to) {
        slots.take(slot, SlotWords(slot), notes);
        fence();  // the body has landed, and so has every publish word before this one
        to.put(kControlPublish + 8 * slot, word);
        to.put(kControlDoorbell, static_cast<uint32_t>(word));
    }
};

}  // namespace km
