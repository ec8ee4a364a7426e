// Transfers over the NoC, for the reader (NoC 0) and the writer (NoC 1). Names and rules are tt-metal's.
//
// Rules of the hardware (tensix.md §4) that the caller keeps:
// - source and destination agree mod 16; for a read from DRAM or host memory mod 64.
// - the NoC orders nothing between two packets. Data, then flag: wait for the acknowledgements in between
//   (`noc_async_write_barrier`).
// - a read's data is there after `noc_async_read_barrier`, a write's at its destination after
//   `noc_async_write_barrier`; its source can be reused after `noc_async_writes_flushed`.
// - a flag or semaphore is a 4-byte write from a word in L1, or an atomic increment. There is no inline write here:
//   into L1 it can deadlock the tile.
//
// Longer transfers than a packet are split here. A local address has 32 bits: L1, DRAM, registers. Host memory is
// not reached by kernels.
#pragma once
#include "args.h"
#include "wait.h"

namespace km::detail {

/// What this mover has issued on its NoC, to compare with the NIU's counters, which nobody resets.
struct NocIssued {
    uint32_t reads;
    uint32_t acks;     // write acknowledgements to come: one a destination
    uint32_t sent;     // acknowledged writes
    uint32_t atomics;
};

inline NocIssued issued;

inline volatile uint32_t& buffer(uint32_t number, uint32_t offset) {
    return hardware::reg(hardware::niu(kNoc, number, offset));
}

inline void wait_buffer(uint32_t number) {
    wait_equal(hardware::niu(kNoc, number, hardware::kNiuCommand), 0, kWaitNiu, kNoc << 4 | number);
}

/// Makes a NIU ready: own coordinates are set for each request (the NIU replaces them, host.md §8.5), the upper
/// address words once. The upper length words are the host's: it zeroes them at the load.
inline void noc_init() {
    using namespace hardware;
    for (uint32_t number = 0; number < 4; ++number) {
        buffer(number, kNiuTargMid) = 0;
        buffer(number, kNiuRetMid) = 0;
        buffer(number, kNiuTag) = 0;
        buffer(number, kNiuExclude) = 0;
    }
    buffer(kBufferReads, kNiuCtrl) = kCtrlRead;
    buffer(kBufferAtomics, kNiuCtrl) = kCtrlAtomic;
    buffer(kBufferAtomics, kNiuRetLow) = control(kControlAtomicOld);
    issued.reads = reg(niu_counter(kNoc, kCountReadResponses));
    issued.acks = reg(niu_counter(kNoc, kCountWriteAcks));
    issued.sent = reg(niu_counter(kNoc, kCountWritesSent));
    issued.atomics = reg(niu_counter(kNoc, kCountAtomicResponses));
    local.own = reg(niu(kNoc, 0, kNiuOwn));
}

/// Sends one packet of a write from own L1. `hi` and `low` are the destination.
inline void send_write(uint32_t number, uint32_t ctrl, uint32_t l1, uint32_t hi, uint32_t low, uint32_t bytes) {
    using namespace hardware;
    wait_buffer(number);
    buffer(number, kNiuTargLow) = l1;
    buffer(number, kNiuTargHi) = local.own;
    buffer(number, kNiuRetLow) = low;
    buffer(number, kNiuRetHi) = hi;
    buffer(number, kNiuLength) = bytes;
    buffer(number, kNiuCtrl) = ctrl;
    buffer(number, kNiuCommand) = 1;
}

/// An acknowledged write of any length to `destinations` tiles.
inline void write(uint32_t number, uint32_t ctrl, uint32_t l1, uint64_t to, uint32_t bytes, uint32_t destinations) {
    static_assert(kIsMover, "only the reader and the writer have a NoC");
    l1_stores_landed(l1);
    const uint32_t hi = static_cast<uint32_t>(to >> 36);
    uint32_t low = static_cast<uint32_t>(to);
    for (;;) {
        const uint32_t packet = bytes < hardware::kPacketBytes ? bytes : hardware::kPacketBytes;
        send_write(number, ctrl, l1, hi, low, packet);
        issued.acks += destinations;
        ++issued.sent;
        bytes -= packet;
        if (bytes == 0) break;
        l1 += packet;
        low += packet;
    }
}

/// Adds `value` to a word of another core's L1.
inline void atomic_add(uint32_t hi, uint32_t low, uint32_t value) {
    using namespace hardware;
    wait_buffer(kBufferAtomics);
    buffer(kBufferAtomics, kNiuTargLow) = low;
    buffer(kBufferAtomics, kNiuTargHi) = hi;
    buffer(kBufferAtomics, kNiuRetHi) = local.own;
    buffer(kBufferAtomics, kNiuLength) = kAtomicIncrement | (low >> 2 & 3);
    buffer(kBufferAtomics, kNiuData) = value;
    buffer(kBufferAtomics, kNiuCommand) = 1;
    ++issued.atomics;
}

}  // namespace km::detail

