// factor * x + y in 32-bit words; what does not fit wraps.
#include <komorebi/kernel.h>

#include "pipeline.h"

KM_HANDLER(ScaleAdd) {
    const uint32_t factor = args.factor;
    const uint32_t pages = (args.pages + command.count - 1 - command.index) / command.count;
    km::zip_pages(kBufferX, kBufferY, kBufferSum, pages,
                  [&](const uint32_t* x, const uint32_t* y, uint32_t* sum, uint32_t words) {
                      for (uint32_t i = 0; i < words; ++i) sum[i] = factor * x[i] + y[i];
                  });
}
