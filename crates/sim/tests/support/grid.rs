//! A grid under load: what the dispatcher and the cores of a real program do to the card, in small.
//!
//! A hart takes commands from LIM and publishes them to the cores by multicast. On each core NC takes the command and
//! hands it to the other four threads; B joins them and adds 1 to a word of the leader. The leader's B waits for all,
//! then answers the hart, which posts two words to the host.

use std::time::Duration;

use komorebi_card::{Card as _, CardTime, HostMem, NocXy, Order, Rect};
use komorebi_sim::{Builder, Card};

use super::*;

/// A card with its grid and hart running.
pub(crate) struct Grid {
    pub(crate) card: Card,
    pub(crate) memory: HostMem,
    members: u64,
    commands: u64,
}

/// The programs of the five cores.
fn programs(leader: NocXy, marked: bool) -> [Vec<u8>; 5] {
    let mark = if marked { "waiting(0);" } else { "" };
    let count = |mark: &str, work: u32, own: u32| {
        format!(
            "for (uint32_t n = 1;; n++) {{ while (R(0x21100) < n) {{ FENCE(); {mark} }}
                 for (int i = 0; i < {work}; i++) R(0xffb00000) = i;
                 R({own:#x}) = n; }}"
        )
    };
    let join = format!(
        "bool leader = self(0) == {leader}; uint32_t acks = 0;
         for (uint32_t n = 1;; n++) {{
             uint32_t until = CLOCK() + 1000000000;
             for (int t = 1; t < 5; t++) while (R(0x21000 + 16 * t) < n) {{ FENCE(); waiting(until); }}
             if (!leader) {{ increment(0, {leader}, 0x22000, 1, 0x22100); while (COUNTER(0, 0) != n) {{ {mark} }} continue; }}
             acks += R(0x20004); while (R(0x22000) != acks) {{ FENCE(); waiting(0); }}
             R(0x23000) = n; R(0x23004) = CLOCK();
             uint32_t back = R(0x23004); asm volatile(\"mv %0, %0\" : \"+r\"(back) :: \"memory\");
             write_to(1, {hart}, 0x23000, 0x08012000, 8); while (COUNTER(1, 1) != n) {{ {mark} }}
         }}",
        leader = leader.hi_word(),
        hart = CLUSTER.hi_word()
    );
    let take = "uint32_t last = 0;
        for (uint32_t n = 1;; n++) { uint32_t word; while ((word = R(0x20000)) == last) { FENCE(); waiting(0); }
            last = word; R(0x21100) = n; R(0x21010) = n; }";
    [
        baby(0, &join),
        baby(1, take),
        baby(2, &count("waiting(0);", 4, 0x2_1020)),
        baby(3, &count(mark, 6, 0x2_1030)),
        baby(4, &count("waiting(0);", 8, 0x2_1040)),
    ]
}

/// The hart's program: command word n in the low half, members besides the leader in the high one.
fn dispatcher(host: u64) -> Vec<u8> {
    let body = format!(
        "uint64_t all = 0x80430000000 + (1ull << 37), leader = all + (1ull << 37), host = 0x80430000000 + {host:#x};
         uint64_t last = 0, done = 0;
         for (;;) {{
             uint64_t command;
             uint64_t wake = R64(0x0200bff8) + 50000;
             while ((command = R64(0x08010000)) == last) {{
                 if (R64(0x0200bff8) >= wake) wake += 50000;
                 asm volatile(\"add x0, sp, %0\" :: \"r\"(wake));
             }}
             last = command; done++;
             FENCE();
             R64((command >> 32 ? all : leader) + 0x20000) = command;
             uint64_t word;
             while ((uint32_t)(word = R64(0x08012000)) != (uint32_t)done) asm volatile(\"add x0, sp, x0\");
             R64(host + 8 * (done % 64)) = word; FENCE();
             R64(host + 8 * (64 + done % 64)) = done;
         }}"
    );
    hart(0x0800_0000, &body)
}

impl Grid {
    /// Starts `tiles`, whose least corner is the leader. Without `marked`, some of their loops lack the wait HINT.
    pub(crate) fn start(builder: Builder, tiles: Rect, marked: bool) -> Self {
        let card = open(builder);
        let memory = card.host_mem(4096).unwrap();
        let leader = tiles.start;
        for (image, pc) in programs(leader, marked).iter().zip(CORE_PCS) {
            card.multicast(tiles, pc, image).unwrap();
        }
        let columns = card.description().columns.clone();
        let inside = columns.iter().filter(|x| (tiles.start.x..=tiles.end.x).contains(x)).count() as u64;
        let members = inside * u64::from(tiles.end.y - tiles.start.y + 1) - 1;
        run_for(&card, 10_000).unwrap();
        card.multicast(tiles, SOFT_RESET, &0u32.to_le_bytes()).unwrap();
        release(&card, &dispatcher(memory.noc_address() & ((1 << 37) - 1)));
        let rectangle = tiles.end.hi_word() | tiles.start.hi_word() << 12 | 1 << 24;
        window(&card, 0, memory.tile().hi_word(), memory.noc_address());
        window(&card, 1, rectangle, 0);
        window(&card, 2, leader.hi_word(), 0);
        Self { card, memory, members, commands: 0 }
    }

    /// The same grid on a card forked from this one.
    pub(crate) fn on(&self, card: Card) -> Self {
        let memory = card.host_regions().swap_remove(0);
        Self { card, memory, ..*self }
    }

    /// Sends a command to every tile, or to the leader alone; does not wait.
    pub(crate) fn send(&mut self, everybody: bool) {
        self.commands += 1;
        let members = if everybody { self.members } else { 0 };
        let command = self.commands | members << 32;
        self.card.write(CLUSTER, 0x0801_0000, &command.to_le_bytes(), Order::Strict).unwrap();
    }

    /// True when the last command is done.
    pub(crate) fn is_done(&self) -> bool {
        self.memory.load_u64(8 * (64 + self.commands as usize % 64)) == self.commands
    }

    /// Sends a command to every tile, or to the leader alone, and waits for its words; gives the moments at which the
    /// host looked.
    pub(crate) fn command(&mut self, everybody: bool) -> Vec<CardTime> {
        self.send(everybody);
        let end = self.card.now() + Duration::from_millis(1);
        let mut times = Vec::new();
        while !self.is_done() {
            assert!(self.card.now() < end, "command {} is not done", self.commands);
            times.push(self.card.relax(end).unwrap());
        }
        times
    }

    /// Commands that are done.
    pub(crate) fn done(&self) -> u64 {
        self.commands - u64::from(!self.is_done())
    }

    /// The word the last command left: its number, and the leader's clock above it.
    pub(crate) fn word(&self) -> u64 {
        self.memory.load_u64(8 * (self.commands as usize % 64))
    }
}
