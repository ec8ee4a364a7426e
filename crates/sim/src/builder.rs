//! What a simulated card is made of.

use komorebi_card::{Board, Clocks, Description, DramBank, L2Cpu, NocXy, World};

use crate::card::Card;
use crate::costs::Setting;
use crate::environment::Environment;
use crate::host::Host;
use crate::machine::Machine;
use crate::noc::latency::AICLK_MHZ;
use crate::noc::translate::{self, Harvest, HarvestError, Kind, Topology};
use crate::target::DRAM_BYTES;

/// The choices for a card; start with [`Card::builder`].
#[derive(Clone, Debug)]
pub struct Builder {
    board: Board,
    columns: u16,
    channel_off: Option<u8>,
    seed: u64,
    costs: Setting,
    parking: bool,
    stops_at_once: bool,
    lim_lost: bool,
    metered: Metered,
    /// What is wrong with the environment, which its card says.
    wrong: Option<String>,
}

/// The tiles whose harts have a meter.
#[derive(Clone, Debug)]
enum Metered {
    All,
    These(Vec<NocXy>),
}

impl Default for Builder {
    fn default() -> Self {
        let Environment { seed, parking, wrong } = Environment::read();
        Self {
            board: Board::P150a,
            columns: Harvest::first(12),
            channel_off: None,
            seed,
            costs: Setting::Nominal,
            parking,
            stops_at_once: false,
            lim_lost: false,
            metered: Metered::These(Vec::new()),
            wrong,
        }
    }
}

impl Builder {
    /// The product: a p150a with 8 DRAM banks, or a p100a with 7.
    #[must_use]
    pub fn board(mut self, board: Board) -> Self {
        self.board = board;
        self
    }

    /// Enabled Tensix columns of 10 cores, 1 to 14 (what is outside is brought inside); 12 unless told otherwise.
    #[must_use]
    pub fn columns(mut self, columns: u8) -> Self {
        self.columns = Harvest::first(columns.clamp(1, 14));
        self
    }

    /// The enabled Tensix columns as telemetry has them: bit i is the column at physical x
    /// `[1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10][i]` (host.md §3.4).
    ///
    /// # Errors
    /// [`HarvestError::Columns`] for a mask without a column, or with bits above 13.
    pub fn column_mask(mut self, mask: u16) -> Result<Self, HarvestError> {
        if mask == 0 || mask >> 14 != 0 {
            return Err(HarvestError::Columns { mask });
        }
        self.columns = mask;
        Ok(self)
    }

    /// The DRAM channel that is off: a p100a has one, 1 unless told otherwise, and a p150a none unless told one.
    ///
    /// # Errors
    /// [`HarvestError::Channel`] for a channel that no card has.
    pub fn channel_off(mut self, channel: u8) -> Result<Self, HarvestError> {
        if channel > 7 {
            return Err(HarvestError::Channel { channel });
        }
        self.channel_off = Some(channel);
        Ok(self)
    }

    /// The seed of everything the hardware leaves open: packet order, latencies inside their bounds, clock offsets.
    /// 0 gives the least latencies and no offsets; it is the one unless told otherwise, here or with `KM_SEED`.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Which column of the cost table to use.
    #[must_use]
    pub fn costs(mut self, costs: Setting) -> Self {
        self.costs = costs;
        self
    }

    /// Whether harts in wait loops are parked. Bytes and times are the same with and without; without is slower.
    /// They are unless told otherwise, here or with `KM_PARKING=off`.
    #[must_use]
    pub fn parking(mut self, parking: bool) -> Self {
        self.parking = parking;
        self
    }

    /// Whether the X280's clock stops at the first step of the driver's close, before a dispatcher can act on the
    /// register write, and not at the last one. Hardware pages do not say which (host.md §1.6).
    #[must_use]
    pub fn clock_stops_at_once(mut self, at_once: bool) -> Self {
        self.stops_at_once = at_once;
        self
    }

    /// Whether LIM, and with it the lines of the L3, whose ways it is in, loses its content while the X280's clock stands, which
    /// is not known of the hardware (host.md §6.7).
    #[must_use]
    pub fn lim_lost(mut self, lost: bool) -> Self {
        self.lim_lost = lost;
        self
    }

    /// Puts a meter on each core of a Tensix tile, or hart of an X280 cluster: it tells where every cycle goes
    /// ([`Card::core_counters`]) and what every instruction takes ([`Card::profile`]). Bytes and times are the same with and
    /// without; the tile is slower to simulate, and does not park.
    #[must_use]
    pub fn meter(mut self, tile: NocXy) -> Self {
        if let Metered::These(tiles) = &mut self.metered {
            tiles.push(tile);
        }
        self
    }

    /// The same for all tiles.
    #[must_use]
    pub fn meter_all(mut self) -> Self {
        self.metered = Metered::All;
        self
    }

    /// The card, powered and booted, with nobody's claim on it.
    pub fn build(self) -> Card {
        let description = describe(&self.topology(), self.board);
        let mut host = Host::new(self.machine());
        host.driver.stops_at_once = self.stops_at_once;
        host.driver.refuses.clone_from(&self.wrong);
        Card::new(description, self, host)
    }

    pub(crate) fn seed_of(&self) -> u64 {
        self.seed
    }

    fn topology(&self) -> Topology {
        let off = self.channel_off.or(translate::channel_off(self.board));
        Topology::new(Harvest { columns: self.columns, channels: Harvest::channels(off) })
    }

    /// What is powered and booted.
    pub(crate) fn machine(&self) -> Machine {
        let mut machine = Machine::new(self.topology(), self.board, self.seed, self.costs, self.parking);
        machine.lose_lim(self.lim_lost);
        machine.meter(|tile| match &self.metered {
            Metered::All => true,
            Metered::These(tiles) => tiles.contains(&tile),
        });
        machine
    }
}

/// The ports each NoC should use, as indices into a channel's list of rows (host.md §3.5).
const WORKER_PORTS: [[u8; 2]; 8] = [[2, 1], [0, 1], [0, 1], [0, 1], [2, 1], [2, 1], [2, 1], [2, 1]];

fn describe(map: &Topology, board: Board) -> Description {
    let mut description = Description {
        world: World::Simulated,
        board,
        columns: map.columns.clone(),
        banks: Vec::new(),
        l2cpus: Vec::new(),
        pcie: NocXy::new(19, 24),
        arc: NocXy::new(8, 0),
        clocks: Clocks { aiclk_mhz: AICLK_MHZ, l2cpu_mhz: 800 },
    };
    for home in &map.homes {
        match home.kind {
            Kind::Dram(channel) => {
                // The home is port 0; the others follow it.
                let [noc0, noc1] =
                    WORKER_PORTS[usize::from(channel)].map(|p| NocXy::new(home.xy.x, home.xy.y + p));
                description.banks.push(DramBank { channel, noc0, noc1, bytes: DRAM_BYTES });
            }
            Kind::L2Cpu(index) => {
                let channel = translate::LOCAL_CHANNELS[usize::from(index)];
                // One whose own DRAM is off is not to be released (host.md §6.5).
                if map.harvest.channels >> channel & 1 == 1 {
                    description.l2cpus.push(L2Cpu { index, tile: home.xy, channel });
                }
            }
            Kind::Tensix | Kind::Pcie | Kind::Arc | Kind::Disabled => {}
        }
    }
    description
}
