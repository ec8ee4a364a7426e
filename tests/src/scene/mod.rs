//! Whole scenarios on a simulated card, played on cards that differ in what must not show: its seed, its parking.
//!
//! A scenario notes what it gets. [`Scene::result`] is for what a program promises, whatever the hardware leaves open: the same with
//! every seed. [`Scene::detail`] is for everything else it sees: the same with and without parking, as are the moments of both,
//! the counts of packets and messages, and all memory at the end.

mod engines;
mod scenarios;
mod seeds;

pub use scenarios::{SCENARIOS, Scenario};
pub use seeds::over_seeds;

use komorebi as km;
use komorebi_card::{Card as _, CardTime};
use komorebi_sim::{Builder, Card, Counters, Digest};

/// A scenario that is being played.
pub struct Scene {
    card: Card,
    notes: Vec<Note>,
}

/// What a scenario noted, when, and whether a program promises it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    text: String,
    promised: bool,
    at: CardTime,
}

/// What a scenario leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What it noted.
    pub notes: Vec<Note>,
    /// All memory.
    pub digest: Digest,
    /// Of the counters those that the card's life decides, not how it was simulated.
    pub counts: [(&'static str, u64); 6],
}

impl Scene {
    /// The card it is played on.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// A session on the card.
    ///
    /// # Panics
    /// When it does not open.
    pub fn session(&self) -> km::Session {
        km::Session::builder().on(&self.card).open().unwrap()
    }

    /// Notes what the program promises.
    pub fn result(&mut self, text: impl Into<String>) {
        self.note(text.into(), true);
    }

    /// Notes what may be otherwise with another seed.
    pub fn detail(&mut self, text: impl Into<String>) {
        self.note(text.into(), false);
    }

    fn note(&mut self, text: String, promised: bool) {
        let at = self.card.now();
        self.notes.push(Note { text, promised, at });
    }

    /// Lets time pass on the card while the host does nothing.
    ///
    /// # Panics
    /// When the card is lost or has halted.
    pub fn pass(&self, time: std::time::Duration) {
        let until = self.card.now() + time;
        while self.card.now() < until {
            self.card.relax(until).unwrap();
        }
    }
}

/// Plays a scenario on a card of its own, to the end of the last session on it.
pub fn play(builder: Builder, scenario: &Scenario) -> Outcome {
    let mut scene = Scene { card: builder.columns(4).build(), notes: Vec::new() };
    (scenario.play)(&mut scene);
    scene.detail("the end");
    let counters = scene.card.counters();
    let Counters { noc_packets, events, unmapped, messages, .. } = counters;
    Outcome {
        notes: scene.notes,
        digest: scene.card.digest(),
        counts: [
            ("packets", noc_packets),
            ("writes to the host", events),
            ("writes to memory given back", unmapped),
            ("messages", messages),
            ("instructions", instructions(&scene.card)),
            ("uncached stores of harts", counters.x280_uncached_stores),
        ],
    }
}

/// What all cores and harts have retired.
fn instructions(card: &Card) -> u64 {
    let description = card.description();
    let grid = description.columns.iter().flat_map(|x| (0..12).map(|y| km::NocXy::new(*x, y)));
    let tiles = grid.chain(description.l2cpus.iter().map(|l2cpu| l2cpu.tile));
    tiles.flat_map(|tile| card.core_counters(tile)).map(|core| core.instructions).sum()
}

impl Outcome {
    /// What the program promises.
    pub fn promised(&self) -> Vec<&str> {
        self.notes.iter().filter(|note| note.promised).map(|note| note.text.as_str()).collect()
    }

    /// The moments of all notes.
    pub fn times(&self) -> Vec<CardTime> {
        self.notes.iter().map(|note| note.at).collect()
    }

    /// The first thing in which the other one differs; `None` when they are the same.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let longer = self.notes.len().max(other.notes.len());
        let differ = (0..longer).find(|i| self.notes.get(*i) != other.notes.get(*i));
        if let Some(i) = differ {
            return Some(format!("note {i}: {:?}\nand {:?}", self.notes.get(i), other.notes.get(i)));
        }
        let differ = self.counts.iter().zip(&other.counts).find(|(one, two)| one != two);
        if let Some((one, two)) = differ {
            return Some(format!("{}: {} and {}", one.0, one.1, two.1));
        }
        (self.digest != other.digest).then(|| format!("memory: {:x?}\nand {:x?}", self.digest, other.digest))
    }
}
