// Streams: a slice of instructions in each turn (PROTOCOL.md, "Streams").
#pragma once
#include "submit.h"

namespace km {

// A stream's command has completed with `result`; its slot is free.
KM_INLINE void complete_step(Shares& m, Owner owner, uint64_t result) {
    const uint64_t record = owner.record(), number = owner.engine();
    Engine& engine = engines[number];
    store<uint16_t>(record, load<uint16_t>(record) - 1);
    store_result(load(record + 8 * kRecordLinks), engine.registers(), result);
    engine.counts -= Engine::kOneInFlight;
    m.add(Shares::kDue, number);
}

// What becomes of a control instruction.
enum class Flow {
    kNext,
    kJump,
    kWait,   // for completions, which give the engine its next turn
    kAgain,  // wait_or_stop or post_of has said what the engine waits for
    kGone,
};

static Flow submit_step(Loop& loop, uint64_t number, Engine& engine, uint64_t word, uint64_t now) {
    const uint64_t node = word >> kOpImmediateShift, record = engine.record(node);
    uint64_t head = load(record + 8 * kRecordCommand);
    if ((word & 0xFF) == kOpSubmitAt) {
        const uint64_t first = load<uint32_t>(engine_register(engine.registers(), word >> kOpAShift));
        if (first >= kCoresMax) {
            wait_or_stop(number, Sent::kNoGroup, engine.pc);
            return Flow::kAgain;
        }
        head = (head & ~(uint64_t{0xFF} << kWordFirstShift)) | first << kWordFirstShift;
    }
    const Sent sent = submit_record(loop, number, engine, node, head, now);
    if (sent != Sent::kYes) {
        wait_or_stop(number, sent, engine.pc);
        return Flow::kAgain;
    }
    store<uint16_t>(record, load<uint16_t>(record) + 1);
    return Flow::kNext;
}

static Flow control(Loop& loop, uint64_t number, Engine& engine, uint64_t word, uint64_t now) {
    const uint64_t value = word >> kOpImmediateShift;
    const auto a = [&] { return load<uint32_t>(engine_register(engine.registers(), word >> kOpAShift)); };
    const uint64_t op = word & 0xFF;
    if (op >= kOpSubmit && op <= kOpWait && value >= engine.record_count()) {  // it was written to
        engine.stop(KM_STREAM_ERROR_OPERAND, engine.pc);
        shares.add(Shares::kDue, number);
        return Flow::kAgain;
    }
    switch (op) {
        case kOpSubmit:
        case kOpSubmitAt:
        case kOpEnqueue: return submit_step(loop, number, engine, word, now);
        case kOpWait: return load<uint16_t>(engine.record(value)) != 0 ? Flow::kWait : Flow::kNext;
        case kOpWaitAll: return engine.in_flight() != 0 ? Flow::kWait : Flow::kNext;
        case kOpJump: return Flow::kJump;
        case kOpJumpZero: return a() == 0 ? Flow::kJump : Flow::kNext;
        case kOpJumpNonzero: return a() != 0 ? Flow::kJump : Flow::kNext;
        case kOpEvent: return post_of(loop, number, kEventEngine, a(), 0, now) ? Flow::kNext : Flow::kAgain;
        case kOpHalt:
            if (engine.in_flight() != 0) return Flow::kWait;
            if (!post_of(loop, number, kEventEnd, a(), 0, now)) return Flow::kAgain;
            remove_engine(loop, number, false);
            return Flow::kGone;
        default:  // it was written to
            engine.stop(KM_STREAM_ERROR_OPCODE, engine.pc);
            shares.add(Shares::kDue, number);
            return Flow::kAgain;
    }
}

static void stream_turn(Loop& loop, uint64_t number, Engine& engine, uint64_t now) {
    for (uint64_t left = kStreamSlice; left != 0;) {
        if (engine.pc >= engine.instructions) {  // it was written to
            engine.stop(KM_STREAM_ERROR_END, engine.pc);
            break;
        }
        const uint64_t most = engine.instructions - engine.pc, at = engine.code + kInstructionBytes * engine.pc;
        const uint64_t ran = run_code(at, left < most ? left : most, engine.registers());
        engine.pc += static_cast<uint32_t>(ran);
        left -= ran;
        if (left == 0 || ran == most) continue;
        left -= 1;
        const uint64_t word = load(at + kInstructionBytes * ran);
        switch (control(loop, number, engine, word, now)) {
            case Flow::kNext: engine.pc += 1; break;
            case Flow::kJump: engine.pc = static_cast<uint32_t>(word >> kOpImmediateShift); break;
            case Flow::kWait:
            case Flow::kAgain:
            case Flow::kGone: return;
        }
    }
    shares.add(Shares::kDue, number);
}

}  // namespace km
