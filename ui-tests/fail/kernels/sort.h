// A bitonic sort: handlers whose numbers collide.
#pragma once
#include <stdint.h>

constexpr uint32_t kHandlerMerge = 10;
constexpr uint32_t kHandlerSplit = 10;
constexpr uint32_t kHandlerDone = 240;
