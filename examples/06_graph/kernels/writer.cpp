// Stores relaxed rows, and brings the cores' largest changes together on the leader, whose result word is the largest.
#include "rows.h"

// Pixels from `from` to `to` of each row of this core; both are whole 64 bytes.
static void store(const km::Command& command, uint32_t state, uint32_t from, uint32_t to) {
    const TensorAccessor rows{state, kPageBytes};
    for (uint32_t row = command.index; row < kRows; row += command.count) {
        cb_wait_front(kBufferRow, 1);
        if (from < to) noc_async_write(get_read_ptr(kBufferRow) + 4 * from, rows.get_noc_addr(row, 4 * from), 4 * (to - from));
        noc_async_writes_flushed();
        cb_pop_front(kBufferRow, 1);
    }
}

static volatile uint32_t* count() {
    return reinterpret_cast<volatile uint32_t*>(get_write_ptr(kBufferGather) + kGatherCount);
}

// A step is complete before the norm behind it starts, so nobody has counted anything yet.
KM_HANDLER(Step) {
    if (command.is_leader()) noc_semaphore_set(count(), 0);
    store(command, args.state, 0, kPageBytes / 4);
}
KM_HANDLER(Left) { store(command, args.state, 0, kHalf); }
KM_HANDLER(Right) { store(command, args.state, kHalf, kPageBytes / 4); }

KM_HANDLER(Norm) {
    cb_wait_front(kBufferPartial, 1);
    const uint32_t partial = get_read_ptr(kBufferPartial);
    const uint32_t gather = get_write_ptr(kBufferGather);  // the same on every core
    if (command.is_leader()) {
        noc_semaphore_wait(count(), command.count - 1);
        uint32_t most = *reinterpret_cast<volatile uint32_t*>(partial);
        for (uint32_t core = 1; core < command.count; ++core) {
            const uint32_t change = *reinterpret_cast<volatile uint32_t*>(gather + 16 * core);
            if (change > most) most = change;
        }
        command.set_result(most);
    } else {
        const uint32_t leader = km::core_place(command.first);
        noc_async_write(partial, get_noc_addr(leader & 63, leader >> 6, gather + 16 * command.index), 16);
        noc_async_write_barrier();  // the number is there before it is counted
        noc_semaphore_inc(get_noc_addr(leader & 63, leader >> 6, gather + kGatherCount), 1);
    }
    cb_pop_front(kBufferPartial, 1);
}
