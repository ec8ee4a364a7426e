// Stores this core's stretched pages. A count goes another way: it is the command's result word.
#include <komorebi/kernel.h>

#include "levels.h"

KM_HANDLER(Stretch) {
    const TensorAccessor target{args.target, kPageBytes};
    for (uint32_t page = command.index; page < args.pages; page += command.count) {
        cb_wait_front(kBufferTarget, 1);
        noc_async_write_page(page, target, get_read_ptr(kBufferTarget));
        noc_async_writes_flushed();
        cb_pop_front(kBufferTarget, 1);
    }
}
