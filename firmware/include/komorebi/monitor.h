// The monitor's protocol: how the host starts, watches and takes back the X280's harts.
//
// The monitor stays resident for as long as the card is powered, so this file is frozen: it is no part of the ABI
// fingerprint, and a newer host starts a newer monitor *through* the old one. See firmware/PROTOCOL.md, "Monitor".
#pragma once
#include <stdint.h>

namespace km::monitor {

constexpr uint32_t kMagic = 0x4E4F4D4B;  // "KMON", the first word of the monitor's block
constexpr uint32_t kVersion = 1;         // the second word

// Bytes from the start of the monitor's text: where the host points the harts (host.md 6.3).
constexpr uint32_t kTextReset = 0;          // reset vector
constexpr uint32_t kTextNmi = 16;           // RNMI handler
constexpr uint32_t kTextNmiException = 32;  // handler of exceptions while an RNMI is handled

// Bytes from the start of the monitor's block.
constexpr uint32_t kOffsetMagic = 0;
constexpr uint32_t kOffsetVersion = 4;
constexpr uint32_t kOffsetHarts = 64;  // the first hart's block
constexpr uint32_t kHartStride = 64;   // from one hart's block to the next
constexpr uint32_t kHarts = 4;         // harts of a cluster

// A hart's block: eight 64-bit words, by index.
constexpr uint32_t kEntry = 0;     // host: hart address to jump to, written last; the monitor zeroes it when it starts
constexpr uint32_t kArgument = 1;  // host: a0 of the image
constexpr uint32_t kStack = 2;     // host: its stack pointer, a multiple of 16
constexpr uint32_t kState = 3;     // monitor: a HartState
constexpr uint32_t kValue = 4;     // monitor: what the image returned in a0
constexpr uint32_t kCause = 5;     // monitor: mcause of a trap
constexpr uint32_t kPc = 6;        // monitor: mepc of a trap
constexpr uint32_t kTrapValue = 7; // monitor: mtval of a trap

enum HartState : uint32_t {
    kHartOff = 0,      // the monitor has not run on this hart
    kHartParked = 1,   // waits for an entry; after a return, kValue is the image's
    kHartRunning = 2,  // runs an image
    kHartTrapped = 3,  // an exception ended the image; kCause, kPc and kTrapValue tell; waits for an entry
};

}  // namespace km::monitor
