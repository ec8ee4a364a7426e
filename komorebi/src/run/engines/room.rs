//! Where the upload region lies, and room in it.

use komorebi_abi::constants::{engine, layout};

use super::super::RunCore;
use super::super::state::{Ending, State};
use crate::Result;
use crate::engine::Region;
use crate::error::UploadError;

impl RunCore {
    /// The first free place for `bytes`.
    pub(super) fn take_room(&self, state: &mut State, what: &'static str, bytes: usize) -> Result<u32> {
        self.region_base(state)?;
        let region = &mut state.engines.region;
        if let Some(offset) = region.take(bytes) {
            return Ok(offset);
        }
        let (free, largest) = region.free();
        let bytes = bytes.next_multiple_of(engine::UPLOAD_ALIGN as usize);
        Err(UploadError::Room { what, bytes, free, largest }.into())
    }

    /// Offset in LIM of the region that the dispatcher's ready block names (host-api, "Engines"). It is read once, and is no
    /// larger than the program leaves it.
    pub(super) fn region_base(&self, state: &mut State) -> Result<u32> {
        if let Some(base) = state.engines.base {
            return Ok(base);
        }
        let named = self.session.enter().and_then(|_| self.dispatcher());
        let named = named.map_err(|error| self.lost(state, error))?;
        let bytes = named.upload_bytes.min(self.facts.region_bytes.into()) as u32;
        let Some(base) = offset_in_lim(named.upload, bytes) else {
            let what = format!(
                "its ready block names an upload region of {} bytes at {:#x}, which is not one in LIM",
                named.upload_bytes, named.upload
            );
            return Err(self.end(state, Ending::Broken(what)));
        };
        state.engines.region = Region::new(bytes);
        state.engines.base = Some(base);
        Ok(base)
    }
}

/// The offset in LIM of whole lines at a hart address.
fn offset_in_lim(address: u64, bytes: u32) -> Option<u32> {
    let offset = u32::try_from(address.checked_sub(layout::LIM_BASE)?).ok()?;
    let fits = offset.checked_add(bytes).is_some_and(|end| end <= layout::LIM_BYTES);
    (fits && offset.is_multiple_of(engine::UPLOAD_ALIGN)).then_some(offset)
}
