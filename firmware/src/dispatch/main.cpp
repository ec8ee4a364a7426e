// The dispatcher image: feeds commands to the Tensix grid and events to the host, on hart 0 of X280 cluster 0.
//
// Phases: check the launch parameters, wait for the grid, run, finish. A turn of `run` is the fast path of a plain
// command; costs.md says what it may cost, tests/tests/dispatcher_cost.rs what it does cost.
//
// Constants and addresses are cheaper to make anew than to keep: a register that holds one pushes something else into
// memory, which is as slow as every other memory here.
#pragma GCC optimize("no-move-loop-invariants", "no-tree-loop-im", "no-gcse", "no-tree-pre", "no-ivopts", "no-schedule-insns")
#include "ready.h"
#include "result.h"

namespace km {

// Posts the done events of the commands that completed. True when there was one.
KM_INLINE bool post_completions(Loop& l, uint64_t now) {
    bool any = false;
    for (uint64_t left = l.slots.heads; left != 0; left &= left - 1) {
        const uint64_t slot = lowest(left);
        const uint64_t completion = load(l.slots.completion(slot));
        if (completion == 0) continue;
        const Notes notes = {load(SlotWords(slot).notes())};
        l.slots.release(slot, notes);
        l.events.post(kEventDone, completion >> 32,
                      notes.leader() | uint64_t{static_cast<uint16_t>(completion)} << kAuxSequenceShift, notes.ticks(now), notes.number(), l.ring.consumed);
        any = true;
    }
    return any;
}

enum class Taken { kNothing, kPlain, kSpecial, kBroken };

// Looks at the next line, if there is one and room for its event; takes it if it is a plain command. A slot is free.
KM_INLINE Taken take_line(Loop& l, uint64_t now, uint64_t& head, uint64_t& tail) {
    if (l.ring.empty()) {
        l.ring.refresh();
        if (l.ring.empty()) return Taken::kNothing;
    }
    if (KM_UNLIKELY(!l.room())) return Taken::kNothing;
    head = load(l.ring.line + 8 * kLineHead);
    tail = load(l.ring.line + 8 * kLineTail);
    if (KM_UNLIKELY(!l.ring.matches(head, tail))) return Taken::kBroken;
    const uint64_t handler = head >> kHeadHandlerShift & 0xFF, flags = head >> kHeadFlagsShift & 0xFF;
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

// Commands taken at most before the clock and the completion words are looked at again: ticks stay true to a microsecond.
constexpr uint32_t kLinesPerTurn = 4;

// Runs until the host stops it or something fails (account.failure). Whatever is off the fast path works on `memory`.
__attribute__((noinline)) static void run(Loop& memory) {
    Loop l = memory;
    for (;;) {
        const uint64_t now = clock_now();
        if (KM_UNLIKELY(reached(now, l.wake))) {
            memory = l;
            if (!upkeep(memory, now)) return;
            l = memory;
        }
        bool moved = post_completions(l, now);
        if (KM_UNLIKELY(l.gate != 0)) {
            if (moved && l.gate >= kGateStop) {
                memory = l;
                after_release(memory, now);
                l = memory;
            }
            if (!l.open_gate()) {
                if (!moved) wait_hint(l.wake);
                continue;
            }
        }
        while (l.slots.free != 0) {
            uint64_t head = 0, tail = 0;
            const Taken taken = take_line(l, now, head, tail);
            if (taken == Taken::kNothing) break;
            moved = true;
            if (KM_LIKELY(taken == Taken::kPlain)) {
                if (l.ring.consumed % kLinesPerTurn == 0) break;
                continue;
            }
            memory = l;
            if (taken == Taken::kBroken) {
                account.failure = {kErrorLine, l.ring.consumed};
                return;
            }
            take_special(memory, head, tail, now);
            l = memory;
            if (l.gate != 0) break;
        }
        if (!moved) wait_hint(l.wake);
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
        run(loop);
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
