//! Runs a page's program on a card of its own.

use komorebi_card::{Card as _, CardError, Fault, HostMem, NocXy, Order, Power};
use komorebi_sim::Card;

use crate::page::Program;
use crate::support::*;

/// The tile of the cores.
const TILE: NocXy = NocXy::new(4, 4);
/// How long a program may take, in nanoseconds.
const TIME: u64 = 20_000;

/// The fault a program ends with, if it does.
pub(crate) fn fault_of(program: &Program) -> Option<Fault> {
    let mut card = open(Card::builder());
    let done = match program.agent.as_str() {
        "hart" => {
            let image = hart(0x0800_0000, &format!("\n{XY}{}", program.text));
            start_harts(&card, &image).and_then(|()| run_for(&card, TIME))
        }
        "host" => program
            .text
            .lines()
            .try_for_each(|line| call(&mut card, line))
            .and_then(|()| run_for(&card, TIME)),
        cores => {
            let memory = card.host_mem(4096).unwrap();
            let cores: Vec<usize> = cores.split(' ').map(core).collect();
            for core in &cores {
                let text = format!("{}#define CORE {core}\n{}", macros(&memory), program.text);
                load(&card, TILE, *core, &baby(*core, &text));
            }
            start(&card, TILE, &cores);
            run_for(&card, TIME)
        }
    };
    match done {
        Ok(()) => None,
        Err(CardError::Fault(fault)) => Some(fault),
        Err(other) => panic!("{other}"),
    }
}

/// The number of a baby core.
fn core(name: &str) -> usize {
    let number = ["B", "NC", "T0", "T1", "T2"].iter().position(|core| *core == name);
    number.unwrap_or_else(|| panic!("nobody is called {name:?}"))
}

/// Releases the harts of the cluster into `image`.
fn start_harts(card: &Card, image: &[u8]) -> Result<(), CardError> {
    card.write32(CLUSTER, 0x0201_0008, 9)?;
    card.write(CLUSTER, 0x0800_0000, image, Order::Bulk)?;
    set_vectors(card, 0x0800_0000)?;
    card.fence(CLUSTER)?;
    clock(card, 128, 15);
    card.write32(ARC, 0x8003_0014, 0x1f)
}

/// Reset vectors and handlers of the four harts.
fn set_vectors(card: &Card, pc: u32) -> Result<(), CardError> {
    for hart in 0..4 {
        for register in [0x1_0000 + 8 * hart, 0x1_0418 + 16 * hart, 0x1_0420 + 16 * hart] {
            card.write32(CLUSTER, PERIPHERALS + register, pc)?;
            card.write32(CLUSTER, PERIPHERALS + register + 4, 0)?;
        }
    }
    Ok(())
}

/// A tile's coordinate as registers have it.
const XY: &str = "#define XY(x, y) ((x) | (y) << 6)\n";

fn macros(memory: &HostMem) -> String {
    let address = memory.noc_address();
    format!("\n{XY}#define HOST_LO {:#x}u\n#define HOST_MID {:#x}u\n", address as u32, address >> 32)
}

/// The numbers of a line of Rust, in their order.
fn numbers(line: &str) -> Vec<u64> {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let number = |word: &str| {
        let digits = word.replace('_', "");
        match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => digits.parse().ok(),
        }
    };
    words.filter_map(number).collect()
}

/// Does what a line of a host's program says.
fn call(card: &mut Card, line: &str) -> Result<(), CardError> {
    let line = line.split(" //").next().unwrap_or_default();
    let numbers = numbers(line);
    let tile = || NocXy::new(numbers[0] as u8, numbers[1] as u8);
    let name = line.trim_start_matches("card.").split('(').next().unwrap_or_default();
    match name {
        "write32" => card.write32(tile(), numbers[2], numbers[3] as u32),
        "keep_off" => card.keep_off(numbers[0]),
        "read32" => card.read32(tile(), numbers[2]).map(drop),
        "vote" => {
            let on = |name: &str| line.contains(&format!("{name}: true"));
            card.vote(Power { tensix: on("tensix"), dram: on("dram"), l2cpu: on("l2cpu"), busy: on("busy") })
        }
        "set_x280_mhz" if numbers == [200] => {
            clock(card, 128, 15);
            Ok(())
        }
        "set_vectors" => set_vectors(card, numbers[0] as u32),
        "let card = Card::builder" => {
            let builder = Card::builder();
            *card = open(
                numbers.iter().fold(builder, |builder, channel| builder.channel_off(*channel as u8).unwrap()),
            );
            Ok(())
        }
        _ => panic!("a host's program has no line `{line}`"),
    }
}