// ---- Addresses: local address in bits 31:0, x from bit 36, y from bit 42 (tt-metal's packing) ---------------------------

/// An address in the tile at NoC place (x, y).
inline uint64_t get_noc_addr(uint32_t x, uint32_t y, uint32_t address) {
    return uint64_t{x << 4 | y << 10} << 32 | address;
}

/// An address in this core's own L1.
inline uint64_t get_noc_addr(uint32_t address) {
    return uint64_t{km::detail::local.own << 4} << 32 | address;
}

/// An address in the Tensix tiles of a rectangle of NoC places, both corners inside, given in any order.
inline uint64_t get_noc_multicast_addr(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t address) {
    const uint32_t left = x0 < x1 ? x0 : x1, right = x0 < x1 ? x1 : x0;
    const uint32_t top = y0 < y1 ? y0 : y1, bottom = y0 < y1 ? y1 : y0;
    // NoC 0 reaches the least corner first, NoC 1 the greatest (tensix.md §4).
    const uint32_t low = left | top << 6, high = right | bottom << 6;
    const uint32_t word = km::kNoc == 0 ? high | low << 12 : low | high << 12;
    return uint64_t{word} << 36 | address;
}

namespace km {

/// An address in the L1 of core `core` of the program's grid.
inline uint64_t core_noc_addr(uint32_t core, uint32_t address) {
    return uint64_t{core_place(core) << 4} << 32 | address;
}

/// An address in the L1 of the cores in columns x0 to x1 and rows y0 to y1 of the program's grid, both inside.
inline uint64_t grid_multicast_addr(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t address) {
    const uint32_t a = core_place(y0 * grid_width() + x0), b = core_place(y1 * grid_width() + x1);
    return get_noc_multicast_addr(a & 63, a >> 6 & 63, b & 63, b >> 6 & 63, address);
}

}  // namespace km

// ---- Transfers -------------------------------------------------------------------------------------------------------

/// Starts a read of `bytes` bytes (at least 1) at `from` into own L1 at `l1`.
inline void noc_async_read(uint64_t from, uint32_t l1, uint32_t bytes) {
    using namespace km::hardware;
    using namespace km::detail;
    static_assert(km::kIsMover, "only the reader and the writer have a NoC");
    const uint32_t hi = static_cast<uint32_t>(from >> 36);
    uint32_t low = static_cast<uint32_t>(from);
    for (;;) {
        const uint32_t packet = bytes < kPacketBytes ? bytes : kPacketBytes;
        wait_buffer(kBufferReads);
        buffer(kBufferReads, kNiuRetLow) = l1;
        buffer(kBufferReads, kNiuRetHi) = local.own;
        buffer(kBufferReads, kNiuTargLow) = low;
        buffer(kBufferReads, kNiuTargHi) = hi;
        buffer(kBufferReads, kNiuLength) = packet;
        buffer(kBufferReads, kNiuCommand) = 1;
        ++issued.reads;
        bytes -= packet;
        if (bytes == 0) break;
        l1 += packet;
        low += packet;
    }
}

/// Waits until every read of this thread has its data in L1.
inline void noc_async_read_barrier() {
    using namespace km::detail;
    wait_equal(km::hardware::niu_counter(km::kNoc, km::hardware::kCountReadResponses), issued.reads, km::kWaitReads, km::kNoc);
    fence();
}

