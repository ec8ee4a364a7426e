//! Bindings of a start that no type declares: by name, or as a list.

use komorebi_abi::constants::engine::BINDINGS_MAX;
use komorebi_abi::engine::{BindError, order_by_name};

use crate::error::UploadError;
use crate::{Address, Tensor};

/// One word of a start: a number, or the address of a tensor, which the upload then holds.
#[derive(Clone, Debug)]
pub struct Binding {
    word: u32,
    tensor: Option<Tensor>,
}

macro_rules! bindings_of {
    ($($type:ty: |$value:ident| $word:expr;)*) => {
        $(impl From<$type> for Binding {
            fn from($value: $type) -> Self {
                Self { word: $word, tensor: None }
            }
        })*
    };
}

bindings_of! {
    u32: |value| value;
    i32: |value| value.cast_unsigned();
    f32: |value| value.to_bits();
    Address: |value| value.0;
}

impl From<&Tensor> for Binding {
    fn from(tensor: &Tensor) -> Self {
        Self { word: tensor.address().0, tensor: Some(tensor.clone()) }
    }
}

/// The bindings of a start: none (`()`), words in their order, or words by name.
///
/// ```
/// use komorebi as km;
///
/// let by_name: km::Bindings = [("iteration", 0_u32), ("limit", 1_000_000)].into();
/// let in_order: km::Bindings = [0_u32, 1_000_000].into();
/// let mixed: km::Bindings = vec![("scale", km::Binding::from(0.5_f32)), ("limit", 7_u32.into())].into();
/// # let _ = (by_name, in_order, mixed);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Bindings(Vec<(Option<String>, Binding)>);

/// The words of a start with the tensors that were named for them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bound {
    pub(crate) words: Vec<u32>,
    pub(crate) tensors: Vec<Tensor>,
}

impl From<()> for Bindings {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl<B: Into<Binding>> FromIterator<B> for Bindings {
    fn from_iter<I: IntoIterator<Item = B>>(words: I) -> Self {
        Self(words.into_iter().map(|word| (None, word.into())).collect())
    }
}

impl<N: Into<String>, B: Into<Binding>> FromIterator<(N, B)> for Bindings {
    fn from_iter<I: IntoIterator<Item = (N, B)>>(words: I) -> Self {
        Self(words.into_iter().map(|(name, word)| (Some(name.into()), word.into())).collect())
    }
}

macro_rules! collections {
    ($(<$item:ident $(, const $n:ident)?> $type:ty, |$words:ident| $items:expr;)*) => {
        $(impl<$item $(, const $n: usize)?> From<$type> for Bindings
        where
            Self: FromIterator<$item>,
            $item: Clone,
        {
            fn from($words: $type) -> Self {
                $items.collect()
            }
        })*
    };
}

collections! {
    <B, const N> [B; N], |words| words.into_iter();
    <B> Vec<B>, |words| words.into_iter();
    <B> &[B], |words| words.iter().cloned();
}

impl Bindings {
    /// The words in the order of the upload's bindings, which have these names; `None` when nobody knows them.
    pub(crate) fn bind(self, names: Option<&[Option<String>]>) -> Result<Bound, UploadError> {
        let given = self.0.len();
        if given > BINDINGS_MAX as usize {
            return Err(UploadError::TooManyBindings { found: given });
        }
        let named = self.0.iter().any(|(name, _)| name.is_some());
        if let Some(names) = names.filter(|names| !named && names.len() != given) {
            return Err(BindError::Count { given, expected: names.len() }.into());
        }
        if !named {
            return Ok(bound(self.0.into_iter().map(|(_, binding)| binding)));
        }
        let Some(names) = names else { return Err(UploadError::Names) };
        let given = self.0.into_iter().map(|(name, binding)| (name.unwrap_or_default(), binding));
        Ok(bound(order_by_name(names, given)?.into_iter()))
    }
}

fn bound(bindings: impl Iterator<Item = Binding>) -> Bound {
    let mut bound = Bound::default();
    for Binding { word, tensor } in bindings {
        bound.words.push(word);
        bound.tensors.extend(tensor);
    }
    bound
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<Option<String>> {
        ["state", "limit"].map(|name| Some(name.to_owned())).to_vec()
    }

    fn bind(bindings: impl Into<Bindings>, names: Option<&[Option<String>]>) -> Result<Vec<u32>, String> {
        bindings.into().bind(names).map(|bound| bound.words).map_err(|error| error.to_string())
    }

    #[test]
    fn words_by_name_come_in_the_order_of_the_bindings() {
        assert_eq!(bind([("limit", 7_u32), ("state", 64)], Some(&names())), Ok(vec![64, 7]));
        let mixed = vec![("limit", Binding::from(1.0_f32)), ("state", Address(64).into())];
        assert_eq!(bind(mixed, Some(&names())), Ok(vec![64, 0x3F80_0000]));
    }

    #[test]
    fn what_is_no_binding_or_is_missing_is_named() {
        let error = bind([("state", 1_u32), ("limt", 2)], Some(&names())).unwrap_err();
        assert!(error.contains("`limt`") && error.contains("did you mean `limit`"), "{error}");
        assert!(bind([("state", 1_u32)], Some(&names())).unwrap_err().contains("`limit` is not given"));
        assert!(
            bind([1_u32], Some(&names())).unwrap_err().contains("1 binding words are given, 2 are expected")
        );
        assert!(bind((), Some(&names())).unwrap_err().contains("0 binding words"));
    }

    #[test]
    fn bytes_take_a_list_of_up_to_16_words_and_no_names() {
        assert_eq!(bind([1_u32; 16], None), Ok(vec![1; 16]));
        assert!(bind([1_u32; 17], None).unwrap_err().contains("17"));
        assert!(bind([("a", 1_u32)], None).unwrap_err().contains("list"));
        assert_eq!(bind((), None), Ok(vec![]));
    }
}
