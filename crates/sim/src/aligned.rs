//! Aligned little-endian words of a piece of memory whose length is a power of two.

/// The `width` (1, 2, 4 or 8) bytes at `at`, a multiple of `width`; what of `at` exceeds `LEN` is left away.
#[inline(always)]
pub(crate) fn get<const LEN: usize>(bytes: &[u8; LEN], at: u64, width: usize) -> u64 {
    let at = place::<LEN>(at, width);
    match width {
        1 => u64::from(bytes[at]),
        2 => u64::from(u16::from_le_bytes(array(&bytes[at..at + 2]))),
        4 => u64::from(u32::from_le_bytes(array(&bytes[at..at + 4]))),
        _ => u64::from_le_bytes(array(&bytes[at..at + 8])),
    }
}

/// Sets them to the low bytes of `value`.
#[inline(always)]
pub(crate) fn set<const LEN: usize>(bytes: &mut [u8; LEN], at: u64, width: usize, value: u64) {
    let at = place::<LEN>(at, width);
    match width {
        1 => bytes[at] = value as u8,
        2 => bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes()),
        4 => bytes[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes()),
        _ => bytes[at..at + 8].copy_from_slice(&value.to_le_bytes()),
    }
}

/// In a form that shows the compiler that the bytes lie inside.
#[inline(always)]
fn place<const LEN: usize>(at: u64, width: usize) -> usize {
    const { assert!(LEN.is_power_of_two() && LEN >= 8) };
    at as usize & (LEN - width)
}

#[inline(always)]
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("a slice of N bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_each_width_comes_back_and_leaves_its_neighbours() {
        for width in [1, 2, 4, 8] {
            let mut bytes = [0x55; 16];
            set(&mut bytes, 24, width, 0x8877_6655_4433_2211);
            let mask = u64::MAX >> (64 - 8 * width);
            assert_eq!(get(&bytes, 8, width), 0x8877_6655_4433_2211 & mask);
            assert!(bytes[..8].iter().chain(&bytes[8 + width..]).all(|byte| *byte == 0x55));
        }
    }
}
