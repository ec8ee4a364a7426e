// Register addresses of a Tensix tile, as its five cores see them, with the source of each.
#pragma once
#include <stdint.h>

namespace km::hardware {

// ---- Debug page (tensix.md §1) --------------------------------------------------------------------------------------

constexpr uint32_t kWallClockLow = 0xFFB121F0;   // AICLK cycles, low word
constexpr uint32_t kWallClockHigh = 0xFFB121F4;  // high word, live
constexpr uint32_t kDestClockGate = 0xFFB12240;  // DEST_CG_CTRL
constexpr uint32_t kTdmaClockGate = 0xFFB11024;  // TDMA page; not for NC, never over the NoC (host.md §7)

// ---- NIU of a NoC (tensix.md §4, host.md §5.4) ----------------------------------------------------------------------

constexpr uint32_t kNiu = 0xFFB20000;
constexpr uint32_t kNiuStride = 0x10000;    // from NoC 0 to NoC 1
constexpr uint32_t kNiuBufferStride = 0x800;

// Offsets in a command buffer.
constexpr uint32_t kNiuTargLow = 0x00;
constexpr uint32_t kNiuTargMid = 0x04;
constexpr uint32_t kNiuTargHi = 0x08;
constexpr uint32_t kNiuRetLow = 0x0C;
constexpr uint32_t kNiuRetMid = 0x10;
constexpr uint32_t kNiuRetHi = 0x14;
constexpr uint32_t kNiuTag = 0x18;
constexpr uint32_t kNiuCtrl = 0x1C;
constexpr uint32_t kNiuLength = 0x20;  // AT_LEN_BE
constexpr uint32_t kNiuData = 0x28;    // AT_DATA
constexpr uint32_t kNiuExclude = 0x2C;
constexpr uint32_t kNiuCommand = 0x40;  // CMD_CTRL

// Offsets in a NIU.
constexpr uint32_t kNiuOwn = 0x148;      // ID_LOGICAL: own translated coordinate
constexpr uint32_t kNiuCounters = 0x200;

// Counters, by number.
constexpr uint32_t kCountAtomicResponses = 0x0;
constexpr uint32_t kCountWriteAcks = 0x1;
constexpr uint32_t kCountReadResponses = 0x2;
constexpr uint32_t kCountWritesSent = 0xA;  // acknowledged ones; the source can be reused

// Control words; the seven verified rows of tensix.md §4.
constexpr uint32_t kCtrlRead = 0x2090;
constexpr uint32_t kCtrlWrite = 0x2092;             // acknowledged
constexpr uint32_t kCtrlWritePosted = 0x2082;
constexpr uint32_t kCtrlWriteMulticast = 0x81B2;    // acknowledged by every destination
constexpr uint32_t kCtrlIncludeSource = 0x20000;
constexpr uint32_t kCtrlAtomic = 0x2091;
constexpr uint32_t kAtomicIncrement = 0x1000 | 31 << 2;  // AT_LEN_BE of a 32-bit increment, without its word [3:2]

constexpr uint32_t kPacketBytes = 16384;  // the longest packet

// Command buffers, by tt-metal's convention.
constexpr uint32_t kBufferWrites = 0;
constexpr uint32_t kBufferReads = 1;
constexpr uint32_t kBufferSmallWrites = 2;
constexpr uint32_t kBufferAtomics = 3;

// ---- Stream registers of circular buffers (tensix.md §5) --------------------------------------------------------------

constexpr uint32_t kStreams = 0xFFB40000;
constexpr uint32_t kStreamStride = 0x1000;
constexpr uint32_t kStreamAcked = 0x20;
constexpr uint32_t kStreamReceived = 0x28;
constexpr uint32_t kStreamCountMask = 0xFFFF;  // 17 bits are kept, software counts in 16

// ---- Hardware semaphores, T0 to T2 only (tensix.md §1, §2) ------------------------------------------------------------

constexpr uint32_t kSemaphores = 0xFFE80020;
constexpr uint32_t kSemaphoreCount = 8;
constexpr uint32_t kSemaphoreMask = 0xF;
constexpr uint32_t kSemaphorePost = 0;  // storing an even number adds 1
constexpr uint32_t kSemaphoreGet = 1;   // storing an odd number takes 1

/// The 32-bit register or L1 word at `address`.
inline volatile uint32_t& reg(uint32_t address) {
    return *reinterpret_cast<volatile uint32_t*>(address);
}

/// The address of a register of a NIU's command buffer.
constexpr uint32_t niu(uint32_t noc, uint32_t buffer, uint32_t offset) {
    return kNiu + noc * kNiuStride + buffer * kNiuBufferStride + offset;
}

/// The address of a NIU's counter.
constexpr uint32_t niu_counter(uint32_t noc, uint32_t counter) {
    return kNiu + noc * kNiuStride + kNiuCounters + 4 * counter;
}

}  // namespace km::hardware
