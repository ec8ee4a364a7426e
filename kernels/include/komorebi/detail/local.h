// What a thread keeps in its local RAM, where a load takes 2 cycles instead of L1's 8 (tensix.md §2).
#pragma once
#include "thread.h"

namespace km::detail {

/// How far ahead of the clock's low word a value to wake at may lie, so that it is told from one that has passed.
constexpr uint32_t kTurn = 0x7FFFFFFE;

/// How long a wait may take.
struct Patience {
    uint64_t cycles;
    uint32_t turn;  // the same, kTurn at most
};

/// Facts of the launch words, read once at the start.
struct Local {
    Patience wait;  // a wait for another core
    Patience idle;  // a wait for the next command
    uint32_t index;  // this core's
    uint32_t cores;
    uint32_t width;
    uint32_t height;
    uint32_t x;
    uint32_t y;
    uint32_t args;  // L1 address of the runtime arguments
    uint32_t arg_count;
    uint32_t own;   // movers: own tile, as a NIU's HI word
    uint32_t banks;
    uint32_t bank[kBanksMax];  // movers: each bank's tile for this mover's NoC, as a HI word
};

inline Local local;

/// The command at hand. It is copied into the state block where somebody may come to read it: before a handler, which may
/// never return, and when the thread ends.
struct AtHand {
    uint32_t taken;  // commands taken
    uint32_t handler;
    uint32_t sequence;
};

inline AtHand at_hand;

/// When the wait at hand ends, in the 64-bit wall clock, once its first value to wake at has passed.
inline uint64_t deadline;

}  // namespace km::detail
