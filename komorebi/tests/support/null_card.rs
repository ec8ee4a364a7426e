//! A card that costs nothing: it answers every stored line with a done event at once.
//!
//! It plays monitor and dispatcher as `firmware/PROTOCOL.md` has them, has no cores, and keeps no time of its own.
//! What a run costs on it is what the host costs. [`NullCard::disorderly`] completes commands in any order instead, some
//! of them rejected, and checks the host's rules of room.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use komorebi_abi::constants::{command as c, event as e, launch as l, layout, monitor};
use komorebi_abi::wire::{EventKind, RawEvent, event_lap};
use komorebi_card::{
    Board, Card, CardError, CardTime, Cleanup, Clocks, Description, DramBank, HostMem, L2Cpu, NocXy, Order,
    Power, Rect, World,
};

const CLUSTER: NocXy = NocXy::new(8, 26);
const ARC: NocXy = NocXy::new(8, 0);
const PCIE: NocXy = NocXy::new(19, 24);
/// Harts out of reset (host.md §4.2).
const L2CPU_RESET: u64 = 0x8003_0014;
/// PLL 4's dividers (host.md §4.5), as firmware leaves them.
const PLL4: [(u64, u32); 2] = [(0x8002_0504, 64 << 16 | 2), (0x8002_0514, 0x0101_0101)];
/// Ticks the null dispatcher reports for every command.
const TICKS: u32 = 50;

/// The card.
#[derive(Clone)]
pub(crate) struct NullCard(Arc<Inner>);

struct Inner {
    description: Description,
    now: AtomicU64,
    state: Mutex<State>,
}

struct State {
    lim: Vec<u64>,
    host: Option<HostMem>,
    released: bool,
    consumed: u64,
    posted: u64,
    /// Commands in flight: number and first core.
    busy: Vec<(u16, u32)>,
    /// The state of the disorder; 0 for none.
    disorder: u64,
    /// True when the dispatcher ignores the stop word.
    stubborn: bool,
}

impl NullCard {
    /// A p150a of 12 columns.
    pub(crate) fn new() -> Self {
        let bank = |channel: u8| DramBank {
            channel,
            noc0: NocXy::new(17, 12 + channel),
            noc1: NocXy::new(18, 12 + channel),
            bytes: 1 << 32,
        };
        let description = Description {
            world: World::Simulated,
            board: Board::P150a,
            columns: (1..=7).chain(10..=14).collect(),
            banks: (0..8).map(bank).collect(),
            l2cpus: vec![L2Cpu { index: 0, tile: CLUSTER, channel: 5 }],
            pcie: PCIE,
            arc: ARC,
            clocks: Clocks { aiclk_mhz: 1350, l2cpu_mhz: 800 },
        };
        let lim = vec![0; layout::LIM_BYTES as usize / 8];
        let state = State {
            lim,
            host: None,
            released: false,
            consumed: 0,
            posted: 0,
            busy: Vec::new(),
            disorder: 0,
            stubborn: false,
        };
        Self(Arc::new(Inner { description, now: AtomicU64::new(1), state: Mutex::new(state) }))
    }

    /// A card that completes what is in flight in an order that `seed` gives, while the host waits. Every command whose
    /// first core is 13 is rejected.
    #[allow(dead_code, reason = "the benchmark takes commands in order")]
    pub(crate) fn disorderly(seed: u64) -> Self {
        let card = Self::new();
        card.state().disorder = seed | 1;
        card
    }

    /// A card whose dispatcher never stops, and whose monitor answers no interrupt.
    #[allow(dead_code, reason = "the benchmark stops its runs")]
    pub(crate) fn stubborn() -> Self {
        let card = Self::new();
        card.state().stubborn = true;
        card
    }

    /// A word of LIM.
    #[allow(dead_code, reason = "the benchmark reads none")]
    pub(crate) fn lim(&self, offset: u32) -> u64 {
        self.state().word(offset)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().expect("the null card does not panic")
    }
}

