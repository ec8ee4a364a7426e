//! The loop: fetch, wait for operands, execute.
//!
//! Time, counters and the place in the page are locals of [`Hart::run_page`], few enough for the machine's registers: what
//! each arm does inline is what most instructions do. A memory access that may concern others goes the exact way
//! (`memory.rs`), with the locals written back; what is rare leaves the loop: `system.rs`, `trap.rs` and `park.rs`.

use std::sync::Arc;

use super::alu;
use super::bus::{Bus, Refusal, Width};
use super::code::CodePage;
use super::decode::{Op, SLOTS};
use super::isa::{Isa, Xlen};
use super::state::{Hart, Repeat, UNMARKED};
use super::stop::Stop;
use super::table::{Code, instructions};
use crate::time::Time;

/// Cycles that private work may run past the horizon before it looks around. It concerns nobody else; this bounds it.
pub(super) const LEASH: Time = 64;

/// The bit of a register slot.
#[inline(always)]
fn bit(slot: usize) -> u64 {
    1u64.wrapping_shl(slot as u32)
}

/// Why the loop over a page ended; the hart's state is complete.
pub(super) enum Flow {
    /// The pc is elsewhere, or the page may be old.
    Page,
    /// Time is past the horizon.
    Horizon,
    /// The instruction at the pc is for the slow path.
    Slow,
    /// The bus refused the access at the pc.
    Refused(Refusal),
    /// A backward jump has been taken often.
    Repeat,
    /// The hart stops.
    Stop(Stop),
}

/// What an arm of the loop leaves to do.
enum Then {
    /// A backward jump: not further than the horizon, and is it a loop that waits?
    LookAround,
    /// What is made with the loop's locals written back.
    Exactly(Exact),
}

