//! A grid of cores with real images, simulated here or elsewhere, and a test in the dispatcher's place.
//!
//! The test writes mailboxes as the dispatcher does (body, fence, publish word, doorbell) and reads READY and completion
//! words from LIM. Addresses and layouts are the device headers'.
#![allow(dead_code, reason = "each test binary uses its part of the bench")]

use std::ops::Range;
use std::sync::OnceLock;

use komorebi::build::{Kernels, Sources, Toolchain, kernels};
use komorebi_abi::FINGERPRINT;
use komorebi_abi::constants::{core, layout};
use komorebi_abi::program::{Arg, ArgKind, Buffer, Format, Handler, ProgramModel};
use komorebi_card::{CardError, CardTime, NocXy, Order, Power};
use komorebi_sim::Card;

/// The five cores in SOFT_RESET_0 (tensix.md §1), and the registers of a start (host.md §5.2).
const SOFT_RESET: u64 = 0xffb1_21b0;
const ALL_CORES: u32 = 0x4_7800;
const TRISC_PC: u64 = 0xffb1_2228;
const TRISC_PC_ENABLE: u64 = 0xffb1_2234;
const NC_PC: u64 = 0xffb1_2238;
const NC_PC_ENABLE: u64 = 0xffb1_223c;

pub(crate) fn toolchain() -> &'static Toolchain {
    static FOUND: OnceLock<Toolchain> = OnceLock::new();
    FOUND.get_or_init(|| Toolchain::find().expect("a RISC-V compiler"))
}

/// A program with a buffer `input` (0) and a buffer `output` (16) of four 2 KiB pages.
pub(crate) fn model(handlers: &[(&str, u32, &[&str])]) -> ProgramModel {
    let mut model = ProgramModel::new("bench");
    for (name, index) in [("input", 0), ("output", 16)] {
        let (name, format) = (Some(name.to_owned()), Format::Uint32);
        model.buffers.push(Buffer { name, index, format, page_bytes: 2048, pages: 4 });
    }
    for (name, number, args) in handlers {
        let arg = |name: &&str| Arg { name: (*name).to_owned(), kind: ArgKind::U32, effect: None };
        let args = args.iter().map(arg).collect();
        model.handlers.push(Handler { name: (*name).to_owned(), number: *number, args, result: None });
    }
    model
}

/// What has the cores.
pub(crate) trait Machine: komorebi_card::Card {
    /// How long it runs between two looks at it.
    const STEP_NANOS: u64;

    /// Copies memory out without the machine's noticing; false where there is none.
    fn peek(&self, tile: NocXy, address: u64, bytes: &mut [u8]) -> bool;
}

impl Machine for Card {
    const STEP_NANOS: u64 = 1000;

    fn peek(&self, tile: NocXy, address: u64, bytes: &mut [u8]) -> bool {
        self.peek(tile, address, bytes)
    }
}

/// What a run is made of.
pub(crate) struct Setup<M = Card> {
    pub(crate) card: M,
    /// The tile that READY and completions are sent to.
    pub(crate) dispatcher: NocXy,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) depth: u32,
    /// AICLK cycles.
    pub(crate) wait: u64,
    pub(crate) idle: u64,
    pub(crate) fingerprint: u32,
    pub(crate) reader_args: Vec<u32>,
    /// Where the trace lies and the commands it has room for.
    pub(crate) trace: (u32, u32),
}

impl Setup {
    pub(crate) fn new(width: u32, height: u32) -> Self {
        Self::on(Card::builder().build(), width, height)
    }
}

impl<M: Machine> Setup<M> {
    pub(crate) fn on(card: M, width: u32, height: u32) -> Self {
        let dispatcher = card.description().l2cpus[0].tile;
        let (wait, idle) = (100_000_000, 100_000_000);
        let (fingerprint, reader_args) = (FINGERPRINT, Vec::new());
        Self {
            card,
            dispatcher,
            width,
            height,
            depth: 4,
            wait,
            idle,
            fingerprint,
            reader_args,
            trace: (0, 0),
        }
    }

