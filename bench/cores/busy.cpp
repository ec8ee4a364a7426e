// What the harts are timed with: loads, stores, products and branches over 4 KiB, as small kernels have them. The same on
// a baby core and on the X280, at any multiple of 4 KiB: the memory follows the code's page. Each pass leaves the same sum.
#include <stdint.h>

#if __riscv_xlen == 32
// The L0 data cache off, as every kernel has it (kernels/include/komorebi/detail/start.h); the stack in local RAM.
asm(R"(
    .section .text.start, "ax", @progbits
    csrsi   0x7c0, 8
    li      sp, 0xffb01000
    j       busy
)");
#else
// The monitor calls it, with a stack.
asm(".section .text.start, \"ax\", @progbits\n j busy\n");
#endif

namespace {

struct Memory {
    volatile uint32_t passes;
    volatile uint32_t sum;
    uint32_t words[256];
    uint32_t kept[256];
    uint32_t counts[64];
    uint32_t left[8][8], right[8][8], product[8][8];
    uint8_t bytes[512];
};

Memory memory;

// A product, an addition and a store a word.
void fill(uint32_t seed) {
    for (uint32_t& word : memory.words) word = seed = seed * 1664525 + 1013904223;
    for (uint32_t i = 0; i < 64; i++) {
        memory.counts[i] = 0;
        memory.left[i / 8][i % 8] = memory.words[i] >> 24;
        memory.right[i % 8][i / 8] = memory.words[i + 64] >> 24;
    }
}

// Branches that depend on data, every second one taken.
uint32_t keep() {
    uint32_t kept = 0;
    for (uint32_t word : memory.words) {
        if (word & 1 << 20) memory.kept[kept++] = word;
    }
    return kept;
}

// A load, a load of what it names, a store back.
void count() {
    for (uint32_t word : memory.words) memory.counts[word >> 26]++;
}

void multiply() {
    for (int row = 0; row < 8; row++) {
        for (int column = 0; column < 8; column++) {
            uint32_t sum = 0;
            for (int i = 0; i < 8; i++) sum += memory.left[row][i] * memory.right[i][column];
            memory.product[row][column] = sum;
        }
    }
}

// Bytes in and out, and the sum of Fletcher over them.
uint32_t check() {
    for (uint32_t i = 0; i < 512; i++) memory.bytes[i] = memory.words[i / 2] >> (8 + i % 2 * 8) ^ memory.counts[i % 64];
    uint32_t low = 0, high = 0;
    for (uint8_t byte : memory.bytes) {
        low += byte;
        if (low >= 255) low -= 255;
        high += low;
        if (high >= 255) high -= 255;
    }
    return high << 8 | low;
}

}  // namespace

extern "C" [[noreturn]] void busy() {
    for (;;) {
        fill(1);
        uint32_t sum = keep();
        count();
        multiply();
        for (uint32_t i = 0; i < 64; i++) sum += memory.product[i / 8][i % 8] * i;
        memory.sum = sum ^ check() << 16;
        memory.passes = memory.passes + 1;
    }
}