/// What is not made inline.
enum Exact {
    Load(u64, Width),
    Store(u64, Width),
    /// The wait HINT.
    Wait,
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
        // A trap handler may itself trap, for ever.
        let late = |hart: &Self| (hart.time > horizon).then_some(Stop::Horizon);
        let page = match self.page(bus) {
            Some(page) => page,
            // What a load ahead of its turn gave may be taken back: no page is fetched because of it.
            None if self.is_ahead => return Some(Stop::Horizon),
            None => match self.fetch(bus) {
                Ok(page) => page,
                Err(refusal) => return self.refused(refusal).or_else(|| late(self)),
            },
        };
        let from = self.pc;
        let flow = self.run_page::<B, ONE>(bus, &page, horizon);
        let rare = match flow {
            Flow::Slow => page.op(self.pc),
            _ => None,
        };
        self.pages.put(from, page);
        if rare.is_some() && self.is_ahead {
            return Some(Stop::Horizon);
        }
        let stop = match flow {
            Flow::Page => return None,
            Flow::Horizon => return Some(Stop::Horizon),
            Flow::Stop(stop) => return Some(stop),
            Flow::Slow => rare.and_then(|op| self.run_slow(bus, op, horizon)),
            Flow::Refused(refusal) => self.refused(refusal),
            Flow::Repeat => self.repeated(),
        };
        stop.or_else(|| late(self))
    }

    /// True of a hart that has gone as far as it goes alone when it may do nothing later than `horizon` that concerns others.
    pub fn is_far(&self, horizon: Time) -> bool {
        self.time > horizon.saturating_add(LEASH * self.steps.one)
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

    /// The page around the pc, when it is here and not old, to be put back into `pages`.
    #[inline]
    fn page<B: Bus>(&mut self, bus: &mut B) -> Option<Arc<CodePage>> {
        if bus.code_generation() == self.code_generation { self.pages.take(self.pc) } else { None }
    }

    #[cold]
    fn fetch<B: Bus>(&mut self, bus: &mut B) -> Result<Arc<CodePage>, Refusal> {
        let generation = bus.code_generation();
        if generation != self.code_generation {
            self.pages.clear();
            self.code_generation = generation;
        }
        let page = bus.code(self.time, self.pc)?;
        assert_eq!(page.isa(), X::ISA, "a page decoded for the other instruction set");
        Ok(page)
    }

    /// Runs in one page, from the pc on, as far as it can be inline; `ONE` instruction only, or as many as go.
    #[inline(never)]
    fn run_page<B: Bus, const ONE: bool>(&mut self, bus: &mut B, page: &CodePage, horizon: Time) -> Flow {
        let ops: &[Op] = &page.ops;
        let base = self.pc & !(CodePage::BYTES as u64 - 1);
        let mut at = (self.pc - base) >> X::SLOT;
        let steps = self.steps;
        let leash = horizon.saturating_add(LEASH * steps.one);
        let mut leash = leash.max(self.reach);
        // The address of a place; it may be outside the page, on either side.
        let address_of = |at: u64| base.wrapping_add(at << X::SLOT);
        // Instructions retired, without those that the place tells: one with each place that it has moved on, where all are
        // equally long.
        let place = |at: u64| match X::ISA {
            Isa::Rv32 => at,
            Isa::Rv64 => 0,
        };
        let mut skew = self.counters.instructions.wrapping_sub(place(at));
        let mut time = self.time;
        let mut pending = self.pending;
        let mut streak = self.repeat.streak;
        let mut plain = self.is_plain();

        macro_rules! write_back {
            () => {
                self.pc = X::unsigned(address_of(at));
                self.time = time;
                self.counters.instructions = skew.wrapping_add(place(at));
                self.pending = pending;
                self.repeat.streak = streak;
            };
        }

        let mut done = false;
        let flow = loop {
            if ONE && std::mem::replace(&mut done, true) {
                break Flow::Page;
            }
            let Some(op) = ops.get(at as usize) else { break Flow::Page };
            let late = pending & op.uses();
            if late != 0 {
                time = self.arrival(late, time);
                pending &= !late;
            }

            macro_rules! a {
                () => {
                    X::widen(self.regs[op.rs1()])
                };
            }
            macro_rules! b {
                () => {
                    X::widen(self.regs[op.rs2()])
                };
            }
            macro_rules! imm {
                () => {
                    op.imm() as u64
                };
            }
            macro_rules! next {
                () => {
                    match X::ISA {
                        Isa::Rv32 => at = at.wrapping_add(1),
                        Isa::Rv64 => {
                            at = at.wrapping_add(op.halves());
                            skew = skew.wrapping_add(1);
                        }
                    }
                };
            }
            macro_rules! put {
                ($value:expr) => {{
                    let value = $value;
                    self.regs[op.rd()] = X::narrow(value);
                    pending &= !bit(op.rd());
                    time += steps.one;
                    next!();
                    continue;
                }};
            }
            macro_rules! jump {
                ($to:expr) => {{
                    let to: u64 = $to;
                    skew = skew.wrapping_add(1).wrapping_add(place(at)).wrapping_sub(place(to));
                    at = to;
                }};
            }
            macro_rules! link {
                () => {
                    self.regs[op.rd()] = X::narrow(X::canonical(address_of(at).wrapping_add(op.size())));
                    pending &= !bit(op.rd());
                };
            }
            macro_rules! offset {
                () => {
                    at.wrapping_add((op.imm() >> X::SLOT) as u64)
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
                        $(Code::$register => put!(alu::$r_op::<X>(a!(), b!())),)*
                        $(Code::$unary => put!(alu::$u_op::<X>(a!())),)*
                        $(Code::$pack => put!(alu::$k_op::<X>(a!(), b!())),)*
                        $(Code::$immediate => put!(alu::$i_op::<X>(a!(), imm!())),)*
                        $(Code::$shift => put!(alu::$s_op::<X>(a!(), imm!())),)*
                        $(Code::$word => put!(alu::$w_op::<X>(a!(), imm!())),)*
                        $(Code::$product => {
                            self.regs[op.rd()] = X::narrow(alu::$p_op::<X>(a!(), b!()));
                            self.ready[op.rd() % SLOTS] = time + steps.product;
                            pending |= bit(op.rd());
                            time += steps.one;
                            next!();
                            continue;
                        })*
                        $(Code::$quotient => {
                            let (a, b) = (a!(), b!());
                            let cycles = self.costs.quotient(alu::$magnitude::<X>(a, b), X::BITS);
                            time += Time::from(cycles) * self.cycle - steps.one;
                            put!(alu::$q_op::<X>(a, b));
                        })*
                        $(Code::$branch => {
                            let backward = op.imm() < 0;
                            if !alu::$condition(a!(), b!()) {
                                time += if backward { steps.wrong } else { steps.one };
                                next!();
                                continue;
                            }
                            time += if backward { steps.taken } else { steps.wrong };
                            jump!(offset!());
                            if !backward {
                                continue;
                            }
                            Then::LookAround
                        })*
                        $(Code::$load => {
                            let address = X::unsigned(a!().wrapping_add(imm!()));
                            if address & (Width::$l_width as u64 - 1) != 0 {
                                break Flow::Slow;
                            }
                            let quick = match bus.quick_load(time, address, Width::$l_width, plain) {
                                Some((loaded, false)) => Some(loaded),
                                Some((loaded, true)) => {
                                    self.counters.shared_loads += 1;
                                    if self.watching != 0 {
                                        self.note_memory(address, Width::$l_width, time);
                                    }
                                    Some(loaded)
                                }
                                None if self.is_ahead => {
                                    self.load_further(bus, time, address, Width::$l_width, horizon)
                                }
                                None => None,
                            };
                            if let Some(loaded) = quick {
                                self.regs[op.rd()] = X::narrow(loaded.value as $extend as u64);
                                self.ready[op.rd() % SLOTS] = loaded.ready;
                                pending |= bit(op.rd());
                                time += steps.one;
                                next!();
                                continue;
                            }
                            Then::Exactly(Exact::Load(address, Width::$l_width))
                        })*
                        $(Code::$store => {
                            let address = X::unsigned(a!().wrapping_add(imm!()));
                            if address & (Width::$t_width as u64 - 1) != 0 {
                                break Flow::Slow;
                            }
                            if plain && let Some((free, shared)) =
                                bus.quick_store(time, address, Width::$t_width, b!())
                            {
                                self.counters.shared_stores += u64::from(shared);
                                self.watching = 0;
                                streak = 0;
                                time = free.max(time + steps.one);
                                next!();
                                continue;
                            }
                            if self.is_ahead && let Some((free, shared)) =
                                bus.store_ahead(time, address, Width::$t_width, b!())
                            {
                                self.counters.shared_stores += u64::from(shared);
                                self.watching = 0;
                                streak = 0;
                                time = free.max(time + steps.one);
                                next!();
                                continue;
                            }
                            Then::Exactly(Exact::Store(address, Width::$t_width))
                        })*
                        // A wait loop has one in each turn. It concerns nobody but the hart: no horizon.
                        Code::Fence => {
                            time = self.arrival(pending, time);
                            pending = 0;
                            time = bus.fence(time).max(time + steps.one);
                            next!();
                            continue;
                        }
                        Code::Lui => put!(imm!()),
                        Code::Auipc => put!(X::canonical(address_of(at).wrapping_add(imm!()))),
                        Code::Jal => {
                            link!();
                            time += steps.taken;
                            jump!(offset!());
                            Then::LookAround
                        }
                        Code::Jalr => {
                            let target = X::unsigned(a!().wrapping_add(imm!()) & !1);
                            if X::ISA == Isa::Rv32 && target & 2 != 0 {
                                break Flow::Slow;
                            }
                            link!();
                            time += steps.wrong;
                            jump!((target.wrapping_sub(base) as i64 >> X::SLOT) as u64);
                            if time > leash {
                                break Flow::Horizon;
                            }
                            continue;
                        }
                        Code::Wait => Then::Exactly(Exact::Wait),
                        _ => break Flow::Slow,
                    }
                };
            }
            match instructions!(arms) {
                Then::LookAround => {
                    // Later than the horizon it is too early to say what the loop has seen.
                    if time > horizon {
                        if time > leash || self.reach != 0 && !self.jump_ahead(address_of(at)) {
                            break Flow::Horizon;
                        }
                        continue;
                    }
                    let target = address_of(at);
                    if target == self.repeat.target {
                        streak = streak.wrapping_add(1);
                        if streak == self.repeat.threshold {
                            break Flow::Repeat;
                        }
                    } else {
                        self.repeat.target = target;
                        self.repeat.threshold = Repeat::<X>::FIRST_THRESHOLD;
                        streak = 0;
                        self.watching &= !UNMARKED;
                    }
                }
                Then::Exactly(what) => {
                    write_back!();
                    let done = match what {
                        Exact::Store(address, width) => self.store(bus, *op, address, width, horizon),
                        Exact::Load(address, width) => self.load(bus, *op, address, width, horizon),
                        Exact::Wait => {
                            self.run_wait(bus, *op, horizon).map_or(Ok(true), |stop| Err(Flow::Stop(stop)))
                        }
                    };
                    (time, pending, streak) = (self.time, self.pending, self.repeat.streak);
                    plain = self.is_plain();
                    leash = leash.max(self.reach);
                    match done {
                        Ok(same) => {
                            next!();
                            if !same {
                                break Flow::Page;
                            }
                        }
                        Err(flow) => break flow,
                    }
                }
            }
        };
        write_back!();
        flow
    }
}
