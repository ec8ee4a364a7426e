// Circular buffers (tensix.md §5): one producer, one consumer, two counters in the stream registers.
//
// `received` counts pages pushed and is the producer's, `acked` pages popped and is the consumer's. Who does what is
// tt-metal's rule: a data mover does the calls it makes; of the compute threads T0 (unpack) waits and pops, T2 (pack)
// reserves and pushes. The same call in another compute thread does nothing, except that T1 (math), which reads and
// writes pages here, keeps its own place in each buffer.
//
// A group of pages does not straddle the buffer's end: its pages are a multiple of every group.
#pragma once
#include <komorebi/program.h>

#include "wait.h"

namespace km::detail {

/// A thread's view of a buffer.
struct CircularBuffer {
    uint32_t limit;       // L1 address behind it
    uint32_t bytes;
    uint32_t pages;
    uint32_t page_bytes;
    uint32_t read;        // L1 address of the next page to pop
    uint32_t write;       // L1 address of the next page to push
    uint32_t received;    // producer: pages pushed
    uint32_t acked;       // consumer: pages popped
};

inline CircularBuffer buffers[program::kBufferLimit];

constexpr uint32_t stream(uint32_t cb, uint32_t offset) {
    return hardware::kStreams + cb * hardware::kStreamStride + offset;
}

inline void buffers_init() {
    for (uint32_t cb = 0; cb < program::kBufferLimit; ++cb) {
        if ((program::kBufferMask >> cb & 1) == 0) continue;
        const uint32_t words = control(kControlBuffers) + 16 * cb;
        CircularBuffer& b = buffers[cb];
        b.read = b.write = hardware::reg(words + 4 * kBufferBase);
        b.bytes = hardware::reg(words + 4 * kBufferBytes);
        b.pages = hardware::reg(words + 4 * kBufferPages);
        b.page_bytes = hardware::reg(words + 4 * kBufferPageBytes);
        b.limit = b.read + b.bytes;
        b.received = b.acked = 0;
    }
}

[[gnu::always_inline]] inline void advance(uint32_t& place, const CircularBuffer& b, uint32_t pages) {
    place += pages * b.page_bytes;
    if (place >= b.limit) place -= b.bytes;
}

/// Pages free for the producer.
inline uint32_t space(uint32_t cb) {
    const CircularBuffer& b = buffers[cb];
    return b.pages - ((b.received - hardware::reg(stream(cb, hardware::kStreamAcked))) & hardware::kStreamCountMask);
}

/// Pages there for the consumer.
inline uint32_t filled(uint32_t cb) {
    return (hardware::reg(stream(cb, hardware::kStreamReceived)) - buffers[cb].acked) & hardware::kStreamCountMask;
}

}  // namespace km::detail

/// Producer: waits until `pages` pages are free.
inline void cb_reserve_back(uint32_t cb, uint32_t pages) {
    using namespace km::detail;
    if constexpr (km::kIsMover || km::kIsPack) {
        // free = pages of the buffer - (received - acked): what `acked` is ahead of received - pages.
        wait_word(stream(cb, km::hardware::kStreamAcked), buffers[cb].received - buffers[cb].pages, pages,
                  km::hardware::kStreamCountMask, km::kWaitBufferSpace, cb);
    }
}

/// Producer: true when `pages` pages are free. Always true in threads that do not produce.
inline bool cb_pages_reservable_at_back(uint32_t cb, uint32_t pages) {
    if constexpr (km::kIsMover || km::kIsPack) return km::detail::space(cb) >= pages;
    return true;
}

/// Producer: hands over the next `pages` pages. Data read over the NoC is there first (`noc_async_read_barrier`).
inline void cb_push_back(uint32_t cb, uint32_t pages) {
    using namespace km::detail;
    CircularBuffer& b = buffers[cb];
    if constexpr (km::kIsMover || km::kIsPack) {
        if constexpr (km::kIsMover) l1_stores_landed(b.write);
        b.received += pages;
        km::hardware::reg(stream(cb, km::hardware::kStreamReceived)) = b.received;
    }
    if constexpr (!km::kIsUnpack) advance(b.write, b, pages);
}

/// Consumer: waits until `pages` pages are there.
inline void cb_wait_front(uint32_t cb, uint32_t pages) {
    using namespace km::detail;
    if constexpr (km::kIsMover || km::kIsUnpack) {
        wait_word(stream(cb, km::hardware::kStreamReceived), buffers[cb].acked, pages, km::hardware::kStreamCountMask,
                  km::kWaitBufferData, cb);
    }
}

/// Consumer: true when `pages` pages are there. Always true in threads that do not consume.
inline bool cb_pages_available_at_front(uint32_t cb, uint32_t pages) {
    if constexpr (km::kIsMover || km::kIsUnpack) return km::detail::filled(cb) >= pages;
    return true;
}

/// Consumer: gives the first `pages` pages back. A writer waits for `noc_async_writes_flushed` first.
inline void cb_pop_front(uint32_t cb, uint32_t pages) {
    using namespace km::detail;
    CircularBuffer& b = buffers[cb];
    if constexpr (km::kIsMover || km::kIsUnpack) {
        fence();  // loads from the pages have returned
        b.acked += pages;
        km::hardware::reg(stream(cb, km::hardware::kStreamAcked)) = b.acked;
    }
    if constexpr (!km::kIsPack) advance(b.read, b, pages);
}

/// The L1 address of the next page to push.
inline uint32_t get_write_ptr(uint32_t cb) {
    return km::detail::buffers[cb].write;
}

/// The L1 address of the next page to pop.
inline uint32_t get_read_ptr(uint32_t cb) {
    return km::detail::buffers[cb].read;
}

/// Bytes of a page.
inline uint32_t get_tile_size(uint32_t cb) {
    return km::detail::buffers[cb].page_bytes;
}
