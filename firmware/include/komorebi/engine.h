// Engines: the streams and graphs that the dispatcher runs by itself, from an upload in its upload region.
// See firmware/PROTOCOL.md, "Engines".
#pragma once
#include <stdint.h>

#include "command.h"

namespace km {

constexpr uint32_t kStreamsMax = 4;  // streams that run at once
constexpr uint32_t kGraphsMax = 2;   // graphs that run at once
constexpr uint32_t kKeptMax = 16;    // graphs kept while they do not run

// ---- RUN and CANCEL: argument words of the command, by index ------------------------------------------------------

constexpr uint32_t kRunUpload = 0;    // offset of the upload in the region; kRunRestart: req of the kept graph
constexpr uint32_t kRunBytes = 1;     // its bytes; kRunRestart: 0
constexpr uint32_t kRunMode = 2;      // a RunMode
constexpr uint32_t kRunBindings = 3;  // offset of the bindings' line in the region, or kNoBindings
constexpr uint32_t kRunArgs = 4;      // argument words of a RUN
constexpr uint32_t kCancelReq = 0;    // req of the engine to end, or of the kept graph to drop
constexpr uint32_t kCancelArgs = 1;   // argument words of a CANCEL

enum RunMode : uint32_t { kRunStream = 0, kRunGraph = 1, kRunRestart = 2 };

constexpr uint32_t kNoBindings = 0xFFFFFFFF;
constexpr uint32_t kBindingsMax = 16;  // 32-bit words: one line

// ---- An upload: header | own line | registers | records | instructions | edges | zeros up to a whole line ----------

constexpr uint32_t kUploadAlign = 64;       // an upload starts and ends on a line; so does a line of bindings
constexpr uint32_t kUploadHeader = 0;       // offset of the header, one line
constexpr uint32_t kUploadOwn = 64;         // a line that is the dispatcher's while the engine lives; its bytes are not read before
constexpr uint32_t kUploadRegisters = 128;  // the register file, set by the dispatcher at each start
constexpr uint32_t kUploadRecords = 256;    // the first record

constexpr uint32_t kRegisters = 32;         // 32-bit words; a binding is the register of its number
constexpr uint32_t kNoRegister = 0xFF;      // in the header's register fields
constexpr uint32_t kInstructionBytes = 8;
constexpr uint32_t kEdgeBytes = 8;          // an edge word: four 16-bit node numbers
constexpr uint32_t kEdgesPerWord = 4;

// The header: eight 64-bit words, by index.
//   head   [31:0] kUploadMagic  [39:32] an UploadKind  [47:40] UploadFlags  [63:48] req
//   size   [31:0] bytes of the upload, a multiple of 64  [47:32] records  [55:48] bindings  [63:56] 0
//   code   [31:0] instructions  [63:32] edge words
//   limits [31:0] deadline in microseconds from the RUN, 0: none  [63:32] max_runs, the most rounds, 0: no limit
//   end    [7:0] and [15:8] registers of the end event  [23:16] register of `again`; kNoRegister: none  [63:24] 0
//   start  links (kRecordLinks) of the nodes that nothing precedes
//   last two words: 0
// A stream has max_runs, end and start 0 and no edge words.
constexpr uint32_t kUploadHead = 0;
constexpr uint32_t kUploadSize = 1;
constexpr uint32_t kUploadCode = 2;
constexpr uint32_t kUploadLimits = 3;
constexpr uint32_t kUploadEnd = 4;
constexpr uint32_t kUploadStart = 5;
constexpr uint32_t kUploadReserved = 6;

constexpr uint32_t kUploadMagic = 0x31554D4B;  // "KMU1": the last byte is the format's version
constexpr uint32_t kHeadKindShift = 32;
constexpr uint32_t kHeadUploadFlagsShift = 40;
constexpr uint32_t kHeadReqShift = 48;
constexpr uint32_t kSizeRecordsShift = 32;
constexpr uint32_t kSizeBindingsShift = 48;
constexpr uint32_t kCodeEdgesShift = 32;
constexpr uint32_t kLimitsRunsShift = 32;
constexpr uint32_t kEndSecondShift = 8;
constexpr uint32_t kEndAgainShift = 16;

enum UploadKind : uint32_t { kUploadStream = 1, kUploadGraph = 2 };

constexpr uint32_t kUploadKeep = 1;  // flag, graphs only: the graph stays after its end event, for kRunRestart

// A record of 64 bytes: a graph's node, or a command that a stream submits. Eight 64-bit words, by index.
//   command [15:0] graph: predecessors still to complete; stream: commands in flight  [25:16] bit i: argument i is a register
//           [29:26] RecordFlags  [31:30] 0  [63:32] the publish word's high half (core.h)
//   args    argument words 2i and 2i + 1: a literal, or the number of a register. A cpu node: [31:0] its first instruction
//           [63:32] how many, and 0 in the other four
//   links   [27:0] link  [41:28] successors  [55:42] predecessors, the start counted  [61:56] result's register + 1, or 0
//           link: 0 successors: 0; one: its number; two: [13:0] one [27:14] the other; more: the first of their edge words
//   own     the dispatcher's while the engine lives; its bits are not read before
// The low half of the first word is the run's: an upload holds the predecessors there (graph), or 0 (stream).
// A queued record has first core 0. A stream's record has no successors and no predecessors.
constexpr uint32_t kRecordBytes = 64;
constexpr uint32_t kRecordCommand = 0;
constexpr uint32_t kRecordArgs = 1;
constexpr uint32_t kRecordLinks = 6;
constexpr uint32_t kRecordOwn = 7;

constexpr uint32_t kRecordsMax = 0x3FFF;  // what 14 bits can number; the region holds fewer
constexpr uint32_t kRecordMaskShift = 16;
constexpr uint32_t kRecordFlagsShift = 26;
constexpr uint32_t kRecordReservedShift = 30;
constexpr uint32_t kRecordPublishShift = 32;
constexpr uint32_t kRecordCodeCountShift = 32;
constexpr uint32_t kLinkNodeBits = 14;
constexpr uint32_t kLinkBits = 28;
constexpr uint32_t kLinksInlineMax = 2;  // successors that need no edge words
constexpr uint32_t kLinksSuccessorsShift = 28;
constexpr uint32_t kLinksPredecessorsShift = 42;
constexpr uint32_t kLinksResultShift = 56;
constexpr uint32_t kLinksReservedShift = 62;

constexpr uint32_t kRecordCpu = 1;        // flag: a cpu node
constexpr uint32_t kRecordExclusive = 2;  // flag: KM_FLAG_EXCLUSIVE
constexpr uint32_t kRecordQueued = 4;     // flag: KM_FLAG_QUEUE

// ---- Events (event.h): number is the upload's req, ticks those since the RUN ----------------------------------------
//   kEventEngine  value: the register
//   kEventRound   value: rounds done
//   kEventEnd     stream: value: the halt register. graph: auxiliary: the first end register's low 24 bits, value: the second
//   kEventError   value: pc (stream) or node (graph), kNoPlace for none; auxiliary: a StreamError

constexpr uint32_t kNoPlace = 0xFFFFFFFF;

// Why an engine ended with an error event. The host names a reason by its lower-case suffix, and says what it means and what to
// do about it (crates/abi/src/engine/reason.rs); which rules give it, say check.h and PROTOCOL.md, "Engines".
enum StreamError : uint32_t {
    KM_STREAM_ERROR_HEADER = 1,
    KM_STREAM_ERROR_SIZE = 2,
    KM_STREAM_ERROR_BINDINGS = 3,
    KM_STREAM_ERROR_FLAGS = 4,
    KM_STREAM_ERROR_HANDLER = 5,
    KM_STREAM_ERROR_GROUP = 6,
    KM_STREAM_ERROR_ARGS = 7,
    KM_STREAM_ERROR_REGISTER = 8,
    KM_STREAM_ERROR_CODE = 9,
    KM_STREAM_ERROR_OPCODE = 10,
    KM_STREAM_ERROR_OPERAND = 11,
    KM_STREAM_ERROR_TARGET = 12,
    KM_STREAM_ERROR_END = 13,
    KM_STREAM_ERROR_EDGE = 14,
    KM_STREAM_ERROR_ORDER = 15,  // the last that the check gives; those below end what runs
    KM_STREAM_ERROR_STUCK = 16,
    KM_STREAM_ERROR_QUEUE = 17,
    KM_STREAM_ERROR_DEADLINE = 18,
    KM_STREAM_ERROR_CANCELLED = 19,
};

// ---- Shares of the dispatcher's loop: what one engine may do in one turn ---------------------------------------------

constexpr uint32_t kCheckSlice = 8;    // records, instructions or edges checked, edges followed
constexpr uint32_t kStreamSlice = 8;   // instructions run
constexpr uint32_t kGraphSteps = 4;    // slices of edges, cpu nodes and ends of rounds
constexpr uint32_t kSubmitSlice = 4;   // commands of a graph, besides those that a completion makes ready

// Commands of other sources that may go by while an engine's exclusive one waits for its group; then all wait for it.
constexpr uint32_t kExclusivePatience = 64;

}  // namespace km
