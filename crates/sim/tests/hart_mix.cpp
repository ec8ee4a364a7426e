// A wide mix of arithmetic; hart_programs.rs computes the same.
#include <stdint.h>
#include <stddef.h>

extern "C" [[gnu::section(".start"), gnu::naked]] void start() {
    asm volatile("call program; li t0, 0x10000010; sw zero, 0(t0); 1: j 1b");
}

static uint32_t state = 12345;
static uint32_t next() {
    state = state * 1664525u + 1013904223u;
    return state ^ state >> 15;
}

// Values near the edges come often.
static uint32_t pick() {
    static const uint32_t edges[] = {0, 1, 2, 0xffffffff, 0x80000000, 0x7fffffff, 0xffff, 0x8000, 0xff00ff00};
    uint32_t choice = next() % 16;
    return choice < 9 ? edges[choice] : next() >> (next() & 31);
}
static uint64_t pick64() { uint64_t high = pick(); return high << 32 | pick(); }

template <typename T> static T rotate(T value, unsigned by) {
    constexpr unsigned bits = sizeof(T) * 8;
    by %= bits;
    return by ? T(value << by | value >> (bits - by)) : value;
}

static volatile uint32_t *const results = reinterpret_cast<volatile uint32_t *>(0x40000);
static size_t count = 0;
static void give(uint32_t value) { results[count++] = value; }
static void give64(uint64_t value) { give(uint32_t(value)); give(uint32_t(value >> 32)); }

[[gnu::noinline]] static uint32_t one(unsigned which, uint32_t a, uint32_t b) {
    int32_t sa = int32_t(a), sb = int32_t(b);
    switch (which) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return uint32_t(uint64_t(a) * b >> 32);
    case 4: return uint32_t(int64_t(sa) * sb >> 32);
    case 5: return uint32_t((int64_t(sa) * int64_t(uint64_t(b))) >> 32);
    case 6: return b ? a / b : 7;
    case 7: return b ? a % b : 8;
    case 8: return b && !(a == 0x80000000 && b == 0xffffffff) ? uint32_t(sa / sb) : 9;
    case 9: return b && !(a == 0x80000000 && b == 0xffffffff) ? uint32_t(sa % sb) : 10;
    case 10: return a << (b & 31);
    case 11: return a >> (b & 31);
    case 12: return uint32_t(sa >> (b & 31));
    case 13: return rotate(a, b & 31);
    case 14: return a ? uint32_t(__builtin_clz(a)) : 32;
    case 15: return a ? uint32_t(__builtin_ctz(a)) : 32;
    case 16: return uint32_t(__builtin_popcount(a));
    case 17: return sa < sb ? a : b;
    case 18: return a < b ? b : a;
    case 19: return a & ~b;
    case 20: return a | ~b;
    case 21: return ~(a ^ b);
    case 22: return uint32_t(int8_t(a)) + uint16_t(b);
    case 23: return uint32_t(int16_t(a)) ^ uint8_t(b);
    case 24: return __builtin_bswap32(a);
    case 25: return a * 2 + b;
    case 26: return a * 4 + b;
    case 27: return a * 8 + b;
    case 28: return (sa < sb) + 2 * (a < b) + 4 * (a == b) + 8 * (sa >= 0);
    default: return a * 9 + b / 3;
    }
}

[[gnu::noinline]] static uint64_t wide(unsigned which, uint64_t a, uint64_t b) {
    int64_t sa = int64_t(a), sb = int64_t(b);
    switch (which) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return b ? a / b : 3;
    case 4: return b ? a % b : 4;
    case 5: return b && !(a == 1ull << 63 && sb == -1) ? uint64_t(sa / sb) : 5;
    case 6: return b && !(a == 1ull << 63 && sb == -1) ? uint64_t(sa % sb) : 6;
    case 7: return a << (b & 63);
    case 8: return a >> (b & 63);
    case 9: return uint64_t(sa >> (b & 63));
    case 10: return rotate(a, b & 63);
    case 11: return a ? uint64_t(__builtin_clzll(a)) : 64;
    case 12: return a ? uint64_t(__builtin_ctzll(a)) : 64;
    case 13: return uint64_t(__builtin_popcountll(a));
    case 14: return sa < sb ? a : b;
    case 15: return __builtin_bswap64(a);
    case 16: return uint64_t(uint32_t(a)) * 8 + b;
    default: return (a ^ b) + uint64_t(int32_t(a));
    }
}

[[gnu::noinline]] static uint32_t ackermann(uint32_t m, uint32_t n) {
    return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static void sort(int16_t *first, int16_t *last) {
    for (int16_t *i = first; i != last; ++i)
        for (int16_t *j = i; j != first && j[-1] > *j; --j) { int16_t t = *j; *j = j[-1]; j[-1] = t; }
}

extern "C" void *memset(void *to, int value, size_t bytes) {
    for (char *at = static_cast<char *>(to); bytes--;) *at++ = char(value);
    return to;
}
extern "C" void *memcpy(void *to, const void *from, size_t bytes) {
    const char *source = static_cast<const char *>(from);
    for (char *at = static_cast<char *>(to); bytes--;) *at++ = *source++;
    return to;
}

extern "C" void program() {
    for (unsigned round = 0; round < 100; ++round)
        for (unsigned which = 0; which < 30; ++which) { uint32_t a = pick(); give(one(which, a, pick())); }
    for (unsigned round = 0; round < 100; ++round)
        for (unsigned which = 0; which < 18; ++which) { uint64_t a = pick64(); give64(wide(which, a, pick64())); }
    give(ackermann(2, 5));
    int16_t values[64];
    for (int16_t &value : values) value = int16_t(next());
    sort(values, values + 64);
    for (int16_t value : values) give(uint32_t(value));
    give(uint32_t(count));
}
