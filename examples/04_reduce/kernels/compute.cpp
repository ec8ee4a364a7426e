// Adds binary32 numbers, one after the other, from 0. The cores have no float unit here: the sums are the compiler's own
// routines, rounded to nearest, ties to even, as Rust's are. Their order decides the bits of the result; sum.rs has the same.
#include <komorebi/kernel.h>

#include "reduce.h"
#include "share.h"

static float number(uint32_t bits) {
    float value;
    __builtin_memcpy(&value, &bits, 4);
    return value;
}

static uint32_t bits(float value) {
    uint32_t word;
    __builtin_memcpy(&word, &value, 4);
    return word;
}

KM_HANDLER(Partial) {
    float sum = 0;
    km::consume_pages(kBufferNumbers, share(args.pages, command.index, command.count),
                      [&](const uint32_t* in, uint32_t words) {
                          for (uint32_t i = 0; i < words; ++i) sum += number(in[i]);
                      });
    km::produce_pages(kBufferPartial, 1, [&](uint32_t* out, uint32_t words) {
        out[0] = bits(sum);
        for (uint32_t i = 1; i < words; ++i) out[i] = 0;
    });
}

KM_HANDLER(Total) {
    float sum = 0;
    km::consume_pages(kBufferAddends, args.count, [&](const uint32_t* in, uint32_t) { sum += number(in[0]); });
    command.set_result(bits(sum));
}