/// Starts a write of `bytes` bytes (at least 1) from own L1 at `l1` to `to`.
inline void noc_async_write(uint32_t l1, uint64_t to, uint32_t bytes) {
    km::detail::write(km::hardware::kBufferWrites, km::hardware::kCtrlWrite, l1, to, bytes, 1);
}

/// Starts a write to every tile of a multicast address but this one. `destinations`: how many tiles that is.
inline void noc_async_write_multicast(uint32_t l1, uint64_t to, uint32_t bytes, uint32_t destinations) {
    km::detail::write(km::hardware::kBufferWrites, km::hardware::kCtrlWriteMulticast, l1, to, bytes, destinations);
}

/// Starts a write to every tile of a multicast address, this one included if it lies inside. `destinations` counts it.
inline void noc_async_write_multicast_loopback_src(uint32_t l1, uint64_t to, uint32_t bytes, uint32_t destinations) {
    km::detail::write(km::hardware::kBufferWrites, km::hardware::kCtrlWriteMulticast | km::hardware::kCtrlIncludeSource, l1,
                      to, bytes, destinations);
}

/// Waits until every write of this thread is acknowledged by its destinations: the data is there.
inline void noc_async_write_barrier() {
    using namespace km::detail;
    wait_equal(km::hardware::niu_counter(km::kNoc, km::hardware::kCountWriteAcks), issued.acks, km::kWaitWrites, km::kNoc);
    fence();
}

/// Waits until every write of this thread has left: its source can be reused.
inline void noc_async_writes_flushed() {
    using namespace km::detail;
    wait_equal(km::hardware::niu_counter(km::kNoc, km::hardware::kCountWritesSent), issued.sent, km::kWaitWrites, km::kNoc);
    fence();
}

/// Waits until every atomic of this thread has been answered.
inline void noc_async_atomic_barrier() {
    using namespace km::detail;
    wait_equal(km::hardware::niu_counter(km::kNoc, km::hardware::kCountAtomicResponses), issued.atomics, km::kWaitWrites,
               km::kNoc);
    fence();
}

/// Waits for everything this thread has started.
inline void noc_async_full_barrier() {
    noc_async_read_barrier();
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}

namespace km::detail {

/// After a mover's handler: its outputs are in memory before anybody is told.
inline void handler_over() {
    noc_async_write_barrier();
}

}  // namespace km::detail

// ---- Semaphores: words of L1 -------------------------------------------------------------------------------------------

/// Adds `value` to the word at `to`, in any core's L1. A 4-byte aligned word; not ordered behind earlier writes.
inline void noc_semaphore_inc(uint64_t to, uint32_t value) {
    static_assert(km::kIsMover, "only the reader and the writer have a NoC");
    km::detail::atomic_add(static_cast<uint32_t>(to >> 36), static_cast<uint32_t>(to), value);
}

/// Sets a word of own L1.
inline void noc_semaphore_set(volatile uint32_t* word, uint32_t value) {
    *word = value;
}

/// Copies the word at `l1` to `to`, which agrees with it mod 16. Acknowledged: `noc_async_write_barrier` waits for it.
inline void noc_semaphore_set_remote(uint32_t l1, uint64_t to) {
    km::detail::write(km::hardware::kBufferSmallWrites, km::hardware::kCtrlWrite, l1, to, 4, 1);
}

/// Copies the word at `l1` to every tile of a multicast address but this one.
inline void noc_semaphore_set_multicast(uint32_t l1, uint64_t to, uint32_t destinations) {
    km::detail::write(km::hardware::kBufferSmallWrites, km::hardware::kCtrlWriteMulticast, l1, to, 4, destinations);
}

/// Waits until a word of own L1 is `value`.
inline void noc_semaphore_wait(volatile uint32_t* word, uint32_t value) {
    const uint32_t address = reinterpret_cast<uint32_t>(word);
    km::detail::wait_equal(address, value, km::kWaitSemaphore, address);
}

/// Waits until a word of own L1 is at least `value`.
inline void noc_semaphore_wait_min(volatile uint32_t* word, uint32_t value) {
    const uint32_t address = reinterpret_cast<uint32_t>(word);
    km::detail::wait_word(address, 0, value, 0xFFFFFFFF, km::kWaitSemaphore, address);
}
