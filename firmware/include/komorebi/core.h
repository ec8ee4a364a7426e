// The control block in every core's L1: launch words, mailboxes, tokens, acknowledgements, thread states.
// See firmware/PROTOCOL.md, "Core".
#pragma once
#include <stdint.h>

#include "command.h"

namespace km {

// Offsets in the control block, in bytes.
constexpr uint32_t kControlLaunch = 0x000;      // CoreWord words, written before the start
constexpr uint32_t kControlStopFlag = 0x0C0;    // not 0: every thread returns; the host writes it only when the dispatcher cannot
constexpr uint32_t kControlGo = 0x0D0;          // the fingerprint, stored by B when the other threads may start
constexpr uint32_t kControlDoorbell = 0x0D8;    // the sequence number of the last command published to this core
constexpr uint32_t kControlReadyCount = 0x0E0;  // column head: cores of the column that are ready (NoC atomic)
constexpr uint32_t kControlAtomicOld = 0x0F0;   // where NoC atomics put the old value
constexpr uint32_t kControlPublish = 0x100;     // a publish word (8 bytes) a slot
constexpr uint32_t kControlTokens = 0x180;      // the reader's token ring for the writer, 4 bytes each
constexpr uint32_t kControlResults = 0x1C0;     // a result word (4 bytes) a slot
constexpr uint32_t kControlBodies = 0x200;      // a body (64 bytes) a slot: the argument words
constexpr uint32_t kControlAcks = 0x600;        // a group's acknowledgement count a slot, 16 bytes apart (NoC atomic)
constexpr uint32_t kControlScratch = 0x700;     // what a slot's completion write is sent from, 16 bytes apart
constexpr uint32_t kControlReadyWord = 0x800;   // what READY is sent from
constexpr uint32_t kControlClocks = 0x810;      // a traced run: the reader's ClockWord words, 16 bytes on the writer's
constexpr uint32_t kControlThreads = 0x840;     // a state block (64 bytes) a thread
constexpr uint32_t kControlBanks = 0x980;       // DRAM bank b: words 2b (for NoC 0) and 2b + 1 (for NoC 1), x | y << 6
constexpr uint32_t kControlCores = 0xA00;       // core table: a word a core, x | y << 6
constexpr uint32_t kControlBuffers = 0xC00;     // circular buffer i: four words at 16 i (BufferWord)
constexpr uint32_t kControlComputeTokens = 0xE00;  // the reader's token ring for the compute threads, 4 bytes each
constexpr uint32_t kControlHandled = 0xE40;        // the handlers that each compute thread has: kHandledWords words a thread
constexpr uint32_t kControlBytes = 0x1000;

constexpr uint32_t kBodyBytes = 64;
constexpr uint32_t kAckStride = 16;         // ttsim takes atomics only at 16-byte aligned words (tensix.md 4)
constexpr uint32_t kCompletionStride = 16;  // source and destination of a NoC write agree mod 16 (tensix.md 4)
constexpr uint32_t kReadyStride = 16;
constexpr uint32_t kClocksStride = 16;
constexpr uint32_t kTokens = 16;            // tokens of a ring: at most depth commands are in flight on a core
constexpr uint32_t kHandledWords = 8;       // a bit for each handler number: bit n % 32 of word n / 32
constexpr uint32_t kComputeThreads = 3;
constexpr uint32_t kBanksMax = 8;
constexpr uint32_t kBuffers = 32;           // circular buffers a program can name
constexpr uint32_t kBufferComputeToken = 29;  // the runtime's: commands for compute
constexpr uint32_t kBufferWriterToken = 30;   // the runtime's: commands for the writer
constexpr uint32_t kBufferTrace = 31;         // the runtime's: the trace

static_assert(kControlPublish + 8 * kSlotsMax <= kControlTokens, "publish words");
static_assert(kControlTokens + 4 * kTokens <= kControlResults, "tokens");
static_assert(kControlResults + 4 * kSlotsMax <= kControlBodies, "results");
static_assert(kControlBodies + kBodyBytes * kSlotsMax <= kControlAcks, "bodies");
static_assert(kControlAcks + kAckStride * kSlotsMax <= kControlScratch, "acknowledgements");
static_assert(kControlScratch + kCompletionStride * kSlotsMax <= kControlReadyWord, "scratch");
static_assert(kControlReadyWord + 8 <= kControlClocks && kControlClocks + 2 * kClocksStride <= kControlThreads, "clocks");
static_assert(kControlThreads + 5 * 64 <= kControlBanks, "thread states");
static_assert(kControlBanks + 8 * kBanksMax <= kControlCores, "banks");
static_assert(kControlCores + 4 * kCoresMax <= kControlBuffers, "core table");
static_assert(kControlBuffers + 16 * kBuffers <= kControlComputeTokens, "buffers");
static_assert(kControlComputeTokens + 4 * kTokens <= kControlHandled, "tokens for the compute threads");
static_assert(kControlHandled + 4 * kHandledWords * kComputeThreads <= kControlBytes, "handlers");

// Launch words: 32-bit words, by index.
enum CoreWord : uint32_t {
    kCoreFingerprint = 0,   // of the host's headers; each thread compares it with its own
    kCoreIndex = 1,
    kCoreCores = 2,
    kCoreGridWidth = 3,
    kCoreGridHeight = 4,
    kCoreDepth = 5,         // slots to scan
    kCoreColumn = 6,        // this core's column
    kCoreDispatcher = 7,    // x | y << 6 of the X280's tile
    kCoreCompletionsLow = 8,   // NoC address of the completion words
    kCoreCompletionsHigh = 9,
    kCoreReadyLow = 10,        // NoC address of the READY words
    kCoreReadyHigh = 11,
    kCoreWaitLow = 12,         // cycles a wait for another core may take
    kCoreWaitHigh = 13,
    kCoreIdleLow = 14,         // cycles a wait for the next command may take
    kCoreIdleHigh = 15,
    kCoreBanks = 16,           // DRAM banks
    kCoreReaderArgs = 17,      // L1 address of the reader's runtime arguments; then their number
    kCoreReaderArgCount = 18,
    kCoreWriterArgs = 19,
    kCoreWriterArgCount = 20,
    kCoreComputeArgs = 21,
    kCoreComputeArgCount = 22,
    kCoreTrace = 23,           // L1 address of the trace
    kCoreTraceEntries = 24,    // commands it has room for; 0: no trace
    kCoreWords = 32,
};

// A traced command: entry `sequence - 1` of the trace, 32-bit words, by index. The reader writes the first and the last word,
// the writer the others. Zeroed by the host. Times are AICLK cycles of the tile's own wall clock.
enum TraceWord : uint32_t {
    kTraceTaken = 0,    // low word of the clock when the reader had handed it on
    kTraceWritten = 1,  // when every thread had finished and its writes were acknowledged; 0: not yet (a clock of 0 shows as 1)
    kTraceSent = 2,     // when its acknowledgement or, the leader's, its completion was sent; 0: not yet
    kTraceAbout = 3,    // [7:0] passes  [15:8] handler  [31:16] bits 47:32 of the clock when it was taken; 0: not taken
};
constexpr uint32_t kTraceBytes = 16;
constexpr uint32_t kTracePassesMax = 255;   // looks through the slots until the command was found; that many or more
constexpr uint32_t kTraceHandlerShift = 8;
constexpr uint32_t kTraceClockShift = 16;

// How far core 0's wall clock is ahead of this core's, by a NoC read of it: 32-bit words, by index.
enum ClockWord : uint32_t {
    kClockAheadLow = 0,   // 64 bits, signed; taken as read in the middle of the round trip
    kClockAheadHigh = 1,
    kClockRoundTrip = 2,  // cycles; the least of kClockReads
};
constexpr uint32_t kClockReads = 8;

// A publish word, stored by the dispatcher in one 8-byte store behind a fence that covers the body:
//   low  [31:0] sequence number
//   high [7:0] handler  [11:8] argument words  [15:12] publish flags  [23:16] first core, the leader  [31:24] cores
constexpr uint32_t kPublishArgsShift = 8;
constexpr uint32_t kPublishFlagsShift = 12;
constexpr uint32_t kPublishFirstShift = 16;
constexpr uint32_t kPublishCountShift = 24;
constexpr uint32_t kPublishResult = 1;  // publish flag: the completion carries a result word

// A token, stored by the reader in one 4-byte store: [6:0] slot  [7] the compute threads have the command, too  [31:8] the
// number of commands in this ring, this one included: in the writer's all that were taken, in the compute threads' those for which
// one of them has a handler, and EXIT.
constexpr uint32_t kTokenSlots = 0x7F;
constexpr uint32_t kTokenCompute = 0x80;
constexpr uint32_t kTokenCountShift = 8;
static_assert(kSlotsMax <= kTokenSlots, "a slot in a token");

// A completion, sent by the leader's writer in one 8-byte NoC write: low sequence number, high result word, 0 unless
// the publish word asks for it.
// READY of a column, sent by its head in one 8-byte NoC write: low fingerprint, high cores of the column.

// Threads of a core, in the order of their state blocks.
enum Thread : uint32_t { kThreadReader = 0, kThreadWriter = 1, kThreadUnpack = 2, kThreadMath = 3, kThreadPack = 4 };
constexpr uint32_t kThreads = 5;
constexpr uint32_t kThreadStride = 64;

// A thread's state block: 32-bit words, by index; only that thread writes it. Taken, handler and sequence are written
// before a handler and when the thread ends, the five words of a wait when the thread ends in one.
enum ThreadWord : uint32_t {
    kThreadStage = 0,     // a ThreadStage
    kThreadTaken = 1,     // commands taken; of a compute thread, those that were handed to it
    kThreadDone = 2,      // commands done, of those
    kThreadHandler = 3,   // of the command at hand
    kThreadSequence = 4,  // of the command at hand
    kThreadWait = 5,      // a WaitKind: what it waited for when it ended
    kThreadObject = 6,    // the buffer, slot, address the wait was about
    kThreadWanted = 7,    // the value it waited for
    kThreadSeen = 8,      // the value it saw last
    kThreadPlace = 9,     // an address behind the call of the wait: where in the kernel it was
};

enum ThreadStage : uint32_t {
    kThreadReset = 0,        // has not run
    kThreadBooting = 1,
    kThreadIdle = 2,         // waits for a command
    kThreadRunning = 3,      // in a handler
    kThreadExited = 4,       // returned after EXIT
    kThreadStopped = 5,      // returned because of the stop flag
    kThreadGaveUp = 6,       // a wait timed out: kThreadWait, kThreadObject, kThreadWanted and kThreadSeen tell
    kThreadMismatch = 7,     // fingerprints differ: kThreadWanted the host's, kThreadSeen this kernel's
};

enum WaitKind : uint32_t {
    kWaitNone = 0,       // it did not end in a wait
    kWaitCommand = 1,    // the next command; reader: seen is the doorbell
    kWaitGo = 2,         // B's go at the start
    kWaitThreads = 3,    // the other threads of this core; in a join, object: thread
    kWaitAcks = 4,       // the other cores of the group; object: slot
    kWaitBufferSpace = 5,  // cb_reserve_back; object: buffer
    kWaitBufferData = 6,   // cb_wait_front; object: buffer
    kWaitReads = 7,      // NoC read responses; object: NoC
    kWaitWrites = 8,     // NoC write acknowledgements; object: NoC
    kWaitSemaphore = 9,  // noc_semaphore_wait; object: L1 address
    kWaitHardware = 10,  // a hardware semaphore between compute threads; object: semaphore
    kWaitColumn = 11,    // the other cores of the column at the start
    kWaitNiu = 12,       // a NIU's command buffer; object: NoC << 4 | buffer
};

// A circular buffer's configuration: 32-bit words, by index.
enum BufferWord : uint32_t { kBufferBase = 0, kBufferBytes = 1, kBufferPages = 2, kBufferPageBytes = 3 };

}  // namespace km
