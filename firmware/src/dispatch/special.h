// Lines that are more than a plain command: rejections, PING, RUN, CANCEL, EXIT, limits, exclusive and queued commands, and
// groups that have no windows yet.
#pragma once
#include "engines.h"

namespace km {

// The reason to reject a line, or 0. The order is the protocol's: a line with two faults has the first one's reason.
static uint32_t reason_to_reject(uint64_t handler, uint64_t flags, uint64_t first, uint64_t count, uint64_t args) {
    constexpr uint64_t kKnown = KM_FLAG_EXCLUSIVE | KM_FLAG_RESULT | KM_FLAG_QUEUE | KM_FLAG_LIMIT;
    if (account.exited) return KMD_REJECT_EXITED;
    if (handler >= kHandlerReservedFirst && handler <= kHandlerReservedLast) return KMD_REJECT_HANDLER;
    if ((flags & ~kKnown) != 0) return KMD_REJECT_FLAGS;
    if ((flags & KM_FLAG_QUEUE) != 0 && (flags & KM_FLAG_EXCLUSIVE) != 0) return KMD_REJECT_FLAGS;
    if (handler == KM_HANDLER_RUN) return args == kRunArgs ? 0 : uint32_t{KMD_REJECT_ARGS};  // the rest is `take_run`'s
    if (handler == KM_HANDLER_CANCEL) return args == kCancelArgs ? 0 : uint32_t{KMD_REJECT_ARGS};
    if (args > kArgsMax) return KMD_REJECT_ARGS;
    if (handler == KM_HANDLER_PING || handler == KM_HANDLER_EXIT) return 0;
    const uint64_t cores = launch.word(kLaunchCores);
    if (count == 0 || count > cores) return KMD_REJECT_GROUP;
    if ((flags & KM_FLAG_QUEUE) == 0 && first + count > cores) return KMD_REJECT_GROUP;
    if ((flags & KM_FLAG_QUEUE) != 0 && jobs.full()) return KMD_REJECT_QUEUE;
    return 0;
}

// Takes the line at hand, or sets the gate that holds it. Room for its event is there, a free slot if it needs one, and no
// gate holds the ring.
KM_COLD static void take_special(Loop& loop, uint64_t head, uint64_t tail, uint64_t now) {
    const uint64_t handler = head >> kHeadHandlerShift & 0xFF, flags = head >> kHeadFlagsShift & 0xFF;
    uint64_t first = head >> kHeadFirstShift & 0xFFFF, count = head >> kHeadCountShift;
    const uint64_t args = tail >> kTailArgsShift & 0xFF, number = tail & 0xFFFF;
    const uint64_t line = loop.ring.line;
    loop.set_gate(account.gate & kGateJobs);  // what it waited for is past

    uint32_t reason = reason_to_reject(handler, flags, first, count, args);
    if (reason == 0 && (handler == KM_HANDLER_RUN || handler == KM_HANDLER_CANCEL)) {
        const RunWords words = RunWords::of(line);
        reason = handler == KM_HANDLER_RUN ? take_run(words, now) : take_cancel(loop, words.upload);
        if (reason == 0) {
            loop.ring.consume();
            check_engine_deadlines(loop, now);
            engines_turn(loop, now);  // a launch that waited for its turn would cost the way there
            return;
        }
    }
    if (reason != 0) {
        loop.ring.consume();
        loop.answer(kEventRejected, reason, number);
        account.rejected += 1;
        return;
    }
    if (handler == KM_HANDLER_PING) {
        loop.ring.consume();
        loop.answer(kEventPong, 0, number);
        return;
    }
    if ((flags & KM_FLAG_QUEUE) != 0 && handler != KM_HANDLER_EXIT) {
        jobs.add_line(line, head, tail, loop.mailbox.sequence);
        loop.ring.consume();
        jobs.pump(loop, now);
        return;
    }

    if (handler == KM_HANDLER_EXIT) {
        if (shares.set(Shares::kRunning) != 0) {
            loop.set_gate(account.gate | kGateEngines);
            return;
        }
        first = 0;
        count = launch.word(kLaunchCores);
    }
    if (handler == KM_HANDLER_EXIT || (flags & KM_FLAG_EXCLUSIVE) != 0) {
        uint64_t hold = overlapping(loop, first, count);
        if (!jobs.empty()) hold |= kGateQueue;  // the pump opens it again
        if (hold != 0) {
            loop.set_gate(account.gate | hold);
            return;
        }
    }
    if (handler == KM_HANDLER_EXIT) {
        account.exited = true;
        loop.set_gate(account.gate);
    }
    const uint64_t limit = flags & KM_FLAG_LIMIT ? load<uint32_t>(line + 8 * kLineLimit) : loop.limit();
    loop.submit(Command::make(handler, args, (flags & KM_FLAG_RESULT) != 0, first, count, number, line + 8 * kLineArgs, limit), first,
                count, now);
    loop.ring.consume();
}

}  // namespace km
