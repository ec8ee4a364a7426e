// Lines that are more than a plain command: rejections, PING, RUN, CANCEL, EXIT, limits, exclusive and queued commands, and
// groups that have no windows yet.
#pragma once
#include "engines.h"

namespace km {

// The reason to reject a line, or 0. The order is the protocol's: a line with two faults has the first one's reason.
KM_INLINE uint32_t reason_to_reject(uint64_t handler, uint64_t flags, uint64_t first, uint64_t count, uint64_t args) {
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

// What the line at hand waited for is past.
KM_INLINE void open_gate(Loop& loop) {
    if (KM_UNLIKELY(loop.watched())) loop.set_gate(account.gate & kGateJobs);
}

// Answers a line that was consumed for nothing.
KM_COLD static void reject(Loop& loop, uint32_t reason, uint64_t number) {
    loop.answer(kEventRejected, reason, number);
    account.rejected += 1;
}

// Takes a RUN or CANCEL. It has room for an event, and no gate holds the ring.
KM_COLD static void take_engine_line(Loop& loop, uint64_t head, uint64_t tail, uint64_t now) {
    const uint64_t handler = head >> kHeadHandlerShift & 0xFF, number = tail & 0xFFFF;
    open_gate(loop);
    uint32_t reason = reason_to_reject(handler, head >> kHeadFlagsShift & 0xFF, 0, 0, tail >> kTailArgsShift & 0xFF);
    if (KM_LIKELY(reason == 0)) {
        const RunWords words = RunWords::of(loop.ring.line);
        reason = handler == KM_HANDLER_RUN ? take_run(words, now) : take_cancel(loop, words.upload);
    }
    loop.ring.consume();
    if (KM_UNLIKELY(reason != 0)) return reject(loop, reason, number);
    engines_turn(loop, now);  // a launch that waited for its turn would cost the way there
    asm volatile("");         // no tail call: the registers are loaded again behind the first command, not before it
}

// Takes any other line, or sets the gate that holds it.
KM_COLD static void take_command_line(Loop& loop, uint64_t head, uint64_t tail, uint64_t now) {
    const uint64_t handler = head >> kHeadHandlerShift & 0xFF, flags = head >> kHeadFlagsShift & 0xFF;
    uint64_t first = head >> kHeadFirstShift & 0xFFFF, count = head >> kHeadCountShift;
    const uint64_t args = tail >> kTailArgsShift & 0xFF, number = tail & 0xFFFF;
    const uint64_t line = loop.ring.line;
    open_gate(loop);
    const uint32_t reason = reason_to_reject(handler, flags, first, count, args);
    if (reason != 0) {
        loop.ring.consume();
        return reject(loop, reason, number);
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
        // Queued jobs are before it, and the pump may give them these cores: it opens the gate, and the line is looked at anew.
        const uint64_t hold = jobs.empty() ? overlapping(loop, first, count) : kGateQueue;
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

// Takes the line at hand, or sets the gate that holds it. Room for its event is there, a free slot if it needs one, and no
// gate holds the ring.
KM_COLD static void take_special(Loop& loop, uint64_t head, uint64_t tail, uint64_t now) {
    const uint64_t handler = head >> kHeadHandlerShift & 0xFF;
    if (handler == KM_HANDLER_RUN || handler == KM_HANDLER_CANCEL) return take_engine_line(loop, head, tail, now);
    return take_command_line(loop, head, tail, now);
}

}  // namespace km
