//! Elements of the host to a tensor's bytes and back.

use super::{DType, Element};
use crate::error::TensorError;

fn mismatch<T: Element>(dtype: DType) -> TensorError {
    let help = match dtype {
        DType::Bfloat16 => "use f32 or half::bf16",
        DType::Float32 => "use f32",
        DType::Int32 => "use i32",
        DType::Uint32 => "use u32",
        DType::Uint16 => "use u16",
        DType::Uint8 => "use u8",
    };
    TensorError::Type { found: T::NAME, expected: dtype.name(), help }
}

/// The little-endian bytes of `values` as `dtype`.
pub(crate) fn to_bytes<T: Element>(
    values: impl ExactSizeIterator<Item = T>,
    dtype: DType,
) -> Result<Vec<u8>, TensorError> {
    let mut bytes = Vec::with_capacity(values.len() * dtype.bytes());
    for value in values {
        if !value.put(dtype, &mut bytes) {
            return Err(mismatch::<T>(dtype));
        }
    }
    Ok(bytes)
}

/// The values in `bytes` of `dtype`.
pub(crate) fn from_bytes<T: Element>(bytes: &[u8], dtype: DType) -> Result<Vec<T>, TensorError> {
    bytes
        .chunks_exact(dtype.bytes())
        .map(|element| T::take(element, dtype).ok_or_else(|| mismatch::<T>(dtype)))
        .collect()
}

#[cfg(test)]
mod tests {
    use half::bf16;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn f32_becomes_bfloat16_rounded_to_nearest_with_ties_to_even() {
        // 1 + 2^-8 lies half way between 1 and 1 + 2^-7; 1 + 3 * 2^-8 between 1 + 2^-7 and 1 + 2^-6.
        let values =
            [1.0 + 2_f32.powi(-8), 1.0 + 3.0 * 2_f32.powi(-8), 1.0 + 2_f32.powi(-8) + 2_f32.powi(-20)];
        let bytes = to_bytes(values.into_iter(), DType::Bfloat16).unwrap();
        let back: Vec<f32> = from_bytes(&bytes, DType::Bfloat16).unwrap();
        assert_eq!(back, [1.0, 1.0 + 2_f32.powi(-6), 1.0 + 2_f32.powi(-7)]);
    }

    #[test]
    fn a_type_that_cannot_hold_the_elements_is_refused_both_ways() {
        let error = to_bytes([1_u32].into_iter(), DType::Float32).unwrap_err();
        assert_eq!(error.to_string(), "the tensor holds float32, not u32; use f32");
        assert!(from_bytes::<i32>(&[0; 4], DType::Uint32).is_err());
        assert!(from_bytes::<u16>(&[0; 2], DType::Bfloat16).is_err());
    }

    proptest! {
        #[test]
        fn every_value_survives_its_own_type(a: Vec<u32>, b: Vec<i32>, c: Vec<u16>, d: Vec<u8>) {
            prop_assert_eq!(&from_bytes::<u32>(&to_bytes(a.iter().copied(), DType::Uint32)?, DType::Uint32)?, &a);
            prop_assert_eq!(&from_bytes::<i32>(&to_bytes(b.iter().copied(), DType::Int32)?, DType::Int32)?, &b);
            prop_assert_eq!(&from_bytes::<u16>(&to_bytes(c.iter().copied(), DType::Uint16)?, DType::Uint16)?, &c);
            prop_assert_eq!(&from_bytes::<u8>(&to_bytes(d.iter().copied(), DType::Uint8)?, DType::Uint8)?, &d);
            let halves: Vec<bf16> = c.iter().map(|bits| bf16::from_bits(*bits)).collect();
            let back = from_bytes::<bf16>(&to_bytes(halves.into_iter(), DType::Bfloat16)?, DType::Bfloat16)?;
            prop_assert_eq!(back.iter().map(|half| half.to_bits()).collect::<Vec<_>>(), c);
        }
    }
}
