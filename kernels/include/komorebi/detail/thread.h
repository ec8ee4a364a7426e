// Which of a core's five threads this image is, and where its control block lies. Both come from the build.
#pragma once
#include <komorebi/core.h>
#include <komorebi/hardware.h>

#if !defined(KM_THREAD) || !defined(KM_CONTROL) || !defined(KM_ABI_FINGERPRINT)
#error "a kernel is built by the komorebi runtime, which defines KM_THREAD, KM_CONTROL and KM_ABI_FINGERPRINT"
#endif

namespace km {

constexpr Thread kThread = static_cast<Thread>(KM_THREAD);
constexpr bool kIsReader = kThread == kThreadReader;
constexpr bool kIsWriter = kThread == kThreadWriter;
constexpr bool kIsMover = kIsReader || kIsWriter;
constexpr bool kIsUnpack = kThread == kThreadUnpack;
constexpr bool kIsMath = kThread == kThreadMath;
constexpr bool kIsPack = kThread == kThreadPack;
constexpr bool kIsCompute = kIsUnpack || kIsMath || kIsPack;

/// The NoC of a data mover: the reader's 0, the writer's 1. No thread uses the other's, so each counts its own.
constexpr uint32_t kNoc = kIsWriter ? 1 : 0;

}  // namespace km

namespace km::detail {

constexpr Thread kComputing[] = {kThreadUnpack, kThreadMath, kThreadPack};
static_assert(sizeof(kComputing) / sizeof(*kComputing) == kComputeThreads, "compute threads");

constexpr uint32_t kFingerprint = KM_ABI_FINGERPRINT;

/// The L1 address of an offset in the control block.
constexpr uint32_t control(uint32_t offset) {
    return uint32_t{KM_CONTROL} + offset;
}

/// A launch word.
inline uint32_t launch_word(CoreWord word) {
    return hardware::reg(control(kControlLaunch) + 4 * word);
}

/// Waits until the store queue is empty and every load has returned (tensix.md §2). The compiler keeps order, too.
inline void fence() {
    asm volatile("fence" ::: "memory");
}

/// No access moves across this in the compiled code.
inline void compiler_fence() {
    asm volatile("" ::: "memory");
}

/// Earlier stores of this core into L1 have taken effect when this returns: stores drained, a word loaded back from
/// the same region and *used* (tensix.md §2, "Memory ordering"). Before an access to another region that makes
/// somebody look at them: a NIU command, a stream register, a semaphore.
inline void l1_stores_landed(uint32_t l1) {
    fence();
    uint32_t word = hardware::reg(l1 & ~3u);
    asm volatile("mv %0, %0" : "+r"(word)::"memory");
}

}  // namespace km::detail
