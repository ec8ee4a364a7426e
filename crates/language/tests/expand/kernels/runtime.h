#pragma once
#include <stdint.h>
#include "komorebi/command.h"

constexpr uint32_t kHandlerStep = km::kHandlerMax - 1;
constexpr uint32_t kDepth = km::kSlotsMax;
