//! The same levels and the same stretch in Rust.

/// Levels that a picture is stretched between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Levels {
    pub(crate) black: u32,
    pub(crate) white: u32,
}

/// How many bytes of `bytes` a share of them is, in thousandths.
pub(crate) fn part(bytes: usize, thousandths: u32) -> u32 {
    (bytes as u64 * u64::from(thousandths) / 1000).max(1) as u32
}

/// The least level that `count` of the bytes are not above, `count` at least 1.
pub(crate) fn level(bytes: &[u8], count: u32) -> u32 {
    let mut of = [0_u32; 256];
    bytes.iter().for_each(|&byte| of[usize::from(byte)] += 1);
    let sums = of.iter().scan(0, |sum, &count| {
        *sum += count;
        Some(*sum)
    });
    sums.take_while(|&sum| sum < count).count() as u32
}

impl Levels {
    pub(crate) fn stretch(self, byte: u8) -> u8 {
        let range = if self.white > self.black { self.white - self.black } else { 1 };
        (u32::from(byte).saturating_sub(self.black) * 255 / range).min(255) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_the_least_that_enough_bytes_are_not_above() {
        let bytes = [10, 10, 20, 30, 30, 30, 40, 200, 200, 255];
        assert_eq!([1, 2, 3, 6, 10].map(|count| level(&bytes, count)), [10, 10, 20, 30, 255]);
        assert_eq!(part(1000, 5), 5);
        assert_eq!(part(10, 5), 1);
    }

    #[test]
    fn black_becomes_0_and_white_255() {
        let levels = Levels { black: 50, white: 150 };
        assert_eq!([0, 50, 100, 150, 255].map(|byte| levels.stretch(byte)), [0, 0, 127, 255, 255]);
        let flat = Levels { black: 7, white: 7 };
        assert_eq!([7, 8].map(|byte| flat.stretch(byte)), [0, 255]);
    }
}
