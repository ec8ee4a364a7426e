// Circular buffers (tensix.md §5): one producer, one consumer, two counters in the stream registers.
//
// `received` counts pages pushed and is the producer's, `acked` pages popped and is the consumer's. Who does what is
// tt-metal's rule: a data mover does the calls it makes; of the compute threads T0 (unpack) waits and pops, T2 (pack)
// reserves and pushes. The same call in another compute thread does nothing, except that T1 (math), which reads and
// writes pages here, keeps its own place in each buffer.
//
// A group of pages does not straddle the buffer's end: its pages are a multiple of every group.
//
// A buffer that the program does not declare has no pages and no place here: an index that the compiler knows is a compile
// error at the kernel's line; one that only the kernel knows is a wait for that buffer, which ends at its deadline.
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

// Every index into it has met `check_declared`.
inline CircularBuffer buffers[program::kBufferLimit];

[[noreturn, gnu::error("this program declares no circular buffer of this index")]] void undeclared_buffer();

/// The wait for a buffer that is not there: it ends the thread, with the index the kernel gave.
[[noreturn, gnu::noinline, gnu::cold]] inline void wait_undeclared(WaitKind kind, uint32_t cb, uint32_t pages) {
    const auto place = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
    const uint32_t start = hardware::reg(hardware::kWallClockLow);
    wait_turns(start, (start + local.wait.turn) | 1, true, local.wait, kind, cb, pages, place,
               [](uint32_t&) { return false; });
    park();
}

/// Lets only declared buffers pass. Inlined into the kernel's line, where the compiler knows most indices: then it is no code.
[[gnu::always_inline]] inline void check_declared(uint32_t cb, WaitKind kind, uint32_t pages) {
    const bool declared = cb < program::kBufferLimit && (program::kBufferMask >> cb & 1) != 0;
    if (__builtin_constant_p(cb)) {
        if (!declared) undeclared_buffer();
    } else if (!declared) {
        wait_undeclared(kind, cb, pages);
    }
}

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

/// `cb_push_back` of a buffer that was checked.
inline void push_pages(uint32_t cb, uint32_t pages) {
    CircularBuffer& b = buffers[cb];
    if constexpr (kIsMover || kIsPack) {
        if constexpr (kIsMover) l1_stores_landed(b.write);
        b.received += pages;
        hardware::reg(stream(cb, hardware::kStreamReceived)) = b.received;
    }
    if constexpr (!kIsUnpack) advance(b.write, b, pages);
}

/// `cb_pop_front` of a buffer that was checked.
inline void pop_pages(uint32_t cb, uint32_t pages) {
    CircularBuffer& b = buffers[cb];
    if constexpr (kIsMover || kIsUnpack) {
        fence();  // loads from the pages have returned
        b.acked += pages;
        hardware::reg(stream(cb, hardware::kStreamAcked)) = b.acked;
    }
    if constexpr (!kIsPack) advance(b.read, b, pages);
}

}  // namespace km::detail

/// Producer: waits until `pages` pages are free.
[[gnu::always_inline]] inline void cb_reserve_back(uint32_t cb, uint32_t pages) {
    using namespace km::detail;
    check_declared(cb, km::kWaitBufferSpace, pages);
    if constexpr (km::kIsMover || km::kIsPack) {
        // free = pages of the buffer - (received - acked): what `acked` is ahead of received - pages.
        wait_word(stream(cb, km::hardware::kStreamAcked), buffers[cb].received - buffers[cb].pages, pages,
                  km::hardware::kStreamCountMask, km::kWaitBufferSpace, cb);
    }
}

/// Producer: true when `pages` pages are free. Always true in threads that do not produce.
[[gnu::always_inline]] inline bool cb_pages_reservable_at_back(uint32_t cb, uint32_t pages) {
    km::detail::check_declared(cb, km::kWaitBufferSpace, pages);
    if constexpr (km::kIsMover || km::kIsPack) return km::detail::space(cb) >= pages;
    return true;
}

/// Producer: hands over the next `pages` pages. Data read over the NoC is there first (`noc_async_read_barrier`).
[[gnu::always_inline]] inline void cb_push_back(uint32_t cb, uint32_t pages) {
    km::detail::check_declared(cb, km::kWaitBufferSpace, pages);
    km::detail::push_pages(cb, pages);
}

/// Consumer: waits until `pages` pages are there.
[[gnu::always_inline]] inline void cb_wait_front(uint32_t cb, uint32_t pages) {
    using namespace km::detail;
    check_declared(cb, km::kWaitBufferData, pages);
    if constexpr (km::kIsMover || km::kIsUnpack) {
        wait_word(stream(cb, km::hardware::kStreamReceived), buffers[cb].acked, pages, km::hardware::kStreamCountMask,
                  km::kWaitBufferData, cb);
    }
}

/// Consumer: true when `pages` pages are there. Always true in threads that do not consume.
[[gnu::always_inline]] inline bool cb_pages_available_at_front(uint32_t cb, uint32_t pages) {
    km::detail::check_declared(cb, km::kWaitBufferData, pages);
    if constexpr (km::kIsMover || km::kIsUnpack) return km::detail::filled(cb) >= pages;
    return true;
}

/// Consumer: gives the first `pages` pages back. A writer waits for `noc_async_writes_flushed` first.
[[gnu::always_inline]] inline void cb_pop_front(uint32_t cb, uint32_t pages) {
    km::detail::check_declared(cb, km::kWaitBufferData, pages);
    km::detail::pop_pages(cb, pages);
}

/// The L1 address of the next page to push.
[[gnu::always_inline]] inline uint32_t get_write_ptr(uint32_t cb) {
    km::detail::check_declared(cb, km::kWaitBufferSpace, 1);
    return km::detail::buffers[cb].write;
}

/// The L1 address of the next page to pop.
[[gnu::always_inline]] inline uint32_t get_read_ptr(uint32_t cb) {
    km::detail::check_declared(cb, km::kWaitBufferData, 1);
    return km::detail::buffers[cb].read;
}

/// Bytes of a page.
[[gnu::always_inline]] inline uint32_t get_tile_size(uint32_t cb) {
    km::detail::check_declared(cb, km::kWaitBufferData, 1);
    return km::detail::buffers[cb].page_bytes;
}
