// Maps every byte of this core's pages, four to a word.
#include <komorebi/kernel.h>

#include "curve.h"
#include "map.h"
#include "share.h"

KM_HANDLER(Map) {
    const Curve curve{args.black, args.gain, args.shoulder};
    const uint32_t pages = share(args.pages, command.index, command.count);
    km::map_pages(kBufferSource, kBufferTarget, pages, [&](const uint32_t* in, uint32_t* out, uint32_t words) {
        for (uint32_t i = 0; i < words; ++i) {
            const uint32_t word = in[i];
            uint32_t mapped = 0;
            for (uint32_t shift = 0; shift < 32; shift += 8) mapped |= apply(curve, word >> shift & 0xFF) << shift;
            out[i] = mapped;
        }
    });
}
