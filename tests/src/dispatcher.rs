//! The dispatcher image on a simulated card, with the test in the place of host and grid.
//!
//! The X280 runs the real monitor and the real image. The Tensix cores stay in reset: a test reads what the dispatcher
//! stored into their mailboxes, and writes READY and completion words into LIM as a core would.

use std::sync::OnceLock;
use std::time::Duration;

use komorebi::build::{Firmware, Image, Toolchain, firmware};
use komorebi_abi::FINGERPRINT;
use komorebi_abi::constants::{command, core, event, launch, layout, monitor};
use komorebi_abi::wire::{Line, RawEvent, event_lap, line_phase};
use komorebi_card::{Card as _, HostMem, NocXy, Order, Power};
use komorebi_sim::{Card, Setting};

/// Ticks of the X280's clock in a microsecond.
pub const MICROSECOND: u64 = event::TICKS_PER_MICROSECOND as u64;

const ARC: NocXy = NocXy::new(8, 0);
/// NoC address of the peripherals of an X280 cluster (host.md §6.2), and where its harts see them and the windows.
const PERIPHERALS: u64 = 0xffff_f7fe_fff0_0000;
const HART_PERIPHERALS: u64 = 0x2000_0000;
const SMALL_WINDOWS: u64 = 0x4_3000_0000;
const LARGE_WINDOWS: u64 = 0x804_3000_0000;
const LARGE_WINDOW_BITS: u32 = 37;
const WAY_ENABLE: u64 = 0x0201_0008;
const RESET_VECTORS: u64 = 0x1_0000;
const RNMI_TRIGGER: u64 = 0x1_0414;
const RNMI_HANDLERS: u64 = 0x1_0418;
const MTIME: u64 = 0x0200_bff8;

/// The images, built once.
///
/// # Panics
/// When there is no compiler or the firmware does not compile.
pub fn images() -> &'static Firmware {
    static IMAGES: OnceLock<Firmware> = OnceLock::new();
    IMAGES.get_or_init(|| firmware(&Toolchain::find().expect("a compiler")).expect("the firmware compiles"))
}

/// What a run is started with.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Columns and rows of the grid.
    pub grid: (u32, u32),
    /// Completion slots.
    pub depth: u32,
    /// Lines of the command ring.
    pub lines: u32,
    /// Events of the event ring.
    pub event_depth: u32,
    /// Ticks until a command is late.
    pub deadline: u64,
    /// Ticks the grid may take to report READY.
    pub start: u64,
    /// Ticks without a command until the dispatcher finishes; 0: never.
    pub idle: u64,
    /// The simulated card's seed; none: that of the environment.
    pub seed: Option<u64>,
    /// The simulated card's costs.
    pub costs: Setting,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            grid: (12, 10),
            depth: 4,
            lines: 64,
            event_depth: 128,
            deadline: 1_000_000 * MICROSECOND,
            start: 10_000 * MICROSECOND,
            idle: 0,
            seed: None,
            costs: Setting::Nominal,
        }
    }
}

/// A card with the monitor on cluster 0, and what the host keeps about it.
pub struct Rig {
    /// The card.
    pub card: Card,
    /// What it was set up with.
    pub setup: Setup,
    x280: NocXy,
    events: HostMem,
    stored: u64,
    read: u64,
}

impl std::fmt::Debug for Rig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.describe())
    }
}

impl Setup {
    /// A card whose harts wait in the monitor at 1,000 MHz.
    pub fn boot(self) -> Rig {
        let builder = Card::builder().costs(self.costs);
        let card = self.seed.map_or(builder.clone(), |seed| builder.seed(seed)).build();
        card.claim(Power { tensix: true, dram: true, l2cpu: true, busy: false }).unwrap();
        let x280 = card.description().l2cpus[0].tile;
        let events = card.host_mem(4096).unwrap();
        let rig = Rig { card, setup: self, x280, events, stored: 0, read: 0 };
        rig.boot();
        rig
    }

    /// A card with the dispatcher running on a grid that has reported READY.
    pub fn run(self) -> Rig {
        let rig = self.boot();
        rig.load(&images().dispatcher);
        rig.start();
        rig
    }

    fn cores(&self) -> u32 {
        self.grid.0 * self.grid.1
    }
}

/// A line with the group of a command.
pub fn command(handler: u8, first: u16, count: u16) -> Line {
    Line { handler, first, count, ..Line::default() }
}

impl Rig {
    // ---- the card ------------------------------------------------------------------------------------------------