impl State {
    fn word(&self, offset: u32) -> u64 {
        self.lim[offset as usize / 8]
    }

    fn set(&mut self, offset: u32, word: u64) {
        self.lim[offset as usize / 8] = word;
    }

    fn hart(&mut self, hart: u32, state: u32) {
        let block = layout::LIM_MONITOR_BLOCK + monitor::OFFSET_HARTS + monitor::HART_STRIDE * hart;
        self.set(block + 8 * monitor::ENTRY, 0);
        self.set(block + 8 * monitor::STATE, u64::from(state));
    }

    /// What a store into LIM sets going.
    fn stored(&mut self, offset: u32) {
        let hart0 = layout::LIM_MONITOR_BLOCK + monitor::OFFSET_HARTS;
        let progress = layout::LIM_CONTROL + 8 * c::CONTROL_PROGRESS;
        let stop = layout::LIM_CONTROL + 8 * c::CONTROL_STOP;
        if offset == progress {
            self.run_lines();
        } else if offset == stop && self.word(stop) != 0 && !self.stubborn {
            self.set(layout::LIM_RESULT + 8 * l::RESULT_STAGE, u64::from(l::STAGE_DONE));
            self.set(layout::LIM_RESULT + 8 * l::RESULT_COMMANDS, self.consumed);
            self.set(layout::LIM_RESULT + 8 * l::RESULT_EVENTS, self.posted);
            self.set(layout::LIM_RESULT + 8 * l::RESULT_READY, l::RESULT_MAGIC);
            self.hart(0, monitor::HART_PARKED);
        } else if offset == hart0 + 8 * monitor::ENTRY && self.word(offset) != 0 {
            (self.consumed, self.posted) = (0, 0);
            self.busy.clear();
            self.hart(0, monitor::HART_RUNNING);
            self.set(layout::LIM_STATE + 8 * l::STATE_STAGE, u64::from(l::STAGE_RUNNING));
        }
    }

    fn launch(&self, index: u32) -> u64 {
        self.word(layout::LIM_LAUNCH + 8 * index)
    }

    /// Takes every new line, and posts its event at once unless there is disorder.
    fn run_lines(&mut self) {
        let progress = self.word(layout::LIM_CONTROL + 8 * c::CONTROL_PROGRESS);
        let lines = self.launch(l::LAUNCH_RING_LINES);
        while self.consumed as u32 != progress as u32 {
            let at = (layout::LIM_RING + c::LINE_BYTES * (self.consumed % lines) as u32) as usize / 8;
            let (head, tail) = (self.lim[at + c::LINE_HEAD as usize], self.lim[at + c::LINE_TAIL as usize]);
            let phase = (self.consumed / lines + 1) as u16;
            assert_eq!(
                (head as u16, (tail >> c::TAIL_PHASE_SHIFT) as u16),
                (phase, phase),
                "phases of a line"
            );
            self.consumed += 1;
            let command = (tail as u16, (head >> c::HEAD_FIRST_SHIFT) as u32 & 0xFF);
            if self.disorder == 0 {
                self.post(command);
                continue;
            }
            self.busy.push(command);
            let unread = self.posted - (progress >> c::CONTROL_READ_SHIFT);
            let depth = self.launch(l::LAUNCH_EVENT_DEPTH);
            assert!(
                unread + self.busy.len() as u64 <= depth,
                "the host stored more than its event ring takes"
            );
        }
    }

    /// Completes some of what is in flight, in any order.
    fn stir(&mut self) {
        let mut random = || {
            self.disorder ^= self.disorder << 13;
            self.disorder ^= self.disorder >> 7;
            self.disorder ^= self.disorder << 17;
            self.disorder
        };
        let (some, pick) = (random() % 5, random());
        for i in 0..some {
            if !self.busy.is_empty() {
                let command = self.busy.swap_remove((pick >> i) as usize % self.busy.len());
                self.post(command);
            }
        }
    }

