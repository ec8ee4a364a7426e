//! Random streams over the program of [`memory`](super::memory), whose result no order of completions changes.

use komorebi_abi::engine::{Arithmetic as _, Group, Var};
use komorebi_abi::stream::{Stream, Submitted};

use super::Random;
use super::memory::CORES;
use super::work::{NAMES, Touch, Vars, arithmetic, pick, work};

/// A command that may be in flight; without a step it is one of an earlier turn of a loop.
#[derive(Clone, Debug)]
struct Flight {
    step: Option<Submitted>,
    touch: Touch,
}

/// A loop around: its counter, and what may be in flight where its turns begin.
#[derive(Clone, Debug)]
struct Around {
    entry: Vec<Flight>,
    /// A turn may leave commands in flight that only others of their kind meet.
    loose: bool,
}

/// Writes a stream.
#[derive(Clone, Debug)]
struct Writer {
    random: Random,
    vars: Vars,
    flights: Vec<Flight>,
    loops: Vec<Around>,
    /// Counter, condition and bound, for each depth of loops.
    counters: [[Var; 3]; 2],
}

/// A stream.
pub fn stream(random: &mut Random, req: u64) -> Stream {
    let mut stream = Stream::new().req(req);
    let vars = Vars::new(stream.bindings(NAMES));
    let counters = [0; 2].map(|_| [0; 3].map(|_| stream.register()));
    let seed = random.word();
    let mut writer =
        Writer { random: Random::new(seed), vars, flights: Vec::new(), loops: Vec::new(), counters };
    writer.block(&mut stream, 0, 24);
    let last = writer.any();
    if writer.random.one_in(2) {
        writer.settle(&mut stream, &Touch { takes: vec![last.0], ..Touch::default() });
        stream.halt(last);
    } else {
        stream.halt(7);
    }
    stream
}

impl Writer {
    fn any(&mut self) -> Var {
        self.random.one_of(&self.vars.any)
    }

    fn block(&mut self, s: &mut Stream, depth: usize, most: u32) {
        for _ in 0..self.random.between(1, most) {
            match self.random.below(16) {
                0..=2 => self.compute(s),
                3..=8 => self.submit(s),
                9 => self.submit_at(s),
                10 => self.event(s),
                11 if self.random.one_in(2) => self.wait_all(s),
                12 | 13 if depth < 3 => self.branch(s, depth),
                14 if self.loops.len() < 2 && depth < 3 => self.turns(s, depth),
                15 if depth > 0 => self.leave(s),
                _ => self.compute(s),
            }
        }
    }

    fn compute(&mut self, s: &mut Stream) {
        if self.random.one_in(4) {
            let (three, touch) = pick(&mut self.random, &self.vars, self.vars.page, u32::MAX);
            self.settle(s, &touch);
            three.into_iter().for_each(|statement| s.statement(statement));
        } else {
            let (statement, touch) = arithmetic(&mut self.random, &self.vars);
            self.settle(s, &touch);
            s.statement(statement);
        }
    }

    fn submit(&mut self, s: &mut Stream) {
        let work = work(&mut self.random, &self.vars);
        self.settle(s, &work.touch);
        let step = s.command(work.command).id();
        self.flights.push(Flight { step: Some(step), touch: work.touch });
    }

    /// A command to cores that a register names; once in a while beyond the grid.
    fn submit_at(&mut self, s: &mut Stream) {
        let mut work = work(&mut self.random, &self.vars);
        let (false, Group::Range(first, end)) = (work.command.queued, &work.command.group) else { return };
        let count = end - first;
        let last = if self.random.one_in(20) { u32::MAX } else { CORES - count as u32 };
        let core = self.vars.core;
        let (three, touch) = pick(&mut self.random, &self.vars, core, last);
        self.settle(s, &touch);
        three.into_iter().for_each(|statement| s.statement(statement));
        work.command.group = Group::At(core.into(), count);
        self.settle(s, &work.touch);
        let step = s.command(work.command).id();
        self.flights.push(Flight { step: Some(step), touch: work.touch });
    }

