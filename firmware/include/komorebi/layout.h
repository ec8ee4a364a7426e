// Where everything lies: the LIM of X280 cluster 0 and the L1 of a core.
//
// Device code never uses these addresses: each area reaches it as a launch parameter. They are for the host, which
// hands them out, and for the macros, which check budgets against them.
#pragma once
#include <stdint.h>

#include "command.h"
#include "core.h"
#include "event.h"

namespace km {

// ---- LIM: L3 ways of the cluster used as uncached memory (host.md 6.6) --------------------------------------------

constexpr uint64_t kLimBase = 0x08000000;
constexpr uint32_t kLimWayEnable = 9;                                  // ways 1..9 stay cache
constexpr uint32_t kLimBytes = (15 - kLimWayEnable) * 128 * 1024;      // 786,432

// Offsets from kLimBase, in bytes.
constexpr uint32_t kLimMonitor = 0x00000;       // monitor text
constexpr uint32_t kLimMonitorBytes = 0x00C00;
constexpr uint32_t kLimMonitorBlock = 0x00C00;  // monitor.h
constexpr uint32_t kLimImage = 0x01000;         // the dispatcher image: text, constants, data
constexpr uint32_t kLimImageBytes = 0x0D000;
constexpr uint32_t kLimStacks = 0x0E000;        // a stack a hart
constexpr uint32_t kLimStackBytes = 0x00800;
constexpr uint32_t kLimRing = 0x10000;          // command ring
constexpr uint32_t kLimLaunch = 0x11000;        // launch parameters
constexpr uint32_t kLimState = 0x11100;         // the dispatcher's state
constexpr uint32_t kLimStateBytes = 0x00200;
constexpr uint32_t kLimResult = 0x11300;        // result block
constexpr uint32_t kLimControl = 0x11400;       // control line
constexpr uint32_t kLimReady = 0x11480;         // READY words, one a column
constexpr uint32_t kLimCompletions = 0x11580;   // completion words, one a slot
constexpr uint32_t kLimCores = 0x11680;         // core table
constexpr uint32_t kLimJobs = 0x11880;          // job queue
constexpr uint32_t kLimSpare = 0x12880;         // engines' and threads' descriptors
constexpr uint32_t kLimUpload = 0x13300;        // uploads of streams and graphs
constexpr uint32_t kRuntimeBytes = kLimUpload;              // 78,592
constexpr uint32_t kUploadBytes = kLimBytes - kLimUpload;   // 707,840

static_assert(kLimMonitorBlock + 64 * 5 <= kLimImage, "monitor block");
static_assert(kLimImage + kLimImageBytes == kLimStacks, "image");
static_assert(kLimStacks + 4 * kLimStackBytes == kLimRing, "stacks");
static_assert(kLimRing + kRingLinesMax * kLineBytes == kLimLaunch, "ring");
static_assert(kLimReady + kColumnsMax * kReadyStride <= kLimCompletions, "ready words");
static_assert(kLimCompletions + kSlotsMax * kCompletionStride <= kLimCores, "completions");
static_assert(kLimCores + kCoresMax * 4 <= kLimJobs, "core table");
static_assert(kLimJobs + kJobQueueLength * kLineBytes <= kLimSpare, "job queue");
static_assert(kUploadBytes == 707840, "the macros' and the contract's figure");

// ---- L1 of a core (tensix.md 3) -------------------------------------------------------------------------------------

constexpr uint32_t kL1Bytes = 1572864;
constexpr uint32_t kL1BootJump = 0x0;           // B's reset vector: a jump to B's text
constexpr uint32_t kL1Control = 0x1000;         // the core's control block (core.h)
constexpr uint32_t kL1Kernels = 41088;          // kernel buffer: five threads' text and data, then their arguments
constexpr uint32_t kKernelBytes = 70656;        // its length unless the session sets kernel_bytes
constexpr uint32_t kKernelBytesStep = 64;       // kernel_bytes is a multiple of this
constexpr uint32_t kKernelBytesMax = kL1Bytes - kL1Kernels - 64;  // 1,531,712
constexpr uint32_t kL1BufferAlign = 64;         // circular buffers and L1 tensors

static_assert(kL1Control + kControlBytes <= kL1Kernels, "control block");
static_assert(kKernelBytesMax == 1531712, "the contract's figure");

// ---- Core-local RAM (tensix.md 1) ---------------------------------------------------------------------------------

constexpr uint32_t kLocalRam = 0xFFB00000;
constexpr uint32_t kLocalRamMoverBytes = 8192;    // B and NC
constexpr uint32_t kLocalRamComputeBytes = 4096;  // T0, T1, T2

// ---- DRAM ---------------------------------------------------------------------------------------------------------

constexpr uint64_t kDramBase = 64;                // address 0 stays free: a null tensor address is an error
constexpr uint64_t kDramBankBytes = 0xFF000000;   // above lie the tile's registers (host.md 3.5)
constexpr uint32_t kDramAlign = 64;               // reads: source and destination congruent mod 64 (tensix.md 4)

}  // namespace km
