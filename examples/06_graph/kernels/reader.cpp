// Fetches this core's rows, each with the one above and the one below.
#include "rows.h"

static void fetch(const km::Command& command, uint32_t state) {
    const TensorAccessor rows{state, kPageBytes};
    for (uint32_t row = command.index; row < kRows; row += command.count) {
        cb_reserve_back(kBufferWindow, 1);
        const uint32_t window = get_write_ptr(kBufferWindow);
        noc_async_read_page(row == 0 ? row : row - 1, rows, window);
        noc_async_read_page(row, rows, window + kRowBytes);
        noc_async_read_page(row + 1 == kRows ? row : row + 1, rows, window + 2 * kRowBytes);
        noc_async_read_barrier();
        cb_push_back(kBufferWindow, 1);
    }
}

KM_HANDLER(Step) { fetch(command, args.state); }
KM_HANDLER(Left) { fetch(command, args.state); }
KM_HANDLER(Right) { fetch(command, args.state); }
KM_HANDLER(Norm) { fetch(command, args.state); }
