//! The exact size of an upload, part by part.

use crate::constants::engine as c;

/// A part of an upload with its share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeLine {
    /// What it is.
    pub what: String,
    /// Its bytes.
    pub bytes: u64,
}

/// The parts of an upload with these counts, in the order of their addresses, and the line of its bindings. The sum is
/// exactly what it takes of the region.
pub fn size_lines(
    record: &str,
    records: u64,
    instructions: u64,
    edge_words: u64,
    bindings: u64,
) -> Vec<SizeLine> {
    let parts = [
        ("header".to_owned(), u64::from(c::UPLOAD_OWN)),
        ("state".to_owned(), u64::from(c::UPLOAD_REGISTERS - c::UPLOAD_OWN)),
        ("registers".to_owned(), u64::from(c::UPLOAD_RECORDS - c::UPLOAD_REGISTERS)),
        (format!("{records} {record}"), records * u64::from(c::RECORD_BYTES)),
        (format!("{instructions} instructions"), instructions * u64::from(c::INSTRUCTION_BYTES)),
        ("edges".to_owned(), edge_words * u64::from(c::EDGE_BYTES)),
    ];
    let sum: u64 = parts.iter().map(|(_, bytes)| bytes).sum();
    let align = u64::from(c::UPLOAD_ALIGN);
    let line = if bindings == 0 { 0 } else { align };
    let rest =
        [("padding".to_owned(), sum.next_multiple_of(align) - sum), ("values of bindings".to_owned(), line)];
    parts.into_iter().chain(rest).map(|(what, bytes)| SizeLine { what, bytes }).collect()
}
