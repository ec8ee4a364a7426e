//! Reasons for a rejection, named by the header that defines them.

use crate::constants::command::REJECT_NAMES;

/// The name of a `KMD_REJECT_*` number: its suffix in lower case; `None` for a number the headers lack.
pub fn reject_name(reason: u8) -> Option<&'static str> {
    REJECT_NAMES.iter().find(|(number, _)| *number == u32::from(reason)).map(|(_, name)| *name)
}
