//! What can be waited for: one handle, or several.

use super::events::Event;
use super::handles::{Handle, Handles};
use crate::Word;

pub(crate) mod sealed {
    use super::{Event, Handle, Word};

    pub trait Sealed {
        type Word: Word;
        type Output;
        /// The commands.
        fn handles(&self) -> impl Iterator<Item = Handle<Self::Word>>;
        /// Their events, in the order of the handles.
        fn collect(events: impl Iterator<Item = Event<Self::Word>>, count: usize) -> Option<Self::Output>;
    }
}
use sealed::Sealed;

/// One handle, whose wait gives its [`Event`], or several ([`Handles`], slices, vectors, arrays), whose wait gives all
/// their events in order.
pub trait Waitable: Sealed {}

impl<R: Word> Sealed for Handle<R> {
    type Word = R;
    type Output = Event<R>;

    #[inline]
    fn handles(&self) -> impl Iterator<Item = Handle<R>> {
        std::iter::once(*self)
    }

    #[inline]
    fn collect(mut events: impl Iterator<Item = Event<R>>, _: usize) -> Option<Event<R>> {
        events.next()
    }
}

impl<R: Word> Waitable for Handle<R> {}

macro_rules! several {
    ($(<$word:ident $(, const $n:ident)?> $type:ty, |$value:ident| $handles:expr;)*) => {
        $(
            impl<$word: Word $(, const $n: usize)?> Sealed for $type {
                type Word = $word;
                type Output = Vec<Event<$word>>;

                fn handles(&self) -> impl Iterator<Item = Handle<$word>> {
                    let $value = self;
                    $handles
                }

                fn collect(events: impl Iterator<Item = Event<$word>>, count: usize) -> Option<Self::Output> {
                    let mut all = Vec::with_capacity(count);
                    all.extend(events);
                    Some(all)
                }
            }

            impl<$word: Word $(, const $n: usize)?> Waitable for $type {}
        )*
    };
}

several! {
    <R> Handles<R>, |handles| handles.clone();
    <R> &[Handle<R>], |handles| handles.iter().copied();
    <R> &Vec<Handle<R>>, |handles| handles.iter().copied();
    <R> Vec<Handle<R>>, |handles| handles.iter().copied();
    <R, const N> [Handle<R>; N], |handles| handles.iter().copied();
    <R, const N> &[Handle<R>; N], |handles| handles.iter().copied();
}
