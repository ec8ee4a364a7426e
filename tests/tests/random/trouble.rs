//! The one fault of a life, and what it may lead to.

use std::time::Duration;

use komorebi as km;
use komorebi_abi::constants::{command, core, layout};
use komorebi_card::{Card as _, NocXy};
use komorebi_sim::{Breakage, Card, When};
use komorebi_tests::engine::Random;

/// The X280 cluster the dispatcher runs on.
const CLUSTER: NocXy = NocXy::new(8, 26);

/// How late a packet is at most.
pub(crate) const LATEST: Duration = Duration::from_micros(3000);

/// A fault, as far as its outcome goes.
pub(crate) struct Trouble {
    pub(crate) name: String,
    /// Memory, or a packet, may hold anything: results are not compared.
    pub(crate) corrupts: bool,
    /// The card may need a reset.
    pub(crate) resets: bool,
    /// A handler that does not return; the life submits it.
    pub(crate) handler: Option<&'static str>,
    /// Errors of the runtime it may lead to, besides those of the time limits.
    may: fn(&km::Error) -> bool,
}

impl Trouble {
    /// Whether a life with this fault may meet `error`.
    pub(crate) fn explains(&self, error: &km::Error) -> bool {
        match error {
            km::Error::RunEnded { cause } => self.explains(cause),
            // A hart or a core that is late, for whatever reason.
            km::Error::WaitTimeout(_)
            | km::Error::EngineTimeout(_)
            | km::Error::CommandTimeout(_)
            | km::Error::GridTimeout(_) => self.name != "none",
            km::Error::EngineError(_) | km::Error::EngineRejected(_) => self.corrupts,
            other => (self.may)(other),
        }
    }
}

/// Plans one fault, or none, in the life of `card`'s client; `calls` and `time` is about what a life takes.
pub(crate) fn plan(random: &mut Random, card: &Card, calls: u32, time: Duration) -> Trouble {
    use km::Error::{Card as Refused, DeviceLost, Fault, KernelFailed, StartError};
    let tensix = card.description().columns.iter().flat_map(|&x| (2..6).map(move |y| NocXy::new(x, y)));
    let tensix: Vec<NocXy> = tensix.collect();
    let when = if random.one_in(2) {
        When::Call(u64::from(1 + random.below(calls)))
    } else {
        When::At(card.now() + time * (1 + random.below(999)) / 1000)
    };
    let at_call = When::Call(u64::from(1 + random.below(calls)));
    let micros = |random: &mut Random, most: u32| Duration::from_micros(u64::from(1 + random.below(most)));
    let tile = random.one_of(&tensix);
    let anywhere = |random: &mut Random| if random.one_in(3) { CLUSTER } else { tile };
    let pcie = card.description().pcie;
    let trouble = |name: &str, may: fn(&km::Error) -> bool| Trouble {
        name: name.to_owned(),
        corrupts: false,
        resets: false,
        handler: None,
        may,
    };
    let late: fn(&km::Error) -> bool = |error| matches!(error, StartError(_) | KernelFailed(_));
    let (when, breakage, trouble) = match random.below(14) {
        0 => (when, None, trouble("none", |_| false)),
        1 => {
            let packets = 1 + random.below(3);
            let to = if random.one_in(3) { pcie } else { anywhere(random) };
            let lost = Trouble { corrupts: true, ..trouble("packets that are lost", late) };
            (when, Some(Breakage::Drop { to, packets }), lost)
        }
        2 => {
            let (to, by) = (anywhere(random), micros(random, LATEST.as_micros() as u32));
            let packets = 1 + random.below(3);
            // An argument that comes behind the command that it is of.
            let late = Trouble { corrupts: true, ..trouble("packets that are late", late) };
            (when, Some(Breakage::Delay { to, packets, by }), late)
        }
        3 => {
            let freeze = Breakage::Freeze { tile, hart: random.below(5) as usize, time: None };
            (when, Some(freeze), trouble("a core that stands still", late))
        }
        4 => {
            let time = Some(micros(random, 4000));
            let tile = anywhere(random);
            let freeze = Breakage::Freeze { tile, hart: random.below(4) as usize, time };
            (when, Some(freeze), trouble("a hart that stands still for a time", late))
        }
        5 => {
            let freeze = Breakage::Freeze { tile: CLUSTER, hart: 0, time: None };
            let may: fn(&km::Error) -> bool =
                |error| matches!(error, StartError(_) | KernelFailed(_) | km::Error::Unstopped);
            let still = Trouble { resets: true, ..trouble("the dispatcher's hart stands still", may) };
            (when, Some(freeze), still)
        }
        6 => {
            let trap = Breakage::Trap {
                tile: CLUSTER,
                hart: 0,
                cause: random.one_of(&[2, 5, 7]),
                value: random.word(),
            };
            (when, Some(trap), trouble("an exception of the dispatcher", late))
        }
        7 => {
            let refuse = Breakage::Refuse("refused by the test".into());
            (at_call, Some(refuse), trouble("a call that is refused", |error| matches!(error, Refused(_))))
        }
        8 => {
            let lost = Trouble {
                resets: true,
                ..trouble("a lost card", |error| matches!(error, DeviceLost { .. }))
            };
            (when, Some(Breakage::Lose), lost)
        }
        9 => {
            let hung = Trouble {
                resets: true,
                ..trouble("a tile that hangs", |error| matches!(error, DeviceLost { .. }))
            };
            (when, Some(Breakage::Hang(anywhere(random))), hung)
        }
        10 => {
            let killed = trouble("a client that dies", |error| matches!(error, DeviceLost { .. }));
            (at_call, Some(Breakage::KillClient), killed)
        }
        11 => {
            // Words that nobody trusts with an address: those for people, completions, the control line.
            let words = [
                layout::LIM_STATE + 4 * random.below(layout::LIM_STATE_BYTES / 4),
                layout::LIM_RESULT + 4 * random.below(22),
                layout::LIM_COMPLETIONS + 4 * random.below(2 * command::SLOTS_MAX),
                layout::LIM_CONTROL + 4 * random.below(8),
            ];
            let address = layout::LIM_BASE + u64::from(random.one_of(&words));
            let flip = Breakage::Flip { tile: CLUSTER, address, bits: 1 << random.below(32) };
            let may: fn(&km::Error) -> bool =
                |error| matches!(error, StartError(_) | KernelFailed(_) | Fault(_) | km::Error::Unstopped);
            // The state block holds where the dispatcher keeps a slot's own notes: a wrong one may lead anywhere.
            let flipped = Trouble { corrupts: true, resets: true, ..trouble("a bit of LIM that flips", may) };
            (when, Some(flip), flipped)
        }
        12 => {
            let handler = Some(random.one_of(&["stuck", "endless"]));
            (when, None, Trouble { handler, ..trouble("a handler that does not return", late) })
        }
        _ => {
            let address = u64::from(layout::L1_CONTROL + core::CONTROL_THREADS)
                + 4 * u64::from(random.below(core::THREADS * core::THREAD_STRIDE / 4));
            let flip = Breakage::Flip { tile, address, bits: 1 << random.below(32) };
            let flipped = Trouble { corrupts: true, ..trouble("a bit of a state block that flips", late) };
            (when, Some(flip), flipped)
        }
    };
    let name = format!("{} ({when:?}: {breakage:?})", trouble.name);
    if let Some(breakage) = breakage {
        card.break_on(when, breakage).unwrap();
    }
    if trouble.name == "none" { trouble } else { Trouble { name, ..trouble } }
}
