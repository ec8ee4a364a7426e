// Fetches the pages of both inputs; while it does, compute and writer are still busy with the pages before.
#include <komorebi/kernel.h>

#include "pipeline.h"

KM_HANDLER(ScaleAdd) {
    const TensorAccessor x{args.x, kPageBytes}, y{args.y, kPageBytes};
    for (uint32_t page = command.index; page < args.pages; page += command.count) {
        cb_reserve_back(kBufferX, 1);
        cb_reserve_back(kBufferY, 1);
        noc_async_read_page(args.first_page + page, x, get_write_ptr(kBufferX));
        noc_async_read_page(args.first_page + page, y, get_write_ptr(kBufferY));
        noc_async_read_barrier();
        cb_push_back(kBufferX, 1);
        cb_push_back(kBufferY, 1);
    }
}
