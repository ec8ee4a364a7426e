// Fetches numbers for the partial sums, and the partial sums for the total.
#include <komorebi/kernel.h>

#include "reduce.h"

static void fetch(uint32_t page, const TensorAccessor& from, uint32_t buffer) {
    cb_reserve_back(buffer, 1);
    noc_async_read_page(page, from, get_write_ptr(buffer));
    noc_async_read_barrier();
    cb_push_back(buffer, 1);
}

KM_HANDLER(Partial) {
    const TensorAccessor numbers{args.numbers, kPageBytes};
    for (uint32_t page = command.index; page < args.pages; page += command.count) {
        fetch(args.first_page + page, numbers, kBufferNumbers);
    }
}

KM_HANDLER(Total) {
    const TensorAccessor partials{args.partials, kPartialBytes};
    for (uint32_t page = 0; page < args.count; ++page) fetch(page, partials, kBufferAddends);
}
