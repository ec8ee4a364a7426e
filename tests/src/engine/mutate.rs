//! Uploads that nobody's encoder made: valid ones, changed.

use komorebi_abi::constants::engine as c;
use komorebi_abi::engine::{Header, UploadKind};

use super::Random;

/// Most bytes of a changed upload.
const MOST: u64 = 64 * 1024;

fn word(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + 8].try_into().map(u64::from_le_bytes).unwrap_or_default()
}

fn put(bytes: &mut [u8], at: usize, word: u64) {
    bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
}

/// Changes one to six places of `bytes`; in most cases the header then says again how long everything is.
pub fn mutate(random: &mut Random, bytes: &mut Vec<u8>, kind: UploadKind) {
    let counts = [c::UPLOAD_SIZE, c::UPLOAD_CODE].map(|index| word(bytes, 8 * index as usize));
    for _ in 0..random.between(1, 6) {
        change(random, bytes);
    }
    if !random.one_in(8) {
        repair(random, bytes, kind, counts);
    }
}

fn change(random: &mut Random, bytes: &mut [u8]) {
    let words = bytes.len() / 8;
    let records = c::UPLOAD_RECORDS as usize / 8;
    // One in five in the header; else in records, instructions and edge words, which begin behind the registers.
    let in_header = random.one_in(5) || words <= records;
    let at = 8 * if in_header { random.below(8) } else { random.between(records as u32, words as u32 - 1) }
        as usize;
    let old = word(bytes, at);
    let new = match random.below(8) {
        0..=2 => old ^ 1 << random.below(64),
        3 => {
            let shift = 8 * random.below(8);
            old & !(0xff << shift)
                | u64::from(random.one_of(&[0_u8, 1, 2, 31, 32, 63, 127, 128, 240, 255])) << shift
        }
        4 => random.one_of(&[0, 1, u64::MAX, 1 << 63, 0x3fff, 0xffff_ffff, 0xffff_ffff_0000_0000]),
        5 => word(bytes, 8 * random.below(words as u32) as usize),
        6 => old.wrapping_add(random.one_of(&[1, u64::MAX, 1 << 16, 1 << 28, 1 << 32, 1 << 42])),
        _ => random.word(),
    };
    put(bytes, at, new);
}

/// Lets lengths agree: the bytes with the header's counts, or the header with the bytes.
fn repair(random: &mut Random, bytes: &mut Vec<u8>, kind: UploadKind, counts: [u64; 2]) {
    let [size_at, code_at] = [c::UPLOAD_SIZE, c::UPLOAD_CODE].map(|index| 8 * index as usize);
    let mut head = word(bytes, 0) & 0xffff_0100_0000_0000;
    head |= u64::from(c::UPLOAD_MAGIC) | u64::from(kind.bits()) << c::HEAD_KIND_SHIFT;
    if kind == UploadKind::Stream {
        head &= !(0xff << c::HEAD_UPLOAD_FLAGS_SHIFT);
    }
    put(bytes, 0, head);
    let of = |size: u64, code: u64| {
        Header::bytes_of(
            size >> c::SIZE_RECORDS_SHIFT & 0xffff,
            code & 0xffff_ffff,
            code >> c::CODE_EDGES_SHIFT,
        )
    };
    let mut size = word(bytes, size_at) & 0x00ff_ffff_0000_0000 | counts[0] & 0xffff_ffff;
    let mut code = word(bytes, code_at);
    if code >> 40 != 0 || code & 0xff00_0000 != 0 || of(size, code) > MOST || random.one_in(2) {
        (size, code) = (counts[0], counts[1]);
    }
    let length = of(size, code);
    put(bytes, size_at, size & !0xffff_ffff | length);
    put(bytes, code_at, code);
    bytes.resize(length as usize, 0);
}
