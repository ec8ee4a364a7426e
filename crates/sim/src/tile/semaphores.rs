//! The eight hardware semaphores of a Tensix tile (tensix.md §2): 4 bits, posted by an even store, taken by an odd one.

/// Their values.
#[derive(Clone, Default)]
pub(crate) struct Semaphores([u8; 8]);

impl Semaphores {
    /// A load: the value.
    pub(crate) fn load(&self, i: usize) -> u32 {
        u32::from(self.0[i])
    }

    /// A store: even posts (up to 15), odd gets (down to 0).
    pub(crate) fn store(&mut self, i: usize, value: u32) {
        self.0[i] = if value & 1 == 0 { (self.0[i] + 1).min(15) } else { self.0[i].saturating_sub(1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_semaphore_saturates_at_15_and_0() {
        let mut semaphores = Semaphores::default();
        semaphores.store(3, 1);
        assert_eq!(semaphores.load(3), 0);
        for _ in 0..20 {
            semaphores.store(3, 0);
        }
        assert_eq!(semaphores.load(3), 15);
        semaphores.store(3, 1);
        assert_eq!(semaphores.load(3), 14);
        assert_eq!(semaphores.load(2), 0);
    }
}
