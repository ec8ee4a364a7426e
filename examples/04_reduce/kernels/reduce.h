// What the kernels of 04_reduce and its Rust side share.
#pragma once
#include <stdint.h>

constexpr uint32_t kHandlerPartial = 1;
constexpr uint32_t kHandlerTotal = 2;

constexpr uint32_t kBufferNumbers = 0;
constexpr uint32_t kBufferAddends = 1;
constexpr uint32_t kBufferPartial = 16;
constexpr uint32_t kPageBytes = 2048;      // of numbers
constexpr uint32_t kPartialBytes = 64;     // a partial sum has a page of its own; its first word is the sum
constexpr uint32_t kBufferPages = 4;       // of numbers and addends
