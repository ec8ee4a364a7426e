//! Operands for floating point: the edges with each other, and random ones of the kinds where datapaths differ.

/// Numbers at an edge: zeros, subnormals, the least and the greatest normal ones, infinities, NaNs with payloads, small
/// integers and halves, and where conversions overflow. Their negatives are edges, too.
const EDGES: [u32; 24] = [
    0x0000_0000, // zero
    0x0000_0001, // the least subnormal
    0x0040_0000,
    0x007f_ffff, // the greatest subnormal
    0x0080_0000, // the least normal
    0x0080_0001,
    0x0100_0000,
    0x3eff_ffff, // just below a half
    0x3f00_0000, // 0.5
    0x3f7f_ffff, // just below 1
    0x3f80_0000, // 1
    0x3f80_0001,
    0x3fc0_0000, // 1.5
    0x4020_0000, // 2.5
    0x4b00_0001, // 2^23 + 1
    0x4b7f_ffff, // 2^24 - 1
    0x4eff_ffff, // below 2^31
    0x4f00_0000, // 2^31
    0x4f7f_ffff, // below 2^32
    0x4f80_0000, // 2^32
    0x7f7f_ffff, // the greatest
    0x7f80_0000, // infinity
    0x7f80_1234, // a signalling NaN
    0x7fc1_2345, // a quiet one
];

/// A deterministic source of random words (splitmix64).
pub(crate) struct Source(u64);

impl Source {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) as u32
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.next() % bound
    }

    fn edge(&mut self) -> u32 {
        EDGES[self.below(EDGES.len() as u32) as usize] ^ self.next() & 0x8000_0000
    }

    /// A number of this exponent, biased; at times one of few bits, so that ties come about.
    fn of_exponent(&mut self, exponent: i32) -> u32 {
        let fraction = self.next() & 0x7f_ffff;
        let fraction = if self.below(2) == 0 { fraction & 0x7f_ffff << self.below(24) } else { fraction };
        self.next() & 0x8000_0000 | (exponent.clamp(0, 255) as u32) << 23 | fraction & 0x7f_ffff
    }

    fn one(&mut self) -> u32 {
        match self.below(6) {
            0 => self.edge(),
            1 => self.next(),
            // An integer, as bits and as a number, and one with a half.
            2 => self.next() >> self.below(32),
            3 => ((self.next() >> self.below(32)) as i32 as f32).to_bits() ^ self.next() & 0x8000_0000,
            4 => ((self.below(1 << 22) as f32) + 0.5).to_bits() ^ self.next() & 0x8000_0000,
            _ => {
                let exponent = 97 + self.below(60) as i32;
                self.of_exponent(exponent)
            }
        }
    }

    /// Three operands: of no relation, or such that the sum cancels, is decided by bits that are shifted out, or lies at
    /// one of the ends of the range.
    fn three(&mut self) -> [u32; 3] {
        let kind = self.below(8);
        if kind < 3 {
            return [self.one(), self.one(), self.one()];
        }
        let exponent = |bits: u32| (bits >> 23 & 0xff) as i32;
        let near = match kind {
            3 => 1,   // the product near the least normal number
            4 => 254, // near the greatest
            _ => 127,
        };
        let first = 64 + self.below(127) as i32;
        let jitter = self.below(7) as i32 - 3;
        let a = self.of_exponent(first);
        let b = self.of_exponent(near + 127 - first + jitter);
        let product = f32::from_bits(a) * f32::from_bits(b);
        let c = match kind {
            5 => (-product).to_bits().wrapping_add(self.below(9)).wrapping_sub(4),
            _ => {
                let distance = self.below(61) as i32 - 30;
                self.of_exponent(exponent(a) + exponent(b) - 127 + distance)
            }
        };
        [a, b, c]
    }
}

/// `count` triples of operands: first every edge, positive and negative, with every other, then random ones.
pub(crate) fn triples(seed: u64, count: usize) -> Vec<[u32; 3]> {
    let mut source = Source(seed);
    let edges: Vec<u32> = EDGES.iter().flat_map(|edge| [*edge, edge | 0x8000_0000]).collect();
    let mut triples: Vec<[u32; 3]> =
        edges.iter().flat_map(|a| edges.iter().map(move |b| [*a, *b, 0])).collect();
    triples.iter_mut().for_each(|triple| triple[2] = source.edge());
    triples.truncate(count);
    triples.resize_with(count, || source.three());
    triples
}

/// `count` random triples.
pub(crate) fn random_triples(seed: u64, count: usize) -> Vec<[u32; 3]> {
    let mut source = Source(seed);
    std::iter::repeat_with(|| source.three()).take(count).collect()
}
