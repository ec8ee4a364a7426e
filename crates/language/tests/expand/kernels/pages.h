#pragma once
#include <stdint.h>

constexpr uint32_t kOddPage = 24;
constexpr uint32_t kManyPages = 40000;
