//! Breaking what is to break, while nothing runs.

use komorebi_card::{CardError, NocXy};

use super::{Breakage, Step, When};
use crate::client::Client;
use crate::host::Host;
use crate::message::{Body, Entry, Payload};
use crate::noc::Noc;
use crate::noc::translate::{Kind, TileId};
use crate::tamper::{Harm, Tamper};
use crate::target::{self, Access};
use crate::time::{Time, from_nanos};

/// Between two moments at which a held word comes back to its value.
const HOLD: Time = from_nanos(1_000);

impl Host {
    /// Plans a breakage; refuses one that names what the card does not have.
    pub(crate) fn plan(&mut self, client: &Client, when: When, breakage: Breakage) -> Result<(), CardError> {
        self.check_breakage(&breakage)?;
        match when {
            When::Call(number) => {
                self.plan.on_call(client.id, client.calls().saturating_add(number.max(1)), breakage)
            }
            When::Now => self.break_now(client, breakage),
            When::At(at) => match breakage {
                Breakage::Refuse(_) | Breakage::KillClient => {
                    let what = "a client's own breakages come now or at a call of it".to_owned();
                    return Err(CardError::Request { what });
                }
                _ => self.plan.at(from_nanos(at.as_nanos()).max(self.time()), Step::Break(breakage)),
            },
        }
        Ok(())
    }

    /// Forgets what is to break.
    pub(crate) fn mend(&mut self) {
        self.plan.mend();
        self.machine.net.mend();
    }

    /// Counts a call of `client` and breaks what is to break before it.
    pub(crate) fn begin_call(&mut self, client: &Client) -> Result<(), CardError> {
        client.check_present()?;
        self.begin_claim(client)
    }

    /// The same for a claim, which begins anew with a card that was restored.
    pub(crate) fn begin_claim(&mut self, client: &Client) -> Result<(), CardError> {
        let number = client.count();
        while let Some(breakage) = self.plan.take_call(client.id, number) {
            self.break_now(client, breakage);
        }
        client.check_alive()?;
        match client.take_refusal() {
            Some(what) => Err(CardError::Request { what }),
            None => Ok(()),
        }
    }

    fn break_now(&mut self, client: &Client, breakage: Breakage) {
        match breakage {
            Breakage::Refuse(what) => client.refuse(what),
            Breakage::KillClient => {
                client.kill();
                self.release(client.id);
            }
            other => self.plan.at(self.time(), Step::Break(other)),
        }
    }

    fn check_breakage(&self, breakage: &Breakage) -> Result<(), CardError> {
        let refuse = |what: String| Err(CardError::Request { what });
        let found = |tile: NocXy| self.find(tile).map(|id| (id, self.machine.net.map.home(id).kind));
        let memory = |tile: NocXy, address: u64, bytes: usize| {
            let Some((_, kind)) = found(tile) else { return refuse(format!("there is no tile {tile}")) };
            let words = bytes > 0 && bytes.is_multiple_of(4) && address.is_multiple_of(4);
            let whole = words && target::check(kind, address, bytes as u64, Access::Write).is_ok();
            match whole && !target::is_register(kind, address) {
                true => Ok(()),
                false => refuse(format!("there is no memory of {bytes} bytes at {address:#x} of {tile}")),
            }
        };
        let harts = |tile: NocXy| match found(tile) {
            Some((_, Kind::Tensix)) => 5,
            Some((_, Kind::L2Cpu(_))) => 4,
            _ => 0,
        };
        match breakage {
            Breakage::Lose | Breakage::Refuse(_) | Breakage::KillClient => Ok(()),
            Breakage::Poke { tile, address, bytes } => memory(*tile, *address, bytes.len()),
            Breakage::Flip { tile, address, .. } | Breakage::Hold { tile, address, .. } => {
                memory(*tile, *address, 4)
            }
            Breakage::Scramble { tile, address, bytes } => memory(*tile, *address, *bytes),
            Breakage::Freeze { tile, hart, .. } if *hart < harts(*tile) => Ok(()),
            Breakage::Trap { tile, hart, .. } if *hart < harts(*tile) && harts(*tile) == 4 => Ok(()),
            Breakage::Freeze { tile, hart, .. } | Breakage::Trap { tile, hart, .. } => {
                refuse(format!("tile {tile} has no hart {hart} that this can happen to"))
            }
            Breakage::Hang(tile) | Breakage::Drop { to: tile, .. } | Breakage::Delay { to: tile, .. } => {
                match found(*tile) {
                    Some(_) => Ok(()),
                    None => refuse(format!("there is no tile {tile}")),
                }
            }
        }
    }