    fn write64(&self, address: u64, value: u64) {
        self.card.write(self.x280, address, &value.to_le_bytes(), Order::Strict).unwrap();
    }

    fn write32(&self, tile: NocXy, address: u64, value: u32) {
        self.card.write32(tile, address, value).unwrap();
    }

    /// Sets PLL 4 step by step (host.md §4.5).
    fn pll(&self, (mut multiplier, mut divider): (u32, u8), to: (u32, u8)) -> (u32, u8) {
        while multiplier != to.0 {
            multiplier = if multiplier < to.0 { multiplier + 1 } else { multiplier - 1 };
            self.write32(ARC, 0x8002_0504, 2 | multiplier << 16);
        }
        while divider != to.1 {
            divider = if divider < to.1 { divider + 1 } else { divider - 1 };
            self.write32(ARC, 0x8002_0514, u32::from_le_bytes([divider; 4]));
        }
        to
    }

    fn load(&self, image: &Image) {
        self.card.write(self.x280, image.base, &image.bytes, Order::Bulk).unwrap();
    }

    fn boot(&self) {
        let text = layout::LIM_BASE + u64::from(layout::LIM_MONITOR);
        self.write32(self.x280, WAY_ENABLE, layout::LIM_WAY_ENABLE);
        self.load(&images().monitor);
        self.card.write(self.x280, self.block(), &[0; 64 * 5], Order::Bulk).unwrap();
        for hart in 0..u64::from(monitor::HARTS) {
            self.write64(PERIPHERALS + RESET_VECTORS + 8 * hart, text + u64::from(monitor::TEXT_RESET));
            let handlers = PERIPHERALS + RNMI_HANDLERS + 16 * hart;
            self.write64(handlers, text + u64::from(monitor::TEXT_NMI));
            self.write64(handlers + 8, text + u64::from(monitor::TEXT_NMI_EXCEPTION));
        }
        self.card.fence(self.x280).unwrap();
        let low = self.pll((64, 1), (64, 7));
        self.card.fence(ARC).unwrap();
        self.write32(ARC, 0x8003_0014, 0x1f);
        self.card.fence(ARC).unwrap();
        self.pll(low, (80, 1));
        for hart in 0..monitor::HARTS {
            self.until("every hart is parked", |rig| {
                rig.hart(hart, monitor::STATE) == u64::from(monitor::HART_PARKED)
            });
        }
    }

    fn block(&self) -> u64 {
        layout::LIM_BASE + u64::from(layout::LIM_MONITOR_BLOCK)
    }

    fn hart_word(hart: u32, word: u32) -> u64 {
        layout::LIM_BASE
            + u64::from(
                layout::LIM_MONITOR_BLOCK + monitor::OFFSET_HARTS + hart * monitor::HART_STRIDE + 8 * word,
            )
    }

    /// A word of a hart's monitor block.
    pub fn hart(&self, hart: u32, word: u32) -> u64 {
        self.lim(Self::hart_word(hart, word))
    }

    /// The first word of the monitor's block: magic and version.
    pub fn monitor_magic(&self) -> u64 {
        self.lim(self.block())
    }

    /// Starts `entry` on a hart through the monitor.
    pub fn start_hart(&self, hart: u32, entry: u64, argument: u64) {
        let stack = layout::LIM_BASE + u64::from(layout::LIM_STACKS + (hart + 1) * layout::LIM_STACK_BYTES);
        self.write64(Self::hart_word(hart, monitor::ARGUMENT), argument);
        self.write64(Self::hart_word(hart, monitor::STACK), stack);
        self.card.fence(self.x280).unwrap();
        self.write64(Self::hart_word(hart, monitor::ENTRY), entry);
    }

    /// Takes a hart back by RNMI, as monitor.h says.
    pub fn take_back(&self, hart: u32) {
        self.write64(Self::hart_word(hart, monitor::STATE), 0);
        self.card.fence(self.x280).unwrap();
        self.write32(self.x280, PERIPHERALS + RNMI_TRIGGER, 1 << hart);
        self.until("the hart is parked", |rig| {
            rig.hart(hart, monitor::STATE) == u64::from(monitor::HART_PARKED)
        });
        self.write32(self.x280, PERIPHERALS + RNMI_TRIGGER, 0);
        self.card.fence(self.x280).unwrap();
    }

    /// Writes code into LIM where the dispatcher image would lie, and gives its address.
    pub fn place_code(&self, words: &[u32]) -> u64 {
        let address = layout::LIM_BASE + u64::from(layout::LIM_IMAGE);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.card.write(self.x280, address, &bytes, Order::Bulk).unwrap();
        self.card.fence(self.x280).unwrap();
        address
    }

