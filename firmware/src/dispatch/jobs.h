// The job queue: commands whose first core the dispatcher chooses, waiting for cores (KM_FLAG_QUEUE).
//
// Each job is given the lowest first core whose group overlaps no busy one. A job that finds no room lets later ones
// go first, but not for ever: one that saw kPatience commands go by holds back everything behind it, the ring included.
#pragma once
#include "engine.h"

namespace km {

// One bit a core.
struct CoreSet {
    uint64_t low = 0, high = 0;

    // The lowest `count` bits of a word.
    static uint64_t lowest_bits(uint64_t count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

    static CoreSet below(uint64_t core) { return {lowest_bits(core), core < 64 ? 0 : lowest_bits(core - 64)}; }

    void add(uint64_t first, uint64_t count) {
        const CoreSet before = below(first), all = below(first + count);
        low |= all.low & ~before.low;
        high |= all.high & ~before.high;
    }

    CoreSet shifted_down(uint64_t by) const {
        if (by == 0) return *this;
        if (by >= 64) return {high >> (by - 64), 0};
        return {low >> by | high << (64 - by), high >> by};
    }

    CoreSet and_with(CoreSet other) const { return {low & other.low, high & other.high}; }

    // The lowest core from which on `count` cores are in the set, or kCoresMax.
    uint64_t lowest_run(uint64_t count) const {
        CoreSet starts = *this;
        for (uint64_t length = 1; length < count;) {  // starts: runs of `length`
            const uint64_t step = length < count - length ? length : count - length;
            starts = starts.and_with(starts.shifted_down(step));
            length += step;
        }
        if (starts.low != 0) return lowest(starts.low);
        return starts.high != 0 ? 64 + lowest(starts.high) : kCoresMax;
    }
};

struct Jobs {
    static constexpr uint64_t kPatience = 1024;
    static constexpr uint8_t kNone = 0xFF;

    uint64_t free;                  // bit j: entry j is free
    uint64_t since[kJobQueueLength];  // sequence number when it was queued
    uint32_t owner[kJobQueueLength];  // an engine's command: its Owner; else 0
    uint8_t next[kJobQueueLength];  // entry behind entry j, or kNone
    uint8_t head, tail;             // oldest and newest, or kNone

    KM_COLD void start() {
        free = ~uint64_t{0};
        head = tail = kNone;
    }

    bool full() const { return free == 0; }
    bool empty() const { return head == kNone; }
    uint64_t waiting() const { return kJobQueueLength - bits_set(free); }

    static uint64_t entry(uint64_t job) { return launch.word(kLaunchJobs) + kLineBytes * job; }

    // Puts a command into the queue, which is not full; gives its entry, whose argument words are the caller's to store.
    uint64_t add(uint64_t head_word, uint64_t tail_word, uint64_t from, uint64_t sequence) {
        const uint64_t job = lowest(free);
        const uint64_t to = entry(job);
        store(to + 8 * kLineHead, head_word);
        store(to + 8 * kLineTail, tail_word);
        free &= free - 1;
        since[job] = sequence;
        owner[job] = static_cast<uint32_t>(from);
        next[job] = kNone;
        if (empty()) {
            head = static_cast<uint8_t>(job);
        } else {
            next[tail] = static_cast<uint8_t>(job);
        }
        tail = static_cast<uint8_t>(job);
        return to;
    }

    // Puts a line into the queue.
    void add_line(uint64_t line, uint64_t head_word, uint64_t tail_word, uint64_t sequence) {
        const uint64_t to = add(head_word, tail_word, 0, sequence);
        for (uint32_t i = kLineArgs; i < kLineTail; ++i) store(to + 8 * i, load(line + 8 * i));
    }

    // Takes `job` out of the queue; `before` is the entry before it, or kNone.
    void remove(uint8_t before, uint8_t job) {
        (before == kNone ? head : next[before]) = next[job];
        if (tail == job) tail = before;
        free |= uint64_t{1} << job;
    }

    // Submits every job that finds cores, a slot and, if it is the host's, room for its event.
    KM_COLD void pump(Loop& loop, uint64_t now);
};

static Jobs jobs;

// The jobs' turn. Once the run stops, none is started.
static void pump_jobs(Loop& loop, uint64_t now) {
    shares.begin(kJobsTurn);
    if ((account.gate & kGateStop) == 0) jobs.pump(loop, now);
}

// The cores of no busy group.
static CoreSet idle_cores(const Loop& loop) {
    CoreSet busy;
    for (uint64_t left = loop.slots.busy(); left != 0; left &= left - 1) {
        const uint64_t slot = load(SlotWords(lowest(left)).word());
        busy.add(slot >> kWordFirstShift & 0xFF, slot >> kWordCountShift);
    }
    CoreSet all;
    all.add(0, launch.word(kLaunchCores));
    return all.and_with({~busy.low, ~busy.high});
}

// The busy slots whose group shares a core with [first, first + count).
static uint64_t overlapping(const Loop& loop, uint64_t first, uint64_t count) {
    uint64_t slots = 0;
    for (uint64_t left = loop.slots.busy(); left != 0; left &= left - 1) {
        if (SlotWords(lowest(left)).overlaps(first, count)) slots |= left & (0 - left);
    }
    return slots;
}

void Jobs::pump(Loop& loop, uint64_t now) {
    CoreSet idle = idle_cores(loop);
    if (!loop.room()) loop.ring.refresh();
    uint8_t before = kNone;
    bool waited_long = false;
    for (uint8_t job = head; job != kNone && loop.slots.free != 0;) {
        const uint64_t at = entry(job), head_word = load(at + 8 * kLineHead), tail_word = load(at + 8 * kLineTail);
        const uint64_t count = head_word >> kHeadCountShift, first = idle.lowest_run(count);
        const uint8_t behind = next[job];
        if (owner[job] == 0 && !loop.room()) {
            before = job;
        } else if (first == kCoresMax) {
            waited_long = loop.mailbox.sequence - since[job] > kPatience;
            if (waited_long) break;
            before = job;
        } else {
            const uint64_t flags = head_word >> kHeadFlagsShift & 0xFF;
            const uint64_t limit = flags & KM_FLAG_LIMIT ? load<uint32_t>(at + 8 * kLineLimit) : loop.limit();
            Command command = Command::make(head_word >> kHeadHandlerShift & 0xFF, tail_word >> kTailArgsShift & 0xFF,
                                            (flags & KM_FLAG_RESULT) != 0, first, count, tail_word & 0xFFFF, at + 8 * kLineArgs, limit);
            if (owner[job] == 0) {
                loop.submit(command, first, count, now);
            } else {
                command.notes.bits |= owner[job];
                loop.submit_owned(command, first, count, now);
            }
            remove(before, job);
            CoreSet taken;
            taken.add(first, count);
            idle = idle.and_with({~taken.low, ~taken.high});
        }
        job = behind;
    }
    loop.set_gate((account.gate & ~(kGateJobs | kGateQueue)) | (empty() ? 0 : kGateJobs) | (waited_long ? kGateQueue : 0));
}

}  // namespace km
