// A thread's state words in its core's control block: for people, read by the host after the stop. Only the stage and the
// count of commands done are for the core's own threads; the others are written before a handler and when a thread ends.
#pragma once
#include "detail/thread.h"

namespace km::detail {

/// A word of this thread's state block.
inline volatile uint32_t& state(ThreadWord word) {
    return hardware::reg(control(kControlThreads) + kThreadStride * kThread + 4 * word);
}

/// A word of another thread's.
inline volatile uint32_t& state_of(Thread thread, ThreadWord word) {
    return hardware::reg(control(kControlThreads) + kThreadStride * thread + 4 * word);
}

}  // namespace km::detail
