// Events: what the dispatcher posts into host memory.
// See firmware/PROTOCOL.md, "Event ring".
#pragma once
#include <stdint.h>

namespace km {

constexpr uint32_t kEventDepthMax = 128;  // events of the ring; a run may use fewer, a power of two
constexpr uint32_t kEventBytes = 16;

// An event: two 64-bit words, each stored once and each with the lap in its top four bits.
//   first  [31:0] value  [55:32] auxiliary  [59:56] kind  [63:60] lap
//   second [31:0] ticks, mod 2^32 (85.9 s)  [47:32] number  [55:48] lines consumed, mod 256  [59:56] 0  [63:60] lap
// lap = (index / depth + 1) mod 16, index counting from 0: a word left from the lap before never matches.
constexpr uint32_t kEventValue = 0;
constexpr uint32_t kEventTicks = 1;
constexpr uint32_t kEventAuxShift = 32;
constexpr uint32_t kEventAuxMask = 0xFFFFFF;
constexpr uint32_t kEventKindShift = 56;
constexpr uint32_t kEventNumberShift = 32;
constexpr uint32_t kEventConsumedShift = 48;
constexpr uint32_t kEventLapShift = 60;
constexpr uint32_t kEventLaps = 16;

// Auxiliary of a done or timeout event: [7:0] first core (done) or slot (timeout), [23:8] the sequence number's low bits.
constexpr uint32_t kAuxSequenceShift = 8;

// Value of a timeout event: 0, or for an engine's command this bit and the record's number; its number is the upload's req then.
constexpr uint32_t kTimeoutEngine = 0x80000000;

enum EventKind : uint32_t {
    kEventDone = 1,      // value: the leader's result word, for a command with KM_FLAG_RESULT
    kEventTimeout = 2,   // a group missed its deadline; the dispatcher stops
    kEventPong = 3,      // the answer to PING
    kEventRejected = 4,  // auxiliary: a RejectReason
    kEventEngine = 5,    // a stream's EVENT; number: the upload's req
    kEventRound = 6,     // a graph's round ended and another starts
    kEventEnd = 7,       // a stream's HALT, a graph's last node
    kEventError = 8,     // an engine's error
};

constexpr uint32_t kTicksPerMicrosecond = 50;  // the X280's timer (host.md 6.1)

}  // namespace km
