// The end of every kernel's translation unit: the build compiles the user's file first, then this one.
#pragma once
#include "../kernel.h"
#include "memory.h"
#include "start.h"

#if KM_THREAD == 0
#include "reader.h"
#elif KM_THREAD == 1
#include "writer.h"
#else
#include "compute.h"
#endif

extern "C" [[noreturn, gnu::used]] void km_main() {
    km::detail::boot();
    km::detail::run();
}
