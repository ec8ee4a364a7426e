// The dispatcher image: feeds commands to the Tensix grid and events to the host, on hart 0 of X280 cluster 0.
//
// Phases: check the launch parameters, wait for the grid, run, finish. A turn of `run` is the fast path of a plain
// command; costs.md says what it may cost, tests/tests/dispatcher_cost.rs what it does cost.
//
// Constants and addresses are cheaper to make anew than to keep: a register that holds one pushes something else into
// memory, which is as slow as every other memory here.
#pragma GCC optimize("no-move-loop-invariants", "no-tree-loop-im", "no-gcse", "no-tree-pre", "no-ivopts", "no-schedule-insns", "no-jump-tables")
#include "ready.h"
#include "result.h"

namespace km {

// Frees a slot whose completion was seen and posts its done event.
KM_INLINE void retire(Loop& l, uint64_t slot, uint64_t completion, Notes notes, uint64_t now) {
    l.slots.release(slot, notes);
    l.events.post(kEventDone, completion >> 32, notes.leader() | uint64_t{static_cast<uint16_t>(completion)} << kAuxSequenceShift,
                  notes.ticks(now), notes.number(), l.ring.consumed);
}

enum class Taken { kPlain, kSpecial, kBroken };

// Submits the next line if it is a plain command; `head` and `tail` are its first and last word. An exclusive command whose
// cores are known to be `quiet` is as plain as any other.
KM_INLINE Taken take_plain(Loop& l, uint64_t head, uint64_t tail, uint64_t now, bool quiet) {
    if (KM_UNLIKELY(!l.ring.matches(head, tail))) return Taken::kBroken;
    const uint64_t handler = head >> kHeadHandlerShift & 0xFF;
    uint64_t flags = head >> kHeadFlagsShift & 0xFF;
    if (KM_UNLIKELY(quiet)) flags &= ~uint64_t{KM_FLAG_EXCLUSIVE};
    const uint64_t first = static_cast<uint16_t>(head >> kHeadFirstShift), count = head >> kHeadCountShift;
    const uint64_t args = tail >> kTailArgsShift & 0xFF;
    if (KM_UNLIKELY((flags & ~uint64_t{KM_FLAG_RESULT}) != 0 || handler > kHandlerMax || count == 0 || first + count > l.cores() ||
                    args > kArgsMax)) {
        return Taken::kSpecial;
    }
    const Target to = l.mailbox.target(first, count);
    if (KM_UNLIKELY(to.count == 0)) return Taken::kSpecial;
    const Command command = Command::make(handler, args, flags != 0, first, count, static_cast<uint16_t>(tail),
                                          l.ring.line + 8 * kLineArgs, l.limit());
    l.mailbox.submit(l.slots, l.events, command, to, now);
    l.ring.consume();
    return Taken::kPlain;
}

// By the shares in memory.
KM_INLINE bool engines_run() { return shares.set(Shares::kRunning) != 0; }

// Of a line, the engines and their jobs, which all want slots: is it the line's turn?
KM_INLINE bool line_is_first(const Loop& l, Shares m) {
    return l.slots.free != 0 && !l.ring.empty() && l.room() && !m.line_has_gone() && !(l.watched() && l.held());
}

// Runs until the host stops it or something fails (account.failure): false. Whatever is off the fast path works on `memory`.
// One copy of it knows of engines, and runs while one of them does; each ends with true when it is the other's turn.
//
// A turn polls each head once. Each step of it polls one, retires its command and submits the next line in its place:
// the line is loaded while the command before it is retired, since a load that nobody waits for costs a cycle.
template <bool kEngines>
__attribute__((noinline, hot)) static bool run(Loop& memory) {
    Loop l = memory;
    Shares m = {0};
    if constexpr (kEngines) m = shares;
    const auto put_down = [&]() __attribute__((always_inline)) {
        memory = l;
        if constexpr (kEngines) shares = m;
    };
    const auto take_up = [&]() __attribute__((always_inline)) {
        l = memory;
        if constexpr (kEngines) m = shares;
    };
    // After what consumes no line and sets no time: the rest waited in registers, which the call saves anyway.
    const auto take_up_changed = [&]() __attribute__((always_inline)) {
        l.ring.progress = memory.ring.progress;
        l.events = memory.events;
        l.slots = memory.slots;
        l.mailbox.sequence = memory.mailbox.sequence;
        l.bounds = memory.bounds;
        if constexpr (kEngines) m = shares;
    };
    uint64_t left = 0;  // heads not yet polled in this turn
    uint64_t now = 0;   // the clock as read last in this turn, 0 if nothing has happened in it
    for (;;) {
        if (left == 0) {
            if (KM_UNLIKELY(now == 0)) now = clock_now();
            if (KM_UNLIKELY(reached(now, l.wake))) {
                put_down();
                if (!upkeep(memory, now)) return false;
                if (engines_run() != kEngines) return true;
                take_up();
                if constexpr (kEngines) m.wake();
            }
            if (kEngines && KM_UNLIKELY(m.set(Shares::kDue) != 0)) {
                if (!line_is_first(l, m)) {
                    const uint64_t before = l.ring.progress;
                    put_down();
                    engines_turn(memory, now);
                    if (!engines_run()) return true;
                    take_up_changed();
                    if (KM_UNLIKELY(l.ring.progress != before)) m.wake();  // one of them saw what another waits for
                }
            } else {
                wait_hint(l.wake);
            }
            now = 0;
            left = l.slots.heads;
            if (KM_UNLIKELY(l.ring.empty() || !l.room())) {
                const uint64_t before = l.ring.progress;
                l.ring.refresh();
                if (kEngines && KM_UNLIKELY(l.ring.progress != before)) m.wake();  // there may be room for an event
            }
        }
        uint64_t slot = 0, completion = 0, head = 0, tail = 0;
        bool quiet = false;
        if (KM_LIKELY(left != 0)) {
            slot = lowest(left);
            completion = load(Slots::completion(slot));
            left &= left - 1;
        }
        const bool take = !l.ring.empty() && l.room() && (!kEngines || m.line_may_go());
        if (KM_LIKELY(completion != 0)) {
            const Notes notes = {load(SlotWords(slot).notes())};
            now = clock_now();
            if (!kEngines && KM_LIKELY(take)) {
                head = load(l.ring.line + 8 * kLineHead);
                tail = load(l.ring.line + 8 * kLineTail);
            }
            if (kEngines && m.owns(slot)) {
                const uint64_t before = l.watched() ? kGateBefore : take ? kLineBefore : kNoneBefore;
                const Completed done =
                    complete_owned(Completed::pack(l.slots), m, slot, {notes.bits}, completion, l.mailbox.sequence, now, before);
                l.slots = Completed::unpack(done.slots);
                l.mailbox.sequence += done.slots >> Completed::kSubmittedShift;
                m.bits = done.shares;
            } else {
                retire(l, slot, completion, notes, now);
                if constexpr (kEngines) m.wake();
            }
            if (KM_UNLIKELY(l.watched())) {
                if (kEngines && line_is_first(l, m)) {
                    m.add(Shares::kDue, kJobsTurn);
                    continue;
                }
                if (kEngines || !take || !l.opens()) {
                    put_down();
                    after_release(memory, now);  // may take the slot: what `take` says no longer holds
                    take_up();
                    continue;
                }
                // The line at hand waited for this slot, the last one that its group shares a core with, and nothing was
                // submitted since.
                l.set_gate(0);
                quiet = true;
            }
            if (KM_UNLIKELY(!take || (kEngines && l.slots.free == 0))) continue;
        } else {
            if (!take || l.slots.free == 0 || (KM_UNLIKELY(l.watched()) && l.held())) continue;
            now = clock_now();
        }
        if (kEngines || completion == 0) {
            head = load(l.ring.line + 8 * kLineHead);
            tail = load(l.ring.line + 8 * kLineTail);
        }
        // No queued command is before a line, or the gate would be set; but an engine's may be.
        if (!kEngines && l.slots.heads == 0) quiet = true;
        const Taken taken = take_plain(l, head, tail, now, quiet);
        if constexpr (kEngines) m.line_went();
        if (KM_LIKELY(taken == Taken::kPlain)) continue;
        if (!kEngines && taken == Taken::kSpecial && l.waits_for_one(head, tail)) continue;
        put_down();
        if (taken == Taken::kBroken) {
            account.failure = {kErrorLine, l.ring.consumed};
            return false;
        }
        take_special(memory, head, tail, now);
        if (engines_run() != kEngines) return true;
        take_up();
        if constexpr (kEngines) m.wake();  // a gate may be open
    }
}

// The image's data, from link/dispatch.ld.
extern "C" uint64_t km_bss[], km_bss_end[];

static uint64_t dispatch(uint64_t parameters) {
    for (uint64_t at = reinterpret_cast<uint64_t>(km_bss); at != reinterpret_cast<uint64_t>(km_bss_end); at += 8) store(at, 0);
    block = parameters;
    Failure failure = launch.check();
    const auto returned = [&] { return failure.error | failure.detail << 32; };
    if (failure.error == kErrorFingerprint) return returned();  // nothing in these parameters can be trusted
    const uint64_t state = launch.word(kLaunchState), result = launch.word(kLaunchResult);
    if (state == 0 || state % 16 != 0 || result == 0 || result % 16 != 0) return returned();
    for (uint32_t i = 0; i < kStateWords; ++i) store(state + 8 * i, 0);
    for (uint32_t i = 0; i < kResultWords; ++i) store(result + 8 * i, 0);
    store(state + 8 * kStateStage, kStageStarting);
    if (failure.error != kErrorNone) {
        seal_result(failure);
        return returned();
    }

    store(state + 8 * kStateUpload, launch.word(kLaunchUpload));
    store(state + 8 * kStateUploadBytes, launch.word(kLaunchUploadBytes));
    clock_address = launch.word(kLaunchClock);
    loop.start();
    jobs.start();
    windows.start();

    store(state + 8 * kStateStage, kStageReady);
    account.ready_at = account.active_at = clock_now();
    account.failure = wait_ready(loop);
    if (account.failure.error == kErrorNone) {
        account.ready_at = account.active_at = clock_now();
        store(state + 8 * kStateStage, kStageRunning);
        while (engines_run() ? run<true>(loop) : run<false>(loop)) {
        }
    }
    finish(loop);
    failure = account.failure;
    return returned();
}

}  // namespace km

// Where the monitor jumps to: a0 = launch parameters, sp = this hart's stack. What it returns is the monitor's kValue.
extern "C" [[gnu::section(".text.km_entry"), gnu::used]] uint64_t km_dispatch_entry(uint64_t parameters) {
    return km::dispatch(parameters);
}
