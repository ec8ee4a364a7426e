// What the kernels of 02_pipeline and its Rust side share.
#pragma once
#include <stdint.h>

constexpr uint32_t kHandlerScaleAdd = 1;

constexpr uint32_t kBufferX = 0;
constexpr uint32_t kBufferY = 1;
constexpr uint32_t kBufferSum = 16;
constexpr uint32_t kPageBytes = 1024;
constexpr uint32_t kBufferPages = 4;  // of each buffer
