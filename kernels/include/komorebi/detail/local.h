// What a thread keeps in its local RAM, where a load takes 2 cycles instead of L1's 8 (tensix.md §2).
#pragma once
#include "thread.h"

namespace km::detail {

/// Facts of the launch words, read once at the start.
struct Local {
    uint64_t wait_cycles;  // a wait for another core
    uint64_t idle_cycles;  // a wait for the next command
    uint32_t index;        // this core's
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

}  // namespace km::detail
