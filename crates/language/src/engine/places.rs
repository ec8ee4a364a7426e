//! Where the parts of a model stand in the source.

use std::collections::HashMap;

use komorebi_abi::engine::Place;

use super::expression::Code;
use crate::anchor::Anchor;

/// Anchors by place.
#[derive(Debug)]
pub(crate) struct Places {
    /// The name of the whole.
    name: Anchor,
    known: HashMap<Place, Anchor>,
}

impl Places {
    pub(crate) fn new(name: Anchor) -> Self {
        Self { name, known: HashMap::new() }
    }

    /// Makes room for the places of so many statements: growing costs as much as filling.
    pub(crate) fn reserve(&mut self, statements: usize) {
        self.known.reserve(8 * statements);
    }

    pub(crate) fn set(&mut self, place: Place, anchor: Anchor) {
        self.known.insert(place, anchor);
    }

    /// The anchors of a command, given as those of item 0, for item `item`.
    pub(crate) fn set_all(&mut self, item: u32, places: &[(Place, Anchor)]) {
        for (place, anchor) in places {
            let place = match *place {
                Place::Handler(_) => Place::Handler(item),
                Place::Group(_) => Place::Group(item),
                Place::Arg(_, arg) => Place::Arg(item, arg),
                Place::Result(_) => Place::Result(item),
                Place::Exclusive(_) => Place::Exclusive(item),
                Place::Queued(_) => Place::Queued(item),
                other => other,
            };
            self.set(place, *anchor);
        }
    }

    /// The anchors of an instruction.
    pub(crate) fn set_code(&mut self, code: &Code, item: u32, at: u32) {
        self.set(Place::Statement(item, at), code.whole);
        self.set(Place::Operand(item, at, Place::TARGET), code.target);
        for (i, anchor) in code.operands.iter().enumerate() {
            self.set(Place::Operand(item, at, i as u32), *anchor);
        }
    }

    /// The anchor of a place, or of the smallest known one around it.
    pub(crate) fn anchor(&self, place: Place) -> Anchor {
        let statement = match place {
            Place::Operand(item, statement, _) => Some(Place::Statement(item, statement)),
            _ => None,
        };
        let around = [Some(place), statement, place.item().map(Place::Item)];
        around.into_iter().flatten().find_map(|place| self.known.get(&place)).copied().unwrap_or(self.name)
    }
}
