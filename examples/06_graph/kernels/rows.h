// Which rows and pixels are a core's.
#pragma once
#include <komorebi/kernel.h>

#include "inpaint.h"

constexpr uint32_t kRows = get_compile_time_arg_val(0);
constexpr uint32_t kWidth = get_compile_time_arg_val(1);       // pixels of a row
constexpr uint32_t kPageBytes = get_compile_time_arg_val(2);   // of a row of the tensor: a multiple of 64
constexpr uint32_t kHalf = kPageBytes / 128 * 16;              // pixels of the left half: whole 64 bytes

// Rows are dealt to the group's cores one by one.
inline uint32_t share(const km::Command& command) {
    return (kRows + command.count - 1 - command.index) / command.count;
}
