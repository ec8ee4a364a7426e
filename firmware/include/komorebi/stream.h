// Instructions of streams and of cpu nodes, and what only streams have. See firmware/PROTOCOL.md, "Instructions".
#pragma once
#include <stdint.h>

#include "engine.h"
#include "layout.h"

namespace km {

constexpr uint32_t kStreamInstructionsMax = (kUploadBytes - kUploadRecords) / kInstructionBytes;  // 88,448: the whole region

// An instruction: one 64-bit word.
//   [7:0] opcode  [15:8] d  [23:16] a  [31:24] b  [63:32] immediate
// d, a, b: registers. kOpImmediate in the opcode of a binary or unary instruction: the immediate stands in for register b.
// A field that an instruction does not use is 0.
constexpr uint32_t kOpDShift = 8;
constexpr uint32_t kOpAShift = 16;
constexpr uint32_t kOpBShift = 24;
constexpr uint32_t kOpImmediateShift = 32;
constexpr uint32_t kOpImmediate = 0x80;

// Opcodes. The numbers of each shape are consecutive: a range check is the whole check of an opcode.
enum Opcode : uint32_t {
    // binary: d = a op b
    kOpAdd = 0x01,
    kOpSub = 0x02,
    kOpMul = 0x03,   // the low 32 bits
    kOpMin = 0x04,   // signed
    kOpMax = 0x05,   // signed
    kOpMinU = 0x06,
    kOpMaxU = 0x07,
    kOpAnd = 0x08,
    kOpOr = 0x09,
    kOpXor = 0x0A,
    kOpShl = 0x0B,   // by b mod 32
    kOpShr = 0x0C,   // by b mod 32, zeros in
    kOpSar = 0x0D,   // by b mod 32, the sign in
    kOpEq = 0x0E,    // comparisons give 1 or 0
    kOpNe = 0x0F,
    kOpLt = 0x10,    // signed
    kOpLe = 0x11,    // signed
    kOpGt = 0x12,    // signed
    kOpGe = 0x13,    // signed
    kOpLtU = 0x14,
    kOpLeU = 0x15,
    kOpGtU = 0x16,
    kOpGeU = 0x17,
    kOpFAdd = 0x18,  // binary32, see PROTOCOL.md
    kOpFSub = 0x19,
    kOpFMul = 0x1A,
    kOpFEq = 0x1B,   // comparisons with a NaN give 0, but for kOpFNe
    kOpFNe = 0x1C,
    kOpFLt = 0x1D,
    kOpFLe = 0x1E,
    kOpFGt = 0x1F,
    kOpFGe = 0x20,
    // unary: d = op b
    kOpMove = 0x40,
    kOpFFromI = 0x41,  // binary32 of a signed number, to nearest
    kOpFFromU = 0x42,  // binary32 of an unsigned number, to nearest
    kOpIFromF = 0x43,  // signed number of a binary32: towards zero, the nearest number where there is none, NaN gives 0
    kOpUFromF = 0x44,  // unsigned number of a binary32, likewise
    // d = a != 0 ? b : c; c is the register in the immediate
    kOpSelect = 0x50,
    // streams only, from here on. Immediate: a record
    kOpSubmit = 0x60,    // submits it
    kOpSubmitAt = 0x61,  // submits it to the cores from register a on
    kOpEnqueue = 0x62,   // puts it, a queued one, into the job queue
    kOpWait = 0x63,      // waits until none of its commands is in flight
    // no operand
    kOpWaitAll = 0x64,   // waits until none of the stream's commands is in flight
    // immediate: the instruction to go to
    kOpJump = 0x65,
    kOpJumpZero = 0x66,     // if register a is 0
    kOpJumpNonzero = 0x67,  // if register a is not 0
    // register a
    kOpEvent = 0x68,  // posts it
    kOpHalt = 0x69,   // waits as kOpWaitAll, then ends with it
};

constexpr uint32_t kOpBinaryFirst = kOpAdd;
constexpr uint32_t kOpWholeLast = kOpGeU;  // of the binary ones, the last that computes with whole numbers
constexpr uint32_t kOpBinaryLast = kOpFGe;
constexpr uint32_t kOpUnaryFirst = kOpMove;
constexpr uint32_t kOpUnaryLast = kOpUFromF;
constexpr uint32_t kOpControlFirst = kOpSubmit;
constexpr uint32_t kOpControlLast = kOpHalt;

constexpr uint32_t kFloatNan = 0x7FC00000;  // every NaN that an instruction makes

}  // namespace km
