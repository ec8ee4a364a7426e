#pragma once
#include <stdint.h>

#include "pages.h"

constexpr uint32_t kHandlerClean = 1;
constexpr uint32_t kBufferRaw = 0;
constexpr uint32_t kBufferClean = 0;
constexpr uint32_t kBufferTrace = 30;
constexpr uint32_t kDeep = 17;
