#pragma once
#include <stdint.h>
#include "tiles.h"

constexpr uint32_t kHandlerStep = 1;
constexpr uint32_t kHandlerLeft = 2;
constexpr uint32_t kHandlerRight = 3;
constexpr uint32_t kHandlerNorm = 4;

constexpr uint32_t kBufferInput = 0;
constexpr uint32_t kBufferOutput = 16;