    /// Builds the kernels, loads and starts every core; does not wait for READY.
    pub(crate) fn start(self, sources: &Sources, model: &ProgramModel) -> Bench<M> {
        let (base, bytes) = (layout::L1_KERNELS, layout::KERNEL_BYTES);
        let kernels =
            kernels(toolchain(), sources, model, base, bytes).unwrap_or_else(|error| panic!("{error}"));
        self.card.claim(Power { tensix: true, dram: true, l2cpu: true, busy: true }).unwrap();
        let mut bench = Bench { setup: self, kernels, sequence: 0, completed: [0; 16] };
        bench.load(model);
        bench
    }
}

/// A command's group, slot, and what it carries.
#[derive(Clone, Copy)]
pub(crate) struct Submit<'a> {
    pub(crate) slot: u32,
    pub(crate) handler: u32,
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) args: &'a [u32],
    pub(crate) result: bool,
}

impl<'a> Submit<'a> {
    pub(crate) fn to(handler: u32, first: u32, count: u32, args: &'a [u32]) -> Self {
        Self { slot: 0, handler, first, count, args, result: false }
    }

    pub(crate) fn slot(self, slot: u32) -> Self {
        Self { slot, ..self }
    }

    pub(crate) fn result(self) -> Self {
        Self { result: true, ..self }
    }
}

/// A running grid.
pub(crate) struct Bench<M = Card> {
    pub(crate) setup: Setup<M>,
    pub(crate) kernels: Kernels,
    pub(crate) sequence: u32,
    completed: [u32; 16],
}

impl<M: Machine> Bench<M> {
    pub(crate) fn card(&self) -> &M {
        &self.setup.card
    }

    pub(crate) fn cores(&self) -> u32 {
        self.setup.width * self.setup.height
    }

    /// Where core `index` sits.
    pub(crate) fn tile(&self, index: u32) -> NocXy {
        let (x, y) = (index % self.setup.width, index / self.setup.width);
        NocXy::new(self.card().description().columns[x as usize], 2 + y as u8)
    }

    pub(crate) fn dispatcher(&self) -> NocXy {
        self.setup.dispatcher
    }

    fn lim(offset: u32) -> u64 {
        layout::LIM_BASE + u64::from(offset)
    }

    fn load(&mut self, model: &ProgramModel) {
        for index in 0..self.cores() {
            let tile = self.tile(index);
            let card = self.card();
            card.write32(tile, SOFT_RESET, ALL_CORES).unwrap();
            for image in &self.kernels.threads {
                card.write(tile, image.base, &image.bytes, Order::Bulk).unwrap();
            }
            card.write(tile, 0, &self.kernels.boot_jump(), Order::Bulk).unwrap();
            card.write(tile, u64::from(layout::L1_CONTROL), &self.control(index, model), Order::Bulk)
                .unwrap();
            let args: Vec<u8> = self.setup.reader_args.iter().flat_map(|word| word.to_le_bytes()).collect();
            if !args.is_empty() {
                card.write(tile, u64::from(self.kernels.end), &args, Order::Bulk).unwrap();
            }
            let entry = |thread: u32| self.kernels.threads[thread as usize].entry as u32;
            for (i, thread) in
                [core::THREAD_UNPACK, core::THREAD_MATH, core::THREAD_PACK].into_iter().enumerate()
            {
                card.write32(tile, TRISC_PC + 4 * i as u64, entry(thread)).unwrap();
            }
            card.write32(tile, TRISC_PC_ENABLE, 7).unwrap();
            card.write32(tile, NC_PC, entry(core::THREAD_READER)).unwrap();
            card.write32(tile, NC_PC_ENABLE, 1).unwrap();
            card.fence(tile).unwrap();
        }
        let zeros = vec![0; 0x400];
        self.card().write(self.dispatcher(), Self::lim(layout::LIM_READY), &zeros, Order::Bulk).unwrap();
        self.card().fence(self.dispatcher()).unwrap();
        for index in 0..self.cores() {
            self.card().write32(self.tile(index), SOFT_RESET, 0).unwrap();
        }
    }

