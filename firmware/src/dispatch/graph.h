// Graphs: counting predecessors down, nodes that can run, rounds (PROTOCOL.md, "Graphs").
//
// The completion of a node with up to two successors, and the commands that it makes ready, are the fast path: they
// are part of `run`. All else is done in the engine's turn, a slice at a time, through two lists: nodes that completed and
// whose links are to be followed, and nodes that can run. Both are first in, first out, and the second waits for the first.
#pragma once
#include "submit.h"

namespace km {

// Appends a node to a list of its engine.
KM_INLINE void append_node(uint64_t number, Lists::Which which, uint64_t node) {
    Lists lists = engines[number].lists;
    lists.append(which, engines[number].records, node);
    engines[number].lists = lists;
}

// ---- The fast path ----------------------------------------------------------------------------------------------------

// Counts a predecessor of `node` down. A node without any left is submitted, or goes to the list of those that can run.
KM_INLINE void count_down(Port& l, Shares& m, uint64_t number, uint64_t records, uint64_t& counts, uint64_t node, bool may_submit,
                          uint64_t now) {
    if (KM_UNLIKELY(node >= static_cast<uint16_t>(counts >> Engine::kRecordsShift))) return;
    const uint64_t record = records + kRecordBytes * node, head = load(record + 8 * kRecordCommand);
    const uint64_t left = static_cast<uint16_t>(head);
    if (left != 1) {
        store<uint16_t>(record, left - 1);
        return;
    }
    if (KM_LIKELY(record_flags(head) == 0 && may_submit && l.slots.free != 0 && !m.behind(number))) {
        const uint64_t first = record_first(head), count = record_cores(head);
        const Target to = l.mailbox.target(first, count);  // a group that has windows lies inside the cores
        if (KM_LIKELY(to.count != 0 && (count != 1 || first < static_cast<uint8_t>(counts >> Engine::kCoresShift)))) {
            counts += Engine::kOneInFlight;
            send_record(l, m, number, record, node, head, records - (kUploadRecords - kUploadRegisters), to, now);
            return;
        }
    }
    append_node(number, Lists::kReady, node);
    m.add(Shares::kDue, number);
}

// More nodes completed than the round has: the upload was written to.
KM_INLINE void stop_overrun(uint64_t number) {
    engines[number].counts -= Engine::kOneInFlight;
    engines[number].stop(KM_STREAM_ERROR_STUCK, kNoPlace);
}

// A node's command has completed with `result`; its slot is free.
KM_INLINE void complete_node(Port& l, Shares& m, Owner owner, uint64_t result, bool may_submit, uint64_t now) {
    const uint64_t number = owner.engine(), node = owner.number(), record = owner.record();
    const uint64_t links = load(record + 8 * kRecordLinks), records = record - kRecordBytes * node;
    Engine& engine = engines[number];
    uint64_t counts = engine.counts;
    if (KM_UNLIKELY(static_cast<uint16_t>(counts) == 0)) {
        stop_overrun(number);
        m.add(Shares::kDue, number);
        return;
    }
    counts -= Engine::kOneInFlight + 1;
    store<uint16_t>(record, links_predecessors(links));
    store_result(links, records - (kUploadRecords - kUploadRegisters), result);
    const uint64_t count = links_successors(links);
    if (KM_UNLIKELY(count > kLinksInlineMax ||
                    (m.behind(number) && (m.has(Shares::kClosed, number) || !engine.lists.empty(Lists::kDone))))) {
        append_node(number, Lists::kDone, node);
        m.add(Shares::kDue, number);
    } else {
        uint64_t nodes = links;  // one copy of the code for both: registers are scarce here
        for (uint64_t left = count; left != 0; --left) {
            count_down(l, m, number, records, counts, nodes & kNodeMask, may_submit, now);
            nodes >>= kLinkNodeBits;
        }
    }
    engine.counts = counts;
    if (KM_UNLIKELY(static_cast<uint16_t>(counts >> Engine::kFlightShift) == 0)) m.add(Shares::kDue, number);
}

// ---- The engine's turn ------------------------------------------------------------------------------------------------

KM_INLINE void count_down_to_list(const Engine& engine, Lists& lists, uint64_t node) {
    if (node >= engine.record_count()) return;
    const uint64_t record = engine.record(node), left = load<uint16_t>(record);
    if (left != 1) {
        store<uint16_t>(record, left - 1);
    } else {
        lists.append(Lists::kReady, engine.records, node);
    }
}

// Follows the links of a node that completed, or of the start: at once, or as far as setting out.
KM_INLINE void follow(Engine& engine, Lists& lists, uint64_t links) {
    const uint64_t count = links_successors(links), link = links_link(links);
    if (count > kLinksInlineMax) {
        if (link + edge_words_of(count) > engine.edge_words) return;  // it was written to
        engine.edge = static_cast<uint32_t>(kEdgesPerWord * link);
        engine.edges_left = static_cast<uint32_t>(count);
        return;
    }
    uint64_t nodes = link;
    for (uint64_t left = count; left != 0; --left) {
        count_down_to_list(engine, lists, nodes & kNodeMask);
        nodes >>= kLinkNodeBits;
    }
}

// Follows a slice of the links at hand.
KM_INLINE void follow_slice(Engine& engine, Lists& lists) {
    if (engine.edges_left == 0) follow(engine, lists, load(engine.record(lists.first(Lists::kDone)) + 8 * kRecordLinks));
    for (uint32_t words = kCheckSlice / kEdgesPerWord; words != 0 && engine.edges_left != 0; --words) {
        uint64_t word = load(engine.edges + 2 * engine.edge);
        for (uint32_t i = 0; i < kEdgesPerWord && engine.edges_left != 0; ++i, word >>= 16) {
            count_down_to_list(engine, lists, word & 0xFFFF);
            engine.edge += 1;
            engine.edges_left -= 1;
        }
    }
    if (engine.edges_left == 0 && !lists.empty(Lists::kDone)) lists.remove(Lists::kDone, engine.records, engine.record_count());
}

KM_INLINE void start_round(Engine& engine, Lists& lists, uint64_t counts) {
    engine.counts = counts >> 16 << 16 | static_cast<uint16_t>(counts >> Engine::kRecordsShift);
    follow(engine, lists, engine.start);
}

static void start_first_round(Engine& engine) {
    Lists lists = {};
    start_round(engine, lists, engine.counts);
    engine.lists = lists;
}

// Gives the number of its instructions.
KM_INLINE uint64_t run_cpu_node(uint64_t number, Engine& engine, Lists& lists, uint64_t node) {
    const uint64_t record = engine.record(node);
    const uint64_t code = load(record + 8 * kRecordArgs), links = load(record + 8 * kRecordLinks);
    const uint64_t first = static_cast<uint32_t>(code), count = code >> kRecordCodeCountShift;
    if (count <= kCpuInstructionsMax && first + count <= engine.instructions) {
        run_code(engine.code + kInstructionBytes * first, count, engine.registers());
    }
    const uint64_t counts = engine.counts;
    if (static_cast<uint16_t>(counts) == 0) {  // it was written to
        engine.stop(KM_STREAM_ERROR_STUCK, kNoPlace);
        shares.add(Shares::kDue, number);
        return kCpuInstructionsMax;
    }
    engine.counts = counts - 1;
    store<uint16_t>(record, links_predecessors(links));
    if (links_successors(links) > kLinksInlineMax) {
        lists.append(Lists::kDone, engine.records, node);
    } else {
        follow(engine, lists, links);
    }
    return count;
}

static uint32_t register_of(const Engine& engine, uint64_t field) {
    if (field >= kRegisters) return 0;
    return static_cast<uint32_t>(load<uint32_t>(engine_register(engine.registers(), field)));
}

// Nothing can run and nothing is in flight, as `counts` says. True: a round begins.
KM_INLINE bool end_round(Loop& loop, uint64_t number, Engine& engine, Lists& lists, uint64_t counts, uint64_t now) {
    if (static_cast<uint16_t>(counts) != 0) {
        engine.stop(KM_STREAM_ERROR_STUCK, kNoPlace);
        return false;
    }
    const uint32_t rounds = engine.rounds == UINT32_MAX ? UINT32_MAX : engine.rounds + 1;
    const bool more = engine.max_runs == 0 || rounds < engine.max_runs;
    if (more && register_of(engine, engine.end >> kEndAgainShift & 0xFF) != 0) {
        if (!post_of(loop, number, kEventRound, rounds, 0, now)) return false;
        engine.rounds = rounds;
        start_round(engine, lists, counts);
        return true;
    }
    const uint32_t one = register_of(engine, engine.end & 0xFF), other = register_of(engine, engine.end >> kEndSecondShift & 0xFF);
    if (post_of(loop, number, kEventEnd, other, one & kEventAuxMask, now)) remove_engine(loop, number, true);
    return false;
}

// One step of a graph, with at most `commands` submitted, which it counts down. True: the next may follow at once.
KM_INLINE bool graph_step(Loop& loop, uint64_t number, Engine& engine, Lists& lists, uint32_t& commands, uint64_t now) {
    if (engine.edges_left != 0 || !lists.empty(Lists::kDone)) {
        follow_slice(engine, lists);
        return true;
    }
    while (!lists.empty(Lists::kReady)) {
        const uint64_t node = lists.first(Lists::kReady), head = load(engine.record(node) + 8 * kRecordCommand);
        if ((record_flags(head) & kRecordCpu) != 0) {
            lists.remove(Lists::kReady, engine.records, engine.record_count());
            return run_cpu_node(number, engine, lists, node) <= kStreamSlice;
        }
        if (commands == 0) return false;
        const Sent sent = submit_record(loop, number, engine, node, head, now);
        if (sent != Sent::kYes) {
            wait_or_stop(number, sent, static_cast<uint32_t>(node));
            return false;
        }
        lists.remove(Lists::kReady, engine.records, engine.record_count());
        commands -= 1;
    }
    const uint64_t counts = engine.counts;
    return static_cast<uint16_t>(counts >> Engine::kFlightShift) == 0 && end_round(loop, number, engine, lists, counts, now);
}

// A turn is a few steps: what begins and ends it costs as much as they do.
static void graph_turn(Loop& loop, uint64_t number, Engine& engine, uint64_t now) {
    Lists lists = engine.lists;
    uint32_t commands = kSubmitSlice;
    for (uint32_t left = kGraphSteps; left != 0; --left) {
        if (!graph_step(loop, number, engine, lists, commands, now)) break;
    }
    engine.lists = lists;
    // What waits or has ended says so; what is in flight gives it its next turn.
    const bool more = engine.edges_left != 0 || lists.bits != 0 || engine.in_flight() == 0;
    if (more && shares.has(Shares::kRunning, number) && !shares.has(Shares::kWaiting, number)) shares.add(Shares::kDue, number);
}

}  // namespace km
