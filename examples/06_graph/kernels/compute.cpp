// Relaxes the pixels of one colour of the chessboard, whose neighbours are all of the other: the order within a command
// does not matter, and the bits of the result are those of the same arithmetic in Rust.
#include "relax.h"
#include "rows.h"

constexpr uint32_t kRowWords = kRowBytes / 4;

// The pixels of `colour` from `from` to `to`; the others as they are.
static void relax(const km::Command& command, uint32_t colour, uint32_t from, uint32_t to) {
    uint32_t row = command.index;
    km::map_pages(kBufferWindow, kBufferRow, share(command), [&](const uint32_t* in, uint32_t* out, uint32_t) {
        const uint32_t* here = in + kRowWords;
        for (uint32_t x = from; x < to; ++x) {
            uint32_t word = here[x];
            if ((word & kFill) != 0 && ((row + x) & 1) == colour) {
                word = bits(mean(in, here, here + kRowWords, x, kWidth)) | kFill;
            }
            out[x] = word;
        }
        row += command.count;
    });
}

KM_HANDLER(Step) { relax(command, args.iteration & 1, 0, kPageBytes / 4); }
KM_HANDLER(Left) { relax(command, ~args.iteration & 1, 0, kHalf); }
KM_HANDLER(Right) { relax(command, ~args.iteration & 1, kHalf, kPageBytes / 4); }

// How much a pixel would change at most: of numbers that are not negative the bits compare as they do.
KM_HANDLER(Norm) {
    uint32_t most = 0;
    km::consume_pages(kBufferWindow, share(command), [&](const uint32_t* in, uint32_t) {
        const uint32_t* here = in + kRowWords;
        for (uint32_t x = 0; x < kWidth; ++x) {
            if ((here[x] & kFill) == 0) continue;
            const uint32_t change = bits(mean(in, here, here + kRowWords, x, kWidth) - value(here[x])) & ~kFill;
            if (change > most) most = change;
        }
    });
    km::produce_pages(kBufferPartial, 1, [&](uint32_t* out, uint32_t words) {
        out[0] = most;
        for (uint32_t i = 1; i < words; ++i) out[i] = 0;
    });
}
