// What only graphs have. See firmware/PROTOCOL.md, "Graphs".
#pragma once
#include <stdint.h>

#include "engine.h"
#include "layout.h"

namespace km {

constexpr uint32_t kGraphNodesMax = (kUploadBytes - kUploadRecords) / kRecordBytes;  // 11,056: the whole region
constexpr uint32_t kCpuInstructionsMax = 256;  // instructions of a cpu node

static_assert(kGraphNodesMax <= kRecordsMax, "a node's number has 14 bits");

}  // namespace km
