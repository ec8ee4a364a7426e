//! What is to be mended: a mask, and the picture as planes of numbers.

use crate::error::InpaintError;
use crate::picture::Picture;
use crate::relax::{FILL, Plane};
use std::path::Path;

/// Where the scratch that is drawn without a mask goes: from one end of each stroke to the other, in thousandths of the
/// picture's width and height.
const SCRATCH: [[(u32, u32); 2]; 3] =
    [[(80, 150), (620, 700)], [(250, 900), (930, 330)], [(520, 60), (760, 480)]];

/// White pixels of the mask of `picture`.
pub(crate) fn read(path: &Path, picture: &Picture) -> Result<Vec<bool>, InpaintError> {
    let mask = Picture::read(path)?;
    let (found, expected) = ((mask.width, mask.height), (picture.width, picture.height));
    if found != expected {
        return Err(InpaintError::MaskSize { path: path.into(), found, expected });
    }
    Ok(mask.bytes.chunks_exact(3).map(|pixel| pixel.iter().any(|&byte| byte > 127)).collect())
}

/// A scratch of three strokes, three pixels wide.
pub(crate) fn scratch(width: u32, height: u32) -> Vec<bool> {
    let mut mask = vec![false; (width * height) as usize];
    let place = |(x, y): (u32, u32)| (i64::from(x * (width - 1) / 1000), i64::from(y * (height - 1) / 1000));
    for [from, to] in SCRATCH.map(|ends| ends.map(place)) {
        let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).max(1);
        for step in 0..=steps {
            let x = from.0 + (to.0 - from.0) * step / steps;
            let y = from.1 + (to.1 - from.1) * step / steps;
            for (x, y) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (x + dx, y + dy))) {
                if (0..i64::from(width)).contains(&x) && (0..i64::from(height)).contains(&y) {
                    mask[y as usize * width as usize + x as usize] = true;
                }
            }
        }
    }
    mask
}

/// The picture at `width` pixels, at most as wide as it is: each pixel the nearest one, so that a mask stays a mask.
pub(crate) fn scale(picture: &Picture, width: u32) -> Result<Picture, InpaintError> {
    let width = width.min(picture.width);
    let height = (u64::from(picture.height) * u64::from(width) / u64::from(picture.width)) as u32;
    if width < 16 || height < 16 {
        return Err(InpaintError::Narrow { width, height });
    }
    let from = |x: u32, size: u32, old: u32| (u64::from(x) * u64::from(old) / u64::from(size)) as usize;
    let mut bytes = Vec::with_capacity((width * height * 3) as usize);
    for y in 0..height {
        let row = from(y, height, picture.height) * picture.width as usize;
        for x in 0..width {
            let pixel = 3 * (row + from(x, width, picture.width));
            bytes.extend_from_slice(&picture.bytes[pixel..pixel + 3]);
        }
    }
    Ok(Picture { width, height, bytes })
}

/// One colour of a picture: its numbers from 1 to 256, those that the mask marks in the middle and with the sign bit.
pub(crate) fn plane(picture: &Picture, mask: &[bool], colour: usize) -> Plane {
    let number = |(pixel, &fill): (&[u8], &bool)| {
        if fill { 128_f32.to_bits() | FILL } else { (f32::from(pixel[colour]) + 1.0).to_bits() }
    };
    let pixels = picture.bytes.chunks_exact(3).zip(mask).map(number).collect();
    Plane { width: picture.width as usize, rows: picture.height as usize, pixels }
}

/// The byte of a pixel of a plane.
pub(crate) fn byte(pixel: u32) -> u8 {
    (f32::from_bits(pixel & !FILL) - 1.0).round().clamp(0.0, 255.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scratch_crosses_the_picture_and_leaves_most_of_it() {
        let mask = scratch(128, 85);
        let marked = mask.iter().filter(|&&fill| fill).count();
        assert!((300..2000).contains(&marked), "{marked}");
        assert!(!mask[0] && mask.len() == 128 * 85);
    }

    #[test]
    fn a_byte_comes_back_from_its_number() {
        let picture =
            Picture { width: 16, height: 16, bytes: (0..=255).flat_map(|byte| [byte; 3]).collect() };
        let plane = plane(&picture, &[false; 256], 1);
        assert!(plane.pixels.iter().zip(0..=255).all(|(&pixel, byte_)| byte(pixel) == byte_));
    }

    #[test]
    fn a_picture_is_scaled_down_and_never_up() {
        let picture = Picture { width: 64, height: 32, bytes: vec![9; 64 * 32 * 3] };
        let scaled = scale(&picture, 32).unwrap();
        assert_eq!((scaled.width, scaled.height, scaled.bytes.len()), (32, 16, 32 * 16 * 3));
        assert_eq!(scale(&picture, 256).unwrap().width, 64);
        assert!(scale(&picture, 16).is_err(), "8 rows");
    }
}
