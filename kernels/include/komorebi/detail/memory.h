// The four functions a compiler may call by itself, even freestanding.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Without this the compiler turns their loops into calls of themselves.
#pragma GCC push_options
#pragma GCC optimize("no-tree-loop-distribute-patterns")

extern "C" {

[[gnu::weak]] void* memcpy(void* to, const void* from, size_t bytes) {
    auto* d = static_cast<uint8_t*>(to);
    auto* s = static_cast<const uint8_t*>(from);
    if (((reinterpret_cast<uintptr_t>(d) | reinterpret_cast<uintptr_t>(s)) & 3) == 0) {
        for (; bytes >= 4; bytes -= 4, d += 4, s += 4) {
            *reinterpret_cast<uint32_t*>(d) = *reinterpret_cast<const uint32_t*>(s);
        }
    }
    for (; bytes != 0; --bytes) *d++ = *s++;
    return to;
}

[[gnu::weak]] void* memmove(void* to, const void* from, size_t bytes) {
    auto* d = static_cast<uint8_t*>(to);
    auto* s = static_cast<const uint8_t*>(from);
    if (d <= s) return memcpy(to, from, bytes);
    while (bytes != 0) --bytes, d[bytes] = s[bytes];
    return to;
}

[[gnu::weak]] void* memset(void* to, int value, size_t bytes) {
    auto* d = static_cast<uint8_t*>(to);
    const uint32_t word = (value & 0xFF) * 0x01010101u;
    for (; bytes != 0 && (reinterpret_cast<uintptr_t>(d) & 3) != 0; --bytes) *d++ = static_cast<uint8_t>(word);
    for (; bytes >= 4; bytes -= 4, d += 4) *reinterpret_cast<uint32_t*>(d) = word;
    for (; bytes != 0; --bytes) *d++ = static_cast<uint8_t>(word);
    return to;
}

[[gnu::weak]] int memcmp(const void* a, const void* b, size_t bytes) {
    auto* x = static_cast<const uint8_t*>(a);
    auto* y = static_cast<const uint8_t*>(b);
    for (; bytes != 0; --bytes, ++x, ++y) {
        if (*x != *y) return *x - *y;
    }
    return 0;
}

}  // extern "C"

#pragma GCC pop_options
