// Commands: the line the host stores, the flags, the handlers, the reasons for a rejection.
// See firmware/PROTOCOL.md, "Command ring".
#pragma once
#include <stdint.h>

namespace km {

constexpr uint32_t kRingLinesMax = 64;    // lines of the command ring; a run may use fewer, a power of two
constexpr uint32_t kLineBytes = 64;
constexpr uint32_t kArgsMax = 10;         // 32-bit argument words of a command
constexpr uint32_t kSlotsMax = 16;        // completion slots: commands in flight over the whole grid
constexpr uint32_t kCoresMax = 128;       // cores of a grid that commands can name
constexpr uint32_t kColumnsMax = 16;      // columns of a grid
constexpr uint32_t kJobQueueLength = 64;  // queued commands waiting for room

// A line: eight 64-bit words, by index.
//   head  [15:0] phase  [23:16] handler  [31:24] flags  [47:32] first core  [63:48] cores
//   args  arguments 2i and 2i + 1
//   limit [31:0] deadline in ticks, with KM_FLAG_LIMIT; without it the run's holds and the word is not loaded
//   tail  [15:0] command number  [23:16] argument words  [31:24] 0  [47:32] phase  [63:48] 0
constexpr uint32_t kLineHead = 0;
constexpr uint32_t kLineArgs = 1;
constexpr uint32_t kLineLimit = 6;
constexpr uint32_t kLineTail = 7;

constexpr uint32_t kHeadHandlerShift = 16;
constexpr uint32_t kHeadFlagsShift = 24;
constexpr uint32_t kHeadFirstShift = 32;
constexpr uint32_t kHeadCountShift = 48;
constexpr uint32_t kTailArgsShift = 16;
constexpr uint32_t kTailPhaseShift = 32;

// Flags of a command.
constexpr uint32_t KM_FLAG_RESERVED = 1;   // rejected (KMD_REJECT_FLAGS)
constexpr uint32_t KM_FLAG_EXCLUSIVE = 2;  // alone on its cores: held until no busy group overlaps it
constexpr uint32_t KM_FLAG_RESULT = 4;     // the done event carries the leader's result word
constexpr uint32_t KM_FLAG_QUEUE = 8;      // the dispatcher chooses the first core
constexpr uint32_t KM_FLAG_LIMIT = 16;     // the limit word is this command's deadline

// Handlers. 1 to kHandlerMax are the program's.
constexpr uint32_t KM_HANDLER_NOP = 0;
constexpr uint32_t kHandlerMax = 239;
constexpr uint32_t kHandlerReservedFirst = 240;  // to 251: rejected
constexpr uint32_t kHandlerReservedLast = 251;
constexpr uint32_t KM_HANDLER_RUN = 252;     // starts an upload
constexpr uint32_t KM_HANDLER_CANCEL = 253;  // ends a running one
constexpr uint32_t KM_HANDLER_PING = 254;    // answered by the dispatcher itself
constexpr uint32_t KM_HANDLER_EXIT = 255;    // to every core: its threads return

// Why the dispatcher consumed a command and submitted nothing. The host names a reason by its lower-case suffix.
enum RejectReason : uint32_t {
    KMD_REJECT_HANDLER = 1,  // a handler from 240 to 251
    KMD_REJECT_FLAGS = 2,    // the reserved or an unknown flag, or QUEUE with EXCLUSIVE
    KMD_REJECT_GROUP = 3,    // a group of 0 cores, or one that does not lie inside the cores
    KMD_REJECT_EXITED = 4,   // it came after EXIT
    KMD_REJECT_ENGINES = 5,  // RUN: four streams or two graphs run already
    KMD_REJECT_REQ = 6,      // CANCEL or restart: no engine has this req; RUN: one has it already
    KMD_REJECT_UPLOAD = 7,   // RUN: the upload does not lie inside the region
    KMD_REJECT_ARGS = 8,     // more than ten argument words
    KMD_REJECT_QUEUE = 9,    // the job queue is full
};

// The control line: what the host tells the dispatcher while it runs. 64-bit words, by index.
//   progress [31:0] lines stored so far  [63:32] events read so far; one 8-byte store
//   stop     a StopKind
constexpr uint32_t kControlProgress = 0;
constexpr uint32_t kControlStop = 1;
constexpr uint32_t kControlReadShift = 32;

enum StopKind : uint32_t {
    kStopNone = 0,
    kStopFinish = 1,  // let commands in flight complete, then finish
    kStopNow = 2,     // finish at once and abandon them: for a grid that the host has stopped already
};

}  // namespace km
