// Compute kernels: one source, three threads. T0 (unpack) owns the input pages, T1 (math) the arithmetic, T2 (pack) the
// output pages; they meet at hardware semaphores.
//
// The arithmetic here is T1's own, integer RISC-V code on pages in L1:
//
//     km::map_pages(kBufferInput, kBufferOutput, pages, [](const uint32_t* in, uint32_t* out, uint32_t words) { .. });
//
// T0 waits for input pages and announces them, T2 reserves output pages and announces them, T1 takes one of each, works,
// and reports: then T0 pops, T2 pushes. Both run up to eight pages ahead of T1, so neither side of the buffers waits
// for the arithmetic's turn-around. No page is touched by two threads at once: T1 has it only between the announcement
// and the report. The addresses need no wire, since each thread counts the same pages.
#pragma once
#include "cb.h"

namespace km::detail {

// Semaphores, 4 bits each; tt-metal's places for the ones it has.
constexpr uint32_t kSemaphoreMathPack = 1;       // tile_regs: sets of results math has committed
constexpr uint32_t kSemaphoreUnpackMath = 3;     // operands unpack has committed
constexpr uint32_t kSemaphoreOutputFree = 4;     // map: output pages T2 has reserved
constexpr uint32_t kSemaphoreInputReady = 5;     // map: input pages T0 has announced
constexpr uint32_t kSemaphoreInputRead = 6;      // map: input pages T1 has read
constexpr uint32_t kSemaphoreOutputWritten = 7;  // map: output pages T1 has written
constexpr uint32_t kPagesAhead = 8;              // a semaphore counts to 15
constexpr uint32_t kSetsAhead = 2;               // sets of results between math and pack, as the halves of Dst

constexpr uint32_t semaphore(uint32_t number) {
    return hardware::kSemaphores + 4 * number;
}

// A store is behind a fence, so that a later load of the same address does not find it in the store queue.
inline void semaphore_post(uint32_t number) {
    hardware::reg(semaphore(number)) = hardware::kSemaphorePost;
    fence();
}

inline void semaphore_get(uint32_t number) {
    hardware::reg(semaphore(number)) = hardware::kSemaphoreGet;
    fence();
}

inline uint32_t semaphore_value(uint32_t number) {
    return hardware::reg(semaphore(number)) & hardware::kSemaphoreMask;
}

/// Waits until the semaphore is not 0, and takes one.
inline void semaphore_take(uint32_t number) {
    wait_word(semaphore(number), 0, 1, hardware::kSemaphoreMask, kWaitHardware, number);
    semaphore_get(number);
}

/// Waits until fewer than `most` are outstanding: from there up to 15 the value is 16 - most ahead of `most`.
inline void semaphore_wait_below(uint32_t number, uint32_t most) {
    wait_word(semaphore(number), most, 16 - most, hardware::kSemaphoreMask, kWaitHardware, number);
}

/// The buffers of a map, at most this many on either side. They were checked.
template <uint32_t N>
struct Pages {
    uint32_t cb[N == 0 ? 1 : N];

