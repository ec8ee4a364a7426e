// Launch parameters of the dispatcher image, its state and its result: 64-bit words, by index.
// See firmware/PROTOCOL.md, "Launch", "State" and "Result".
#pragma once
#include <stdint.h>

namespace km {

// Launch parameters. "hart address": as the dispatcher's loads and stores use it.
enum LaunchWord : uint32_t {
    kLaunchFingerprint = 0,    // of the host's headers; the image compares it with its own
    kLaunchRing = 1,           // hart address of the command ring
    kLaunchRingLines = 2,      // its lines, a power of two
    kLaunchEvents = 3,         // hart address of the event ring, through a window onto host memory
    kLaunchEventDepth = 4,     // its events, a power of two
    kLaunchControl = 5,        // hart address of the control line
    kLaunchState = 6,          // hart address of the state
    kLaunchResult = 7,         // hart address of the result block
    kLaunchReady = 8,          // hart address of the READY words
    kLaunchCompletions = 9,    // hart address of the completion words
    kLaunchCoreTable = 10,     // hart address of the core table: a 32-bit word a core, x | y << 6
    kLaunchJobs = 11,          // hart address of the job queue
    kLaunchSpare = 12,         // hart address of room for engines and threads
    kLaunchSpareBytes = 13,
    kLaunchUpload = 14,        // hart address of the upload region
    kLaunchUploadBytes = 15,   // 0: none, for a program with an X280 thread
    kLaunchCores = 16,         // cores of the program's grid
    kLaunchGridWidth = 17,
    kLaunchGridHeight = 18,
    kLaunchDepth = 19,         // completion slots in use
    kLaunchMailboxes = 20,     // address of the control block in every core's L1
    kLaunchWindowRegs = 21,    // hart address of the first free small window's registers (host.md 6.4)
    kLaunchWindowSpace = 22,   // hart address of that window
    kLaunchWindows = 23,       // small windows the dispatcher may program, from that one on: cores + 3 at least
    kLaunchClock = 24,         // hart address of mtime, 50 MHz
    kLaunchDeadline = 25,      // ticks a command may take from submit to completion
    kLaunchStart = 26,         // ticks the grid may take to report READY
    kLaunchIdle = 27,          // ticks without a command after which the dispatcher finishes; 0: never
    kLaunchWords = 28,
};

// State, kept up to date while the dispatcher runs.
enum StateWord : uint32_t {
    kStateStage = 0,         // a DispatcherStage
    kStatePass = 1,          // passes of the loop; it moves while the dispatcher lives
    kStateConsumed = 2,      // lines consumed
    kStatePosted = 3,        // events posted
    kStateSequence = 4,      // the last sequence number given
    kStateBusy = 5,          // bit s: slot s is in flight
    kStateReady = 6,         // bit c: column c is READY
    kStateUpload = 7,        // hart address of the upload region
    kStateUploadBytes = 8,
    kStateRefused = 9,       // the last upload refused: [7:0] a StreamError  [31:8] line of check.h that gave it  [47:32] req
    kStateSlots = 16,        // slot s: word 16 + s: the publish word of the command in it (core.h)
    kStateSlotDeadlines = 32,  // slot s: word 32 + s: the tick at which it is late
    kStateSlotOwn = 48,        // slot s: word 48 + s: the dispatcher's own notes on it
    kStateWords = 64,
};

constexpr uint32_t kRefusedLineShift = 8;
constexpr uint32_t kRefusedReqShift = 32;

enum DispatcherStage : uint32_t {
    kStageNone = 0,
    kStageStarting = 1,  // checks its launch parameters
    kStageReady = 2,     // waits for the grid's READY words
    kStageRunning = 3,
    kStageStopping = 4,  // stop seen: commands in flight complete
    kStageDone = 5,
    kStageFailed = 6,
};

enum DispatcherError : uint32_t {
    kErrorNone = 0,
    kErrorFingerprint = 1,  // image and host were built from different headers
    kErrorAlignment = 2,    // a launch address is not a multiple of 16
    kErrorLaunch = 3,       // a launch parameter is out of its range
    kErrorReady = 4,        // a column did not report READY in time
    kErrorDeadline = 5,     // a group missed its deadline
    kErrorIdle = 6,         // no command for longer than kLaunchIdle
    kErrorLine = 7,         // a command line whose phases do not match
};

// Result block, written once; kResultReady is stored last, behind a fence.
enum ResultWord : uint32_t {
    kResultReady = 0,      // kResultMagic once the rest is there
    kResultStage = 1,      // kStageDone or kStageFailed
    kResultError = 2,      // a DispatcherError
    kResultDetail = 3,     // fingerprint, launch word, column or slot the error is about
    kResultCommands = 4,   // commands submitted to the grid
    kResultEvents = 5,     // events posted
    kResultRejected = 6,
    kResultAbandoned = 7,  // commands left without their done event
    kResultSequence = 8,   // the last sequence number given
    kResultPasses = 9,
    kResultTicks = 10,     // from READY to the end
    kResultWords = 16,
};

constexpr uint64_t kResultMagic = 0x544C5553'45524D4B;  // "KMRESULT"

}  // namespace km
