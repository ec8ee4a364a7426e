// What is due every quarter of a millisecond, and not in every turn of the loop: the pass marker and the other state
// words, deadlines, the stop word, the idle timeout.
#pragma once
#include "deadlines.h"
#include "special.h"

namespace km {

constexpr uint64_t kUpkeepTicks = kTicksPerMicrosecond * 250;

// Moves the pass marker and says when it is due again.
static void count_pass(Loop& loop, uint64_t now) {
    account.passes += 1;
    set_state(kStatePass, account.passes);
    loop.wake = now + kUpkeepTicks;
}

static void show_state(const Loop& loop) {
    set_state(kStateConsumed, loop.ring.consumed);
    set_state(kStatePosted, loop.events.posted(bits_set(loop.promised())));
    set_state(kStateSequence, loop.mailbox.sequence);
    set_state(kStateBusy, loop.slots.busy());
}

// Acts on the stop word. False: the loop ends.
static bool heed_stop(Loop& loop) {
    const uint64_t stop = load(block + kBlockControl + 8 * kControlStop);
    if (KM_LIKELY(stop == kStopNone)) return true;
    if (stop == kStopNow || loop.slots.busy() == 0) return false;
    loop.set_gate(kGateStop);  // nothing more is taken; queued jobs are not started
    set_state(kStateStage, kStageStopping);
    return true;
}

// Lines that need no slot do not wait for one for ever: the loop itself looks at none without.
static void take_slotless_lines(Loop& loop, uint64_t now) {
    while (loop.slots.free == 0 && loop.finds_room() && !loop.ring.empty() && !loop.held()) {
        const uint64_t head = load(loop.ring.line + 8 * kLineHead), tail = load(loop.ring.line + 8 * kLineTail);
        const uint64_t handler = head >> kHeadHandlerShift & 0xFF;
        if (handler != KM_HANDLER_RUN && handler != KM_HANDLER_CANCEL && handler != KM_HANDLER_PING) return;
        if (!loop.ring.matches(head, tail)) return;
        take_special(loop, head, tail, now);
    }
}

// False: the loop ends, with account.failure if it failed.
KM_COLD static bool upkeep(Loop& loop, uint64_t now) {
    count_pass(loop, now);
    show_state(loop);
    account.failure = check_deadlines(loop, now);
    if (account.failure.error != kErrorNone || !heed_stop(loop)) return false;
    check_engine_deadlines(loop, now);
    take_slotless_lines(loop, now);
    if ((account.gate & kGateJobs) != 0) pump_jobs(loop, now);  // an event that was read gives room, and frees no slot

    if (!loop.idle() || loop.ring.consumed != account.seen_consumed) {
        account.active_at = now;
        account.seen_consumed = loop.ring.consumed;
    }
    const uint64_t idle = launch.word(kLaunchIdle);
    if (idle != 0 && now - account.active_at >= idle) {
        account.failure = {kErrorIdle, 0};
        return false;
    }
    return true;
}

// A slot was freed while the gate may have something to say about it.
KM_COLD static void after_release(Loop& loop, uint64_t now) {
    if ((account.gate & kGateStop) != 0 && loop.slots.busy() == 0) loop.wake = now;
    if ((account.gate & kGateJobs) == 0) return;
    pump_jobs(loop, now);
}

}  // namespace km