    fn post(&mut self, (number, first): (u16, u32)) {
        let depth = self.launch(l::LAUNCH_EVENT_DEPTH) as u32;
        let rejected = self.disorder != 0 && first == 13;
        let sequence = u32::from(number) << e::AUX_SEQUENCE_SHIFT;
        let event = RawEvent {
            kind: Ok(if rejected { EventKind::Rejected } else { EventKind::Done }),
            value: 0,
            auxiliary: if rejected { c::KMD_REJECT_GROUP } else { first | sequence },
            ticks: TICKS,
            number,
            consumed: self.consumed as u8,
        };
        let Some(host) = &self.host else { return };
        let [value, ticks] = event.encode(event_lap(self.posted, depth));
        let place = (self.posted % u64::from(depth)) as usize * e::EVENT_BYTES as usize;
        host.store_u64(place, value);
        host.store_u64(place + 8, ticks);
        self.posted += 1;
    }
}

impl Card for NullCard {
    fn description(&self) -> &Description {
        &self.0.description
    }

    fn claim(&self, _: Power) -> Result<(), CardError> {
        Ok(())
    }

    fn release(&self) {}

    fn vote(&self, _: Power) -> Result<(), CardError> {
        Ok(())
    }

    fn set_cleanup(&self, _: Option<Cleanup>) -> Result<(), CardError> {
        Ok(())
    }

    fn write(&self, tile: NocXy, address: u64, bytes: &[u8], _: Order) -> Result<(), CardError> {
        let mut state = self.state();
        if tile == ARC && address == L2CPU_RESET && !state.released {
            state.released = true;
            let magic = u64::from(monitor::MAGIC) | u64::from(monitor::VERSION) << 32;
            state.set(layout::LIM_MONITOR_BLOCK, magic);
            (0..monitor::HARTS).for_each(|hart| state.hart(hart, monitor::HART_PARKED));
        }
        let lim = layout::LIM_BASE..layout::LIM_BASE + u64::from(layout::LIM_BYTES);
        if tile != CLUSTER || !lim.contains(&address) || !bytes.len().is_multiple_of(8) {
            return Ok(());
        }
        let offset = (address - layout::LIM_BASE) as u32;
        let words = &mut state.lim[offset as usize / 8..][..bytes.len() / 8];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        if bytes.len() == 8 {
            state.stored(offset);
        }
        Ok(())
    }

    fn read(&self, tile: NocXy, address: u64, bytes: &mut [u8]) -> Result<(), CardError> {
        bytes.fill(0);
        if tile == ARC {
            if let Some((_, value)) = PLL4.iter().find(|(register, _)| *register == address) {
                bytes.copy_from_slice(&value.to_le_bytes());
            }
        } else if tile == CLUSTER && address >= layout::LIM_BASE {
            let state = self.state();
            let words = state.lim[(address - layout::LIM_BASE) as usize / 8..].iter();
            for (bytes, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
                *bytes = word.to_le_bytes();
            }
        }
        Ok(())
    }

    fn multicast(&self, _: Rect, _: u64, _: &[u8]) -> Result<(), CardError> {
        Ok(())
    }

    fn fence(&self, _: NocXy) -> Result<(), CardError> {
        Ok(())
    }

    fn host_mem(&self, bytes: usize) -> Result<HostMem, CardError> {
        let memory = HostMem::anonymous(bytes, PCIE, 0x13FF_FFFF_FFFF_0000)?;
        self.state().host = Some(memory.clone());
        Ok(memory)
    }

    fn now(&self) -> CardTime {
        CardTime::from_nanos(self.0.now.fetch_add(1, Ordering::Relaxed))
    }

    fn relax(&self, until: CardTime) -> Result<CardTime, CardError> {
        if self.state().disorder != 0 {
            self.state().stir();
            self.0.now.fetch_add(1000, Ordering::Relaxed);
            return Ok(self.now());
        }
        // Nothing comes of waiting for the stubborn one: its waits take few looks.
        let until = if self.state().stubborn { until + Duration::from_millis(10) } else { until };
        self.0.now.fetch_max(until.as_nanos(), Ordering::Relaxed);
        Ok(until)
    }
}
