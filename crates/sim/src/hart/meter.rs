//! A meter on a hart: where each cycle goes, by cause and by instruction.
//!
//! A metered hart runs the same loop as any other, one instruction at a time, and notes between them what the time of
//! each was. It neither parks nor goes ahead of its turn, which by themselves change no result; so it is slow, and its
//! times are those of a hart without a meter.

use std::collections::HashMap;

use super::access::Access;
use super::bus::Bus;
use super::decode::{ALL_FLOATS, Op, SLOTS};
use super::isa::Xlen;
use super::spent::{Cause, Spent};
use super::state::Hart;
use super::stop::Stop;
use super::table::{Code, instructions};
use crate::time::Time;

/// What an instruction, or several, took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// How often it was executed.
    pub executed: u64,
    /// How long it took, with what it waited for, in units of virtual time.
    pub time: Time,
}

/// A hart's meter. It starts anew when the hart leaves reset.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    /// When the hart left reset.
    since: Time,
    /// Until when its time is accounted for.
    until: Time,
    spent: Spent,
    packets: u64,
    /// What the register slots that are waited for come from.
    producers: [Cause; SLOTS],
    /// The wait HINT of the loop the hart is in, and what was spent when it was there last.
    wait: Option<(u64, Spent)>,
    /// The command buffer that was busy at the hart's last look, and what was spent then.
    busy: Option<(u64, Spent)>,
    costs: HashMap<u64, Cost>,
}

impl Meter {
    pub(super) fn new(since: Time) -> Self {
        Self {
            since,
            until: since,
            spent: Spent::default(),
            packets: 0,
            producers: [Cause::Load; SLOTS],
            wait: None,
            busy: None,
            costs: HashMap::new(),
        }
    }

    /// Accounts for the time up to `until`, which went to `cause` while the hart was at `pc`.
    fn pass(&mut self, pc: u64, until: Time, cause: Cause) {
        let time = until.saturating_sub(self.until);
        self.until += time;
        self.spent.add(cause, time);
        self.costs.entry(pc).or_default().time += time;
    }
}

/// A hart before an instruction.
struct Before {
    pc: u64,
    pending: u64,
    /// When the registers of `pending` may be used.
    ready: [Time; SLOTS],
    instructions: u64,
    traps: u64,
    packets: u64,
    /// The sum of the base register and the offset, of an access.
    address: u64,
}

impl<X: Xlen> Hart<X> {
    /// Puts a meter on the hart, which does not park from then on.
    pub fn put_meter(&mut self) {
        self.parking = false;
        self.meter = Some(Box::new(Meter::new(self.time)));
    }

    /// What the hart has spent its time on since it left reset; none without a meter.
    pub fn spent(&self) -> Option<Spent> {
        self.meter.as_ref().map(|meter| meter.spent)
    }

    /// How long ago it left reset.
    pub fn elapsed(&self) -> Option<Time> {
        self.meter.as_ref().map(|meter| self.time - meter.since)
    }

    /// Packets it has sent since.
    pub fn packets(&self) -> Option<u64> {
        self.meter.as_ref().map(|meter| meter.packets)
    }

    /// What the instruction at each address took since, in no order.
    pub fn costs(&self) -> Option<impl Iterator<Item = (u64, Cost)>> {
        self.meter.as_ref().map(|meter| meter.costs.iter().map(|(pc, cost)| (*pc, *cost)))
    }

    /// [`run`](Self::run), of a hart with a meter.
    pub fn run_metered<B: Bus>(&mut self, bus: &mut B, horizon: Time) -> Stop {
        // The tile moved its time forward.
        self.account(if self.sleeping { Cause::Sleep } else { Cause::Held });
        if self.sleeping && !self.is_roused() {
            return Stop::Wfi;
        }
        self.take_interrupt();
        self.account(Cause::Trap);
        loop {
            let before = self.before(bus);
            let stop = self.go_on::<B, true>(bus, horizon);
            self.after(bus, &before);
            if let Some(stop) = stop {
                return stop;
            }
        }
    }

    fn account(&mut self, cause: Cause) {
        if let Some(meter) = &mut self.meter {
            meter.pass(self.pc, self.time, cause);
        }
    }

    fn before<B: Bus>(&self, bus: &B) -> Before {
        Before {
            pc: self.pc,
            pending: self.pending,
            ready: self.ready,
            instructions: self.counters.instructions,
            traps: self.counters.traps,
            packets: bus.packets(),
            address: self.held_op(self.pc).map_or(0, |op| self.address(op)),
        }
    }

    /// The operation at `pc`, when the hart holds its page.
    fn held_op(&self, pc: u64) -> Option<Op> {
        self.pages.get(pc)?.op(pc)
    }

    /// Accounts for what happened since `before`, which is one instruction at most.
    fn after<B: Bus>(&mut self, bus: &B, before: &Before) {
        let Some(mut meter) = self.meter.take() else { return };
        meter.packets += bus.packets() - before.packets;
        match self.held_op(before.pc) {
            Some(op) => self.note_instruction(bus, &mut meter, before, op),
            // Code that cannot be fetched traps.
            None => meter.pass(before.pc, self.time, Cause::Trap),
        }
        self.meter = Some(meter);
    }

