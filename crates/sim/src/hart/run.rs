//! The loop: fetch, wait for operands, execute.
//!
//! Time, counters and the place in the page are locals of [`Hart::run_page`]. What is rare leaves it: the other arms
//! are in `system.rs`, `trap.rs` and `park.rs`.

use std::sync::Arc;

use super::ahead::{AheadLoad, Here};
use super::alu;
use super::bus::{Bus, Refusal, Width};
use super::code::CodePage;
use super::decode::{Op, SLOTS};
use super::isa::{Isa, Xlen};
use super::state::{Hart, Repeat, UNMARKED};
use super::stop::Stop;
use super::table::{Code, instructions};
use super::watch::Watch;
use crate::time::Time;

/// Cycles that private work may run past the horizon before it looks around. It concerns nobody else; this bounds it.
const LEASH: Time = 64;

/// The bit of a register slot.
#[inline(always)]
fn bit(slot: usize) -> u64 {
    1u64.wrapping_shl(slot as u32)
}

/// Why the loop over a page ended; the hart's state is complete.
enum Flow {
    /// The pc is elsewhere, or the page may be old.
    Page,
    /// Time is past the horizon.
    Horizon,
    /// This instruction is for the slow path.
    Slow(Op),
    /// The bus refused the access at the pc.
    Refused(Refusal),
    /// A backward jump has been taken often.
    Repeat,
}

impl<X: Xlen> Hart<X> {
    /// Runs until a shared access would be later than `horizon`, or private work has passed it, or something else
    /// needs the tile.
    ///
    /// A parked hart stays parked, and a sleeping one asleep, until the tile has called what wakes it.
    pub fn run<B: Bus>(&mut self, bus: &mut B, horizon: Time) -> Stop {
        if let Some(park) = self.parked {
            return Stop::Park(park);
        }
        self.warm();
        if self.undoes {
            self.take_stores().for_each(|undo| bus.undo(undo));
        }
        if self.sleeping && !self.is_roused() {
            return Stop::Wfi;
        }
        self.take_interrupt();
        loop {
            if let Some(stop) = self.go_on::<B, false>(bus, horizon) {
                return stop;
            }
        }
    }

    /// Runs in the page around the pc, and does what is rare; `ONE` instruction only, or as many as go.
    #[inline(always)]
    pub(super) fn go_on<B: Bus, const ONE: bool>(&mut self, bus: &mut B, horizon: Time) -> Option<Stop> {
        if bus.is_interrupted() {
            return Some(Stop::Horizon);
        }
        // What a load ahead of its turn gave may be taken back: no page is fetched because of it.
        let known = self.code_generation == bus.code_generation() && self.pages.holds(self.pc);
        if self.is_ahead && !known {
            return Some(Stop::Horizon);
        }
        // A trap handler may itself trap, for ever.
        let late = |hart: &Self| (hart.time > horizon).then_some(Stop::Horizon);
        let page = match self.page(bus) {
            Ok(page) => page,
            Err(refusal) => return self.refused(refusal).or_else(|| late(self)),
        };
        let from = self.pc;
        let flow = self.run_page::<B, ONE>(bus, &page, horizon);
        self.pages.put(from, page);
        if let Flow::Slow(op) = flow {
            if op.code() == Code::Wait {
                return self.run_wait(bus, op, horizon);
            }
            if self.is_ahead {
                return Some(Stop::Horizon);
            }
        }
        let stop = match flow {
            Flow::Page => return None,
            Flow::Horizon => return Some(Stop::Horizon),
            Flow::Slow(op) => self.run_slow(bus, op, horizon),
            Flow::Refused(refusal) => self.refused(refusal),
            Flow::Repeat => self.repeated(),
        };
        stop.or_else(|| late(self))
    }