    fn event(&mut self, s: &mut Stream) {
        let value = self.any();
        self.settle(s, &Touch { takes: vec![value.0], ..Touch::default() });
        s.event(value);
    }

    fn wait_all(&mut self, s: &mut Stream) {
        s.wait_all();
        self.flights.clear();
    }

    /// Waits for what must be complete before something that touches this.
    fn settle(&mut self, s: &mut Stream, touch: &Touch) {
        self.settle_those(s, |flight| touch.waits_for(&flight.touch));
    }

    fn settle_those(&mut self, s: &mut Stream, those: impl Fn(&Flight) -> bool) {
        while let Some(flight) = self.flights.iter().find(|flight| those(flight)) {
            match flight.step {
                Some(step) if self.random.below(4) != 0 => {
                    s.wait(step);
                    self.flights.retain(|flight| flight.step != Some(step));
                }
                _ => self.wait_all(s),
            }
        }
    }

    /// Before a place where ways part: a result that one way waits for and the other not could not be read behind them.
    fn results(&mut self, s: &mut Stream) {
        self.settle_those(s, |flight| !flight.touch.gives.is_empty());
    }

    /// Waits for what was submitted since `entry`.
    fn settle_to(&mut self, s: &mut Stream, entry: &[Flight], loose: bool) {
        self.settle_those(s, |flight| {
            let before = entry.iter().any(|one| one.step == flight.step);
            let stays = loose && flight.touch.mix.is_some() && flight.touch.gives.is_empty();
            !before && !stays
        });
    }

    fn condition(&mut self, s: &mut Stream) -> Var {
        let value = self.any();
        self.results(s);
        value
    }

    fn branch(&mut self, s: &mut Stream, depth: usize) {
        let condition = self.condition(s);
        let before = self.flights.clone();
        let mut other = self.clone();
        other.random = Random::new(self.random.word());
        let arm = |writer: &mut Self, s: &mut Stream| {
            writer.block(s, depth + 1, 4);
            writer.settle_to(s, &before, false);
        };
        if self.random.one_in(2) {
            s.if_(condition, |s| arm(self, s));
        } else {
            s.if_else(condition, |s| arm(self, s), |s| arm(&mut other, s));
        }
        self.flights = before;
    }

    /// A loop of a few turns.
    fn turns(&mut self, s: &mut Stream, depth: usize) {
        let [counter, more, bound] = self.counters[self.loops.len()];
        let by = self.condition(s);
        let loose = self.random.one_in(2);
        if loose {
            let left = [0, CORES].map(|base| Touch {
                mix: Some(base),
                writes: (base..base + CORES).collect(),
                ..Touch::default()
            });
            self.flights.extend(left.map(|touch| Flight { step: None, touch }));
        }
        let entry = self.flights.clone();
        s.and(bound, by, 3).set(counter, 0);
        self.loops.push(Around { entry: entry.clone(), loose });
        s.while_(
            |s| {
                s.ltu(more, counter, bound);
                more.into()
            },
            |s| {
                s.add(counter, counter, 1);
                self.block(s, depth + 1, 6);
                self.settle_to(s, &entry, loose);
            },
        );
        self.loops.pop();
        self.flights = entry;
    }

    /// Leaves the loop around, goes on with its next turn, or ends the stream, if a variable says so.
    fn leave(&mut self, s: &mut Stream) {
        let condition = self.condition(s);
        let before = self.flights.clone();
        let way = self.random.below(6);
        s.if_(condition, |s| match (way, self.loops.last().cloned()) {
            (0 | 1, Some(around)) => {
                self.settle_to(s, &around.entry, around.loose);
                s.break_();
            }
            (2 | 3, Some(around)) => {
                self.settle_to(s, &around.entry, around.loose);
                s.continue_();
            }
            (4, _) => {
                s.halt(condition);
            }
            _ => {
                s.event(condition);
            }
        });
        self.flights = before;
    }
}
