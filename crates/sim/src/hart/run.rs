//! The loop: fetch, wait for operands, execute.
//!
//! Time, counters and the place in the page are locals of [`Hart::run_page`], few enough for the machine's registers: what
//! each arm does inline is what most instructions do. A memory access that may concern others goes the exact way
//! (`memory.rs`), with the locals written back; what is rare leaves the loop: `system.rs`, `trap.rs` and `park.rs`.

use std::hint::cold_path;

use super::alu;
use super::bus::{Bus, Loaded, Near, Refusal, Width};
use super::code::CodePage;
use super::decode::{Op, SLOTS};
use super::isa::{Isa, Xlen};
use super::pair::pairs;
use super::state::{Hart, Repeat, UNMARKED};
use super::stop::Stop;
use super::table::{Code, instructions};
use crate::time::Time;

/// Cycles that private work may run past the horizon before it looks around. It concerns nobody else; this bounds it.
pub(super) const LEASH: Time = 64;

/// A turn that has this much before it is a long one.
const LONG: Time = 1 << 16;

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
    /// To look around after a jump within the page, to this address.
    LookAround(u64),
    /// To go to this address, outside the page; to look around, if it is a backward jump.
    Far(u64, bool),
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
    /// Until when accesses may be near ones, of a plain hart.
    #[inline(always)]
    fn near<B: Bus>(&self, bus: &B) -> Near {
        if self.watching == 0 { bus.near() } else { Near::NEVER }
    }

    /// Runs in one page, from the pc on, as far as it can be inline; `ONE` instruction only, or as many as go.
    #[inline(never)]
    pub(super) fn run_page<B: Bus, const ONE: bool>(
        &mut self,
        bus: &mut B,
        page: &CodePage,
        horizon: Time,
    ) -> Flow {
        let ops: &[Op] = &page.ops;
        let base = self.pc & !(CodePage::BYTES as u64 - 1);
        // The number of the operation at an address, if the page has it.
        let number = |address: u64| {
            let place = (address.wrapping_sub(base) as i64 >> X::SLOT) as usize;
            match X::ISA {
                Isa::Rv32 => (place < CodePage::BYTES >> X::SLOT).then_some(place),
                Isa::Rv64 => page.number(place),
            }
        };
        let address_of = |op: &Op| base.wrapping_add(op.place() << X::SLOT);
        let from = number(self.pc).unwrap_or(0);
        // What follows while nothing jumps.
        let mut rest = ops[from..].iter();
        // Instructions retired, without those that the operation's number tells.
        let mut skew = self.counters.instructions.wrapping_sub(from as u64);
        let one = self.steps.one;
        let mut leash = horizon.saturating_add(LEASH * one).max(self.reach);
        let mut time = self.time;
        let mut pending = self.pending;
        let mut streak = self.repeat.streak;
        let mut plain = self.is_plain();
        // Asked for where it pays: most turns are short.
        let mut near = Near::NEVER;
        let pays = |time: Time| horizon.wrapping_sub(time) > LONG;

        let mut done = false;
        let (flow, pc, retired) = loop {
            // The number of the operation that follows.
            macro_rules! next {
                () => {
                    (ops.len() - rest.len()) as u64
                };
            }
            // Leaves before the operation that follows.
            macro_rules! leave {
                ($flow:expr) => {{
                    cold_path();
                    let pc = rest.as_slice().first().map_or(base + CodePage::BYTES as u64, address_of);
                    break ($flow, pc, skew.wrapping_add(next!()));
                }};
            }
            if ONE && std::mem::replace(&mut done, true) {
                leave!(Flow::Page);
            }
            let Some(mut op) = rest.next() else {
                cold_path();
                break (Flow::Page, base + CodePage::BYTES as u64, skew.wrapping_add(ops.len() as u64));
            };
            if pending & op.uses() != 0 {
                for slot in [op.rs1(), op.rs2()] {
                    if slot < SLOTS && pending & bit(slot) != 0 {
                        time = time.max(self.ready[slot]);
                        pending &= !bit(slot);
                    }
                }
            }

            // The number of this operation.
            macro_rules! this {
                () => {
                    match X::ISA {
                        Isa::Rv32 => op.place(),
                        Isa::Rv64 => next!().wrapping_sub(1),
                    }
                };
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
            macro_rules! set {
                ($value:expr) => {
                    let value = $value;
                    self.regs[op.rd()] = X::narrow(value);
                    pending &= !bit(op.rd());
                    time += one;
                };
            }
            macro_rules! put {
                ($value:expr) => {{
                    set!($value);
                    continue;
                }};
            }
            macro_rules! value {
                (register $operation:ident) => {
                    alu::$operation::<X>(a!(), b!())
                };
                (immediate $operation:ident) => {
                    alu::$operation::<X>(a!(), imm!())
                };
                (upper value) => {
                    imm!()
                };
            }
            // The first of a pair.
            macro_rules! first {
                ($operands:ident $operation:ident) => {
                    set!(value!($operands $operation));
                    if ONE {
                        continue;
                    }
                };
            }
            // The second one, where it need not wait.
            macro_rules! second {
                () => {
                    match rest.as_slice().first() {
                        Some(second) if pending & second.uses() == 0 => second,
                        _ => continue,
                    }
                };
            }
            // It is the operation now.
            macro_rules! take_second {
                ($second:expr) => {
                    op = $second;
                    rest.next();
                };
            }
            macro_rules! branch_back {
                ($condition:ident) => {{
                    if !alu::$condition(a!(), b!()) {
                        time += self.steps.wrong;
                        continue;
                    }
                    time += self.steps.taken;
                    Then::LookAround(address_of(jump_near!()))
                }};
            }
            macro_rules! branch_on {
                ($condition:ident) => {{
                    if !alu::$condition(a!(), b!()) {
                        time += one;
                        continue;
                    }
                    time += self.steps.wrong;
                    jump_near!();
                    continue;
                }};
            }
            macro_rules! aligned {
                ($address:expr, $width:ident) => {
                    $address & (Width::$width as u64 - 1) == 0
                };
            }
            macro_rules! take {
                ($loaded:expr, $extend:ident) => {{
                    let loaded: Loaded = $loaded;
                    self.regs[op.rd()] = X::narrow(loaded.value as $extend as u64);
                    self.ready[op.rd() % SLOTS] = loaded.ready;
                    pending |= bit(op.rd());
                    time += one;
                    continue;
                }};
            }
            // Leaves before this operation.
            macro_rules! leave_here {
                ($flow:expr) => {{
                    cold_path();
                    break ($flow, address_of(op), skew.wrapping_add(this!()));
                }};
            }
            // Jumps within the page, where the operation knows it; gives the operation that follows.
            macro_rules! jump_near {
                () => {{
                    skew = skew.wrapping_add(op.ahead());
                    let first = &ops[op.to()];
                    rest = ops[op.to()..].iter();
                    first
                }};
            }
            // Jumps to an address.
            macro_rules! jump {
                ($to:expr) => {{
                    let to: u64 = $to;
                    let Some(number) = number(to) else { break (Flow::Page, to, skew.wrapping_add(next!())) };
                    skew = skew.wrapping_add(next!()).wrapping_sub(number as u64);
                    rest = ops[number..].iter();
                }};
            }
            macro_rules! link {
                () => {
                    self.regs[op.rd()] = X::narrow(X::canonical(address_of(op).wrapping_add(op.size())));
                    pending &= !bit(op.rd());
                };
            }
            macro_rules! target {
                () => {
                    X::unsigned(address_of(op).wrapping_add(imm!()))
                };
            }
            macro_rules! arms {
                (
                    computed { $(
                        $computed:ident $_c1:ident $_c2:ident $c_operands:ident $c_op:ident $c_operands2:ident $c_op2:ident;
                    )* }
                    back { $(
                        $back_pair:ident $_d1:ident $_d2:ident $d_operands:ident $d_op:ident $d_condition:ident;
                    )* }
                    on { $(
                        $on_pair:ident $_e1:ident $_e2:ident $e_operands:ident $e_op:ident $e_condition:ident;
                    )* }
                    loaded { $(
                        $loaded:ident $_f1:ident $_f2:ident $f_operands:ident $f_op:ident $f_width:ident $f_extend:ident;
                    )* }
                    register { $($register:ident $_r1:literal $_r2:literal $_r3:ident $r_op:ident;)* }
                    unary { $($unary:ident $_u1:literal $_u2:literal $_u3:ident $u_op:ident;)* }
                    pack { $($pack:ident $_k1:literal $_k2:literal $_k3:ident $k_op:ident;)* }
                    immediate { $($immediate:ident $_i1:literal $_i2:literal $_i3:ident $i_op:ident;)* }
                    shift { $($shift:ident $_s1:literal $_s2:literal $_s3:ident $s_op:ident;)* }
                    shift_word { $($word:ident $_w1:literal $_w2:literal $_w3:ident $w_op:ident;)* }
                    product { $($product:ident $_p1:literal $_p2:literal $_p3:ident $p_op:ident;)* }
                    quotient { $($quotient:ident $_q1:literal $_q2:literal $_q3:ident $q_op:ident $magnitude:ident;)* }
                    branch { $(
                        $branch:ident $_b1:literal $_b2:literal $_b3:ident $condition:ident: $back:ident $on:ident;
                    )* }
                    load { $($load:ident $_l1:literal $_l2:literal $_l3:ident $l_width:ident $extend:ident;)* }
                    store { $($store:ident $_t1:literal $_t2:literal $_t3:ident $t_width:ident;)* }
                    $($section:ident { $(
                        $other:ident $_o1:literal $_o2:literal $_o3:ident $($_o4:ident)* $(: $_o5:ident $_o6:ident)?;
                    )* })*
                ) => {
                    match op.code() {
                        $(Code::$computed => {
                            first!($c_operands $c_op);
                            take_second!(second!());
                            put!(value!($c_operands2 $c_op2));
                        })*
                        $(Code::$back_pair => {
                            first!($d_operands $d_op);
                            take_second!(second!());
                            branch_back!($d_condition)
                        })*
                        $(Code::$on_pair => {
                            first!($e_operands $e_op);
                            take_second!(second!());
                            branch_on!($e_condition)
                        })*
                        // A load that is not near goes its own way.
                        $(Code::$loaded => {
                            first!($f_operands $f_op);
                            let second = second!();
                            let address =
                                X::unsigned(X::widen(self.regs[second.rs1()]).wrapping_add(second.imm() as u64));
                            if time < near.load
                                && let Some(loaded) = bus.near_load(time, address, Width::$f_width)
                            {
                                self.counters.shared_loads += 1;
                                take_second!(second);
                                take!(loaded, $f_extend);
                            }
                            continue;
                        })*
                        $(Code::$register => put!(alu::$r_op::<X>(a!(), b!())),)*
                        $(Code::$unary => put!(alu::$u_op::<X>(a!())),)*
                        $(Code::$pack => put!(alu::$k_op::<X>(a!(), b!())),)*
                        $(Code::$immediate => put!(alu::$i_op::<X>(a!(), imm!())),)*
                        $(Code::$shift => put!(alu::$s_op::<X>(a!(), imm!())),)*
                        $(Code::$word => put!(alu::$w_op::<X>(a!(), imm!())),)*
                        $(Code::$product => {
                            self.regs[op.rd()] = X::narrow(alu::$p_op::<X>(a!(), b!()));
                            self.ready[op.rd() % SLOTS] = time + self.steps.product;
                            pending |= bit(op.rd());
                            time += one;
                            continue;
                        })*
                        $(Code::$quotient => {
                            let (a, b) = (a!(), b!());
                            let cycles = self.costs.quotient(alu::$magnitude::<X>(a, b), X::BITS);
                            time += Time::from(cycles) * self.cycle - one;
                            put!(alu::$q_op::<X>(a, b));
                        })*
                        $(Code::$back => branch_back!($condition),)*
                        $(Code::$on => branch_on!($condition),)*
                        $(Code::$branch => {
                            let backward = op.imm() < 0;
                            if !alu::$condition(a!(), b!()) {
                                time += if backward { self.steps.wrong } else { one };
                                continue;
                            }
                            time += if backward { self.steps.taken } else { self.steps.wrong };
                            Then::Far(target!(), backward)
                        })*
                        $(Code::$load => {
                            let address = X::unsigned(a!().wrapping_add(imm!()));
                            if time < near.load
                                && let Some(loaded) = bus.near_load(time, address, Width::$l_width)
                            {
                                self.counters.shared_loads += 1;
                                take!(loaded, $extend);
                            }
                            cold_path();
                            match bus.quick_load(time, address, Width::$l_width, plain) {
                                Some((loaded, shared)) => {
                                    if shared {
                                        self.counters.shared_loads += 1;
                                        if self.watching != 0 {
                                            self.note_memory(address, Width::$l_width, time);
                                        } else if pays(time) {
                                            near = self.near(bus);
                                        }
                                    }
                                    take!(loaded, $extend);
                                }
                                None if self.is_ahead && aligned!(address, $l_width) => {
                                    let width = Width::$l_width;
                                    if let Some(loaded) = self.load_further(bus, time, address, width, horizon) {
                                        take!(loaded, $extend);
                                    }
                                }
                                None => {}
                            }
                            Then::Exactly(Exact::Load(address, Width::$l_width))
                        })*
                        $(Code::$store => {
                            let address = X::unsigned(a!().wrapping_add(imm!()));
                            if time < near.store
                                && let Some(free) = bus.near_store(time, address, Width::$t_width, b!())
                            {
                                self.counters.shared_stores += 1;
                                streak = 0;
                                time = free.max(time + one);
                                continue;
                            }
                            cold_path();
                            if plain
                                && let Some((free, shared)) = bus.quick_store(time, address, Width::$t_width, b!())
                            {
                                self.counters.shared_stores += u64::from(shared);
                                self.watching = 0;
                                if near.load == 0 && pays(time) {
                                    near = self.near(bus);
                                }
                                streak = 0;
                                time = free.max(time + one);
                                continue;
                            }
                            if self.is_ahead && aligned!(address, $t_width) && let Some((free, shared)) =
                                bus.store_ahead(time, address, Width::$t_width, b!())
                            {
                                self.counters.shared_stores += u64::from(shared);
                                self.watching = 0;
                                streak = 0;
                                time = free.max(time + one);
                                continue;
                            }
                            Then::Exactly(Exact::Store(address, Width::$t_width))
                        })*
                        // A wait loop has one in each turn. It concerns nobody but the hart: no horizon.
                        Code::Fence => {
                            time = self.arrival(pending, time);
                            pending = 0;
                            time = bus.fence(time).max(time + one);
                            near = Near::NEVER;
                            continue;
                        }
                        Code::Lui => put!(imm!()),
                        Code::Auipc => put!(X::canonical(address_of(op).wrapping_add(imm!()))),
                        Code::JalBack | Code::JalOn => {
                            link!();
                            time += self.steps.taken;
                            Then::LookAround(address_of(jump_near!()))
                        }
                        Code::Jal => {
                            link!();
                            time += self.steps.taken;
                            Then::Far(target!(), true)
                        }
                        Code::Jalr => {
                            let target = X::unsigned(a!().wrapping_add(imm!()) & !1);
                            if X::ISA == Isa::Rv32 && target & 2 != 0 {
                                leave_here!(Flow::Slow);
                            }
                            link!();
                            time += self.steps.wrong;
                            jump!(target);
                            if time > leash {
                                leave!(Flow::Horizon);
                            }
                            continue;
                        }
                        Code::Wait => Then::Exactly(Exact::Wait),
                        Code::Goto => {
                            skew = skew.wrapping_add(this!()).wrapping_sub(op.to() as u64);
                            rest = ops[op.to()..].iter();
                            continue;
                        }
                        Code::End => leave_here!(Flow::Page),
                        #[allow(unreachable_patterns, reason = "some of these sections are executed above")]
                        $($(Code::$other)|*)|* => leave_here!(Flow::Slow),
                        Code::Straddle | Code::Coprocessor | Code::Fetch | Code::Illegal => leave_here!(Flow::Slow),
                    }
                };
            }
            // After a backward jump: not further than the horizon, and is it a loop that waits?
            macro_rules! look_around {
                ($target:expr, $leave:ident) => {
                    // Later than the horizon it is too early to say what the loop has seen.
                    if time > horizon {
                        cold_path();
                        if time > leash || self.reach != 0 && !self.jump_ahead($target) {
                            $leave!(Flow::Horizon);
                        }
                    } else if $target == self.repeat.target {
                        streak = streak.wrapping_add(1);
                        if streak == self.repeat.threshold {
                            $leave!(Flow::Repeat);
                        }
                    } else {
                        cold_path();
                        self.repeat.target = $target;
                        self.repeat.threshold = Repeat::<X>::FIRST_THRESHOLD;
                        streak = 0;
                        self.watching &= !UNMARKED;
                    }
                };
            }
            macro_rules! with_pairs {
                ($($rows:tt)*) => {
                    pairs! { arms { $($rows)* } }
                };
            }
            match instructions!(with_pairs) {
                Then::LookAround(target) => look_around!(target, leave),
                Then::Far(target, backward) => {
                    cold_path();
                    macro_rules! leave_to {
                        ($flow:expr) => {
                            break ($flow, target, skew.wrapping_add(next!()))
                        };
                    }
                    if backward {
                        look_around!(target, leave_to);
                    }
                    leave_to!(Flow::Page);
                }
                Then::Exactly(what) => {
                    cold_path();
                    self.pc = X::unsigned(address_of(op));
                    self.time = time;
                    self.counters.instructions = skew.wrapping_add(this!());
                    self.pending = pending;
                    self.repeat.streak = streak;
                    let done = match what {
                        Exact::Load(address, width) | Exact::Store(address, width)
                            if address & (width as u64 - 1) != 0 =>
                        {
                            Err(Flow::Slow)
                        }
                        Exact::Store(address, width) => self.store(bus, *op, address, width, horizon),
                        Exact::Load(address, width) => self.load(bus, *op, address, width, horizon),
                        Exact::Wait => {
                            self.run_wait(bus, *op, horizon).map_or(Ok(true), |stop| Err(Flow::Stop(stop)))
                        }
                    };
                    (time, pending, streak) = (self.time, self.pending, self.repeat.streak);
                    plain = self.is_plain();
                    leash = leash.max(self.reach);
                    near = Near::NEVER;
                    match done {
                        Ok(true) => {}
                        Ok(false) => leave!(Flow::Page),
                        Err(flow) => leave_here!(flow),
                    }
                }
            }
        };
        self.pc = X::unsigned(pc);
        self.time = time;
        self.counters.instructions = retired;
        self.pending = pending;
        self.repeat.streak = streak;
        flow
    }
}
