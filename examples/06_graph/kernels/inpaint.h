// What the kernels of 06_graph and its Rust side share.
#pragma once
#include <stdint.h>

constexpr uint32_t kHandlerStep = 1;
constexpr uint32_t kHandlerLeft = 2;
constexpr uint32_t kHandlerRight = 3;
constexpr uint32_t kHandlerNorm = 4;

constexpr uint32_t kBufferWindow = 0;    // three rows: above, here, below
constexpr uint32_t kBufferRow = 16;      // a relaxed row
constexpr uint32_t kBufferPartial = 17;  // this core's largest change
constexpr uint32_t kBufferGather = 18;   // on the leader: the largest change of each core
constexpr uint32_t kRowBytes = 1024;     // the longest row: 256 pixels
constexpr uint32_t kWindowBytes = 3 * kRowBytes;
constexpr uint32_t kPartialBytes = 64;
constexpr uint32_t kGatherBytes = 2048;  // 16 bytes a core, and behind those of 120 cores the count
constexpr uint32_t kGatherCount = 1920;
constexpr uint32_t kBufferPages = 2;
