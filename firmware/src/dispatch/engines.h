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
    for (uint64_t left = kept.used; left != 0; left &= left - 1) {
        const uint64_t entry = lowest(left);
        look(kept.offset[entry], kept.bytes[entry], kept.req[entry]);
    }
    return met;
}

// The lowest engine of a kind that does not run, or kEnginesMax.
static uint64_t free_engine(bool graph) {
    constexpr uint64_t kStreams = (1 << kStreamsMax) - 1, kGraphs = ((1 << kGraphsMax) - 1) << kStreamsMax;
    const uint64_t free = ~shares.set(Shares::kRunning) & (graph ? kGraphs : kStreams);
    return free == 0 ? kEnginesMax : lowest(free);
}

// Zeroes the registers and copies the bindings.
static void set_registers(uint64_t registers, uint64_t from, uint64_t bindings) {
    for (uint64_t i = 0; i < kRegisters / 2; ++i) {
        uint64_t pair = 0;
        if (2 * i < bindings) pair = load(from + 8 * i);
        if (2 * i + 1 == bindings) pair = static_cast<uint32_t>(pair);
        store(registers + 8 * i, pair);
    }
}

// Starts the upload at `words` in `region` with the first word `head`; `entry`: of the kept graph + 1, or 0. `checked`: it was
// when it was kept.
static void start_engine(uint64_t number, RunWords words, uint64_t region, uint64_t head, bool graph, uint32_t entry, bool checked,
                         uint64_t now) {
    Engine& engine = engines[number];
    const uint64_t upload = region + words.upload;
    engine.offset = words.upload;
    engine.bytes = words.bytes;
    engine.graph = graph;
    engine.kept = static_cast<uint8_t>(entry);
    engine.started = now;
    engine.late = engine.since = 0;
    engine.counts = 0;
    engine.rounds = engine.pc = engine.at = engine.next = engine.code_left = engine.edges_left = 0;
    engine.ready.clear();
    engine.done.clear();
    engine.phase = kPhaseRecords;
    engine.reason = 0;
    uint32_t bindings = 0;
    const uint32_t error = read_header(engine, upload, head, words.bindings != kNoBindings, bindings);
    if (error != 0) {
        engine.stop(error, kNoPlace);
    } else {
        set_registers(engine.registers(), region + words.bindings, bindings);
        if (checked) {
            engine.phase = kPhaseRun;
            start_round(engine);
        }
    }
    shares.add(Shares::kRunning, number);
    shares.add(Shares::kDue, number);
}

// A RUN: a RejectReason, or 0.
static uint32_t take_run(RunWords words, uint64_t now) {
    if (!is_bindings_line(words.bindings) || words.mode > kRunRestart) return KMD_REJECT_UPLOAD;
    if (words.mode == kRunRestart) {
        uint64_t entry = kKeptMax;
        for (uint64_t left = kept.used & kept.idle; left != 0; left &= left - 1) {
            if (kept.req[lowest(left)] == words.upload) entry = lowest(left);
        }
        if (entry == kKeptMax) return KMD_REJECT_REQ;
        const uint64_t number = free_engine(true);
        if (number == kEnginesMax) return KMD_REJECT_ENGINES;
        kept.idle &= ~(uint32_t{1} << entry);
        const uint32_t offset = kept.offset[entry];
        const uint64_t region = launch.word(kLaunchUpload), head = load(region + offset + 8 * kUploadHead);
        const uint64_t named = head << (64 - kHeadReqShift) >> (64 - kHeadReqShift) | uint64_t{kept.req[entry]} << kHeadReqShift;
        start_engine(number, {offset, kept.bytes[entry], kRunGraph, words.bindings}, region, named, true,
                     static_cast<uint32_t>(entry + 1), true, now);
        return 0;
    }
    if (words.bytes < kUploadRecords || !is_in_region(words.upload, words.bytes)) return KMD_REJECT_UPLOAD;
    const bool graph = words.mode == kRunGraph;
    const uint64_t region = launch.word(kLaunchUpload), head = load(region + words.upload + 8 * kUploadHead);
    const uint32_t req = static_cast<uint16_t>(head >> kHeadReqShift);
    const Meeting met = meets_others(words.upload, words.bytes, req);
    if (met.range) return KMD_REJECT_UPLOAD;
    if (met.req) return KMD_REJECT_REQ;
    const uint64_t number = free_engine(graph);
    if (number == kEnginesMax) return KMD_REJECT_ENGINES;
    uint32_t entry = 0;
    if (graph && (head >> kHeadUploadFlagsShift & kUploadKeep) != 0) {
        const uint64_t free = ~uint64_t{kept.used} & ((uint64_t{1} << kKeptMax) - 1);
        if (free == 0) return KMD_REJECT_ENGINES;
        const uint64_t at = lowest(free);
        kept.used |= uint32_t{1} << at;
        kept.idle &= ~(uint32_t{1} << at);
        kept.offset[at] = words.upload;
        kept.bytes[at] = words.bytes;
        kept.req[at] = static_cast<uint16_t>(req);
        entry = static_cast<uint32_t>(at + 1);
    }
    start_engine(number, words, region, head, graph, entry, false, now);
    return 0;
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
    for (uint64_t left = kept.used & kept.idle; left != 0; left &= left - 1) {
        const uint64_t entry = lowest(left);
        if (kept.req[entry] != req) continue;
        kept.used &= ~(uint32_t{1} << entry);
        loop.events.promise();
        loop.events.post(kEventError, kNoPlace, KM_STREAM_ERROR_CANCELLED, 0, req, loop.ring.consumed);
        return 0;
    }
    return KMD_REJECT_REQ;
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
    if (engine.phase == kPhaseRun && engine.graph) start_round(engine);
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
        shares.begin(number);
        if (engine.reason == 0 && engine.phase != kPhaseRun) check_slice(engine);
        if (engine.reason != 0) {
            end_with_error(loop, number, engine, now);
        } else if (engine.phase != kPhaseRun) {
            shares.add(Shares::kDue, number);
        } else if (engine.graph) {
            graph_turn(loop, number, engine, now);
        } else {
            stream_turn(loop, number, engine, now);
        }
    }
    if (shares.has(Shares::kDue, kJobsTurn)) pump_jobs(loop, now);
}

}  // namespace km
