// What the binary and unary instructions of streams and cpu nodes compute, in integer instructions alone.
// See firmware/PROTOCOL.md, "Instructions".
#pragma once
#include <stdint.h>

#include "stream.h"

namespace km {

// Binary32 as its bits: sign, exponent, fraction. `pack` rounds to nearest, ties to even.
struct Float {
    static constexpr uint32_t kInfinity = 0x7F800000;
    static constexpr uint32_t kSign = 0x80000000;

    static constexpr bool is_nan(uint32_t a) { return (a & ~kSign) > kInfinity; }

    static constexpr uint32_t leading_zeros(uint64_t value) {  // of a value that is not 0
        uint32_t zeros = 0;
        for (uint32_t step = 32; step != 0; step /= 2) {
            if (value >> (64 - step) == 0) {
                value <<= step;
                zeros += step;
            }
        }
        return zeros;
    }

    // The value magnitude * 2^exponent with `sign` (kSign or 0), rounded. Bit 0 of the magnitude may be sticky, if
    // the magnitude has 27 bits or more.
    static constexpr uint32_t pack(uint32_t sign, uint64_t magnitude, int32_t exponent) {
        if (magnitude == 0) return sign;
        const uint32_t zeros = leading_zeros(magnitude);
        magnitude <<= zeros;
        exponent += 63 - static_cast<int32_t>(zeros) + 127;  // the biased exponent of the highest bit, which is bit 63 now
        uint32_t drop = 40;                                  // 24 bits stay
        if (exponent <= 0) {
            drop += static_cast<uint32_t>(1 - exponent);
            exponent = 0;
        }
        if (drop > 64) return sign;  // less than half of the least subnormal
        const uint64_t kept = drop == 64 ? 0 : magnitude >> drop;
        const uint64_t half = uint64_t{1} << (drop - 1), rest = drop == 64 ? magnitude : magnitude & ((half << 1) - 1);
        uint64_t bits = exponent == 0 ? kept : kept + (static_cast<uint64_t>(exponent - 1) << 23);
        if (rest > half || (rest == half && (kept & 1) != 0)) bits += 1;  // a carry moves into the exponent as it should
        if (bits >= kInfinity) return sign | kInfinity;
        return sign | static_cast<uint32_t>(bits);
    }

    // The magnitude and exponent of a finite number.
    static constexpr uint32_t fraction(uint32_t a) { return (a & ~kSign) >> 23 == 0 ? a & 0x7FFFFF : (a & 0x7FFFFF) | 0x800000; }
    static constexpr int32_t exponent(uint32_t a) {
        const int32_t field = static_cast<int32_t>((a & ~kSign) >> 23);
        return (field == 0 ? 1 : field) - 150;
    }

    static constexpr uint32_t add(uint32_t a, uint32_t b) {
        if (is_nan(a) || is_nan(b)) return kFloatNan;
        const bool a_infinite = (a & ~kSign) == kInfinity, b_infinite = (b & ~kSign) == kInfinity;
        if (a_infinite) return b_infinite && a != b ? kFloatNan : a;
        if (b_infinite) return b;
        if (exponent(a) < exponent(b)) {
            const uint32_t other = a;
            a = b;
            b = other;
        }
        // 32 bits below the larger one; what the smaller one loses is sticky.
        const uint32_t shift = static_cast<uint32_t>(exponent(a) - exponent(b));
        const uint64_t large = uint64_t{fraction(a)} << 32, small = uint64_t{fraction(b)} << 32;
        uint64_t aligned = 0;
        if (shift < 64) {
            aligned = small >> shift;
            if (aligned << shift != small) aligned |= 1;
        } else if (small != 0) {
            aligned = 1;
        }
        const int32_t at = exponent(a) - 32;
        if ((a & kSign) == (b & kSign)) return pack(a & kSign, large + aligned, at);
        if (large == aligned) return 0;  // x - x is +0
        if (large > aligned) return pack(a & kSign, large - aligned, at);
        return pack(b & kSign, aligned - large, at);
    }

    static constexpr uint32_t mul(uint32_t a, uint32_t b) {
        if (is_nan(a) || is_nan(b)) return kFloatNan;
        const uint32_t sign = (a ^ b) & kSign, x = a & ~kSign, y = b & ~kSign;
        if (x == kInfinity || y == kInfinity) return x == 0 || y == 0 ? kFloatNan : sign | kInfinity;
        return pack(sign, uint64_t{fraction(a)} * fraction(b), exponent(a) + exponent(b));
    }