    /// The control block of core `index`.
    fn control(&self, index: u32, model: &ProgramModel) -> Vec<u8> {
        let mut block = vec![0; core::CONTROL_BYTES as usize];
        let mut put = |offset: u32, word: u32| {
            block[offset as usize..offset as usize + 4].copy_from_slice(&word.to_le_bytes());
        };
        let setup = &self.setup;
        let high = |address: u64| (address >> 32) as u32;
        let completions = Self::lim(layout::LIM_COMPLETIONS);
        let ready = Self::lim(layout::LIM_READY);
        let description = setup.card.description();
        for (word, value) in [
            (core::CORE_FINGERPRINT, setup.fingerprint),
            (core::CORE_INDEX, index),
            (core::CORE_CORES, self.cores()),
            (core::CORE_GRID_WIDTH, setup.width),
            (core::CORE_GRID_HEIGHT, setup.height),
            (core::CORE_DEPTH, setup.depth),
            (core::CORE_COLUMN, index % setup.width),
            (core::CORE_DISPATCHER, self.dispatcher().hi_word()),
            (core::CORE_COMPLETIONS_LOW, completions as u32),
            (core::CORE_COMPLETIONS_HIGH, high(completions)),
            (core::CORE_READY_LOW, ready as u32),
            (core::CORE_READY_HIGH, high(ready)),
            (core::CORE_WAIT_LOW, setup.wait as u32),
            (core::CORE_WAIT_HIGH, high(setup.wait)),
            (core::CORE_IDLE_LOW, setup.idle as u32),
            (core::CORE_IDLE_HIGH, high(setup.idle)),
            (core::CORE_BANKS, description.banks.len() as u32),
            (core::CORE_READER_ARGS, self.kernels.end),
            (core::CORE_READER_ARG_COUNT, setup.reader_args.len() as u32),
            (core::CORE_TRACE, setup.trace.0),
            (core::CORE_TRACE_ENTRIES, setup.trace.1),
        ] {
            put(core::CONTROL_LAUNCH + 4 * word, value);
        }
        for (i, bank) in description.banks.iter().enumerate() {
            put(core::CONTROL_BANKS + 8 * i as u32, bank.noc0.hi_word());
            put(core::CONTROL_BANKS + 8 * i as u32 + 4, bank.noc1.hi_word());
        }
        for other in 0..self.cores() {
            put(core::CONTROL_CORES + 4 * other, self.tile(other).hi_word());
        }
        let mut at = layout::L1_KERNELS + layout::KERNEL_BYTES;
        for buffer in &model.buffers {
            let words = core::CONTROL_BUFFERS + 16 * buffer.index;
            put(words + 4 * core::BUFFER_BASE, at);
            put(words + 4 * core::BUFFER_BYTES, buffer.pages * buffer.page_bytes);
            put(words + 4 * core::BUFFER_PAGES, buffer.pages);
            put(words + 4 * core::BUFFER_PAGE_BYTES, buffer.page_bytes);
            at += buffer.bytes() as u32;
        }
        block
    }

    /// Lets the card run until `done`, at most `micros` microseconds. False when the time ran out.
    pub(crate) fn run_until(&self, micros: u64, mut done: impl FnMut(&Self) -> bool) -> bool {
        let end = self.card().now().as_nanos() + 1000 * micros;
        loop {
            if done(self) {
                return true;
            }
            let now = self.card().now().as_nanos();
            if now >= end {
                return false;
            }
            self.card()
                .relax(CardTime::from_nanos((now + M::STEP_NANOS).min(end)))
                .unwrap_or_else(|error| panic!("{error}"));
        }
    }

