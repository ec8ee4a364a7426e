//! Random uploads over the program of [`memory`](super::memory), and what they leave.

use komorebi as km;
use komorebi_abi::constants::{engine, event};

use super::Random;
use super::memory::{PAGES, WORDS};
use super::work::bindings;
use super::worked_graph::graph;
use super::worked_stream::stream;

/// What is uploaded.
#[derive(Clone, Debug)]
pub enum Source {
    /// A graph.
    Graph(km::Graph),
    /// A stream.
    Stream(km::Stream),
}

/// An upload, with what it is started with and works on.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it was made from.
    pub seed: u64,
    /// The upload.
    pub source: Source,
    /// Its bindings behind the tensor's address.
    pub words: Vec<u32>,
    /// The words of the tensor.
    pub bytes: Vec<u32>,
}

impl Case {
    /// The case of a seed.
    pub fn new(kind: km::UploadKind, seed: u64, req: u64) -> Self {
        let mut random = Random::new(seed);
        let source = match kind {
            km::UploadKind::Graph => Source::Graph(graph(&mut random, req)),
            km::UploadKind::Stream => Source::Stream(stream(&mut random, req)),
        };
        let words = bindings(&mut random);
        let bytes = (0..PAGES as usize * WORDS).map(|_| random.word() as u32).collect();
        Self { seed, source, words, bytes }
    }

    /// Its bindings, for this tensor.
    pub fn bindings(&self, tensor: &km::Tensor) -> Vec<km::Binding> {
        let words = self.words.iter().map(|word| km::Binding::from(*word));
        [km::Binding::from(tensor)].into_iter().chain(words).collect()
    }
}

/// An event without its time: kind, value, end registers, reason, and the place of the error.
pub type Told = (km::EngineEventKind, Option<u32>, Option<[u32; 2]>, Option<u32>, Option<u32>);

/// What an event tells.
pub fn told(output: &km::Output) -> Told {
    use km::EngineEventKind::{End, Error, Event, Round};
    match *output {
        km::Output::Event(value) => (Event, Some(value), None, None, None),
        km::Output::Round(rounds) => (Round, Some(rounds), None, None, None),
        km::Output::Halt(value) => (End, Some(value), None, None, None),
        km::Output::End(first, second) => {
            (End, None, Some([first & event::EVENT_AUX_MASK, second]), None, None)
        }
        km::Output::Error(refusal) => (Error, None, None, Some(refusal.reason.0), refusal.place),
    }
}

/// What an upload left.
#[derive(Debug, PartialEq)]
pub struct Left {
    /// Its events.
    pub events: Vec<Told>,
    /// The register file.
    pub registers: [u32; engine::REGISTERS as usize],
    /// The words of the tensor.
    pub words: Vec<u32>,
}

/// Holds what the dispatcher left against what the interpreter did.
///
/// # Panics
/// At the first register, event or word that differs.
pub fn assert_same(case: &Case, dispatcher: &Left, interpreter: &Left) {
    let what = format!("upload of seed {}, left dispatcher, right interpreter", case.seed);
    assert_eq!(dispatcher.events, interpreter.events, "events: {what}");
    assert_eq!(dispatcher.registers, interpreter.registers, "registers: {what}");
    let pairs = dispatcher.words.iter().zip(&interpreter.words).enumerate();
    let other: Vec<_> = pairs.filter(|(_, (one, other))| one != other).map(|(i, _)| i).collect();
    assert!(other.is_empty(), "memory at words {other:?}: {what}");
}
