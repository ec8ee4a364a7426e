// The relaxation of a row; relax.rs has the same arithmetic.
//
// A pixel is a binary32 number from 1 to 256. The sign bit marks those to be filled in. The cores have no float unit here:
// sums and products are the compiler's own routines, rounded to nearest, ties to even, as Rust's are. Every intermediate
// lies between 1 and 1024, so there are no subnormals.
#pragma once
#include <stdint.h>

constexpr uint32_t kFill = 0x80000000;  // this pixel is to be filled in

inline float value(uint32_t bits) {
    bits &= ~kFill;
    float number;
    __builtin_memcpy(&number, &bits, 4);
    return number;
}

inline uint32_t bits(float number) {
    uint32_t word;
    __builtin_memcpy(&word, &number, 4);
    return word;
}

// The mean of the four neighbours of pixel `x`; beyond the edge a pixel is its own neighbour.
inline float mean(const uint32_t* above, const uint32_t* here, const uint32_t* below, uint32_t x, uint32_t width) {
    const uint32_t left = x == 0 ? x : x - 1;
    const uint32_t right = x + 1 == width ? x : x + 1;
    float sum = value(above[x]) + value(below[x]);
    sum = sum + value(here[left]);
    sum = sum + value(here[right]);
    return sum * 0.25f;
}