    fn note_instruction<B: Bus>(&self, bus: &B, meter: &mut Meter, before: &Before, op: Op) {
        let (pc, code) = (before.pc, op.code());
        let wanted = before.pending & if drains(code) { u64::MAX } else { op.uses() };
        let last = (0..SLOTS).filter(|slot| wanted >> slot & 1 == 1).max_by_key(|slot| before.ready[*slot]);
        if let Some(slot) = last {
            let arrival = before.ready[slot].min(self.time);
            meter.pass(pc, arrival, meter.producers[slot]);
        }
        let executed = self.counters.instructions != before.instructions;
        if executed {
            meter.costs.entry(pc).or_default().executed += 1;
            meter.pass(pc, (meter.until + self.steps.one).min(self.time), Cause::Issue);
        }
        let trapped = self.counters.traps != before.traps;
        meter.pass(pc, self.time, if trapped { Cause::Trap } else { code.lasts_for() });
        if executed {
            if (1..32).contains(&op.rd()) {
                meter.producers[op.rd()] = code.is_waited_for_as();
            }
            meter.producers[ALL_FLOATS] = Cause::Float;
            let stores = matches!(code.access(), Some(Access::Store(_)));
            meter.packets += u64::from(stores && bus.is_command_buffer(before.address));
            self.note_loops(bus, meter, before, op);
        }
    }

    /// Turns of loops in which nothing came are told as a whole. What belongs to one is the program's: loads, arithmetic and
    /// branches, between a wait HINT and the same one again, or between two looks at a command buffer.
    fn note_loops<B: Bus>(&self, bus: &B, meter: &mut Meter, before: &Before, op: Op) {
        let buffer = op.code().access().is_some_and(|access| matches!(access, Access::Load(_)))
            && bus.is_command_buffer(before.address);
        if buffer {
            let looked = meter.busy.take();
            if let Some((_, then)) = looked.filter(|(address, _)| *address == before.address) {
                meter.spent.turn_into(&then, Cause::CommandBuffer);
            }
            if self.register(op.rd() % 32) != 0 {
                meter.busy = Some((before.address, meter.spent));
            }
        } else if op.code() == Code::Wait {
            let turned = meter.wait.take();
            if let Some((_, then)) = turned.filter(|(pc, _)| *pc == before.pc) {
                meter.spent.turn_into(&then, Cause::Wait);
            }
            meter.wait = Some((before.pc, meter.spent));
            meter.busy = None;
        } else if acts(op) {
            (meter.wait, meter.busy) = (None, None);
        }
    }
}

/// True of an instruction that waits for everything outstanding, not only for its operands.
fn drains(code: Code) -> bool {
    match code.access() {
        Some(access) => !matches!(access, Access::Load(_) | Access::Store(_)),
        None => matches!(code, Code::Fence | Code::FenceI | Code::Wait),
    }
}

macro_rules! as_causes {
    (
        register { $($_register:tt)* }
        unary { $($_unary:tt)* }
        pack { $($_pack:tt)* }
        immediate { $($_immediate:tt)* }
        shift { $($_shift:tt)* }
        shift_word { $($_word:tt)* }
        product { $($product:ident $_p1:literal $_p2:literal $_p3:ident $_p4:ident;)* }
        quotient { $($quotient:ident $_q1:literal $_q2:literal $_q3:ident $_q4:ident $_q5:ident;)* }
        branch { $($branch:ident $_b1:literal $_b2:literal $_b3:ident $_b4:ident: $back:ident $on:ident;)* }
        $($_rest:tt)*
    ) => {
        impl Code {
            /// What the time is spent on that the instruction takes besides its cycle and the wait for its operands.
            fn lasts_for(self) -> Cause {
                match (self, self.access()) {
                    (_, Some(Access::Store(_))) => Cause::Store,
                    (_, Some(_)) => Cause::Load,
                    ($(Self::$quotient)|*, _) => Cause::Quotient,
                    ($(Self::$branch | Self::$back | Self::$on)|*, _) => Cause::Branch,
                    (Self::Jal | Self::JalBack | Self::JalOn | Self::Jalr, _) => Cause::Branch,
                    (Self::Fence | Self::FenceI, _) => Cause::Fence,
                    (Self::Mret | Self::Mnret, _) => Cause::Trap,
                    _ if self.float().is_some() => Cause::Float,
                    // A fetch, a control register.
                    _ => Cause::Issue,
                }
            }

            /// What is waited for by whoever needs the instruction's result.
            fn is_waited_for_as(self) -> Cause {
                match self {
                    $(Self::$product)|* => Cause::Product,
                    _ if self.float().is_some() => Cause::Float,
                    _ => Cause::Load,
                }
            }
        }
    };
}
instructions!(as_causes);

/// True of what no turn of a waiting loop has in it: it changes more than registers.
fn acts(op: Op) -> bool {
    match (op.code(), op.code().access()) {
        (_, Some(access)) => !matches!(access, Access::Load(_)),
        (Code::Csrrs | Code::Csrrc, _) => op.rs1() != 0,
        (Code::Csrrsi | Code::Csrrci, _) => op.imm() >> 12 != 0,
        (code, _) => matches!(code, Code::Csrrw | Code::Csrrwi | Code::Mret | Code::Mnret | Code::Wfi),
    }
}
