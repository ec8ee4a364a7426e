// Fetches this core's pages into the source buffer.
#include <komorebi/kernel.h>

#include "levels.h"

static void fetch(uint32_t base, uint32_t first, uint32_t pages, const km::Command& command) {
    const TensorAccessor source{base, kPageBytes};
    for (uint32_t page = command.index; page < pages; page += command.count) {
        cb_reserve_back(kBufferSource, 1);
        noc_async_read_page(first + page, source, get_write_ptr(kBufferSource));
        noc_async_read_barrier();
        cb_push_back(kBufferSource, 1);
    }
}

KM_HANDLER(Count) { fetch(args.source, args.first_page, args.pages, command); }
KM_HANDLER(Stretch) { fetch(args.source, 0, args.pages, command); }
