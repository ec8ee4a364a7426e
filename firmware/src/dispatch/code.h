// The arithmetic of streams and cpu nodes over a register file in LIM.
#pragma once
#include "komorebi/engine_alu.h"
#include "machine.h"

namespace km {

KM_INLINE uint64_t engine_register(uint64_t registers, uint64_t number) { return registers + 4 * (number % kRegisters); }

// Runs up to `count` instructions from `code` on, as far as the first that is not arithmetic; gives how many ran.
[[gnu::noinline]] static uint64_t run_code(uint64_t code, uint64_t count, uint64_t registers) {
    for (uint64_t ran = 0; ran < count; ++ran) {
        const uint64_t word = load(code + kInstructionBytes * ran);
        const uint32_t op = word & (kOpImmediate - 1);
        if (op >= kOpControlFirst) return ran;
        uint32_t b = static_cast<uint32_t>(word >> kOpImmediateShift);
        if ((word & kOpImmediate) == 0) b = static_cast<uint32_t>(load<uint32_t>(engine_register(registers, word >> kOpBShift)));
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

}  // namespace km