    /// Touches what the turn will use, all at once: a card's harts do not fit into a cache, and the misses overlap.
    #[inline]
    fn warm(&self) {
        use std::hint::black_box;
        black_box(self.regs[8]);
        black_box(self.regs[16]);
        black_box(self.regs[24]);
        black_box(self.ready[8]);
        black_box(self.ready[16]);
        black_box(self.wait.period);
        black_box(self.wait.watches().len());
        self.ahead.warm();
        black_box(self.known_waits[0].pc);
        black_box(self.known_waits[4].pc);
    }

    /// The page around the pc, to be put back into `pages`.
    fn page<B: Bus>(&mut self, bus: &mut B) -> Result<Arc<CodePage>, Refusal> {
        let generation = bus.code_generation();
        if generation != self.code_generation {
            self.pages.clear();
            self.code_generation = generation;
        }
        if let Some(page) = self.pages.take(self.pc) {
            return Ok(page);
        }
        let page = bus.code(self.time, self.pc)?;
        assert_eq!(page.isa(), X::ISA, "a page decoded for the other instruction set");
        Ok(page)
    }

    fn run_page<B: Bus, const ONE: bool>(&mut self, bus: &mut B, page: &CodePage, horizon: Time) -> Flow {
        let ops: &[Op] = &page.ops;
        let base = self.pc & !(CodePage::BYTES as u64 - 1);
        let mut at = (self.pc as u32 & (CodePage::BYTES as u32 - 1)) >> X::SLOT;
        let steps = self.steps;
        let leash = horizon.saturating_add(LEASH * steps.one);
        let generation = self.code_generation;
        let mut time = self.time;
        // Instructions retired, without those that the place tells: one with each place that it has moved on, where all are
        // equally long.
        let place = |at: u32| match X::ISA {
            Isa::Rv32 => i64::from(at as i32) as u64,
            Isa::Rv64 => 0,
        };
        let mut skew = self.counters.instructions.wrapping_sub(place(at));
        let mut pending = self.pending;
        let mut streak = self.repeat.streak;

        // The address of a place; it may be outside the page, on either side.
        let address_of = |at: u32| base.wrapping_add((i64::from(at as i32) << X::SLOT) as u64);
        macro_rules! leave {
            ($at:expr, $flow:expr) => {
                break (address_of($at), skew.wrapping_add(place($at)), $flow)
            };
        }

        let mut done = false;
        let (pc, instructions, flow) = loop {
            if ONE && std::mem::replace(&mut done, true) {
                leave!(at, Flow::Page);
            }
            let Some(&op) = ops.get(at as usize) else { leave!(at, Flow::Page) };
            let a = X::widen(self.regs[op.rs1()]);
            let b = X::widen(self.regs[op.rs2()]);
            let imm = op.imm() as u64;
            let rd = op.rd();
            let late = pending & op.uses();
            if late != 0 {
                time = self.arrival(late, time);
                pending &= !late;
            }

            macro_rules! next {
                () => {
                    match X::ISA {
                        Isa::Rv32 => at += 1,
                        Isa::Rv64 => {
                            at += (op.size() >> X::SLOT) as u32;
                            skew = skew.wrapping_add(1);
                        }
                    }
                };
            }
            macro_rules! put {
                ($value:expr) => {{
                    self.regs[rd] = X::narrow($value);
                    pending &= !bit(rd);
                    time += steps.one;
                    next!();
                }};
            }
            macro_rules! jump {
                ($offset:expr) => {{
                    let from = at;
                    at = at.wrapping_add_signed($offset >> X::SLOT);
                    skew = skew.wrapping_add(1).wrapping_add(place(from)).wrapping_sub(place(at));
                }};
            }
            // After a backward jump: not further than the horizon, and is it a loop that waits?
            macro_rules! look_around {
                () => {
                    // Later than the horizon it is too early to say what the loop has seen.
                    if time > horizon {
                        if time > leash {
                            leave!(at, Flow::Horizon);
                        }
                    } else {
                        let target = address_of(at);
                        if target == self.repeat.target {
                            streak = streak.wrapping_add(1);
                            if streak == self.repeat.threshold {
                                leave!(at, Flow::Repeat);
                            }
                        } else {
                            self.repeat.target = target;
                            self.repeat.threshold = Repeat::<X>::FIRST_THRESHOLD;
                            self.watching &= !UNMARKED;
                            streak = 0;
                        }
                    }
                };
            }
            macro_rules! arms {
                (
                    register { $($register:ident $_r1:literal $_r2:literal $_r3:ident $r_op:ident;)* }
                    unary { $($unary:ident $_u1:literal $_u2:literal $_u3:ident $u_op:ident;)* }
                    pack { $($pack:ident $_k1:literal $_k2:literal $_k3:ident $k_op:ident;)* }
                    immediate { $($immediate:ident $_i1:literal $_i2:literal $_i3:ident $i_op:ident;)* }
                    shift { $($shift:ident $_s1:literal $_s2:literal $_s3:ident $s_op:ident;)* }
                    shift_word { $($word:ident $_w1:literal $_w2:literal $_w3:ident $w_op:ident;)* }
                    product { $($product:ident $_p1:literal $_p2:literal $_p3:ident $p_op:ident;)* }
                    quotient { $($quotient:ident $_q1:literal $_q2:literal $_q3:ident $q_op:ident $magnitude:ident;)* }
                    branch { $($branch:ident $_b1:literal $_b2:literal $_b3:ident $condition:ident;)* }
                    load { $($load:ident $_l1:literal $_l2:literal $_l3:ident $l_width:ident $extend:ident;)* }
                    store { $($store:ident $_t1:literal $_t2:literal $_t3:ident $t_width:ident;)* }
                    amo { $($_amo:tt)* }
                    other { $($_other:tt)* }
                    $($_float:tt)*
                ) => {
                    match op.code() {
                        $(Code::$register => put!(alu::$r_op::<X>(a, b)),)*
                        $(Code::$unary => put!(alu::$u_op::<X>(a)),)*
                        $(Code::$pack => put!(alu::$k_op::<X>(a, b)),)*
                        $(Code::$immediate => put!(alu::$i_op::<X>(a, imm)),)*
                        $(Code::$shift => put!(alu::$s_op::<X>(a, imm)),)*
                        $(Code::$word => put!(alu::$w_op::<X>(a, imm)),)*
                        $(Code::$product => {
                            self.regs[rd] = X::narrow(alu::$p_op::<X>(a, b));
                            self.ready[rd % SLOTS] = time + steps.product;
                            pending |= bit(rd);
                            time += steps.one;
                            next!();
                        })*
                        $(Code::$quotient => {
                            let cycles = self.costs.quotient(alu::$magnitude::<X>(a, b), X::BITS);
                            time += Time::from(cycles) * self.cycle - steps.one;
                            put!(alu::$q_op::<X>(a, b));
                        })*
                        $(Code::$branch => {
                            let backward = op.imm() < 0;
                            if alu::$condition(a, b) {
                                time += if backward { steps.taken } else { steps.wrong };
                                jump!(op.imm());
                                if backward {
                                    look_around!();
                                }
                            } else {
                                time += if backward { steps.wrong } else { steps.one };
                                next!();
                            }
                        })*
                        $(Code::$load => {
                            let address = X::unsigned(a.wrapping_add(imm));
                            if address & (Width::$l_width as u64 - 1) != 0 {
                                leave!(at, Flow::Slow(op));
                            }
                            let private = bus.is_private(address);
                            let watch = Watch::new(address, Width::$l_width);
                            let shared = !private && !bus.is_own_clock(address);
                            let again = match shared && self.loads_again {
                                true => self.load_again(watch, time),
                                false => None,
                            };
                            let loaded = if let Some(loaded) = again {
                                loaded
                            } else if shared && time > horizon {
                                let Some(loaded) = bus.load_ahead(time, address, Width::$l_width) else {
                                    leave!(at, Flow::Horizon);
                                };
                                let instructions = skew.wrapping_add(place(at));
                                let here = || Here { pc: address_of(at), time, instructions, pending, streak };
                                if !self.load_ahead(here, AheadLoad::new(watch, time, loaded), horizon) {
                                    leave!(at, Flow::Horizon);
                                }
                                loaded
                            } else {
                                if self.is_ahead && !private && !self.latch_ahead(bus.before_latch(address)) {
                                    leave!(at, Flow::Horizon);
                                }
                                match bus.load(time, address, Width::$l_width) {
                                    Ok(loaded) => loaded,
                                    Err(refusal) => leave!(at, Flow::Refused(refusal)),
                                }
                            };
                            if !private {
                                self.counters.shared_loads += 1;
                                if self.watching != 0 {
                                    self.note(bus.nature(address), watch, time);
                                }
                            }
                            self.regs[rd] = X::narrow(loaded.value as $extend as u64);
                            time += steps.one;
                            if loaded.ready > time {
                                self.ready[rd % SLOTS] = loaded.ready;
                                pending |= bit(rd);
                            } else {
                                pending &= !bit(rd);
                            }
                            next!();
                        })*
                        $(Code::$store => {
                            let address = X::unsigned(a.wrapping_add(imm));
                            if address & (Width::$t_width as u64 - 1) != 0 {
                                leave!(at, Flow::Slow(op));
                            }
                            let private = bus.is_private(address);
                            if time > horizon {
                                let stands = private && !self.is_ahead;
                                let ahead = || private.then(|| bus.before_store(address, Width::$t_width));
                                if !stands && !self.store_ahead(ahead().flatten()) {
                                    leave!(at, Flow::Horizon);
                                }
                            }
                            let free = match bus.store(time, address, Width::$t_width, b) {
                                Ok(free) => free,
                                Err(refusal) => leave!(at, Flow::Refused(refusal)),
                            };
                            self.watching = 0;
                            streak = 0;
                            time = free.max(time + steps.one);
                            next!();
                            if !private {
                                self.counters.shared_stores += 1;
                                if bus.code_generation() != generation {
                                    leave!(at, Flow::Page);
                                }
                            }
                        })*
                        // A wait loop has one in each turn. It concerns nobody but the hart: no horizon.
                        Code::Fence => {
                            time = self.arrival(pending, time);
                            pending = 0;
                            time = bus.fence(time).max(time + steps.one);
                            next!();
                        }
                        Code::Lui => put!(imm),
                        Code::Auipc => {
                            let pc = address_of(at);
                            put!(X::canonical(pc.wrapping_add(imm)))
                        }
                        Code::Jal => {
                            let pc = address_of(at);
                            self.regs[rd] = X::narrow(X::canonical(pc.wrapping_add(op.size())));
                            pending &= !bit(rd);
                            time += steps.taken;
                            jump!(op.imm());
                            look_around!();
                        }
                        Code::Jalr => {
                            let target = X::unsigned(a.wrapping_add(imm) & !1);
                            if X::ISA == Isa::Rv32 && target & 2 != 0 {
                                leave!(at, Flow::Slow(op));
                            }
                            let pc = address_of(at);
                            self.regs[rd] = X::narrow(X::canonical(pc.wrapping_add(op.size())));
                            pending &= !bit(rd);
                            time += steps.wrong;
                            let inside = target ^ base < CodePage::BYTES as u64;
                            skew = skew.wrapping_add(1).wrapping_add(place(at));
                            if !inside || time > leash {
                                let flow = if time > leash { Flow::Horizon } else { Flow::Page };
                                break (target, skew, flow);
                            }
                            at = (target - base) as u32 >> X::SLOT;
                            skew = skew.wrapping_sub(place(at));
                        }
                        _ => leave!(at, Flow::Slow(op)),
                    }
                };
            }
            instructions!(arms);
        };

        self.pc = X::unsigned(pc);
        self.time = time;
        self.counters.instructions = instructions;
        self.pending = pending;
        self.repeat.streak = streak;
        flow
    }
}
