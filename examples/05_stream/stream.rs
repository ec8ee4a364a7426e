//! The stream: it looks for the level of black and that of white by halving, and stretches the picture between them.
//!
//! All of it happens on the card. The host starts it and reads what it posts; how often a loop turns, and which half is
//! looked into next, is decided there.

use komorebi as km;

use km::Arithmetic;

/// Cores that count, each a share of the pages.
pub(crate) const COUNTERS: u32 = 8;

/// Bindings: `source`, `target`; `pages` and `share`, those of the picture and of a counter; `dark` and `bright`, how many
/// bytes are not above the level of black, and of white. It posts each level that it tries, and halts with
/// `black | white << 8`.
pub(crate) fn levels() -> km::Stream {
    let mut stream = km::Stream::new().named("levels").req(5);
    let address = Some(km::ArgKind::Address);
    let number = Some(km::ArgKind::U32);
    let source = stream.binding("source", address);
    let target = stream.binding("target", address);
    let [pages, share, dark, bright] =
        ["pages", "share", "dark", "bright"].map(|name| stream.binding(name, number));
    let [wanted, low, high, level, first, sum, more, enough, black] =
        ["wanted", "low", "high", "level", "first", "sum", "more", "enough", "black"]
            .map(|name| stream.register_named(name, number));
    let counts = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|name| stream.register_named(name, number));

    stream.set(black, 256).set(wanted, dark);
    stream.loop_(|s| {
        s.set(low, 0).set(high, 255);
        s.while_(
            |s| {
                s.ltu(more, low, high);
                more.into()
            },
            |s| {
                s.add(level, low, high).shr(level, level, 1).event(level);
                s.set(first, 0);
                for (core, &count) in (0..COUNTERS).zip(&counts) {
                    s.submit("count", core, [source.into(), first.into(), share.into(), level.into()])
                        .result(count);
                    s.add(first, first, share);
                }
                s.wait_all().set(sum, 0);
                for count in counts {
                    s.add(sum, sum, count);
                }
                // The least level that enough bytes are not above.
                s.geu(enough, sum, wanted);
                s.if_else(
                    enough,
                    |s| {
                        s.set(high, level);
                    },
                    |s| {
                        s.add(low, level, 1);
                    },
                );
            },
        );
        // Black first, then white.
        s.ne(more, black, 256);
        s.if_(more, |s| {
            s.break_();
        });
        s.set(black, low).set(wanted, bright);
    });
    let everyone = stream.group("everyone", 0..32);
    stream.submit(
        "stretch",
        everyone,
        [source.into(), target.into(), pages.into(), black.into(), low.into()],
    );
    stream.wait_all().shl(low, low, 8).or(black, black, low).halt(black);
    stream
}