    /// 8 bytes of LIM, as they are now.
    pub fn lim(&self, address: u64) -> u64 {
        let mut bytes = [0; 8];
        assert!(self.card.peek(self.x280, address, &mut bytes), "LIM at {address:#x}");
        u64::from_le_bytes(bytes)
    }

    /// Lets the card run until `holds`, for at most 100 ms of its time.
    ///
    /// # Panics
    /// With the dispatcher's state when it never does.
    pub fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let end = self.card.now() + Duration::from_millis(100);
        while !holds(self) {
            assert!(self.card.now() < end, "{what}: never; {}", self.describe());
            self.card.relax(self.card.now() + Duration::from_micros(1)).unwrap();
        }
    }

    /// Lets the card run for `time`.
    pub fn pass(&self, time: Duration) {
        let end = self.card.now() + time;
        while self.card.now() < end {
            self.card.relax(end).unwrap();
        }
    }

    /// What a person would want to know of a dispatcher that does not do what a test waits for.
    pub fn describe(&self) -> String {
        let state: Vec<u64> = (0..16).map(|word| self.state(word)).collect();
        let result: Vec<u64> = (0..12).map(|word| self.result_word(word)).collect();
        let hart: Vec<String> = (0..8).map(|word| format!("{:#x}", self.hart(0, word))).collect();
        format!("state {state:?}, result {result:?}, hart 0 {hart:?}, pcs {:x?}", self.card.pcs(self.x280))
    }

    // ---- the launch ----------------------------------------------------------------------------------------------

    fn start(&self) {
        self.configure();
        self.report_ready();
        self.launch();
        self.until("the dispatcher runs", |rig| {
            rig.state(launch::STATE_STAGE) == u64::from(launch::STAGE_RUNNING)
        });
    }

    /// Loads the image and writes launch parameters and core table; zeroes what the host has to zero.
    pub fn prepare(&self) {
        self.load(&images().dispatcher);
        self.configure();
    }

    fn configure(&self) {
        let zeroes = vec![0; (layout::LIM_CORES - layout::LIM_CONTROL) as usize];
        self.card.write(self.x280, lim(layout::LIM_CONTROL), &zeroes, Order::Bulk).unwrap();
        for core in 0..self.setup.cores() {
            self.write32(self.x280, lim(layout::LIM_CORES) + 4 * u64::from(core), self.core(core).hi_word());
        }
        self.card.fence(self.x280).unwrap();
        let window = self.events.noc_address() >> LARGE_WINDOW_BITS;
        self.write32(self.x280, PERIPHERALS + 0xe00, u32::try_from(window).unwrap());
        self.write32(self.x280, PERIPHERALS + 0xe04, self.events.tile().hi_word());
        self.write32(self.x280, PERIPHERALS + 0xe08, 0);
        for (word, value) in self.parameters() {
            self.set_parameter(word, value);
        }
        self.card.fence(self.x280).unwrap();
    }

    /// Changes one launch parameter.
    pub fn set_parameter(&self, word: u32, value: u64) {
        self.write64(lim(layout::LIM_LAUNCH) + 8 * u64::from(word), value);
    }

    fn parameters(&self) -> Vec<(u32, u64)> {
        let Setup { grid, depth, lines, event_depth, deadline, start, idle, .. } = self.setup;
        let events = LARGE_WINDOWS + (self.events.noc_address() & ((1 << LARGE_WINDOW_BITS) - 1));
        vec![
            (launch::LAUNCH_FINGERPRINT, u64::from(FINGERPRINT)),
            (launch::LAUNCH_RING, lim(layout::LIM_RING)),
            (launch::LAUNCH_RING_LINES, u64::from(lines)),
            (launch::LAUNCH_EVENTS, events),
            (launch::LAUNCH_EVENT_DEPTH, u64::from(event_depth)),
            (launch::LAUNCH_CONTROL, lim(layout::LIM_CONTROL)),
            (launch::LAUNCH_STATE, lim(layout::LIM_STATE)),
            (launch::LAUNCH_RESULT, lim(layout::LIM_RESULT)),
            (launch::LAUNCH_READY, lim(layout::LIM_READY)),
            (launch::LAUNCH_COMPLETIONS, lim(layout::LIM_COMPLETIONS)),
            (launch::LAUNCH_CORE_TABLE, lim(layout::LIM_CORES)),
            (launch::LAUNCH_JOBS, lim(layout::LIM_JOBS)),
            (launch::LAUNCH_SPARE, lim(layout::LIM_SPARE)),
            (launch::LAUNCH_SPARE_BYTES, u64::from(layout::LIM_UPLOAD - layout::LIM_SPARE)),
            (launch::LAUNCH_UPLOAD, lim(layout::LIM_UPLOAD)),
            (launch::LAUNCH_UPLOAD_BYTES, u64::from(layout::UPLOAD_BYTES)),
            (launch::LAUNCH_CORES, u64::from(self.setup.cores())),
            (launch::LAUNCH_GRID_WIDTH, u64::from(grid.0)),
            (launch::LAUNCH_GRID_HEIGHT, u64::from(grid.1)),
            (launch::LAUNCH_DEPTH, u64::from(depth)),
            (launch::LAUNCH_MAILBOXES, u64::from(layout::L1_CONTROL)),
            (launch::LAUNCH_WINDOW_REGS, HART_PERIPHERALS),
            (launch::LAUNCH_WINDOW_SPACE, SMALL_WINDOWS),
            (launch::LAUNCH_WINDOWS, 224),
            (launch::LAUNCH_CLOCK, MTIME),
            (launch::LAUNCH_DEADLINE, deadline),
            (launch::LAUNCH_START, start),
            (launch::LAUNCH_IDLE, idle),
        ]
    }

    /// The next run on the same card, of the image as it lies there, with a new event ring.
    #[must_use]
    pub fn again(self) -> Self {
        let events = self.card.host_mem(4096).unwrap();
        let rig = Self { events, stored: 0, read: 0, ..self };
        rig.start();
        rig
    }

    /// Starts the image on hart 0.
    pub fn launch(&self) {
        self.start_hart(0, images().dispatcher.entry, lim(layout::LIM_LAUNCH));
    }

    /// Writes every column's READY word.
    pub fn report_ready(&self) {
        for column in 0..self.setup.grid.0 {
            self.set_ready(column, u64::from(FINGERPRINT) | u64::from(self.setup.grid.1) << 32);
        }
    }

    /// Writes a column's READY word.
    pub fn set_ready(&self, column: u32, word: u64) {
        self.write64(lim(layout::LIM_READY) + u64::from(core::READY_STRIDE * column), word);
    }

    // ---- the host's side of a run --------------------------------------------------------------------------------

    /// Stores a line without telling the dispatcher; gives the command's number.
    pub fn store(&mut self, line: Line) -> u16 {
        self.store_with_phase(line, line_phase(self.stored, self.setup.lines))
    }

    /// Stores a line with a phase of the test's choice.
    pub fn store_with_phase(&mut self, mut line: Line, phase: u16) -> u16 {
        self.stored += 1;
        line.number = self.stored as u16;
        let at = (self.stored - 1) % u64::from(self.setup.lines);
        let words = line.encode(phase);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let address = lim(layout::LIM_RING) + u64::from(command::LINE_BYTES) * at;
        self.card.write(self.x280, address, &bytes, Order::Bulk).unwrap();
        line.number
    }

    /// Fences, then stores how many lines there are and how many events were read.
    pub fn commit(&self) {
        self.card.fence(self.x280).unwrap();
        self.show_read();
    }

    /// Stores the progress word without a fence, for a host that only has read events.
    pub fn show_read(&self) {
        let word = self.stored & 0xffff_ffff | self.read << command::CONTROL_READ_SHIFT;
        self.write64(lim(layout::LIM_CONTROL) + 8 * u64::from(command::CONTROL_PROGRESS), word);
    }

    /// Waits until what was stored into LIM so far is visible there.
    pub fn land(&self) {
        self.card.fence(self.x280).unwrap();
    }

    /// Stores one line and commits it.
    pub fn send(&mut self, line: Line) -> u16 {
        let number = self.store(line);
        self.commit();
        number
    }

    /// The next event, if it has arrived.
    pub fn poll_event(&mut self) -> Option<RawEvent> {
        let at = (self.read % u64::from(self.setup.event_depth) * u64::from(event::EVENT_BYTES)) as usize;
        let words = [self.events.load_u64(at), self.events.load_u64(at + 8)];
        let event = RawEvent::decode(words, event_lap(self.read, self.setup.event_depth))?;
        self.read += 1;
        Some(event)
    }

    /// Waits for the next event, for at most 100 ms of the card's time.
    ///
    /// # Panics
    /// With the dispatcher's state when none arrives.
    pub fn event(&mut self) -> RawEvent {
        let end = self.card.now() + Duration::from_millis(100);
        loop {
            if let Some(event) = self.poll_event() {
                return event;
            }
            assert!(self.card.now() < end, "no event; {}", self.describe());
            self.card.relax(end).unwrap();
        }
    }

    /// Lets `time` pass.
    ///
    /// # Panics
    /// When an event arrives meanwhile.
    pub fn expect_silence(&mut self, time: Duration) {
        self.pass(time);
        if let Some(event) = self.poll_event() {
            panic!("an event nobody expected: {event:?}; {}", self.describe());
        }
    }

    /// Stores the stop word.
    pub fn stop(&self, kind: u32) {
        self.write64(lim(layout::LIM_CONTROL) + 8 * u64::from(command::CONTROL_STOP), u64::from(kind));
    }

    /// A state word.
    pub fn state(&self, word: u32) -> u64 {
        self.lim(lim(layout::LIM_STATE) + 8 * u64::from(word))
    }

    /// A word of the result block.
    pub fn result_word(&self, word: u32) -> u64 {
        self.lim(lim(layout::LIM_RESULT) + 8 * u64::from(word))
    }

    /// Waits for the result; gives its stage, error and detail.
    pub fn result(&self) -> (u32, u32, u64) {
        self.until("the result is ready", |rig| {
            rig.result_word(launch::RESULT_READY) == launch::RESULT_MAGIC
        });
        self.until("the image has returned", |rig| {
            rig.hart(0, monitor::STATE) == u64::from(monitor::HART_PARKED)
        });
        let [stage, error] =
            [launch::RESULT_STAGE, launch::RESULT_ERROR].map(|word| self.result_word(word) as u32);
        (stage, error, self.result_word(launch::RESULT_DETAIL))
    }

    // ---- the grid's side -----------------------------------------------------------------------------------------

    /// The tile of a core.
    pub fn core(&self, core: u32) -> NocXy {
        let description = self.card.description();
        let (x, y) = (core % self.setup.grid.0, core / self.setup.grid.0);
        NocXy::new(description.columns[x as usize], 2 + y as u8)
    }

    /// 8 bytes of a core's control block, as they are now.
    pub fn mailbox(&self, core: u32, offset: u32) -> u64 {
        let mut bytes = [0; 8];
        assert!(self.card.peek(self.core(core), u64::from(layout::L1_CONTROL + offset), &mut bytes));
        u64::from_le_bytes(bytes)
    }

    /// A core's publish word of a slot.
    pub fn published(&self, core: u32, slot: u32) -> Published {
        Published::decode(self.mailbox(core, core::CONTROL_PUBLISH + 8 * slot))
    }

    /// Waits until slot `slot` of `core` carries sequence number `sequence`.
    pub fn wait_published(&self, core: u32, slot: u32, sequence: u32) -> Published {
        self.until(&format!("command {sequence} is published to core {core} in slot {slot}"), |rig| {
            rig.published(core, slot).sequence == sequence
        });
        self.published(core, slot)
    }

    /// Waits until some slot of `core` carries sequence number `sequence`; gives the slot.
    pub fn find_published(&self, core: u32, sequence: u32) -> u32 {
        let find =
            |rig: &Self| (0..rig.setup.depth).find(|slot| rig.published(core, *slot).sequence == sequence);
        self.until(&format!("command {sequence} is published to core {core}"), |rig| find(rig).is_some());
        find(self).unwrap()
    }

    /// Completes the command with `sequence` in `slot`, as its leader would.
    pub fn complete(&self, slot: u32, sequence: u32, result: u32) {
        let address = lim(layout::LIM_COMPLETIONS) + u64::from(core::COMPLETION_STRIDE * slot);
        self.write64(address, u64::from(sequence) | u64::from(result) << 32);
    }
}

/// A publish word taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are core.h's")]
pub struct Published {
    pub sequence: u32,
    pub handler: u32,
    pub args: u32,
    pub flags: u32,
    pub first: u32,
    pub count: u32,
}

impl Published {
    pub(crate) fn decode(word: u64) -> Self {
        let high = (word >> 32) as u32;
        Self {
            sequence: word as u32,
            handler: high & 0xff,
            args: high >> core::PUBLISH_ARGS_SHIFT & 0xf,
            flags: high >> core::PUBLISH_FLAGS_SHIFT & 0xf,
            first: high >> core::PUBLISH_FIRST_SHIFT & 0xff,
            count: high >> core::PUBLISH_COUNT_SHIFT,
        }
    }
}

/// The address of an offset in LIM.
pub fn lim(offset: u32) -> u64 {
    layout::LIM_BASE + u64::from(offset)
}
