// What the kernels of 05_stream and its Rust side share.
#pragma once
#include <stdint.h>

constexpr uint32_t kHandlerCount = 1;
constexpr uint32_t kHandlerStretch = 2;

constexpr uint32_t kBufferSource = 0;
constexpr uint32_t kBufferTarget = 16;
constexpr uint32_t kPageBytes = 2048;
constexpr uint32_t kBufferPages = 4;
