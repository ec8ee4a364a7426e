// An engine: a stream or a graph that runs, and what is kept of graphs that do not (PROTOCOL.md, "Engines").
//
// The state of a run that grows with its upload lies in the upload; here is the rest, a fixed table.
#pragma once
#include <stddef.h>

#include "komorebi/engine.h"
#include "komorebi/graph.h"
#include "loop.h"

namespace km {

// What an engine is at.
enum Phase : uint32_t {
    kPhaseRecords,  // checks: records, with the instructions of cpu nodes; then a stream's instructions, or a graph's links
    kPhaseCode,
    kPhaseInstructions,
    kPhaseLinks,
    kPhaseOrder,
    kPhaseRun,
};

// The owner of a command in the low 32 bits of its slot's notes: [31:6] its record's address  [5:0] the engine.
// The notes' number is the record's.
struct Owner {
    uint64_t notes;

    static constexpr uint64_t kEngineMask = kRecordBytes - 1;

    static KM_INLINE uint64_t make(uint64_t record, uint64_t engine) { return record | engine; }
    KM_INLINE uint64_t engine() const { return notes & kEngineMask; }
    KM_INLINE uint64_t record() const { return static_cast<uint32_t>(notes) & ~kEngineMask; }
    KM_INLINE uint64_t number() const { return static_cast<uint16_t>(notes >> Notes::kNumberShift); }
};

// Two lists of nodes through the last words of their records, in one word: of each the first node's number + 1, or 0, and
// the last one's.
struct Lists {
    uint64_t bits;

    enum Which : uint32_t {
        kReady = 0,  // nodes that can run
        kDone = 32,  // nodes that completed and whose links wait
    };
    static constexpr uint32_t kLast = 16;

    KM_INLINE bool empty(Which which) const { return static_cast<uint16_t>(bits >> which) == 0; }
    KM_INLINE uint64_t first(Which which) const { return static_cast<uint16_t>(bits >> which) - uint64_t{1}; }
    KM_INLINE uint64_t last(Which which) const { return static_cast<uint16_t>(bits >> which >> kLast) - uint64_t{1}; }

    KM_INLINE void append(Which which, uint64_t records, uint64_t node) {
        store(records + kRecordBytes * node + 8 * kRecordOwn, 0);
        if (empty(which)) {
            bits |= (node + 1) << which;
        } else {
            store(records + kRecordBytes * last(which) + 8 * kRecordOwn, node + 1);
        }
        bits = (bits & ~(uint64_t{0xFFFF} << kLast << which)) | (node + 1) << kLast << which;
    }

    // Takes the first; `count` bounds what a record may say.
    KM_INLINE void remove(Which which, uint64_t records, uint64_t count) {
        const uint64_t last_too = bits >> which >> kLast & 0xFFFF;
        uint64_t next = 0;
        if (first(which) != last(which)) next = load(records + kRecordBytes * first(which) + 8 * kRecordOwn);
        bits &= ~(uint64_t{0xFFFFFFFF} << which);
        if (next != 0 && next <= count) bits |= (next | last_too << kLast) << which;
    }
};

// What an engine is at, as it stands in its entry: [7:0] Phase  [15:8] StreamError  [23:16] 1: a graph.
struct Status {
    uint64_t bits;

    KM_INLINE bool runs() const { return static_cast<uint8_t>(bits) == kPhaseRun; }
    KM_INLINE bool ends() const { return (bits >> 8 & 0xFF) != 0; }
    KM_INLINE bool is_graph() const { return (bits >> 16 & 0xFF) != 0; }
};

struct Engine {
    // [15:0] nodes to complete in this round  [31:16] commands in flight and in the job queue  [47:32] records
    // [55:48] cores of the grid: all that the completion of a node has to know.
    uint64_t counts;
    uint64_t records;  // hart address of the first record; the register file lies before it
    uint64_t code;     // hart address of the instructions
    uint64_t edges;    // hart address of the edge words
    uint64_t start;    // the header's links
    uint64_t started;  // tick of the RUN
    uint64_t late;     // tick of the deadline, 0: none
    uint64_t since;    // sequence number when its exclusive command first found its group busy, 0: none does
    uint32_t offset, bytes;  // of the upload, in the region
    uint32_t instructions, edge_words;
    uint32_t max_runs, rounds;
    uint32_t end;    // the header's word
    uint32_t pc;     // stream
    uint32_t place;  // of the error
    uint32_t at;     // check: record or instruction at hand, kNoPlace for the header's links
    uint32_t next;   // check: the first instruction, then the first edge word, that nothing has named yet
    uint32_t code_left;  // check: of the cpu node at hand
    uint32_t edge, edges_left;  // of the list that is followed: next of the edges, four to a word, and how many
    Lists lists;
    uint8_t phase;   // a Phase
    uint8_t reason;  // a StreamError once it ends with one
    uint8_t graph;   // 1: a graph
    uint8_t kept;    // entry in `kept` + 1, or 0
    uint16_t req;

