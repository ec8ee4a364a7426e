// Fetches this core's pages of a job.
#include <komorebi/kernel.h>

#include "map.h"

KM_HANDLER(Map) {
    const TensorAccessor source{args.source, kPageBytes};
    for (uint32_t page = command.index; page < args.pages; page += command.count) {
        cb_reserve_back(kBufferSource, 1);
        noc_async_read_page(args.first_page + page, source, get_write_ptr(kBufferSource));
        noc_async_read_barrier();
        cb_push_back(kBufferSource, 1);
    }
}
