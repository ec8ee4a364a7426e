// What a kernel includes: `#include <komorebi/kernel.h>`.
//
// A core runs five threads: reader.cpp on NC with NoC 0, writer.cpp on B with NoC 1, compute.cpp three times (unpack on T0,
// math on T1, pack on T2). They stay resident; a command runs the handler of its number in each of them that has one.
#pragma once
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include <komorebi/program.h>

#include "args.h"
#include "cb.h"
#include "clock.h"
#include "handler.h"
#include "hardware.h"
#include "state.h"
#include "wait.h"

#if KM_THREAD == 0 || KM_THREAD == 1
#include "dram.h"
#include "noc.h"
#else
#include "compute.h"
#endif
