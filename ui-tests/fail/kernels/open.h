// A conditional without its end.
#pragma once
#include <stdint.h>
#if defined(KM_TILES)
constexpr uint32_t kHandlerBlur = 1;
