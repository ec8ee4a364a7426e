// The fields of a record's words (komorebi/engine.h). The high half of the first word is the publish word's.
#pragma once
#include "komorebi/engine.h"
#include "mailbox.h"

namespace km {

// A field of `bits` bits.
KM_INLINE uint64_t field(uint64_t word, uint32_t shift, uint32_t bits) { return word >> shift & ((uint64_t{1} << bits) - 1); }

// ---- The first word ---------------------------------------------------------------------------------------------------

constexpr uint32_t kRecordFlagsBits = kRecordReservedShift - kRecordFlagsShift;
constexpr uint32_t kRecordReservedBits = kRecordPublishShift - kRecordReservedShift;

static_assert(kRecordMaskShift + kArgsMax == kRecordFlagsShift, "a bit of the mask for each argument word");

KM_INLINE uint64_t record_flags(uint64_t head) { return field(head, kRecordFlagsShift, kRecordFlagsBits); }
KM_INLINE uint64_t record_mask(uint64_t head) { return field(head, kRecordMaskShift, kArgsMax); }
KM_INLINE uint64_t record_handler(uint64_t head) { return field(head, kWordHandlerShift, 8); }
KM_INLINE uint64_t record_first(uint64_t head) { return field(head, kWordFirstShift, 8); }
KM_INLINE uint64_t record_cores(uint64_t head) { return head >> kWordCountShift; }
KM_INLINE uint64_t record_args(uint64_t head) { return field(head, kWordArgsShift, 4); }
KM_INLINE uint64_t record_publish_flags(uint64_t head) { return field(head, kWordFlagsShift, 4); }

// ---- Links ------------------------------------------------------------------------------------------------------------

constexpr uint64_t kNodeMask = (uint64_t{1} << kLinkNodeBits) - 1;

static_assert(kRecordsMax == kNodeMask, "counts have the bits of numbers");

KM_INLINE uint64_t links_link(uint64_t links) { return field(links, 0, kLinkBits); }
KM_INLINE uint64_t links_successors(uint64_t links) { return field(links, kLinksSuccessorsShift, kLinkNodeBits); }
KM_INLINE uint64_t links_predecessors(uint64_t links) { return field(links, kLinksPredecessorsShift, kLinkNodeBits); }
KM_INLINE uint64_t links_result(uint64_t links) { return field(links, kLinksResultShift, kLinksReservedShift - kLinksResultShift); }

// The edge words of a list that does not stand in its links.
KM_INLINE uint64_t edge_words_of(uint64_t successors) { return (successors + kEdgesPerWord - 1) / kEdgesPerWord; }

}  // namespace km
