// What the kernels of the README's program and its Rust side share.
#pragma once
#include <stdint.h>

constexpr uint32_t kHandlerMap = 1;

constexpr uint32_t kBufferSource = 0;
constexpr uint32_t kBufferTarget = 16;
constexpr uint32_t kPageBytes = 2048;
