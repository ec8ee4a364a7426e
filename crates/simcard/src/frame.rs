//! Frames: the lengths of head and payload as two little-endian 32-bit words, the head (postcard), the payload as it is.

use std::io::{self, ErrorKind, Read};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The most bytes of a head.
const HEAD_MAX: u32 = 1 << 16;
/// The most bytes of a payload: more than any call of the runtime has.
pub(crate) const PAYLOAD_MAX: u32 = 1 << 30;

/// Appends a frame to `out`.
pub(crate) fn append<T: Serialize>(out: &mut Vec<u8>, head: &T, payload: &[u8]) -> io::Result<()> {
    let at = out.len();
    out.extend_from_slice(&[0; 8]);
    let grown = postcard::to_extend(head, std::mem::take(out)).map_err(io::Error::other)?;
    *out = grown;
    let head = u32::try_from(out.len() - at - 8).map_err(io::Error::other)?;
    let length = u32::try_from(payload.len()).map_err(io::Error::other)?;
    out[at..at + 4].copy_from_slice(&head.to_le_bytes());
    out[at + 4..at + 8].copy_from_slice(&length.to_le_bytes());
    out.extend_from_slice(payload);
    Ok(())
}

/// Reads a frame, its payload into `payload`; `None` when the other end has closed the connection between two frames.
pub(crate) fn read<T: DeserializeOwned>(
    from: &mut impl Read,
    payload: &mut Vec<u8>,
) -> io::Result<Option<T>> {
    let mut lengths = [0; 8];
    let first = loop {
        match from.read(&mut lengths) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => break other?,
        }
    };
    if first == 0 {
        return Ok(None);
    }
    from.read_exact(&mut lengths[first..])?;
    let [a, b, c, d, e, f, g, h] = lengths;
    let (head, length) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
    if head > HEAD_MAX || length > PAYLOAD_MAX {
        return Err(io::Error::new(ErrorKind::InvalidData, format!("a frame of {head} and {length} bytes")));
    }
    fill(from, payload, head)?;
    let head = postcard::from_bytes(payload).map_err(|e| io::Error::new(ErrorKind::InvalidData, e))?;
    fill(from, payload, length)?;
    Ok(Some(head))
}

/// Reads `length` bytes. Memory grows with what arrives, not with what is announced.
fn fill(from: &mut impl Read, to: &mut Vec<u8>, length: u32) -> io::Result<()> {
    to.clear();
    if from.take(u64::from(length)).read_to_end(to)? != length as usize {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_out_as_they_went_in_and_a_torn_one_is_an_error() {
        let mut bytes = Vec::new();
        append(&mut bytes, &(7_u64, "head"), b"payload!").unwrap();
        append(&mut bytes, &(8_u64, ""), b"").unwrap();
        let (mut from, mut payload) = (bytes.as_slice(), Vec::new());
        let head: Option<(u64, String)> = read(&mut from, &mut payload).unwrap();
        assert_eq!((head.unwrap(), payload.as_slice()), ((7, "head".into()), b"payload!".as_slice()));
        let head: Option<(u64, String)> = read(&mut from, &mut payload).unwrap();
        assert_eq!((head.unwrap(), payload.len()), ((8, String::new()), 0));
        assert!(read::<(u64, String)>(&mut from, &mut payload).unwrap().is_none());
        for cut in 1..24 {
            let torn = read::<(u64, String)>(&mut &bytes[..cut.min(20)], &mut payload);
            assert!(torn.is_err(), "{cut} bytes");
        }
    }

    #[test]
    fn lengths_that_no_frame_has_are_refused_before_memory_is_taken() {
        for lengths in [[u32::MAX, 0], [0, u32::MAX]] {
            let bytes: Vec<u8> = lengths.iter().flat_map(|length| length.to_le_bytes()).collect();
            assert!(read::<u64>(&mut bytes.as_slice(), &mut Vec::new()).is_err());
        }
    }
}
