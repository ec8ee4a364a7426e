//! The words of a header, and the small collections around them: reading makes hundreds of thousands, so none of them
//! asks the allocator in the usual case.

use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use smol_str::SmolStr;
use std::collections::HashMap;

/// A word of a header. Up to 23 bytes, as nearly all words have, lie in the value itself.
pub(crate) type Text = SmolStr;

/// Something by its name.
pub(crate) type Table<V> = HashMap<Text, V, FxBuildHasher>;

/// What there is nearly always one of.
pub(crate) type Few<T> = SmallVec<[T; 1]>;