    pub(crate) fn lim_word(&self, offset: u32) -> u32 {
        let mut word = [0; 4];
        assert!(self.card().peek(self.dispatcher(), Self::lim(offset), &mut word));
        u32::from_le_bytes(word)
    }

    pub(crate) fn l1_word(&self, index: u32, address: u32) -> u32 {
        let mut word = [0; 4];
        assert!(self.card().peek(self.tile(index), u64::from(address), &mut word));
        u32::from_le_bytes(word)
    }

    pub(crate) fn control_word(&self, index: u32, offset: u32) -> u32 {
        self.l1_word(index, layout::L1_CONTROL + offset)
    }

    /// A word of a thread's state block.
    pub(crate) fn state(&self, index: u32, thread: u32, word: u32) -> u32 {
        self.control_word(index, core::CONTROL_THREADS + core::THREAD_STRIDE * thread + 4 * word)
    }

    pub(crate) fn stages(&self, index: u32) -> [u32; 5] {
        [0, 1, 2, 3, 4].map(|thread| self.state(index, thread, core::THREAD_STAGE))
    }

    /// Every thread's state words, for messages.
    pub(crate) fn states(&self) -> String {
        let words = |i, t| (0..9).map(|w| format!("{:x}", self.state(i, t, w))).collect::<Vec<_>>().join(" ");
        let line = |i: u32, t: u32| format!("core {i} thread {t}: {}\n", words(i, t));
        (0..self.cores()).flat_map(|i| (0..5).map(move |t| (i, t))).map(|(i, t)| line(i, t)).collect()
    }

    /// Waits until every column has reported.
    pub(crate) fn wait_ready(&self) {
        let ready = self.run_until(10_000, |bench| {
            (0..bench.setup.width).all(|column| {
                let at = layout::LIM_READY + core::READY_STRIDE * column;
                bench.lim_word(at) == FINGERPRINT && bench.lim_word(at + 4) == bench.setup.height
            })
        });
        assert!(ready, "no READY:\n{}", self.states());
    }

    fn write_l1(&self, index: u32, address: u32, bytes: &[u8], order: Order) -> Result<(), CardError> {
        self.card().write(self.tile(index), u64::from(address), bytes, order)
    }

    /// Writes a word of a core's L1 from outside.
    pub(crate) fn card_write(&self, index: u32, address: u32, word: u32) {
        self.write_l1(index, address, &word.to_le_bytes(), Order::Strict)
            .unwrap_or_else(|error| panic!("{error}"));
    }

    /// Submits as the dispatcher does. Returns the sequence number.
    pub(crate) fn submit(&mut self, command: Submit<'_>) -> u32 {
        self.sequence += 1;
        let sequence = self.sequence;
        self.publish(command, sequence);
        sequence
    }

    /// The same, giving the card's error.
    pub(crate) fn try_submit(&mut self, command: Submit<'_>) -> Result<(), CardError> {
        self.sequence += 1;
        self.try_publish(command, self.sequence)
    }

    /// Body, fence, publish word with this sequence number, doorbell.
    pub(crate) fn publish(&mut self, command: Submit<'_>, sequence: u32) {
        self.try_publish(command, sequence).unwrap_or_else(|error| panic!("{error}"));
    }

    fn try_publish(&mut self, command: Submit<'_>, sequence: u32) -> Result<(), CardError> {
        let Submit { slot, first, count, args, .. } = command;
        let body: Vec<u8> = args.iter().flat_map(|word| word.to_le_bytes()).collect();
        let group = first..first + count;
        for index in group.clone().filter(|_| !body.is_empty()) {
            let at = layout::L1_CONTROL + core::CONTROL_BODIES + core::BODY_BYTES * slot;
            self.write_l1(index, at, &body, Order::Bulk)?;
            self.card().fence(self.tile(index))?;
        }
        self.publish_words(group.clone(), command, sequence)?;
        self.ring_doorbells(group, sequence)
    }

