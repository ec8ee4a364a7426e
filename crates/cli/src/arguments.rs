//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use komorebi::Board;
use komorebi_sim::Setting;
use std::ffi::OsString;
use std::path::PathBuf;

/// Tools for programs, graphs and streams of komorebi.
#[derive(Parser)]
#[command(name = "cargo komorebi", bin_name = "cargo komorebi", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) tool: Tool,
}

impl Arguments {
    /// Those of this process. Cargo gives a subcommand its own name as the first argument.
    pub(crate) fn of_command_line() -> Self {
        let mut words: Vec<OsString> = std::env::args_os().collect();
        if words.get(1).is_some_and(|word| word == "komorebi") {
            words.remove(1);
        }
        Self::parse_from(words)
    }
}

#[derive(Subcommand)]
pub(crate) enum Tool {
    /// Prints the constants of a C++ header as a program's kernels see them
    Constants(ConstantsArguments),
    /// Prints the graph of an upload as text, or draws it
    Graph(GraphArguments),
    /// Disassembles the stream of an upload
    Stream(StreamArguments),
    /// Prints the page of an error's code, or lists all codes; tells the story of a failure from its post-mortem file
    Explain(ExplainArguments),
    /// Serves a simulated card at a socket, until it is ended: `KM_CARD=sim:PATH` opens it from any process
    SimCard(SimCardArguments),
    /// Tells what a card does that another process holds, as `explain` tells a failure
    Inspect(InspectArguments),
    /// Prints the trace of a run, as `Trace::to_chrome_json` gives it, or draws it
    Trace(TraceArguments),
    /// Prints what a program takes of a core's L1, and uploads of the upload region; builds the kernels
    Size(SizeArguments),
}

#[derive(Args)]
pub(crate) struct ConstantsArguments {
    /// The header
    pub(crate) file: PathBuf,
    /// One JSON object: full names to value, type and place
    #[arg(long)]
    pub(crate) json: bool,
    /// A folder that `#include` searches, after the header's own
    #[arg(short = 'I', long = "include", value_name = "FOLDER")]
    pub(crate) include: Vec<PathBuf>,
    /// A macro defined before the header is read
    #[arg(short = 'D', long = "define", value_name = "NAME[=BODY]")]
    pub(crate) define: Vec<String>,
}

/// An upload, and how to read it.
#[derive(Args)]
pub(crate) struct UploadArguments {
    /// The upload's bytes, as a program writes them: `std::fs::write("converge.bin", <Converge as km::DeclaredUpload>::BYTES)`
    pub(crate) file: PathBuf,
    /// The program's header: its `kHandler..` constants name the handlers
    #[arg(long, value_name = "HEADER")]
    pub(crate) header: Option<PathBuf>,
    /// Cores of the program's grid, which groups are checked against; without it the most that commands can name
    #[arg(long, value_name = "CORES")]
    pub(crate) cores: Option<u32>,
    /// Write to this file, not to standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct GraphArguments {
    #[command(flatten)]
    pub(crate) upload: UploadArguments,
    /// A drawing for Graphviz
    #[arg(long)]
    pub(crate) dot: bool,
    /// A drawing as SVG
    #[arg(long, conflicts_with = "dot")]
    pub(crate) svg: bool,
}

#[derive(Args)]
pub(crate) struct StreamArguments {
    #[command(flatten)]
    pub(crate) upload: UploadArguments,
}

#[derive(Args)]
pub(crate) struct ExplainArguments {
    /// The code, as in `KM0013`, or a post-mortem file; without one, all codes are listed
    #[arg(value_name = "CODE|FILE")]
    pub(crate) what: Option<String>,
}

#[derive(Args)]
pub(crate) struct SizeArguments {
    /// The Rust source file that declares the program
    pub(crate) file: PathBuf,
    /// The program's name, when the file declares several
    #[arg(long, value_name = "NAME")]
    pub(crate) program: Option<String>,
    /// Compile-time words that the program adds at run time, as in `reader=1,2`
    #[arg(long, value_name = "KERNEL=WORDS")]
    pub(crate) compile_args: Vec<String>,
    /// Commands that a load traces on each core
    #[arg(long, value_name = "COMMANDS", default_value_t = 0)]
    pub(crate) trace: u32,
    /// The bytes of an upload that lies in the upload region
    #[arg(long, value_name = "FILE")]
    pub(crate) upload: Vec<PathBuf>,
}

#[derive(Args)]
pub(crate) struct TraceArguments {
    /// The trace
    pub(crate) file: PathBuf,
    /// A drawing as SVG
    #[arg(long)]
    pub(crate) svg: bool,
    /// Write to this file, not to standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct InspectArguments {
    /// The card, as `KM_CARD` names it: `sim:PATH`; that variable's without it
    pub(crate) card: Option<String>,
    /// The program's header: its `kHandler..` constants name the handlers
    #[arg(long, value_name = "HEADER")]
    pub(crate) header: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct SimCardArguments {
    /// The socket, which is made
    pub(crate) path: PathBuf,
    /// The product
    #[arg(long, value_enum, default_value_t = BoardName::P150a)]
    pub(crate) board: BoardName,
    /// Enabled Tensix columns of 10 cores
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u8).range(1..=14))]
    pub(crate) columns: u8,
    /// The seed of what the hardware leaves open
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// The column of the cost table
    #[arg(long, value_enum, default_value_t = CostsName::Nominal)]
    pub(crate) costs: CostsName,
    /// The X280's clock stops at the first step of the driver's close, not at its last
    #[arg(long)]
    pub(crate) clock_stops_at_once: bool,
    /// LIM loses its content while the X280's clock stands
    #[arg(long)]
    pub(crate) lim_lost: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum BoardName {
    P100a,
    P150a,
}

impl From<BoardName> for Board {
    fn from(name: BoardName) -> Self {
        match name {
            BoardName::P100a => Self::P100a,
            BoardName::P150a => Self::P150a,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum CostsName {
    Low,
    Nominal,
    High,
}

impl From<CostsName> for Setting {
    fn from(name: CostsName) -> Self {
        match name {
            CostsName::Low => Self::Low,
            CostsName::Nominal => Self::Nominal,
            CostsName::High => Self::High,
        }
    }
}
