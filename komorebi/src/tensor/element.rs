//! Types of the host that a tensor's elements are written from and read into.

use half::bf16;

use super::DType;

mod sealed {
    pub trait Sealed: Copy {
        /// Appends the element to `out` as `dtype`; false when it cannot be one.
        fn put(self, dtype: super::DType, out: &mut Vec<u8>) -> bool;
        /// The element in `bytes` of `dtype`; `None` when it cannot be read from one.
        fn take(bytes: &[u8], dtype: super::DType) -> Option<Self>;
    }
}
pub(crate) use sealed::Sealed;

/// A type of the host that can be an element of a tensor: `f32`, [`half::bf16`], `u32`, `i32`, `u16`, `u8`.
pub trait Element: Sealed + Default + PartialEq + std::fmt::Debug {
    /// The type it has on the card unless another is asked for.
    const DTYPE: DType;
    /// Its name in messages.
    const NAME: &'static str;
}

macro_rules! element {
    ($type:ty, $dtype:ident, $name:literal) => {
        impl Sealed for $type {
            #[inline]
            fn put(self, dtype: DType, out: &mut Vec<u8>) -> bool {
                out.extend_from_slice(&self.to_le_bytes());
                dtype == DType::$dtype
            }
            #[inline]
            fn take(bytes: &[u8], dtype: DType) -> Option<Self> {
                (dtype == DType::$dtype).then_some(Self::from_le_bytes(bytes.try_into().ok()?))
            }
        }
        impl Element for $type {
            const DTYPE: DType = DType::$dtype;
            const NAME: &'static str = $name;
        }
    };
}

element!(bf16, Bfloat16, "half::bf16");
element!(u32, Uint32, "u32");
element!(i32, Int32, "i32");
element!(u16, Uint16, "u16");
element!(u8, Uint8, "u8");

impl Sealed for f32 {
    #[inline]
    fn put(self, dtype: DType, out: &mut Vec<u8>) -> bool {
        match dtype {
            // Nearest, ties to even: what half documents for from_f32.
            DType::Bfloat16 => out.extend_from_slice(&bf16::from_f32(self).to_le_bytes()),
            _ => out.extend_from_slice(&self.to_le_bytes()),
        }
        matches!(dtype, DType::Bfloat16 | DType::Float32)
    }

    #[inline]
    fn take(bytes: &[u8], dtype: DType) -> Option<Self> {
        match dtype {
            DType::Bfloat16 => Some(bf16::from_le_bytes(bytes.try_into().ok()?).to_f32()),
            DType::Float32 => Some(Self::from_le_bytes(bytes.try_into().ok()?)),
            _ => None,
        }
    }
}

impl Element for f32 {
    const DTYPE: DType = DType::Float32;
    const NAME: &'static str = "f32";
}
