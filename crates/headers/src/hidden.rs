//! The macros whose expansion produced a token: they do not expand in it again.

use crate::text::Text;

/// A set of macros, by the number of its last member in [`HiddenNames`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Hidden(Option<u32>);

/// The members of all sets: each knows the rest of its own.
#[derive(Debug, Default)]
pub(crate) struct HiddenNames<'a>(Vec<HiddenName<'a>>);

#[derive(Debug)]
struct HiddenName<'a> {
    name: Text<'a>,
    depth: u32,
    rest: Hidden,
}

impl<'a> HiddenNames<'a> {
    fn last(&self, of: Hidden) -> Option<&HiddenName<'a>> {
        self.0.get(of.0? as usize)
    }

    fn names(&self, of: Hidden) -> impl Iterator<Item = Text<'a>> {
        std::iter::successors(self.last(of), |inner| self.last(inner.rest)).map(|inner| inner.name)
    }

    pub(crate) fn contains(&self, of: Hidden, name: &str) -> bool {
        self.names(of).any(|hidden| hidden == name)
    }

    /// How many macros are nested around the token.
    pub(crate) fn depth(&self, of: Hidden) -> u32 {
        self.last(of).map_or(0, |last| last.depth)
    }

    pub(crate) fn with(&mut self, of: Hidden, name: Text<'a>) -> Hidden {
        if self.contains(of, name) {
            return of;
        }
        let depth = self.depth(of) + 1;
        self.0.push(HiddenName { name, depth, rest: of });
        Hidden(Some(self.0.len() as u32 - 1))
    }

    pub(crate) fn union(&mut self, a: Hidden, b: Hidden) -> Hidden {
        if a == Hidden::default() {
            return b;
        }
        let (mut all, mut more) = (a, b);
        while let Some(&HiddenName { name, rest, .. }) = self.last(more) {
            (all, more) = (self.with(all, name), rest);
        }
        all
    }

    /// The macros hidden in both, for the closing parenthesis of a call.
    pub(crate) fn intersection(&mut self, a: Hidden, b: Hidden) -> Hidden {
        let (mut both, mut more) = (Hidden::default(), a);
        while let Some(&HiddenName { name, rest, .. }) = self.last(more) {
            if self.contains(b, name) {
                both = self.with(both, name);
            }
            more = rest;
        }
        both
    }
}
