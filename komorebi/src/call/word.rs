//! What a command gives back.

use komorebi_abi::program::ResultKind;

mod sealed {
    pub trait Sealed {
        fn from_word(word: u32) -> Self;
    }
}

/// The type of a command's result: `()` for none, or `u32`, `i32`, `f32` in the done event's result word.
pub trait Word: sealed::Sealed + Copy + std::fmt::Debug + 'static {
    /// What the result word holds; `None` when commands with this result do not carry `KM_FLAG_RESULT`.
    #[doc(hidden)]
    const KIND: Option<ResultKind>;

    /// The value of a result word.
    #[doc(hidden)]
    fn value(word: u32) -> Self {
        Self::from_word(word)
    }
}

macro_rules! word {
    ($($type:ty: $kind:expr, |$word:pat_param| $value:expr;)*) => {
        $(
            impl sealed::Sealed for $type {
                #[inline]
                fn from_word($word: u32) -> Self {
                    $value
                }
            }
            impl Word for $type {
                const KIND: Option<ResultKind> = $kind;
            }
        )*
    };
}

word! {
    (): None, |_| ();
    u32: Some(ResultKind::U32), |word| word;
    i32: Some(ResultKind::I32), |word| word.cast_signed();
    f32: Some(ResultKind::F32), |word| Self::from_bits(word);
}