    static constexpr uint32_t kFlightShift = 16;
    static constexpr uint32_t kRecordsShift = 32;
    static constexpr uint32_t kCoresShift = 48;
    static constexpr uint64_t kOneInFlight = uint64_t{1} << kFlightShift;

    // Phase, reason and kind in one load.
    KM_INLINE Status status() const { return {load<uint32_t>(reinterpret_cast<uint64_t>(&phase))}; }

    uint64_t in_flight() const { return static_cast<uint16_t>(counts >> kFlightShift); }
    uint64_t record_count() const { return static_cast<uint16_t>(counts >> kRecordsShift); }
    uint64_t cores() const { return static_cast<uint8_t>(counts >> kCoresShift); }
    uint64_t registers() const { return records - (kUploadRecords - kUploadRegisters); }
    uint64_t record(uint64_t number) const { return records + kRecordBytes * number; }

    // It ends with `why`, unless it does already.
    void stop(uint32_t why, uint32_t where) {
        if (reason != 0) return;
        reason = static_cast<uint8_t>(why);
        place = where;
    }

    // CANCEL, the deadline.
    void stop_from_outside(uint32_t why) { stop(why, graph ? kNoPlace : pc); }
};

static_assert(offsetof(Engine, phase) % 4 == 0 && offsetof(Engine, reason) == offsetof(Engine, phase) + 1 &&
                  offsetof(Engine, graph) == offsetof(Engine, phase) + 2,
              "status() loads them at once");

static Engine engines[kEnginesMax];

// What is known of a graph that stays: [31:0] offset of its upload  [47:32] its lines  [63:48] req.
struct KeptGraph {
    uint64_t bits;

    static constexpr uint32_t kLinesShift = 32, kReqShift = 48;

    static KeptGraph make(uint64_t offset, uint64_t bytes, uint64_t req) {
        return {offset | bytes / kUploadAlign << kLinesShift | req << kReqShift};
    }
    KM_INLINE uint32_t offset() const { return static_cast<uint32_t>(bits); }
    KM_INLINE uint32_t bytes() const { return kUploadAlign * static_cast<uint16_t>(bits >> kLinesShift); }
    KM_INLINE uint32_t req() const { return static_cast<uint32_t>(bits >> kReqShift); }
};

static_assert(kUploadBytes / kUploadAlign < 1 << (KeptGraph::kReqShift - KeptGraph::kLinesShift), "lines have 16 bits");

// Graphs that stay, whether they run or not.
struct Kept {
    uint64_t sets;  // bit i: entry i is a graph's  bit 32 + i: and does not run
    KeptGraph graphs[kKeptMax];

    static constexpr uint32_t kIdle = 32;

    KM_INLINE uint64_t used() const { return static_cast<uint32_t>(sets); }
    KM_INLINE uint64_t idle() const { return sets >> kIdle; }

    void add(uint64_t entry, KeptGraph graph) {
        sets |= uint64_t{1} << entry;
        graphs[entry] = graph;
    }
    void rest(uint64_t entry) { sets |= uint64_t{1} << kIdle << entry; }
    KM_INLINE void wake(uint64_t entry) { sets &= ~(uint64_t{1} << kIdle << entry); }
    void remove(uint64_t entry) { sets &= ~((uint64_t{1} << kIdle | 1) << entry); }

    // The entry of the graph with `req` that does not run, or kKeptMax.
    KM_INLINE uint64_t find_idle(uint64_t req) const {
        for (uint64_t left = idle(); left != 0; left &= left - 1) {
            if (graphs[lowest(left)].req() == req) return lowest(left);
        }
        return kKeptMax;
    }
};

static Kept kept;

}  // namespace km