    // Numbers in order: -infinity is the least, and -0 equals 0.
    static constexpr int64_t order(uint32_t a) {
        const int64_t magnitude = a & ~kSign;
        return a & kSign ? -magnitude : magnitude;
    }
    static constexpr bool less(uint32_t a, uint32_t b) { return !is_nan(a) && !is_nan(b) && order(a) < order(b); }
    static constexpr bool equal(uint32_t a, uint32_t b) { return !is_nan(a) && !is_nan(b) && order(a) == order(b); }

    static constexpr uint32_t from_unsigned(uint32_t value) { return pack(0, value, 0); }
    static constexpr uint32_t from_signed(uint32_t value) {
        return value & kSign ? pack(kSign, uint32_t{0} - value, 0) : pack(0, value, 0);
    }

    // The magnitude of a number that is no NaN, towards zero; at most 2^32.
    static constexpr uint64_t truncated(uint32_t a) {
        const int32_t up = exponent(a);
        if ((a & ~kSign) == kInfinity || up > 8) return uint64_t{1} << 32;
        if (up >= 0) return uint64_t{fraction(a)} << up;
        return up > -24 ? fraction(a) >> -up : 0;
    }
    static constexpr uint32_t to_unsigned(uint32_t a) {
        if (is_nan(a) || (a & kSign) != 0) return 0;
        const uint64_t magnitude = truncated(a);
        return magnitude > 0xFFFFFFFF ? 0xFFFFFFFF : static_cast<uint32_t>(magnitude);
    }
    static constexpr uint32_t to_signed(uint32_t a) {
        if (is_nan(a)) return 0;
        const uint64_t magnitude = truncated(a);
        if (a & kSign) return magnitude >= kSign ? kSign : uint32_t{0} - static_cast<uint32_t>(magnitude);
        return magnitude >= kSign ? kSign - 1 : static_cast<uint32_t>(magnitude);
    }
};

// What the binary instruction `opcode` (without kOpImmediate), one of whole numbers, makes of a and b.
[[gnu::always_inline]] constexpr uint32_t whole(uint32_t opcode, uint32_t a, uint32_t b) {
    const int32_t x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
    switch (opcode) {
        case kOpAdd: return a + b;
        case kOpSub: return a - b;
        case kOpMul: return static_cast<uint32_t>(uint64_t{a} * b);
        case kOpMin: return x < y ? a : b;
        case kOpMax: return x > y ? a : b;
        case kOpMinU: return a < b ? a : b;
        case kOpMaxU: return a > b ? a : b;
        case kOpAnd: return a & b;
        case kOpOr: return a | b;
        case kOpXor: return a ^ b;
        case kOpShl: return a << (b & 31);
        case kOpShr: return a >> (b & 31);
        case kOpSar: return static_cast<uint32_t>(x >> (b & 31));
        case kOpEq: return a == b;
        case kOpNe: return a != b;
        case kOpLt: return x < y;
        case kOpLe: return x <= y;
        case kOpGt: return x > y;
        case kOpGe: return x >= y;
        case kOpLtU: return a < b;
        case kOpLeU: return a <= b;
        case kOpGtU: return a > b;
        case kOpGeU: return a >= b;
        default: return 0;
    }
}

// The same of any binary instruction.
constexpr uint32_t binary(uint32_t opcode, uint32_t a, uint32_t b) {
    switch (opcode) {
        case kOpFAdd: return Float::add(a, b);
        case kOpFSub: return Float::add(a, b ^ Float::kSign);
        case kOpFMul: return Float::mul(a, b);
        case kOpFEq: return Float::equal(a, b);
        case kOpFNe: return !Float::equal(a, b);
        case kOpFLt: return Float::less(a, b);
        case kOpFLe: return Float::less(a, b) || Float::equal(a, b);
        case kOpFGt: return Float::less(b, a);
        case kOpFGe: return Float::less(b, a) || Float::equal(a, b);
        default: return whole(opcode, a, b);
    }
}

// What the unary instruction `opcode` (without kOpImmediate) makes of b.
constexpr uint32_t unary(uint32_t opcode, uint32_t b) {
    switch (opcode) {
        case kOpMove: return b;
        case kOpFFromI: return Float::from_signed(b);
        case kOpFFromU: return Float::from_unsigned(b);
        case kOpIFromF: return Float::to_signed(b);
        case kOpUFromF: return Float::to_unsigned(b);
        default: return 0;
    }
}

}  // namespace km
