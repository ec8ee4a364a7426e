// An engine: a stream or a graph that runs, and what is kept of graphs that do not (PROTOCOL.md, "Engines").
//
// The state of a run that grows with its upload lies in the upload; here is the rest, a fixed table.
#pragma once
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

// A list of nodes through the last words of their records: numbers + 1, 0 for none.
struct NodeList {
    uint16_t head, tail;

    bool empty() const { return head == 0; }
    void clear() { head = tail = 0; }
    uint64_t first() const { return head - 1u; }

    void append(uint64_t records, uint64_t node) {
        store(records + kRecordBytes * node + 8 * kRecordOwn, 0);
        if (empty()) {
            head = static_cast<uint16_t>(node + 1);
        } else {
            store(records + kRecordBytes * (tail - 1u) + 8 * kRecordOwn, node + 1);
        }
        tail = static_cast<uint16_t>(node + 1);
    }

    // Takes the first; `count` bounds what a record may say.
    void remove(uint64_t records, uint64_t count) {
        const uint64_t next = load(records + kRecordBytes * (head - 1u) + 8 * kRecordOwn);
        head = static_cast<uint16_t>(head == tail || next > count ? 0 : next);
        if (head == 0) tail = 0;
    }
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
    NodeList ready, done;  // nodes that can run; nodes that completed and whose links wait
    uint16_t req;
    uint8_t phase;   // a Phase
    uint8_t reason;  // a StreamError once it ends with one
    uint8_t kept;    // entry in `kept` + 1, or 0
    uint8_t graph;   // 1: a graph

    static constexpr uint32_t kFlightShift = 16;
    static constexpr uint32_t kRecordsShift = 32;
    static constexpr uint32_t kCoresShift = 48;
    static constexpr uint64_t kOneInFlight = uint64_t{1} << kFlightShift;

    uint64_t in_flight() const { return static_cast<uint16_t>(counts >> kFlightShift); }
    uint64_t left() const { return static_cast<uint16_t>(counts); }
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

static Engine engines[kEnginesMax];

// Graphs that stay, whether they run or not: their ranges and reqs.
struct Kept {
    uint32_t used;  // bit i: entry i is a graph's
    uint32_t idle;  // bit i: it does not run
    uint32_t offset[kKeptMax], bytes[kKeptMax];
    uint16_t req[kKeptMax];
};

static Kept kept;

}  // namespace km
