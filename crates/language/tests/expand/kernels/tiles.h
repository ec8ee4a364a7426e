#pragma once
#include <stdint.h>

constexpr uint32_t kTileBytes = 2 * 32 * 32;
