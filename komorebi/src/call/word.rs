//! What a command gives back.

mod sealed {
    pub trait Sealed {
        fn from_word(word: u32) -> Self;
    }
}

/// The type of a command's result: `()` for none, or `u32`, `i32`, `f32` in the done event's result word.
pub trait Word: sealed::Sealed + Copy + std::fmt::Debug + 'static {
    /// True when commands with this result carry `KM_FLAG_RESULT`.
    #[doc(hidden)]
    const CARRIED: bool;

    /// The value of a result word.
    #[doc(hidden)]
    fn value(word: u32) -> Self {
        Self::from_word(word)
    }
}

macro_rules! word {
    ($($type:ty: $carried:literal, |$word:pat_param| $value:expr;)*) => {
        $(
            impl sealed::Sealed for $type {
                #[inline]
                fn from_word($word: u32) -> Self {
                    $value
                }
            }
            impl Word for $type {
                const CARRIED: bool = $carried;
            }
        )*
    };
}

word! {
    (): false, |_| ();
    u32: true, |word| word;
    i32: true, |word| word.cast_signed();
    f32: true, |word| Self::from_bits(word);
}
