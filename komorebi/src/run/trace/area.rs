//! Where a trace lies in every core's L1, and reading it from a held core.

use komorebi_abi::constants::{core as c, layout};
use komorebi_abi::program::{ProgramModel, l1_budget};
use komorebi_card::{Card, NocXy};

use super::record::{CoreRecord, Entry};
use crate::session::registers::WALL_CLOCK;
use crate::{Error, Result};

/// A trace's place in L1, the same on every core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TraceArea {
    pub(crate) address: u32,
    /// Commands it has room for.
    pub(crate) entries: u32,
}

impl TraceArea {
    /// A trace of `entries` commands behind the circular buffers of `model`; none for 0.
    pub(crate) fn behind(model: &ProgramModel, entries: u32) -> Result<Option<Self>> {
        if entries == 0 {
            return Ok(None);
        }
        let budget = l1_budget(model.kernel_buffer(), &model.buffers);
        let used = budget.iter().map(|line| line.bytes).sum::<u64>();
        let used = used.next_multiple_of(layout::L1_BUFFER_ALIGN.into());
        let most = u64::from(layout::L1_BYTES).saturating_sub(used) / u64::from(c::TRACE_BYTES);
        if u64::from(entries) > most {
            let expected = format!(
                "kernels and buffers leave room for {most} commands of {} bytes in a core's L1; give 0 to {most}",
                c::TRACE_BYTES
            );
            return Err(Error::LoadOption { name: "trace", found: entries.to_string(), expected });
        }
        Ok(Some(Self { address: used as u32, entries }))
    }

    /// Its bytes.
    pub(crate) fn bytes(self) -> u32 {
        self.entries * c::TRACE_BYTES
    }

    /// What a held core left in it.
    pub(crate) fn read(self, card: &dyn Card, tile: NocXy) -> Result<CoreRecord> {
        // In this order: the low word's read latches the high one.
        let low = card.read32(tile, WALL_CLOCK[0])?;
        let now = u64::from(card.read32(tile, WALL_CLOCK[1])?) << 32 | u64::from(low);
        let mut clocks = [0; 2 * c::CLOCKS_STRIDE as usize];
        card.read(tile, u64::from(layout::L1_CONTROL + c::CONTROL_CLOCKS), &mut clocks)?;
        let mut bytes = vec![0; self.bytes() as usize];
        card.read(tile, u64::from(self.address), &mut bytes)?;
        let entries = bytes.chunks_exact(c::TRACE_BYTES as usize).map(|entry| Entry::decode(entry, now));
        Ok(CoreRecord::new(&clocks, entries.collect()))
    }
}

#[cfg(test)]
mod tests {
    use komorebi_abi::program::{Buffer, Format};

    use super::*;

    #[test]
    fn a_trace_lies_behind_the_buffers_and_ends_with_l1() {
        let mut model = ProgramModel::new("p");
        model.buffers.push(Buffer { name: None, index: 0, format: Format::Uint32, page_bytes: 48, pages: 1 });
        let address = layout::L1_KERNELS + layout::KERNEL_BYTES + 64;
        assert_eq!(TraceArea::behind(&model, 0).unwrap(), None);
        let area = TraceArea::behind(&model, 3).unwrap().unwrap();
        assert_eq!((area.address, area.bytes()), (address, 48));
        let most = (layout::L1_BYTES - address) / 16;
        assert!(TraceArea::behind(&model, most).is_ok());
        for entries in [most + 1, u32::MAX] {
            let error = TraceArea::behind(&model, entries).unwrap_err().to_string();
            assert!(error.starts_with(&format!("trace is {entries}; ")), "{error}");
            assert!(error.ends_with(&format!("give 0 to {most}")), "{error}");
        }
    }
}
