#include <komorebi/kernel.h>

#include "bench.h"

KM_HANDLER(Idle) {}
