//! The table: a case for each error, and what a user has to do before the card works again.

use std::collections::BTreeSet;

use komorebi as km;

use super::bench::{Bench, works};
use super::{child, errors, starts};

/// What a case gives.
pub(crate) struct Told {
    /// The error; `None` where another process met and checked it.
    error: Option<km::Error>,
    /// The session, where it goes on.
    session: Option<km::Session>,
}

impl Told {
    pub(crate) const BY_A_CHILD: Self = Self { error: None, session: None };

    /// An error after which the session goes on.
    pub(crate) fn goes_on(error: km::Error, session: km::Session) -> Self {
        Self { error: Some(error), session: Some(session) }
    }

    /// An error that ended the session, or came before one.
    pub(crate) fn ends(error: km::Error) -> Self {
        Self { error: Some(error), session: None }
    }
}

/// Where the next command works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// In the session that met the error.
    Session,
    /// In the next session on the card.
    Next,
    /// In the next session, after the reset that the error asks for.
    Reset,
}

struct Row {
    error: &'static str,
    is: fn(&km::Error) -> bool,
    after: After,
    reach: fn(&Bench) -> Told,
}

macro_rules! rows {
    ($($error:ident, $after:ident, $reach:path;)*) => {
        &[$(Row {
            error: stringify!($error),
            is: |error| matches!(error, km::Error::$error { .. }),
            after: After::$after,
            reach: $reach,
        }),*]
    };
}

const ROWS: &[Row] = rows! {
    NotPresent, Next, errors::not_present;
    NoSimCard, Next, errors::no_sim_card;
    NotInThisVersion, Next, child::not_in_this_version;
    Environment, Next, child::environment;
    PllClock, Next, errors::pll_clock;
    CardBusy, Session, errors::card_busy;
    Signals, Next, child::signals;
    Closed, Next, errors::closed;
    Loaded, Session, errors::loaded;
    Unstopped, Reset, errors::unstopped;
    ProgramError, Session, errors::program_error;
    KernelSizeError, Session, errors::kernel_size;
    KernelInstructionError, Session, errors::kernel_instruction;
    ThreadsNotRun, Session, errors::threads_not_run;
    Firmware, Next, child::firmware;
    LoadOption, Session, errors::load_option;
    StartError, Session, starts::stuck_grid;
    Tensor, Session, errors::tensor;
    Group, Session, errors::group;
    Argument, Session, errors::argument;
    ForeignHandle, Session, errors::foreign_handle;
    NoHandles, Session, errors::no_handles;
    Handle, Session, errors::handle;
    Sequence, Session, errors::sequence;
    NotTraced, Session, errors::not_traced;
    WaitTimeout, Session, errors::wait_timeout;
    CommandRejected, Session, errors::command_rejected;
    Upload, Session, errors::upload;
    EngineRejected, Session, errors::engine_rejected;
    EngineError, Session, errors::engine_error;
    EngineEnded, Session, errors::engine_ended;
    EngineTimeout, Session, errors::engine_timeout;
    CommandTimeout, Session, errors::command_timeout;
    KernelFailed, Session, errors::kernel_failed;
    GridTimeout, Session, errors::grid_timeout;
    DeviceLost, Reset, errors::device_lost;
    RunEnded, Session, errors::run_ended;
    Fault, Reset, errors::fault;
    Card, Session, errors::card;
};

#[test]
fn every_error_of_the_runtime_has_a_case() {
    let source = include_str!("../../../komorebi/src/error/mod.rs");
    let file = syn::parse_file(source).unwrap();
    let errors = file.items.iter().find_map(|item| match item {
        syn::Item::Enum(item) if item.ident == "Error" => Some(item),
        _ => None,
    });
    let errors: BTreeSet<String> = errors
        .expect("the enum of errors")
        .variants
        .iter()
        .map(|variant| variant.ident.to_string())
        .collect();
    let rows: BTreeSet<String> = ROWS.iter().map(|row| row.error.to_owned()).collect();
    assert_eq!(rows, errors, "a new error gets a row above");
    assert_eq!(rows.len(), ROWS.len(), "a row each");
}

#[test]
fn each_error_is_reached_with_its_facts_and_the_card_works_afterwards() {
    for row in ROWS {
        let bench = Bench::new();
        let Told { error, session } = (row.reach)(&bench);
        assert!(error.as_ref().is_none_or(row.is), "{}: {error:?}", row.error);
        assert_eq!(session.is_some(), row.after == After::Session, "{}", row.error);
        if row.after == After::Reset {
            assert!(
                km::Session::builder().on(&bench.card).open().is_err(),
                "{}: no reset was needed",
                row.error
            );
            bench.card.reset();
        }
        works(&session.unwrap_or_else(|| bench.session()), row.error);
    }
}

#[test]
fn the_page_of_faults_has_the_same_rows() {
    let page = include_str!("../../../docs/faults.md");
    let (_, table) = page.split_once("\n| error | reached by | afterwards |\n|---|---|---|\n").unwrap();
    let rows: BTreeSet<(String, String)> = table
        .lines()
        .map_while(|line| line.strip_prefix("| `")?.strip_suffix(" |"))
        .filter_map(|row| Some((row.split_once('`')?.0.to_owned(), row.rsplit_once(" | ")?.1.to_owned())))
        .collect();
    let cases = ROWS.iter().map(|row| (row.error.to_owned(), format!("{:?}", row.after).to_lowercase()));
    assert_eq!(rows, cases.collect());
    for breakage in
        ["Lose", "Hang", "Refuse", "KillClient", "Poke", "Hold", "Scramble", "Freeze", "Trap", "Drop"]
    {
        assert!(table.contains(&format!("`{breakage}`")), "{breakage}");
    }
}
