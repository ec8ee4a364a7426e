// The end: the grid is stopped if the dispatcher failed, and the result block is written (PROTOCOL.md, "Result").
#pragma once
#include "loop.h"

namespace km {

// Raises the stop flag in every core: they cannot be sent EXIT any more.
static void stop_grid(const Loop& loop) {
    loop.mailbox.mapped(0, launch.word(kLaunchCores)).put(kControlStopFlag, 1);
    fence();
}

static void set_result(ResultWord word, uint64_t value) { store(launch.word(kLaunchResult) + 8 * word, value); }

// Stores what ended the image, and last of all the magic. Alone it is the result of an image that never came to its loop.
static void seal_result(Failure failure) {
    const uint64_t stage = failure.error == kErrorNone ? uint64_t{kStageDone} : uint64_t{kStageFailed};
    set_result(kResultStage, stage);
    set_result(kResultError, failure.error);
    set_result(kResultDetail, failure.detail);
    store(launch.word(kLaunchState) + 8 * kStateStage, stage);
    fence();
    set_result(kResultReady, kResultMagic);
    fence();
}

KM_COLD static void finish(Loop& loop) {
    if (account.failure.error != kErrorNone) stop_grid(loop);
    loop.ring.refresh();
    const uint64_t busy = bits_set(loop.slots.busy());
    const uint32_t untaken = static_cast<uint32_t>(loop.ring.progress) - static_cast<uint32_t>(loop.ring.consumed);
    const uint64_t promised = bits_set(loop.promised());
    const uint64_t slot = account.failure.detail;  // of a timeout of a line, which was posted while its slot is still busy
    const uint32_t timeouts = account.failure.error == kErrorDeadline && !shares.owns(slot) ? 1 : 0;
    set_result(kResultCommands, loop.mailbox.sequence - (loop.mailbox.sequence >> 32));
    set_result(kResultEvents, loop.events.posted(promised) + timeouts);
    set_result(kResultRejected, account.rejected);
    set_result(kResultAbandoned, busy + jobs.waiting() + untaken);
    set_result(kResultSequence, loop.mailbox.sequence);
    set_result(kResultPasses, account.passes);
    set_result(kResultTicks, clock_now() - account.ready_at);
    seal_result(account.failure);
}

}  // namespace km
