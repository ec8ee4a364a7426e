#pragma once
#include <stdint.h>

constexpr uint32_t kEntries = 1024;