    /// The publish word in one core only, without its doorbell.
    pub(crate) fn publish_to(&mut self, index: u32, command: Submit<'_>, sequence: u32) {
        self.publish_words(index..index + 1, command, sequence).unwrap_or_else(|error| panic!("{error}"));
    }

    /// The doorbell of one core.
    pub(crate) fn ring(&self, index: u32, sequence: u32) {
        self.ring_doorbells(index..index + 1, sequence).unwrap_or_else(|error| panic!("{error}"));
    }

    fn publish_words(&self, cores: Range<u32>, command: Submit<'_>, sequence: u32) -> Result<(), CardError> {
        let Submit { slot, handler, first, count, args, result } = command;
        let flags = if result { core::PUBLISH_RESULT } else { 0 };
        let high = handler
            | (args.len() as u32) << core::PUBLISH_ARGS_SHIFT
            | flags << core::PUBLISH_FLAGS_SHIFT
            | first << core::PUBLISH_FIRST_SHIFT
            | count << core::PUBLISH_COUNT_SHIFT;
        let word = u64::from(sequence) | u64::from(high) << 32;
        self.write_words(cores, core::CONTROL_PUBLISH + 8 * slot, word)
    }

    fn ring_doorbells(&self, cores: Range<u32>, sequence: u32) -> Result<(), CardError> {
        self.write_words(cores, core::CONTROL_DOORBELL, u64::from(sequence))
    }

    /// A word of the cores' control blocks: a store to each, then the fences.
    fn write_words(&self, cores: Range<u32>, offset: u32, word: u64) -> Result<(), CardError> {
        for index in cores.clone() {
            self.write_l1(index, layout::L1_CONTROL + offset, &word.to_le_bytes(), Order::Strict)?;
        }
        for index in cores {
            self.card().fence(self.tile(index))?;
        }
        Ok(())
    }

    /// The completion word of a slot: sequence number, result word.
    pub(crate) fn completion(&self, slot: u32) -> (u32, u32) {
        let at = layout::LIM_COMPLETIONS + core::COMPLETION_STRIDE * slot;
        (self.lim_word(at), self.lim_word(at + 4))
    }

    /// Waits for the completion of `sequence` in `slot`; gives the result word.
    pub(crate) fn wait(&mut self, slot: u32, sequence: u32) -> u32 {
        let done = self.run_until(20_000, |bench| bench.completion(slot).0 == sequence);
        assert!(done, "command {sequence} in slot {slot} did not complete:\n{}", self.states());
        self.completed[slot as usize] = sequence;
        self.completion(slot).1
    }

    pub(crate) fn call(&mut self, command: Submit<'_>) -> u32 {
        let sequence = self.submit(command);
        self.wait(command.slot, sequence)
    }

    /// Writes interleaved pages at `address` of the banks.
    pub(crate) fn write_pages(&self, address: u64, page_bytes: usize, bytes: &[u8]) {
        let banks = &self.card().description().banks;
        let aligned = page_bytes.next_multiple_of(64) as u64;
        for (p, page) in bytes.chunks(page_bytes).enumerate() {
            let at = address + (p / banks.len()) as u64 * aligned;
            self.card().write(banks[p % banks.len()].noc0, at, page, Order::Bulk).unwrap();
        }
        banks.iter().for_each(|bank| self.card().fence(bank.noc0).unwrap());
    }

    pub(crate) fn read_pages(&self, address: u64, page_bytes: usize, pages: usize) -> Vec<u8> {
        let banks = &self.card().description().banks;
        let aligned = page_bytes.next_multiple_of(64) as u64;
        let mut bytes = vec![0; page_bytes * pages];
        for (p, page) in bytes.chunks_mut(page_bytes).enumerate() {
            let at = address + (p / banks.len()) as u64 * aligned;
            self.card().read(banks[p % banks.len()].noc0, at, page).unwrap();
        }
        bytes
    }
}
