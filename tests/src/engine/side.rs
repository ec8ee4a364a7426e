//! A card with the program of [`memory`](super::memory) on it.

use std::time::Duration;

use km::Card as _;
use komorebi as km;
use komorebi_abi::constants::{engine, layout};
use komorebi_abi::engine::EngineCommand;
use komorebi_sim::Card;

use super::case::{Case, Left, Source, told};
use super::memory::{CORES, PAGES, WORDS, apply, program};
use crate::dispatcher::lim;

const TIMEOUT: Duration = Duration::from_secs(5);

/// A card with the program on it, and tensors to work on.
#[derive(Debug)]
pub struct Side {
    /// The card.
    pub card: Card,
    /// The program's run.
    pub run: km::Run,
    /// Tensors to work on.
    pub tensors: Vec<km::Tensor>,
    /// The session.
    pub session: km::Session,
}

impl Side {
    /// A card of this seed with the program loaded.
    ///
    /// # Panics
    /// When the session refuses.
    pub fn new(seed: u64, options: km::LoadOptions) -> Self {
        let card = Card::builder().seed(seed).build();
        let session = km::Session::builder().on(&card).open().unwrap();
        let empty = |_| session.empty(&[PAGES as usize, WORDS], km::DType::Uint32).unwrap();
        let tensors = (0..6).map(empty).collect();
        let run = session.load_with(program(), options).unwrap();
        Self { card, run, tensors, session }
    }

    /// Writes the case's words into a tensor.
    ///
    /// # Panics
    /// When the session refuses.
    pub fn write(&self, tensor: usize, case: &Case) {
        let words = ndarray::Array2::from_shape_vec((PAGES as usize, WORDS), case.bytes.clone()).unwrap();
        self.tensors[tensor].write(&words).unwrap();
    }

    /// The words of a tensor.
    ///
    /// # Panics
    /// When the session refuses.
    pub fn words(&self, tensor: usize) -> Vec<u32> {
        self.tensors[tensor].read::<u32>().unwrap().into_iter().collect()
    }

    /// The register file in the upload region, as the dispatcher left it.
    ///
    /// # Panics
    /// When it is not in the card.
    pub fn registers(&self, offset: u32) -> [u32; engine::REGISTERS as usize] {
        let tile = self.card.description().l2cpus[0].tile;
        let at = lim(layout::LIM_UPLOAD) + u64::from(offset + engine::UPLOAD_REGISTERS);
        let mut bytes = [0; 4 * engine::REGISTERS as usize];
        assert!(self.card.peek(tile, at, &mut bytes), "the register file at {at:#x}");
        let mut registers = [0; engine::REGISTERS as usize];
        for (register, word) in registers.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *register = u32::from_le_bytes(*word);
        }
        registers
    }

    /// Uploads and starts a case on a tensor.
    ///
    /// # Panics
    /// When the session refuses.
    pub fn start(&self, tensor: usize, case: &Case) -> (km::Upload, km::EngineHandle) {
        self.write(tensor, case);
        let upload = match &case.source {
            Source::Graph(graph) => self.run.upload(graph),
            Source::Stream(stream) => self.run.upload(stream),
        };
        let upload = upload.unwrap_or_else(|error| panic!("upload of seed {}: {error}", case.seed));
        let handle = self.run.start(&upload, case.bindings(&self.tensors[tensor])).unwrap();
        (upload, handle)
    }

    /// Waits for its end and releases it.
    ///
    /// # Panics
    /// When the session refuses.
    pub fn finish(&self, tensor: usize, case: &Case, upload: &km::Upload, handle: &km::EngineHandle) -> Left {
        match self.run.wait_engine(handle, TIMEOUT) {
            Ok(_) | Err(km::Error::EngineError(_)) => {}
            Err(other) => panic!("upload of seed {}: {other}", case.seed),
        }
        let place = |event: &km::EngineEvent| event.node.or(event.pc);
        let told =
            |event: km::EngineEvent| (event.kind, event.value, event.registers, event.reason, place(&event));
        let events = handle.events().into_iter().map(told).collect();
        let registers = self.registers(upload.offset());
        self.run.release(upload, TIMEOUT).unwrap();
        Left { events, registers, words: self.words(tensor) }
    }

    /// Runs it on the host; what its commands did to the tensor is held against the same in Rust. Gives the commands too.
    ///
    /// # Panics
    /// When they did something else.
    pub fn hostfed(&self, tensor: usize, case: &Case) -> (Left, Vec<EngineCommand>) {
        self.write(tensor, case);
        let bindings = case.bindings(&self.tensors[tensor]);
        let result = match &case.source {
            Source::Graph(graph) => self.run.run_hostfed(graph, bindings, TIMEOUT),
            Source::Stream(stream) => self.run.run_hostfed(stream, bindings, TIMEOUT),
        };
        let result = result.unwrap_or_else(|error| panic!("upload of seed {}: {error}", case.seed));
        let mut words = case.bytes.clone();
        result.commands.iter().for_each(|command| apply(&mut words, command));
        let left = Left {
            events: result.events.iter().map(told).collect(),
            registers: result.registers,
            words: self.words(tensor),
        };
        let Case { seed, .. } = case;
        assert!(
            left.words == words,
            "upload of seed {seed}: the commands did something else: {:?}",
            result.commands
        );
        (left, result.commands)
    }

    /// A command on every core does its work.
    ///
    /// # Panics
    /// When it does not.
    pub fn works(&self) {
        let tensor = &self.tensors[5];
        let before = self.words(5);
        let mix = km::call("mix", &[tensor.address().0, 0, 9]).on(0..CORES).result::<u32>();
        let event = self.run.wait(self.run.submit(mix).unwrap(), TIMEOUT).unwrap();
        let after = self.words(5);
        assert_eq!(event.value(), after[0] ^ after[WORDS - 1]);
        let changed = (0..CORES as usize * WORDS).filter(|&i| before[i] != after[i]).count();
        assert!(changed > CORES as usize * WORDS * 9 / 10, "{changed} words changed");
    }
}
