// What the kernels of 01_map and its Rust side share.
#pragma once
#include <stdint.h>

constexpr uint32_t kHandlerMap = 1;

constexpr uint32_t kBufferSource = 0;
constexpr uint32_t kBufferTarget = 16;
constexpr uint32_t kPageBytes = 2048;
constexpr uint32_t kBufferPages = 4;  // of each buffer: the reader is up to four pages ahead
