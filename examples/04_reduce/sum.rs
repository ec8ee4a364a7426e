//! The same sum in Rust: the same additions in the same order, so the same bits.

use ndarray::{ArrayView1, ArrayView2};

/// How the pages of the numbers are dealt: in blocks to the groups, within a block one by one to the group's cores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deal {
    /// Groups of cores, a block of pages each.
    pub(crate) groups: u32,
    /// Cores of a group.
    pub(crate) cores: u32,
    /// Pages of a block.
    pub(crate) pages: u32,
}

/// What the cores should have added up to.
pub(crate) fn reduce(numbers: ArrayView2<'_, f32>, deal: Deal) -> f32 {
    let Deal { groups, cores, pages } = deal;
    let partial = |group: u32, core: u32| {
        let dealt =
            (core..pages).step_by(cores as usize).map(|page| numbers.row((group * pages + page) as usize));
        dealt.fold(0.0, |sum, page| in_order(sum, page))
    };
    let partials = (0..groups).flat_map(|group| (0..cores).map(move |core| partial(group, core)));
    partials.fold(0.0, |sum, partial| sum + partial)
}

/// `sum` and every number of `numbers`, from the left.
pub(crate) fn in_order(sum: f32, numbers: ArrayView1<'_, f32>) -> f32 {
    numbers.iter().fold(sum, |sum, number| sum + number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_pages_are_added_core_by_core_and_the_cores_group_by_group() {
        // 2^24 + 1 rounds to 2^24: where the ones are added to it first, they are lost.
        let big = 16_777_216.0;
        let numbers = array![[big, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]];
        let dealt = |groups, cores, pages| reduce(numbers.view(), Deal { groups, cores, pages });
        assert_eq!(dealt(1, 1, 4), big, "one core adds the ones to it, one by one");
        assert_eq!(dealt(1, 2, 4), big + 2.0, "one core adds one to it, the other has two together");
        assert_eq!(dealt(2, 1, 2), big + 2.0);
    }
}
