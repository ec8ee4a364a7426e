// The tone curve; curve.rs has the same arithmetic.
#pragma once
#include <stdint.h>

struct Curve {
    uint32_t black;     // becomes 0
    uint32_t gain;      // in 1/256
    uint32_t shoulder;  // above it the curve bends towards 255
};

inline uint32_t apply(const Curve& curve, uint32_t byte) {
    const uint32_t above = byte > curve.black ? byte - curve.black : 0;
    const uint32_t scaled = (above * curve.gain) >> 8;
    if (scaled <= curve.shoulder) {
        return scaled;
    }
    const uint32_t over = scaled - curve.shoulder;
    const uint32_t room = 255 - curve.shoulder;
    return curve.shoulder + over * room / (over + room);
}
