//! The words of a header, and the small collections around them: reading makes hundreds of thousands, so none of them
//! asks the allocator in the usual case.

use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::sync::Arc;

/// A word of a header: a piece of one of its [`Texts`].
pub(crate) type Text<'a> = &'a str;

/// Something by its name.
pub(crate) type Table<'a, V> = HashMap<Text<'a>, V, FxBuildHasher>;

/// What there is nearly always one of.
pub(crate) type Few<T> = SmallVec<[T; 1]>;

/// The texts that words are pieces of: of files, and of words that macros make. They stay where they are while more come,
/// until reading is over.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// Of `FIRST_SHELF` texts, and each of twice as many as the one before.
    shelves: [OnceCell<Shelf>; 28],
    count: Cell<usize>,
}

type Shelf = Box<[OnceCell<Arc<str>>]>;

/// Texts on the first shelf.
const FIRST_SHELF: usize = 16;

impl Texts {
    /// Keeps a text.
    pub(crate) fn keep(&self, text: impl Into<Arc<str>>) -> &Arc<str> {
        let number = self.count.replace(self.count.get() + 1) + FIRST_SHELF;
        let shelf = (number / FIRST_SHELF).ilog2() as usize;
        let room = FIRST_SHELF << shelf;
        let places = self.shelves[shelf].get_or_init(|| vec![OnceCell::new(); room].into());
        places[number - room].get_or_init(|| text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_while_more_come() {
        let texts = Texts::default();
        let kept: Vec<&Arc<str>> = (0..1_000).map(|number| texts.keep(number.to_string())).collect();
        for (number, text) in kept.into_iter().enumerate() {
            assert_eq!(**text, *number.to_string());
        }
    }
}
