// Filters of an image.
#pragma once
#include <stdint.h>

constexpr uint32_t kHandlerBlur = 1;
constexpr uint32_t kHandlerSharpen = 2;
constexpr int32_t kOffset = -4;
constexpr uint64_t kPixels = 1ull << 33;
