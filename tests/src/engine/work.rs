//! Random commands of the program of [`memory`](super::memory), with what each of them touches.

use komorebi_abi::engine::{Command, Group, Opcode, Shape, Statement, Value, Var};

use super::Random;
use super::memory::{CORES, FREE, PAGES};

/// The variables of a graph or stream.
#[derive(Clone, Debug)]
pub struct Vars {
    /// The tensor's address.
    pub state: Var,
    /// A page that belongs to no core, with room for [`CORES`] more behind it in the first half.
    pub page: Var,
    /// A core.
    pub core: Var,
    /// Anything.
    pub any: Vec<Var>,
}

/// Names of the bindings, in the order of [`bindings`]; the first three are those of [`Vars`].
pub const NAMES: [&str; 11] = ["state", "page", "core", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"];

impl Vars {
    /// The variables of these bindings.
    pub fn new([state, page, core, any @ ..]: [Var; NAMES.len()]) -> Self {
        Self { state, page, core, any: any.to_vec() }
    }
}

/// Words of a start, behind the tensor's address.
pub fn bindings(random: &mut Random) -> Vec<u32> {
    let mut words = vec![FREE + random.below(CORES), random.below(CORES)];
    words.extend(
        (3..NAMES.len()).map(|_| if random.one_in(2) { random.below(8) } else { random.word() as u32 }),
    );
    words
}

/// Pages that an operation reads and writes, and registers.
#[derive(Clone, Debug, Default)]
pub struct Touch {
    /// Pages read.
    pub reads: Vec<u32>,
    /// Pages written.
    pub writes: Vec<u32>,
    /// Variables read.
    pub takes: Vec<u32>,
    /// Variables written.
    pub gives: Vec<u32>,
    /// The first page of a `mix`: two of the same pages need no order but that of their submission, since one thread of
    /// each core does all of it.
    pub mix: Option<u32>,
}

/// A command and what it touches.
#[derive(Clone, Debug)]
pub struct Work {
    /// The command.
    pub command: Command,
    /// What it touches.
    pub touch: Touch,
}

fn is_met(a: &[u32], b: &[u32]) -> bool {
    a.iter().any(|one| b.contains(one))
}

impl Touch {
    /// Must one wait for the other, when that one is a command in flight, whose arguments were taken?
    pub fn waits_for(&self, flight: &Self) -> bool {
        let registers = is_met(&self.takes, &flight.gives) || is_met(&self.gives, &flight.gives);
        let ordered = self.mix.is_some() && self.mix == flight.mix;
        let pages = is_met(&self.writes, &flight.writes)
            || is_met(&self.writes, &flight.reads)
            || is_met(&self.reads, &flight.writes);
        registers || (pages && !ordered)
    }
}

/// A random command.
pub fn work(random: &mut Random, vars: &Vars) -> Work {
    let count = if random.one_in(3) { CORES } else { random.between(1, CORES) };
    let mut touch = Touch { takes: vec![vars.state.0], ..Touch::default() };
    let word = |random: &mut Random, touch: &mut Touch| -> Value {
        if random.one_in(2) {
            return u64::from(random.word() as u32).into();
        }
        let var = random.one_of(&vars.any);
        touch.takes.push(var.0);
        var.into()
    };
    // Pages for each core of the group: named, or from a register.
    let room = |random: &mut Random, touch: &mut Touch| -> (Value, std::ops::Range<u32>) {
        if random.one_in(3) {
            touch.takes.push(vars.page.0);
            return (vars.page.into(), FREE..FREE + 2 * CORES);
        }
        let page = random.between(FREE, PAGES - count);
        (page.into(), page..page + count)
    };
    let mut queued = false;
    let (handler, args) = match random.below(8) {
        0..=2 => {
            let base = random.one_of(&[0, CORES]);
            touch.mix = Some(base);
            touch.writes.extend(base..base + CORES);
            ("mix", vec![vars.state.into(), base.into(), word(random, &mut touch)])
        }
        3 | 4 => {
            let (to, pages) = room(random, &mut touch);
            let others: Vec<u32> = (0..PAGES).filter(|page| !pages.contains(page)).collect();
            let from = random.one_of(&others);
            touch.reads.push(from);
            touch.writes.extend(pages);
            ("carry", vec![vars.state.into(), from.into(), to, word(random, &mut touch)])
        }
        5 => {
            queued = random.below(4) != 0;
            let (page, pages) = room(random, &mut touch);
            touch.writes.extend(pages);
            ("job", vec![vars.state.into(), page, word(random, &mut touch)])
        }
        6 => {
            let (from, pages) = room(random, &mut touch);
            touch.reads.extend(pages);
            ("fold", vec![vars.state.into(), from, count.into()])
        }
        _ => {
            queued = random.one_in(4);
            ("sum", vec![word(random, &mut touch), word(random, &mut touch)])
        }
    };
    let first = random.between(0, CORES - count);
    let group = if queued { Group::Count(count.into()) } else { (first, count).into() };
    let mut command = Command::new(handler, group, args);
    command.queued = queued;
    command.exclusive = !queued && random.one_in(8);
    if random.one_in(2) {
        let var = random.one_of(&vars.any);
        touch.gives.push(var.0);
        command.result = Some(var.into());
    }
    Work { command, touch }
}

/// Random arithmetic on the variables that hold anything, and what it touches.
pub fn arithmetic(random: &mut Random, vars: &Vars) -> (Statement, Touch) {
    let ops: Vec<Opcode> = Opcode::ALL.iter().copied().filter(|op| op.shape().in_cpu()).collect();
    let op = random.one_of(&ops);
    let operands = match op.shape() {
        Shape::Binary => 2,
        Shape::Unary => 1,
        _ => 3,
    };
    let from: Vec<Var> = (0..operands).map(|_| random.one_of(&vars.any)).collect();
    let to = random.one_of(&vars.any);
    let touch =
        Touch { takes: from.iter().map(|var| var.0).collect(), gives: vec![to.0], ..Touch::default() };
    (Statement::new(op, to, from.into_iter().map(Value::from).collect::<Vec<_>>()), touch)
}

/// Statements that put a page, or a core from which on `count` more lie in the grid, into its register.
pub fn pick(random: &mut Random, vars: &Vars, what: Var, end: u32) -> ([Statement; 3], Touch) {
    let from = random.one_of(&vars.any);
    let least = if what == vars.page { FREE } else { 0 };
    let statements = [
        Statement::new(Opcode::And, what, [from.into(), Value::from(CORES - 1)]),
        Statement::new(Opcode::MinU, what, [what.into(), Value::from(end)]),
        Statement::new(Opcode::Add, what, [what.into(), Value::from(least)]),
    ];
    (statements, Touch { takes: vec![from.0], gives: vec![what.0], ..Touch::default() })
}
