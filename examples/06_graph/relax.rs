//! The same relaxation in Rust, in the same order: every addition and product by itself, each rounded.

/// A plane of pixels, binary32 from 1 to 256, row by row; the sign bit marks those to be filled in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plane {
    pub(crate) width: usize,
    pub(crate) rows: usize,
    /// The numbers' bits.
    pub(crate) pixels: Vec<u32>,
}

/// This pixel is to be filled in.
pub(crate) const FILL: u32 = 0x8000_0000;

/// What a relaxation took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Relaxed {
    pub(crate) rounds: u32,
    /// How much a pixel would change at most in another round.
    pub(crate) residual: f32,
}

impl Plane {
    fn value(&self, row: usize, x: usize) -> f32 {
        f32::from_bits(self.pixels[row * self.width + x] & !FILL)
    }

    /// The mean of the four neighbours; beyond the edge a pixel is its own neighbour.
    fn mean(&self, row: usize, x: usize) -> f32 {
        let (above, below) = (row.saturating_sub(1), (row + 1).min(self.rows - 1));
        let (left, right) = (x.saturating_sub(1), (x + 1).min(self.width - 1));
        let mut sum = self.value(above, x) + self.value(below, x);
        sum += self.value(row, left);
        sum += self.value(row, right);
        sum * 0.25
    }

    fn filled(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let width = self.width;
        let filled: Vec<usize> = (0..self.pixels.len()).filter(|&i| self.pixels[i] & FILL != 0).collect();
        filled.into_iter().map(move |i| (i / width, i % width))
    }

    /// Rounds until no pixel would change by more than `limit`, `max_rounds` at most.
    pub(crate) fn relax(&mut self, limit: f32, max_rounds: u32) -> Relaxed {
        let filled: Vec<_> = self.filled().collect();
        let mut rounds = 0;
        loop {
            for colour in [rounds as usize & 1, !rounds as usize & 1] {
                for &(row, x) in filled.iter().filter(|(row, x)| (row + x) & 1 == colour) {
                    self.pixels[row * self.width + x] = self.mean(row, x).to_bits() | FILL;
                }
            }
            let change = |&(row, x): &(usize, usize)| (self.mean(row, x) - self.value(row, x)).abs();
            let residual = filled.iter().map(change).fold(0.0, f32::max);
            rounds += 1;
            if residual <= limit || rounds == max_rounds {
                return Relaxed { rounds, residual };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hole_in_a_slope_becomes_the_slope() {
        let slope = |x: usize| 1.0 + x as f32;
        let mut plane =
            Plane { width: 9, rows: 9, pixels: (0..81).map(|i| slope(i % 9).to_bits()).collect() };
        for row in 3..6 {
            for x in 2..7 {
                plane.pixels[row * 9 + x] = 128_f32.to_bits() | FILL;
            }
        }
        let relaxed = plane.relax(1e-4, 1000);
        assert!(relaxed.residual <= 1e-4 && relaxed.rounds > 5, "{relaxed:?}");
        assert!(plane.filled().all(|(row, x)| (plane.value(row, x) - slope(x)).abs() < 1e-2));
        assert_eq!(plane.filled().count(), 15);
    }

    #[test]
    fn the_most_rounds_end_it() {
        let mut plane = Plane {
            width: 3,
            rows: 1,
            pixels: vec![1_f32.to_bits(), 200_f32.to_bits() | FILL, 1_f32.to_bits()],
        };
        assert_eq!(plane.relax(0.0, 3).rounds, 3);
    }
}
