#pragma once
#include <stdint.h>
constexpr uint32_t kHandlerLeft = 2;
constexpr uint32_t kHandlerStep = 1 / 0;
