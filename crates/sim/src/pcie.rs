//! The PCIe tile: host memory at the NoC addresses the driver gave it (host.md §8).

use crate::fault::Violation;
use crate::host_side::through_iatu;
use crate::message::{Body, Payload};
use crate::net::Net;
use crate::noc::translate::TileId;
use crate::noc::{Noc, identity};
use crate::time::Time;

/// Applies a message to the PCIe tile.
pub(crate) fn deliver(tile: TileId, at: Time, body: Body, net: &mut Net) -> Result<(), Violation> {
    match body {
        Body::Write { address, data, entry, ack, .. } => {
            if let Some(ack) = ack {
                net.acknowledge(tile, at, entry.noc, ack);
            }
            let address = through_iatu(address);
            if net.host.is_unmapped(address, data.bytes().len()) {
                net.counters.unmapped += 1;
                return Ok(());
            }
            net.host.write(at, address, data.bytes())?;
            net.counters.events += 1;
        }
        Body::Read { address, .. } if identity::register(Noc::Zero, address).is_some() => {
            identity::answer(tile, net.map.home(tile).raw, at, body, net);
        }
        Body::Read { address, bytes, reply, .. } => {
            let mut read = Ok(());
            let address = through_iatu(address);
            let unmapped = net.host.is_unmapped(address, bytes as usize);
            let data = Payload::fill(bytes as usize, |out| match unmapped {
                true => out.fill(0xff),
                false => read = net.host.read(address, out),
            });
            read?;
            net.counters.unmapped += u64::from(unmapped);
            net.reply(tile, at, reply, data);
        }
        // Nothing else is ever sent here: requests are checked where they are made.
        _ => {}
    }
    Ok(())
}
