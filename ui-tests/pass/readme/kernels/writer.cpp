// Stores this core's pages of a job.
#include <komorebi/kernel.h>

#include "map.h"

KM_HANDLER(Map) {
    const TensorAccessor target{args.target, kPageBytes};
    for (uint32_t page = command.index; page < args.pages; page += command.count) {
        cb_wait_front(kBufferTarget, 1);
        noc_async_write_page(args.first_page + page, target, get_read_ptr(kBufferTarget));
        noc_async_writes_flushed();
        cb_pop_front(kBufferTarget, 1);
    }
}
