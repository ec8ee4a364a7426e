// The least a program has: one handler, which does nothing.
#pragma once
#include <stdint.h>

constexpr uint32_t kHandlerIdle = 1;
