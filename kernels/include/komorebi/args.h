// What a kernel is told: compile-time arguments, runtime arguments of its core, its place in the program's grid.
#pragma once
#include <komorebi/program.h>

#include "detail/local.h"

namespace km {

/// This core's index in the program's grid, row by row.
inline uint32_t core_index() {
    return detail::local.index;
}

/// Cores of the program's grid.
inline uint32_t core_count() {
    return detail::local.cores;
}

/// Columns of the program's grid.
inline uint32_t grid_width() {
    return detail::local.width;
}

/// Rows of the program's grid.
inline uint32_t grid_height() {
    return detail::local.height;
}

/// The NoC place of core `core`: x | y << 6.
inline uint32_t core_place(uint32_t core) {
    return hardware::reg(detail::control(kControlCores) + 4 * core);
}

namespace detail {

[[gnu::error("this kernel has no compile-time argument of that index")]] void no_such_compile_time_argument();

}  // namespace detail
}  // namespace km

/// This core's column in the program's grid.
inline uint32_t get_absolute_logical_x() {
    return km::detail::local.x;
}

/// This core's row in the program's grid.
inline uint32_t get_absolute_logical_y() {
    return km::detail::local.y;
}

/// The L1 address of this kernel's runtime argument word `i`.
inline uint32_t get_arg_addr(uint32_t i) {
    return km::detail::local.args + 4 * i;
}

/// Runtime argument word `i` of this kernel on this core; a T of 4 bytes. Below `km::arg_count()`.
template <class T>
inline T get_arg_val(uint32_t i) {
    static_assert(sizeof(T) == 4, "a runtime argument is one 32-bit word");
    const uint32_t word = km::hardware::reg(get_arg_addr(i));
    T value;
    __builtin_memcpy(&value, &word, 4);
    return value;
}

namespace km {

/// Runtime argument words of this kernel on this core.
inline uint32_t arg_count() {
    return detail::local.arg_count;
}

}  // namespace km

/// Compile-time argument word `i` of this kernel; `i` is a constant. An index past the end is a compile error.
[[gnu::always_inline]] constexpr uint32_t get_compile_time_arg_val(uint32_t i) {
    if (i >= km::program::kCompileArgCount) km::detail::no_such_compile_time_argument();
    return km::program::kCompileArgs[i];
}
