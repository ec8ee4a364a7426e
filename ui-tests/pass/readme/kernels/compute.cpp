// Multiplies every byte of this core's pages by `gain`, in 1/256; what passes 255 becomes 255.
#include <komorebi/kernel.h>

#include "map.h"

KM_HANDLER(Map) {
    const uint32_t pages = (args.pages + command.count - 1 - command.index) / command.count;
    km::map_pages(kBufferSource, kBufferTarget, pages, [&](const uint32_t* in, uint32_t* out, uint32_t words) {
        for (uint32_t i = 0; i < words; ++i) {
            uint32_t mapped = 0;
            for (uint32_t shift = 0; shift < 32; shift += 8) {
                const uint32_t scaled = (in[i] >> shift & 0xFF) * args.gain >> 8;
                mapped |= (scaled < 255 ? scaled : 255) << shift;
            }
            out[i] = mapped;
        }
    });
}