    uint32_t pages_ahead() const {
        uint32_t ahead = kPagesAhead;
        for (uint32_t i = 0; i < N; ++i) ahead = buffers[cb[i]].pages < ahead ? buffers[cb[i]].pages : ahead;
        return ahead;
    }
};

/// T0: announces input pages and pops those that were read. It never waits for the next page alone: a producer that
/// reserves several pages at once may need the pop first.
template <uint32_t N>
inline void feed_pages(const Pages<N>& in, uint32_t count) {
    const uint32_t ahead = in.pages_ahead();
    uint32_t announced = 0, popped = 0;
    while (popped != count) {
        bool read = false;
        const uint32_t held = announced - popped;
        const bool on_math = announced == count || held == ahead;  // no page could be announced
        wait_until(on_math ? kWaitHardware : kWaitBufferData, on_math ? kSemaphoreInputRead : in.cb[0],
                   on_math ? 1 : announced + 1, local.wait, [&](uint32_t& seen) {
            read = semaphore_value(kSemaphoreInputRead) != 0;
            if (read) return true;
            if (on_math) return false;
            seen = announced;
            for (uint32_t i = 0; i < N; ++i) {
                if (filled(in.cb[i]) <= held) return false;
            }
            return true;
        });
        if (read) {
            semaphore_get(kSemaphoreInputRead);
            for (uint32_t i = 0; i < N; ++i) pop_pages(in.cb[i], 1);
            ++popped;
        } else {
            semaphore_post(kSemaphoreInputReady);
            ++announced;
        }
    }
}

/// T2: reserves output pages and pushes those that were written.
template <uint32_t N>
inline void drain_pages(const Pages<N>& out, uint32_t count) {
    const uint32_t ahead = out.pages_ahead();
    uint32_t reserved = 0, pushed = 0;
    while (pushed != count) {
        bool written = false;
        const uint32_t held = reserved - pushed;
        const bool on_math = reserved == count || held == ahead;
        wait_until(on_math ? kWaitHardware : kWaitBufferSpace, on_math ? kSemaphoreOutputWritten : out.cb[0],
                   on_math ? 1 : reserved + 1, local.wait, [&](uint32_t& seen) {
            written = semaphore_value(kSemaphoreOutputWritten) != 0;
            if (written) return true;
            if (on_math) return false;
            seen = reserved;
            for (uint32_t i = 0; i < N; ++i) {
                if (space(out.cb[i]) <= held) return false;
            }
            return true;
        });
        if (written) {
            semaphore_get(kSemaphoreOutputWritten);
            for (uint32_t i = 0; i < N; ++i) push_pages(out.cb[i], 1);
            ++pushed;
        } else {
            semaphore_post(kSemaphoreOutputFree);
            ++reserved;
        }
    }
}

/// T1: `work()` for each page.
template <uint32_t In, uint32_t Out, class Work>
inline void work_pages(const Pages<In>& in, const Pages<Out>& out, uint32_t count, Work&& work) {
    for (uint32_t page = 0; page < count; ++page) {
        if constexpr (In != 0) semaphore_take(kSemaphoreInputReady);
        if constexpr (Out != 0) semaphore_take(kSemaphoreOutputFree);
        work();
        if constexpr (Out != 0) {
            const CircularBuffer& last = buffers[out.cb[Out - 1]];
            l1_stores_landed(last.write + last.page_bytes - 4);
            for (uint32_t i = 0; i < Out; ++i) push_pages(out.cb[i], 1);
            semaphore_post(kSemaphoreOutputWritten);
        } else {
            fence();
        }
        for (uint32_t i = 0; i < In; ++i) pop_pages(in.cb[i], 1);
        if constexpr (In != 0) semaphore_post(kSemaphoreInputRead);
    }
}

template <uint32_t In, uint32_t Out, class Work>
inline void stream_pages(const Pages<In>& in, const Pages<Out>& out, uint32_t count, Work&& work) {
    static_assert(kIsCompute, "pages are mapped by compute kernels");
    if constexpr (kIsUnpack && In != 0) feed_pages(in, count);
    if constexpr (kIsMath) work_pages(in, out, count, work);
    if constexpr (kIsPack && Out != 0) drain_pages(out, count);
}

[[gnu::always_inline]] inline void check_input(uint32_t cb) {
    check_declared(cb, kWaitBufferData, 1);
}

[[gnu::always_inline]] inline void check_output(uint32_t cb) {
    check_declared(cb, kWaitBufferSpace, 1);
}

inline const uint32_t* read_page(uint32_t cb) {
    return reinterpret_cast<const uint32_t*>(buffers[cb].read);
}

inline uint32_t* write_page(uint32_t cb) {
    return reinterpret_cast<uint32_t*>(buffers[cb].write);
}

inline uint32_t page_words(uint32_t cb) {
    return buffers[cb].page_bytes / 4;
}

/// After a compute thread's handler: what it wrote lies in this core's L1, in order with its count.
inline void handler_over() {}

}  // namespace km::detail