    /// Does what is due at `at`; everything up to that moment has happened.
    pub(crate) fn take_step(&mut self, at: Time) {
        match self.plan.take() {
            Some(Step::Break(breakage)) => self.break_at(at, breakage),
            Some(Step::Thaw { tile, hart }) => self.machine.thaw(tile, hart, at),
            Some(Step::Hold { tile, address, value, end }) => self.hold_word(at, tile, address, value, end),
            None => {}
        }
    }

    fn break_at(&mut self, at: Time, breakage: Breakage) {
        match breakage {
            Breakage::Lose => {
                self.silent.all = true;
                self.machine.net.host.cut = true;
            }
            Breakage::Hang(tile) => self.silent.tiles.extend(self.find(tile)),
            Breakage::Poke { tile, address, bytes } => self.poke(at, tile, address, &bytes),
            Breakage::Flip { tile, address, bits } => {
                let mut word = [0; 4];
                if self.find(tile).is_some_and(|tile| self.machine.peek(tile, address, &mut word)) {
                    let word = u32::from_le_bytes(word) ^ bits;
                    self.poke(at, tile, address, &word.to_le_bytes());
                }
            }
            Breakage::Hold { tile, address, value, time } => {
                if let Some(tile) = self.find(tile) {
                    let end = at.saturating_add(nanos(time));
                    self.hold_word(at, tile, address, value, end);
                }
            }
            Breakage::Scramble { tile, address, bytes } => {
                let junk: Vec<u8> = (0..bytes as u64 / 4)
                    .flat_map(|word| self.machine.net.seed.junk(address + 4 * word).to_le_bytes())
                    .collect();
                self.poke(at, tile, address, &junk);
            }
            Breakage::Freeze { tile, hart, time } => {
                if let Some(tile) = self.find(tile) {
                    self.machine.freeze(tile, hart, at);
                    self.plan.no_thaw(tile, hart);
                    if let Some(time) = time {
                        self.plan.at(at.saturating_add(nanos(time)), Step::Thaw { tile, hart });
                    }
                }
            }
            Breakage::Trap { tile, hart, cause, value } => {
                if let Some(tile) = self.find(tile) {
                    self.machine.trap(tile, hart, at, cause, value);
                }
            }
            Breakage::Drop { to, packets } => self.tamper(to, packets, Harm::Drop),
            Breakage::Delay { to, packets, by } => self.tamper(to, packets, Harm::Delay(nanos(by))),
            // These are of a client, not of the card: they never wait for a moment.
            Breakage::Refuse(_) | Breakage::KillClient => {}
        }
    }

    fn tamper(&mut self, to: NocXy, packets: u32, harm: Harm) {
        let to = self.find(to).filter(|_| packets > 0);
        self.machine.net.harm(to.map(|to| Tamper { to, left: packets, harm }));
    }

    fn poke(&mut self, at: Time, tile: NocXy, address: u64, bytes: &[u8]) {
        if let Some(tile) = self.find(tile) {
            self.poke_tile(at, tile, address, bytes);
        }
    }

    /// Memory that changes by itself is a message of the tile to itself: whoever waits for it sees it.
    fn poke_tile(&mut self, at: Time, tile: TileId, address: u64, bytes: &[u8]) {
        let entry = Entry::window(Noc::Zero, self.machine.net.map.place_of(tile));
        let body = Body::write(address, Payload::new(bytes), entry);
        self.machine.net.push(tile.0, tile, at + 1, body);
    }

    fn hold_word(&mut self, at: Time, tile: TileId, address: u64, value: u32, end: Time) {
        self.poke_tile(at, tile, address, &value.to_le_bytes());
        if at < end {
            self.plan.at(at.saturating_add(HOLD), Step::Hold { tile, address, value, end });
        }
    }
}

fn nanos(time: std::time::Duration) -> Time {
    from_nanos(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}
