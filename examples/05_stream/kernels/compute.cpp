// Counts dark bytes; stretches bytes between two levels to the whole range. levels.rs has the same arithmetic.
#include <komorebi/kernel.h>

#include "levels.h"
#include "share.h"

// Bytes of a page that are not above `level`, in a page whose last bytes may be none of the picture's: those are 255 and
// no level that is looked for reaches them.
KM_HANDLER(Count) {
    uint32_t count = 0;
    const uint32_t pages = share(args.pages, command.index, command.count);
    km::consume_pages(kBufferSource, pages, [&](const uint32_t* in, uint32_t words) {
        for (uint32_t i = 0; i < words; ++i) {
            const uint32_t word = in[i];
            for (uint32_t shift = 0; shift < 32; shift += 8) count += (word >> shift & 0xFF) <= args.level;
        }
    });
    command.set_result(count);
}

KM_HANDLER(Stretch) {
    // Where black and white are one, every byte is one of the two.
    const uint32_t range = args.white > args.black ? args.white - args.black : 1;
    const uint32_t pages = share(args.pages, command.index, command.count);
    km::map_pages(kBufferSource, kBufferTarget, pages, [&](const uint32_t* in, uint32_t* out, uint32_t words) {
        for (uint32_t i = 0; i < words; ++i) {
            const uint32_t word = in[i];
            uint32_t stretched = 0;
            for (uint32_t shift = 0; shift < 32; shift += 8) {
                const uint32_t byte = word >> shift & 0xFF;
                const uint32_t above = byte > args.black ? byte - args.black : 0;
                const uint32_t wide = above * 255 / range;
                stretched |= (wide < 255 ? wide : 255) << shift;
            }
            out[i] = stretched;
        }
    });
}
