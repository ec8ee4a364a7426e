// Constants without a value.
#pragma once
#include <stdint.h>

constexpr uint32_t kColumns = 0;
constexpr uint32_t kHandlerScan = 64 / kColumns;
constexpr uint32_t kHandlerSum = kHandlerScna + 1;
