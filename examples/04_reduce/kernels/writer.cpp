// Stores this core's partial sum in its own page. The total goes another way: it is the command's result word.
#include <komorebi/kernel.h>

#include "reduce.h"

KM_HANDLER(Partial) {
    const TensorAccessor partials{args.partials, kPartialBytes};
    cb_wait_front(kBufferPartial, 1);
    noc_async_write_page(args.first_partial + command.index, partials, get_read_ptr(kBufferPartial));
    noc_async_writes_flushed();
    cb_pop_front(kBufferPartial, 1);
}