namespace km {

/// For each of `count` pages: `f(const uint32_t* in, uint32_t* out, uint32_t words)`, `words` of the output page.
template <class F>
[[gnu::always_inline]] inline void map_pages(uint32_t in, uint32_t out, uint32_t count, F&& f) {
    detail::check_input(in);
    detail::check_output(out);
    detail::stream_pages(detail::Pages<1>{{in}}, detail::Pages<1>{{out}}, count,
                         [&] { f(detail::read_page(in), detail::write_page(out), detail::page_words(out)); });
}

/// One page of `map_pages`. Several pages in one call overlap better.
template <class F>
[[gnu::always_inline]] inline void map_page(uint32_t in, uint32_t out, F&& f) {
    map_pages(in, out, 1, f);
}

/// For each of `count` pages of two inputs: `f(const uint32_t* a, const uint32_t* b, uint32_t* out, uint32_t words)`.
template <class F>
[[gnu::always_inline]] inline void zip_pages(uint32_t a, uint32_t b, uint32_t out, uint32_t count, F&& f) {
    detail::check_input(a);
    detail::check_input(b);
    detail::check_output(out);
    detail::stream_pages(detail::Pages<2>{{a, b}}, detail::Pages<1>{{out}}, count, [&] {
        f(detail::read_page(a), detail::read_page(b), detail::write_page(out), detail::page_words(out));
    });
}

/// For each of `count` pages, which it consumes: `f(const uint32_t* in, uint32_t words)`.
template <class F>
[[gnu::always_inline]] inline void consume_pages(uint32_t in, uint32_t count, F&& f) {
    detail::check_input(in);
    detail::stream_pages(detail::Pages<1>{{in}}, detail::Pages<0>{}, count,
                         [&] { f(detail::read_page(in), detail::page_words(in)); });
}

/// For each of `count` pages, which it makes: `f(uint32_t* out, uint32_t words)`.
template <class F>
[[gnu::always_inline]] inline void produce_pages(uint32_t out, uint32_t count, F&& f) {
    detail::check_output(out);
    detail::stream_pages(detail::Pages<0>{}, detail::Pages<1>{{out}}, count,
                         [&] { f(detail::write_page(out), detail::page_words(out)); });
}

/// T0: an operand is there for math. Waits while eight are.
inline void unpack_commit() {
    if constexpr (kIsUnpack) {
        detail::semaphore_wait_below(detail::kSemaphoreUnpackMath, detail::kPagesAhead);
        detail::semaphore_post(detail::kSemaphoreUnpackMath);
    }
}

/// T1: waits for an operand and takes it.
inline void math_wait_unpack() {
    if constexpr (kIsMath) detail::semaphore_take(detail::kSemaphoreUnpackMath);
}

}  // namespace km

/// T1: waits until it may write a set of results: at most two are committed and not yet released.
inline void tile_regs_acquire() {
    if constexpr (km::kIsMath) km::detail::semaphore_wait_below(km::detail::kSemaphoreMathPack, km::detail::kSetsAhead);
}

/// T1: the set is written. Its stores into L1 have landed when T2 sees this.
inline void tile_regs_commit() {
    if constexpr (km::kIsMath) {
        km::detail::l1_stores_landed(km::detail::control(km::kControlThreads));
        km::detail::semaphore_post(km::detail::kSemaphoreMathPack);
    }
}

/// T2: waits for a set.
inline void tile_regs_wait() {
    if constexpr (km::kIsPack) {
        km::detail::wait_word(km::detail::semaphore(km::detail::kSemaphoreMathPack), 0, 1, km::hardware::kSemaphoreMask,
                              km::kWaitHardware, km::detail::kSemaphoreMathPack);
    }
}

/// T2: done with the set.
inline void tile_regs_release() {
    if constexpr (km::kIsPack) {
        km::detail::fence();
        km::detail::semaphore_get(km::detail::kSemaphoreMathPack);
    }
}

// Code for one of the three threads: MATH((count += 1));
#if KM_THREAD == 2
#define UNPACK(code) code
#else
#define UNPACK(code)
#endif
#if KM_THREAD == 3
#define MATH(code) code
#else
#define MATH(code)
#endif
#if KM_THREAD == 4
#define PACK(code) code
#else
#define PACK(code)
#endif
