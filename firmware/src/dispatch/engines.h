// RUN, CANCEL and the turns of the engines (PROTOCOL.md, "Engines").
#pragma once
#include "check.h"
#include "complete.h"

namespace km {

// ---- RUN and CANCEL -----------------------------------------------------------------------------------------------------

// Their argument words.
struct RunWords {
    uint32_t upload, bytes, mode, bindings;

    static RunWords of(uint64_t line) {
        const uint64_t one = load(line + 8 * kLineArgs), other = load(line + 8 * kLineArgs + 8);
        static_assert(kRunUpload == 0 && kRunBytes == 1 && kRunMode == 2 && kRunBindings == 3 && kCancelReq == 0, "the words");
        return {static_cast<uint32_t>(one), static_cast<uint32_t>(one >> 32), static_cast<uint32_t>(other),
                static_cast<uint32_t>(other >> 32)};
    }
};

// True when [offset, offset + bytes) is lines of the upload region.
static bool is_in_region(uint64_t offset, uint64_t bytes) {
    return (offset | bytes) % kUploadAlign == 0 && offset + bytes <= launch.word(kLaunchUploadBytes);
}

static bool is_bindings_line(uint32_t offset) { return offset == kNoBindings || is_in_region(offset, kUploadAlign); }

// What is said of a range and a req by the engines that run and the graphs that are kept.
struct Meeting {
    bool range, req;
};

static Meeting meets_others(uint64_t offset, uint64_t bytes, uint32_t req) {
    Meeting met = {};
    const auto look = [&](uint64_t other_offset, uint64_t other_bytes, uint32_t other_req) {
        met.range |= offset < other_offset + other_bytes && other_offset < offset + bytes;
        met.req |= req == other_req;
    };
    for (uint64_t left = shares.set(Shares::kRunning); left != 0; left &= left - 1) {
        const Engine& engine = engines[lowest(left)];
        look(engine.offset, engine.bytes, engine.req);
    }
    for (uint64_t left = kept.used(); left != 0; left &= left - 1) {
        const KeptGraph graph = kept.graphs[lowest(left)];
        look(graph.offset(), graph.bytes(), graph.req());
    }
    return met;
}

// The lowest engine of a kind that does not run, or kEnginesMax.
KM_INLINE uint64_t free_engine(bool graph) {
    constexpr uint64_t kStreams = (1 << kStreamsMax) - 1, kGraphs = ((1 << kGraphsMax) - 1) << kStreamsMax;
    const uint64_t free = ~shares.set(Shares::kRunning) & (graph ? kGraphs : kStreams);
    return free == 0 ? kEnginesMax : lowest(free);
}

// Zeroes the registers and copies the bindings.
static void set_registers(uint64_t registers, uint64_t from, uint64_t bindings) {
    const uint64_t end = registers + 4 * kRegisters;
    for (; bindings >= 2; bindings -= 2, registers += 8, from += 8) store(registers, load(from));
    if (bindings != 0) {
        store(registers, load<uint32_t>(from));
        registers += 8;
    }
    for (; registers != end; registers += 8) store(registers, 0);
}

// What a RUN starts.
struct Start {
    uint64_t number;          // of the engine
    uint64_t region;          // hart address of the upload region
    uint32_t offset, bytes;   // of the upload in it
    uint64_t head;            // the upload's first word
    uint32_t bindings;        // offset of their line
    uint32_t entry;           // of the graph that is kept + 1, or 0
    bool graph, checked;      // checked: it was when it was kept
};

KM_INLINE void start_engine(const Start& start, uint64_t now) {
    Engine& engine = engines[start.number];
    const uint64_t upload = start.region + start.offset;
    engine.offset = start.offset;
    engine.bytes = start.bytes;
    engine.graph = start.graph;
    engine.kept = static_cast<uint8_t>(start.entry);
    engine.started = now;
    engine.late = engine.since = 0;
    engine.counts = 0;
    engine.rounds = engine.pc = engine.at = engine.next = engine.code_left = engine.edges_left = 0;
    engine.lists = {};
    engine.phase = kPhaseRecords;
    engine.reason = 0;
    uint32_t bindings = 0;
    const uint32_t refusal =
        read_header(engine, upload, start.head, start.bindings != kNoBindings, start.checked, bindings);
    if (refusal != 0) {
        refuse_upload(engine, refusal, kNoPlace);
    } else {
        if (engine.late != 0 && reached(loop.wake, engine.late)) loop.wake = engine.late;  // the upkeep ends it in time
        set_registers(engine.registers(), start.region + start.bindings, bindings);
        if (start.checked) {
            engine.phase = kPhaseRun;
            start_first_round(engine);
        }
    }
    Shares own = shares;
    own.add(Shares::kRunning, start.number);
    own.add(Shares::kDue, start.number);
    shares = own;
}

// What a RUN of an upload starts: a RejectReason, or 0.
KM_INLINE uint32_t start_of_upload(RunWords words, Start& start) {
    if (words.bytes < kUploadRecords || !is_in_region(words.upload, words.bytes)) return KMD_REJECT_UPLOAD;
    start.graph = words.mode == kRunGraph;
    start.region = launch.word(kLaunchUpload);
    start.head = load(start.region + words.upload + 8 * kUploadHead);
    start.offset = words.upload;
    start.bytes = words.bytes;
    const uint32_t req = static_cast<uint16_t>(start.head >> kHeadReqShift);
    const Meeting met = meets_others(words.upload, words.bytes, req);
    if (met.range) return KMD_REJECT_UPLOAD;
    if (met.req) return KMD_REJECT_REQ;
    start.number = free_engine(start.graph);
    if (start.number == kEnginesMax) return KMD_REJECT_ENGINES;
    if (start.graph && (start.head >> kHeadUploadFlagsShift & kUploadKeep) != 0) {
        const uint64_t free = ~kept.used() & ((uint64_t{1} << kKeptMax) - 1);
        if (free == 0) return KMD_REJECT_ENGINES;
        kept.add(lowest(free), KeptGraph::make(words.upload, words.bytes, req));
        start.entry = static_cast<uint32_t>(lowest(free) + 1);
    }
    return 0;
}

// The same of a kept graph, which was checked.
KM_INLINE uint32_t start_of_kept(RunWords words, Start& start) {
    const uint64_t entry = kept.find_idle(words.upload);
    if (entry == kKeptMax) return KMD_REJECT_REQ;
    start.number = free_engine(true);
    if (start.number == kEnginesMax) return KMD_REJECT_ENGINES;
    kept.wake(entry);
    const KeptGraph graph = kept.graphs[entry];
    start.graph = start.checked = true;
    start.region = launch.word(kLaunchUpload);
    start.offset = graph.offset();
    start.bytes = graph.bytes();
    // Its req is that of the restart, whatever the header says by now.
    const uint64_t head = load(start.region + start.offset + 8 * kUploadHead);
    start.head = head << (64 - kHeadReqShift) >> (64 - kHeadReqShift) | uint64_t{graph.req()} << kHeadReqShift;
    start.entry = static_cast<uint32_t>(entry + 1);
    return 0;
}

// A RUN: a RejectReason, or 0.
KM_INLINE uint32_t take_run(RunWords words, uint64_t now) {
    if (!is_bindings_line(words.bindings) || words.mode > kRunRestart) return KMD_REJECT_UPLOAD;
    Start start = {};
    start.bindings = words.bindings;
    const uint32_t reason = words.mode == kRunRestart ? start_of_kept(words, start) : start_of_upload(words, start);
    if (reason == 0) start_engine(start, now);
    return reason;
}

// Ends an engine from outside: its next turn sees to it.
static void stop_engine(uint64_t number, uint32_t reason) {
    engines[number].stop_from_outside(reason);
    shares.add(Shares::kDue, number);
}

// A CANCEL: a RejectReason, or 0. There is room for an event.
static uint32_t take_cancel(Loop& loop, uint32_t req) {
    for (uint64_t left = shares.set(Shares::kRunning); left != 0; left &= left - 1) {
        if (engines[lowest(left)].req == req) {
            stop_engine(lowest(left), KM_STREAM_ERROR_CANCELLED);
            return 0;
        }
    }
    const uint64_t entry = kept.find_idle(req);
    if (entry == kKeptMax) return KMD_REJECT_REQ;
    kept.remove(entry);
    loop.events.promise();
    loop.events.post(kEventError, kNoPlace, KM_STREAM_ERROR_CANCELLED, 0, req, loop.ring.consumed);
    return 0;
}

// ---- Turns ----------------------------------------------------------------------------------------------------------------

// Ends the engines whose deadline has passed, and lets the upkeep come in time for the next one.
static void check_engine_deadlines(Loop& loop, uint64_t now) {
    for (uint64_t left = shares.set(Shares::kRunning); left != 0; left &= left - 1) {
        const uint64_t late = engines[lowest(left)].late;
        if (late == 0) continue;
        if (reached(now, late)) {
            stop_engine(lowest(left), KM_STREAM_ERROR_DEADLINE);
        } else if (reached(loop.wake, late)) {
            loop.wake = late;
        }
    }
}

// An engine that ends with an error: when none of its commands is in flight any more.
static void end_with_error(Loop& loop, uint64_t number, const Engine& engine, uint64_t now) {
    shares.add(Shares::kClosed, number);
    stop_holding(loop, number);
    if (engine.in_flight() != 0) return;  // their completions give it its next turn
    if (post_of(loop, number, kEventError, engine.place, engine.reason, now)) remove_engine(loop, number, false);
}

static void check_slice(Engine& engine) {
    for (uint32_t left = kCheckSlice; left != 0 && engine.phase != kPhaseRun && engine.reason == 0; --left) check_step(engine);
    if (engine.phase == kPhaseRun && engine.graph) start_first_round(engine);
}

// A turn of each engine that has something to do, then of the job queue. Another one is the first each time: the first may take
// every free slot.
KM_COLD static void engines_turn(Loop& loop, uint64_t now) {
    uint64_t left = shares.set(Shares::kDue) & ((uint64_t{1} << kEnginesMax) - 1);
    uint64_t first = 0;
    if ((left & (left - 1)) != 0) {
        first = shares.first();
        shares.set_first(lowest(left >> first << first | left << kEnginesMax) % kEnginesMax + 1);
    }
    while (left != 0) {
        const uint64_t from_first = left >> first << first, number = lowest(from_first != 0 ? from_first : left);
        left &= ~(uint64_t{1} << number);
        Engine& engine = engines[number];
        Shares own = shares;
        own.begin(number);
        shares = own;
        Status status = engine.status();
        if (!status.ends() && !status.runs()) {
            check_slice(engine);
            status = engine.status();
        }
        if (status.ends()) {
            end_with_error(loop, number, engine, now);
        } else if (!status.runs()) {
            shares.add(Shares::kDue, number);
        } else if (status.is_graph()) {
            graph_turn(loop, number, engine, now);
        } else {
            stream_turn(loop, number, engine, now);
        }
    }
    if (shares.has(Shares::kDue, kJobsTurn)) pump_jobs(loop, now);
}

}  // namespace km
