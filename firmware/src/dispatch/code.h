// The arithmetic of streams and cpu nodes over a register file in LIM.
#pragma once
#include "komorebi/engine_alu.h"
#include "machine.h"

namespace km {

KM_INLINE uint64_t engine_register(uint64_t registers, uint64_t number) { return registers + 4 * (number % kRegisters); }

// The second operand of a word.
KM_INLINE uint32_t operand_b(uint64_t word, uint64_t registers) {
    if ((word & kOpImmediate) != 0) return static_cast<uint32_t>(word >> kOpImmediateShift);
    return static_cast<uint32_t>(load<uint32_t>(engine_register(registers, word >> kOpBShift)));
}

// Runs instructions from the one at `ran` up to `count`, as far as the first that is not arithmetic; gives how many have run.
[[gnu::noinline]] static uint64_t run_any(uint64_t code, uint64_t ran, uint64_t count, uint64_t registers) {
    for (; ran < count; ++ran) {
        const uint64_t word = load(code + kInstructionBytes * ran);
        const uint32_t op = word & (kOpImmediate - 1);
        if (op >= kOpControlFirst) return ran;
        const uint32_t b = operand_b(word, registers);
        uint32_t result;
        if (op >= kOpUnaryFirst && op <= kOpUnaryLast) {
            result = unary(op, b);
        } else {
            const uint32_t a = static_cast<uint32_t>(load<uint32_t>(engine_register(registers, word >> kOpAShift)));
            if (op == kOpSelect) {
                result = a != 0 ? b : static_cast<uint32_t>(load<uint32_t>(engine_register(registers, word >> kOpImmediateShift)));
            } else {
                result = binary(op, a, b);
            }
        }
        store<uint32_t>(engine_register(registers, word >> kOpDShift), result);
    }
    return count;
}

// Runs up to `count` instructions from `code` on, as far as the first that is not arithmetic; gives how many ran. Those on
// whole numbers need no call, so this one saves no register; the first other one leaves the rest to `run_any`.
[[gnu::noinline]] static uint64_t run_code(uint64_t code, uint64_t count, uint64_t registers) {
    for (uint64_t ran = 0; ran < count; ++ran) {
        const uint64_t word = load(code + kInstructionBytes * ran);
        const uint32_t op = word & (kOpImmediate - 1);
        uint32_t result;
        if (op <= kOpWholeLast) {
            const uint32_t b = operand_b(word, registers);
            result = whole(op, static_cast<uint32_t>(load<uint32_t>(engine_register(registers, word >> kOpAShift))), b);
        } else if (op == kOpMove) {
            result = operand_b(word, registers);
        } else {
            return op >= kOpControlFirst ? ran : run_any(code, ran, count, registers);
        }
        store<uint32_t>(engine_register(registers, word >> kOpDShift), result);
    }
    return count;
}

}  // namespace km
