// Stores the sums.
#include <komorebi/kernel.h>

#include "pipeline.h"

KM_HANDLER(ScaleAdd) {
    const TensorAccessor sum{args.sum, kPageBytes};
    for (uint32_t page = command.index; page < args.pages; page += command.count) {
        cb_wait_front(kBufferSum, 1);
        noc_async_write_page(args.first_page + page, sum, get_read_ptr(kBufferSum));
        noc_async_writes_flushed();
        cb_pop_front(kBufferSum, 1);
    }
}
