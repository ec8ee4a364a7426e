//! The stream: it looks for the level of black and that of white by halving, and stretches the picture between them.
//!
//! All of it happens on the card. The host starts it and reads what it posts; how often a loop turns, and which half is
//! looked into next, is decided there.

use crate::program::Levels;
use komorebi as km;

/// Cores that count, each a share of the pages.
pub(crate) const COUNTERS: u32 = 8;

km::stream! {
    <Levels>
    /// Posts each level that it tries, and halts with `black | white << 8`.
    pub(crate) stream Stretching(req = 5) {
        bind
            /// The picture.
            source: km::Address,
            /// Where the stretched one goes.
            target: km::Address,
            /// Pages of the picture.
            pages: u32,
            /// Pages of a counter.
            share: u32,
            /// Bytes that are not above the level of black.
            dark: u32,
            /// Bytes that are not above the level of white.
            bright: u32;
        reg black: u32 = 256, low: u32 = 0, high: u32 = 255, level: u32, wanted: u32, sum: u32;
        reg a: u32, b: u32, c: u32, d: u32, e: u32, f: u32, g: u32, h: u32;

        wanted = dark;
        loop {
            low = 0;
            high = 255;
            while low < high {
                level = (low + high) >> 1;
                event(level);
                submit count[0](source, 0, share, level) -> a;
                submit count[1](source, share, share, level) -> b;
                submit count[2](source, share * 2, share, level) -> c;
                submit count[3](source, share * 3, share, level) -> d;
                submit count[4](source, share * 4, share, level) -> e;
                submit count[5](source, share * 5, share, level) -> f;
                submit count[6](source, share * 6, share, level) -> g;
                submit count[7](source, share * 7, share, level) -> h;
                wait(all);
                sum = a + b + c + d + e + f + g + h;
                // The least level that enough bytes are not above.
                if sum >= wanted { high = level; } else { low = level + 1; }
            }
            // Black first, then white.
            if black != 256 { break; }
            black = low;
            wanted = bright;
        }
        submit stretch[0..32](source, target, pages, black, low);
        wait(all);
        halt(black | low << 8);
    }
}
