// The check of an upload, in slices: same reasons, same places, same order as PROTOCOL.md, "Engines" says.
//
// Nothing here believes a byte before it has bounded it: every address that is loaded lies inside the upload.
//
// Each rule that an upload may break has a line of its own, with `refuse` in it: the state says which one refused the last
// upload, and a test holds a case against each.
#pragma once
#include "engine.h"
#include "komorebi/stream.h"
#include "record.h"

namespace km {

// A refusal: a StreamError and the line of this file that gives it; 0 is none.
constexpr uint32_t refuse(StreamError reason, uint32_t line = __builtin_LINE()) { return reason | line << kRefusedLineShift; }

// Ends an engine whose upload is refused.
KM_COLD static void refuse_upload(Engine& engine, uint32_t refusal, uint32_t place) {
    set_state(kStateRefused, refusal | uint64_t{engine.req} << kRefusedReqShift);
    engine.stop(refusal & ((1 << kRefusedLineShift) - 1), place);
}

// ---- Header ---------------------------------------------------------------------------------------------------------

static bool is_register_field(uint64_t field) { return field < kRegisters || field == kNoRegister; }

// Reads the header at `upload` into `engine`, whose offset, bytes and kind are set: a refusal, or 0. `head`: its first
// word as the RUN was judged by, since the host may have written to it. `checked`: what leads nowhere is not looked at again.
KM_INLINE uint32_t read_header(Engine& engine, uint64_t upload, uint64_t head, bool has_bindings, bool checked, uint32_t& bindings) {
    engine.req = static_cast<uint16_t>(head >> kHeadReqShift);
    const bool graph = engine.graph != 0;
    const uint64_t kind = graph ? kUploadGraph : kUploadStream;
    if (static_cast<uint32_t>(head) != kUploadMagic) return refuse(KM_STREAM_ERROR_HEADER);
    if ((head >> kHeadKindShift & 0xFF) != kind) return refuse(KM_STREAM_ERROR_HEADER);
    if ((head >> kHeadUploadFlagsShift & 0xFF & ~uint64_t{graph ? kUploadKeep : 0}) != 0) return refuse(KM_STREAM_ERROR_HEADER);

    const uint64_t size = load(upload + 8 * kUploadSize), code = load(upload + 8 * kUploadCode);
    const uint64_t limits = load(upload + 8 * kUploadLimits), end = load(upload + 8 * kUploadEnd);
    const uint64_t start = load(upload + 8 * kUploadStart);
    const uint64_t zeros = checked ? 0 : load(upload + 8 * kUploadReserved) | load(upload + 8 * kUploadReserved + 8);
    const uint64_t records = static_cast<uint16_t>(size >> kSizeRecordsShift);
    const uint64_t instructions = static_cast<uint32_t>(code), edge_words = code >> kCodeEdgesShift;
    if (size >> kSizeBindingsShift > kBindingsMax) return refuse(KM_STREAM_ERROR_HEADER);
    if (zeros != 0) return refuse(KM_STREAM_ERROR_HEADER);
    if (graph) {
        if (!is_register_field(end & 0xFF)) return refuse(KM_STREAM_ERROR_HEADER);
        if (!is_register_field(end >> kEndSecondShift & 0xFF)) return refuse(KM_STREAM_ERROR_HEADER);
        if (!is_register_field(end >> kEndAgainShift)) return refuse(KM_STREAM_ERROR_HEADER);  // the bits above it are 0
        if (start >> kLinksPredecessorsShift != 0) return refuse(KM_STREAM_ERROR_HEADER);
        if (records == 0) return refuse(KM_STREAM_ERROR_HEADER);
    } else {
        if (limits >> kLimitsRunsShift != 0) return refuse(KM_STREAM_ERROR_HEADER);
        if (end != 0) return refuse(KM_STREAM_ERROR_HEADER);
        if (start != 0) return refuse(KM_STREAM_ERROR_HEADER);
        if (edge_words != 0) return refuse(KM_STREAM_ERROR_HEADER);
        if (instructions == 0) return refuse(KM_STREAM_ERROR_HEADER);
    }
    const uint64_t sum = kUploadRecords + kRecordBytes * records + kInstructionBytes * instructions + kEdgeBytes * edge_words;
    if ((sum + kUploadAlign - 1) / kUploadAlign * kUploadAlign != engine.bytes) return refuse(KM_STREAM_ERROR_SIZE);
    if (static_cast<uint32_t>(size) != engine.bytes) return refuse(KM_STREAM_ERROR_SIZE);
    bindings = static_cast<uint32_t>(size >> kSizeBindingsShift);
    if (bindings != 0 && !has_bindings) return refuse(KM_STREAM_ERROR_BINDINGS);

    engine.records = upload + kUploadRecords;
    engine.code = engine.records + kRecordBytes * records;
    engine.edges = engine.code + kInstructionBytes * instructions;
    engine.instructions = static_cast<uint32_t>(instructions);
    engine.edge_words = static_cast<uint32_t>(edge_words);
    engine.counts = records << Engine::kRecordsShift | launch.word(kLaunchCores) << Engine::kCoresShift;
    engine.start = start;
    engine.end = static_cast<uint32_t>(end);
    engine.max_runs = static_cast<uint32_t>(limits >> kLimitsRunsShift);
    const uint64_t deadline = static_cast<uint32_t>(limits);
    engine.late = deadline == 0 ? 0 : engine.started + kTicksPerMicrosecond * deadline;
    return 0;
}

// ---- Instructions -----------------------------------------------------------------------------------------------------

// Fields of an instruction that its opcode uses.
constexpr uint32_t kUsesD = 1;
constexpr uint32_t kUsesA = 2;
constexpr uint32_t kUsesB = 4;
constexpr uint32_t kUsesImmediate = 8;

// What the word alone tells of an instruction: a refusal, or 0.
static uint32_t check_instruction(uint64_t word) {
    const uint32_t op = word & (kOpImmediate - 1);
    const bool immediate = (word & kOpImmediate) != 0;
    const uint32_t b = immediate ? kUsesImmediate : kUsesB;
    uint32_t uses;
    if (op >= kOpBinaryFirst && op <= kOpBinaryLast) {
        uses = kUsesD | kUsesA | b;
    } else if (op >= kOpUnaryFirst && op <= kOpUnaryLast) {
        uses = kUsesD | b;
    } else {
        if (immediate) return refuse(KM_STREAM_ERROR_OPCODE);
        switch (op) {
            case kOpSelect: uses = kUsesD | kUsesA | kUsesB | kUsesImmediate; break;
            case kOpSubmit:
            case kOpEnqueue:
            case kOpWait:
            case kOpJump: uses = kUsesImmediate; break;
            case kOpSubmitAt:
            case kOpJumpZero:
            case kOpJumpNonzero: uses = kUsesA | kUsesImmediate; break;
            case kOpWaitAll: uses = 0; break;
            case kOpEvent:
            case kOpHalt: uses = kUsesA; break;
            default: return refuse(KM_STREAM_ERROR_OPCODE);
        }
    }
    constexpr uint64_t kHigh = 0xFF & ~uint64_t{kRegisters - 1};  // bits of a field that no register's number has
    static_assert((kRegisters & (kRegisters - 1)) == 0, "a power of two");
    if ((word & (kHigh << kOpDShift | kHigh << kOpAShift | kHigh << kOpBShift)) != 0) return refuse(KM_STREAM_ERROR_REGISTER);
    const uint64_t value = word >> kOpImmediateShift;
    if (op == kOpSelect && value >= kRegisters) return refuse(KM_STREAM_ERROR_REGISTER);
    if ((uses & kUsesD) == 0 && (word >> kOpDShift & 0xFF) != 0) return refuse(KM_STREAM_ERROR_OPERAND);
    if ((uses & kUsesA) == 0 && (word >> kOpAShift & 0xFF) != 0) return refuse(KM_STREAM_ERROR_OPERAND);
    if ((uses & kUsesB) == 0 && (word >> kOpBShift & 0xFF) != 0) return refuse(KM_STREAM_ERROR_OPERAND);
    if ((uses & kUsesImmediate) == 0 && value != 0) return refuse(KM_STREAM_ERROR_OPERAND);
    return 0;
}

// An instruction of a stream.
static uint32_t check_stream_instruction(const Engine& engine, uint64_t pc, uint64_t word) {
    if (const uint32_t refusal = check_instruction(word); refusal != 0) return refusal;
    const uint32_t op = word & 0xFF;
    const uint64_t value = word >> kOpImmediateShift;
    if (op >= kOpSubmit && op <= kOpWait) {
        if (value >= engine.record_count()) return refuse(KM_STREAM_ERROR_OPERAND);
        const bool queued = (record_flags(load(engine.record(value) + 8 * kRecordCommand)) & kRecordQueued) != 0;
        if (op == kOpEnqueue && !queued) return refuse(KM_STREAM_ERROR_OPERAND);
        if (op != kOpEnqueue && op != kOpWait && queued) return refuse(KM_STREAM_ERROR_OPERAND);
    }
    if (op >= kOpJump && op <= kOpJumpNonzero && value >= engine.instructions) return refuse(KM_STREAM_ERROR_TARGET);
    if (pc + 1 == engine.instructions && op != kOpJump && op != kOpHalt) return refuse(KM_STREAM_ERROR_END);
    return 0;
}

// ---- Records ------------------------------------------------------------------------------------------------------------

// A record; of a cpu node all but its instructions, whose number becomes engine.code_left.
static uint32_t check_record(Engine& engine, uint64_t record) {
    const uint64_t head = load(record + 8 * kRecordCommand), links = load(record + 8 * kRecordLinks);
    const uint64_t flags = record_flags(head), mask = record_mask(head), publish = head >> kRecordPublishShift;
    const uint64_t result = links_result(links), first = record_first(head), count = record_cores(head);
    const bool stream = engine.graph == 0, cpu = (flags & kRecordCpu) != 0, queued = (flags & kRecordQueued) != 0;
    uint64_t args[kArgsMax / 2];
    for (uint32_t i = 0; i < kArgsMax / 2; ++i) args[i] = load(record + 8 * (kRecordArgs + i));

    if ((flags & ~uint64_t{kRecordCpu | kRecordExclusive | kRecordQueued}) != 0) return refuse(KM_STREAM_ERROR_FLAGS);
    if (field(head, kRecordReservedShift, kRecordReservedBits) != 0) return refuse(KM_STREAM_ERROR_FLAGS);
    if (links >> kLinksReservedShift != 0) return refuse(KM_STREAM_ERROR_FLAGS);
    if (cpu && stream) return refuse(KM_STREAM_ERROR_FLAGS);
    if (cpu && flags != kRecordCpu) return refuse(KM_STREAM_ERROR_FLAGS);
    if (queued && (flags & kRecordExclusive) != 0) return refuse(KM_STREAM_ERROR_FLAGS);
    if (queued && first != 0) return refuse(KM_STREAM_ERROR_FLAGS);
    if (stream && links << (64 - kLinksResultShift) != 0) return refuse(KM_STREAM_ERROR_FLAGS);
    store<uint16_t>(record, 0);
    if (cpu) {
        if ((publish | mask | result | args[1] | args[2] | args[3] | args[4]) != 0) return refuse(KM_STREAM_ERROR_FLAGS);
        const uint64_t from = static_cast<uint32_t>(args[0]), length = args[0] >> kRecordCodeCountShift;
        if (from != engine.next) return refuse(KM_STREAM_ERROR_CODE);
        if (length == 0) return refuse(KM_STREAM_ERROR_CODE);
        if (length > kCpuInstructionsMax) return refuse(KM_STREAM_ERROR_CODE);
        if (from + length > engine.instructions) return refuse(KM_STREAM_ERROR_CODE);
        engine.code_left = static_cast<uint32_t>(length);
        return 0;
    }
    const uint64_t used = record_args(head);
    if (record_handler(head) > kHandlerMax) return refuse(KM_STREAM_ERROR_HANDLER);
    if (used > kArgsMax) return refuse(KM_STREAM_ERROR_ARGS);
    if (mask >> used != 0) return refuse(KM_STREAM_ERROR_ARGS);
    if (count == 0) return refuse(KM_STREAM_ERROR_GROUP);
    if (first + count > engine.cores()) return refuse(KM_STREAM_ERROR_GROUP);
    for (uint32_t i = 0; i < kArgsMax; ++i) {
        if ((mask >> i & 1) == 0) continue;
        if (static_cast<uint32_t>(args[i / 2] >> (32 * (i % 2))) >= kRegisters) return refuse(KM_STREAM_ERROR_REGISTER);
    }
    if (result > kRegisters) return refuse(KM_STREAM_ERROR_REGISTER);
    if (record_publish_flags(head) != (result != 0 ? uint64_t{kPublishResult} : 0)) return refuse(KM_STREAM_ERROR_FLAGS);
    return 0;
}

// ---- Links --------------------------------------------------------------------------------------------------------------

// Counts an edge to `node`: a refusal, or 0.
static uint32_t count_edge(const Engine& engine, uint64_t node) {
    if (node >= engine.record_count()) return refuse(KM_STREAM_ERROR_EDGE);
    const uint64_t count = load<uint16_t>(engine.record(node));
    if (count >= kRecordsMax) return refuse(KM_STREAM_ERROR_EDGE);
    store<uint16_t>(engine.record(node), count + 1);
    return 0;
}

// Begins a list: counts the edges that stand in `links`, or makes the edge words those that are counted next. A refusal, or 0.
static uint32_t open_list(Engine& engine, uint64_t links) {
    const uint64_t link = links_link(links), one = link & kNodeMask, other = link >> kLinkNodeBits;
    const uint64_t count = links_successors(links);
    if (count == 0 && one != 0) return refuse(KM_STREAM_ERROR_EDGE);
    if (count < kLinksInlineMax && other != 0) return refuse(KM_STREAM_ERROR_EDGE);
    if (count <= kLinksInlineMax) {
        uint32_t refusal = count == 0 ? 0 : count_edge(engine, one);
        if (count == kLinksInlineMax && refusal == 0) refusal = count_edge(engine, other);
        return refusal;
    }
    const uint64_t words = edge_words_of(count);
    if (link != engine.next) return refuse(KM_STREAM_ERROR_EDGE);
    if (link + words > engine.edge_words) return refuse(KM_STREAM_ERROR_EDGE);
    engine.edge = static_cast<uint32_t>(kEdgesPerWord * link);
    engine.edges_left = static_cast<uint32_t>(count);
    engine.next += static_cast<uint32_t>(words);
    return 0;
}

// ---- One step of the check: about as much work as one record, four edges or one instruction ---------------------------

static void check_step(Engine& engine) {
    const auto fail = [&](uint32_t refusal) { refuse_upload(engine, refusal, engine.at); };
    switch (engine.phase) {
        case kPhaseRecords:
            if (engine.at == engine.record_count()) {
                engine.phase = engine.graph ? kPhaseLinks : kPhaseInstructions;
                engine.at = engine.graph ? kNoPlace : 0;
                engine.next = 0;
                return;
            }
            engine.code_left = 0;
            if (const uint32_t refusal = check_record(engine, engine.record(engine.at)); refusal != 0) return fail(refusal);
            if (engine.code_left != 0) {
                engine.phase = kPhaseCode;
            } else {
                engine.at += 1;
            }
            return;
        case kPhaseCode: {
            const uint64_t word = load(engine.code + kInstructionBytes * engine.next);
            const uint32_t op = word & 0xFF;
            if (op >= kOpControlFirst && op <= kOpControlLast) return fail(refuse(KM_STREAM_ERROR_OPCODE));
            if (const uint32_t refusal = check_instruction(word); refusal != 0) return fail(refusal);
            engine.next += 1;
            engine.code_left -= 1;
            if (engine.code_left == 0) {
                engine.phase = kPhaseRecords;
                engine.at += 1;
            }
            return;
        }
        case kPhaseInstructions:
            if (engine.at == engine.instructions) {
                engine.phase = kPhaseRun;
                return;
            }
            {
                const uint64_t word = load(engine.code + kInstructionBytes * engine.at);
                if (const uint32_t refusal = check_stream_instruction(engine, engine.at, word); refusal != 0) return fail(refusal);
            }
            engine.at += 1;
            return;
        case kPhaseLinks:
            if (engine.edges_left != 0) {
                uint64_t word = load(engine.edges + 2 * engine.edge);
                for (uint32_t i = 0; i < kEdgesPerWord && engine.edges_left != 0; ++i, word >>= 16) {
                    if (const uint32_t refusal = count_edge(engine, word & 0xFFFF); refusal != 0) return fail(refusal);
                    engine.edge += 1;
                    engine.edges_left -= 1;
                }
            } else {
                const uint64_t links =
                    engine.at == kNoPlace ? engine.start : load(engine.record(engine.at) + 8 * kRecordLinks);
                if (const uint32_t refusal = open_list(engine, links); refusal != 0) return fail(refusal);
            }
            if (engine.edges_left == 0) {
                engine.at += 1;  // from kNoPlace to 0
                if (engine.at == engine.record_count()) {
                    engine.phase = kPhaseOrder;
                    engine.at = 0;
                }
            }
            return;
        case kPhaseOrder: {
            const uint64_t count = load<uint16_t>(engine.record(engine.at));
            const uint64_t links = load(engine.record(engine.at) + 8 * kRecordLinks);
            if (count == 0) return fail(refuse(KM_STREAM_ERROR_ORDER));
            if (count != links_predecessors(links)) return fail(refuse(KM_STREAM_ERROR_ORDER));
            engine.at += 1;
            if (engine.at == engine.record_count()) engine.phase = kPhaseRun;
            return;
        }
        default: return;
    }
}

}  // namespace km
