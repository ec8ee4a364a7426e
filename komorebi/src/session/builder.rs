//! Which card, and how it is opened.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use komorebi_abi::constants::layout;
use komorebi_card::Card;
use komorebi_simcard::RemoteCard;

use super::{Session, open, pll};
use crate::error::CardSetting;
use crate::load::check_time;
use crate::{Error, Result};

/// The variable that names the world when the program does not.
const VARIABLE: &str = "KM_CARD";

enum Choice {
    /// `KM_CARD`, or a simulated card.
    Default,
    /// `/dev/tenstorrent/n`.
    Device(u32),
    /// A simulated card that another process serves at this socket.
    SimCard(PathBuf),
    /// A card the caller has.
    Given(Arc<dyn Card>),
}

/// Settings of a session to open.
pub struct SessionBuilder {
    choice: Choice,
    pub(super) pll_mhz: u32,
    pub(super) grid_timeout: Duration,
    pub(super) kernel_bytes: Option<u32>,
}

impl SessionBuilder {
    pub(super) fn new() -> Self {
        Self {
            choice: Choice::Default,
            pll_mhz: 1000,
            grid_timeout: Duration::from_secs(10),
            kernel_bytes: None,
        }
    }

    /// Opens `card`: a handle to a simulated card, for one.
    #[must_use]
    pub fn on<C: Card + Clone + 'static>(mut self, card: &C) -> Self {
        self.choice = Choice::Given(Arc::new(card.clone()));
        self
    }

    /// Opens `/dev/tenstorrent/number`, never a simulated card.
    #[must_use]
    pub fn card(mut self, number: u32) -> Self {
        self.choice = Choice::Device(number);
        self
    }

    /// Opens the simulated card that `cargo komorebi sim-card` serves at `socket`; `KM_CARD=sim:PATH` does the same.
    #[must_use]
    pub fn sim_card(mut self, socket: impl Into<PathBuf>) -> Self {
        self.choice = Choice::SimCard(socket.into());
        self
    }

    /// The clock of the X280 clusters: 200, 800, 1000 (the default) or 1750 MHz. 1750 loses loads when the grid is under
    /// full matrix load, since the card then lowers its core voltage: it is for callers who know theirs.
    #[must_use]
    pub fn pll_mhz(mut self, mhz: u32) -> Self {
        self.pll_mhz = mhz;
        self
    }

    /// How long the grid's kernels may take to return, 1 us to a day on the card's clock, 10 s unless set. An abort waits 2 s
    /// at most.
    #[must_use]
    pub fn grid_timeout(mut self, timeout: Duration) -> Self {
        self.grid_timeout = timeout;
        self
    }

    /// Bytes of each core's L1 that hold the kernels and their arguments: a multiple of 64 from 64 to 1,531,712. `None`
    /// keeps 70,656. Every byte added is taken from the L1 left for circular buffers.
    #[must_use]
    pub fn kernel_bytes(mut self, bytes: impl Into<Option<u32>>) -> Self {
        self.kernel_bytes = bytes.into();
        self
    }

    /// Opens the card: takes it, brings the X280 cluster under the monitor, sets its clock.
    ///
    /// # Errors
    /// [`Error::NotPresent`] and [`Error::NoSimCard`] where there is no such device, [`Error::CardBusy`] while another process holds it,
    /// [`Error::StartError`] when harts run that are not ours, [`Error::PllClock`], [`Error::LoadOption`] for
    /// `kernel_bytes` and `grid_timeout`, [`Error::Firmware`] when the firmware cannot be built.
    pub fn open(self) -> Result<Session> {
        let pll = pll::Step::of(self.pll_mhz)?;
        check_time("grid_timeout", self.grid_timeout)?;
        if let Some(bytes) = self.kernel_bytes {
            let (step, most) = (layout::KERNEL_BYTES_STEP, layout::KERNEL_BYTES_MAX);
            if bytes == 0 || bytes > most || !bytes.is_multiple_of(step) {
                return Err(Error::LoadOption {
                    name: "kernel_bytes",
                    found: bytes.to_string(),
                    expected: format!("give a multiple of {step} from {step} to {most}"),
                });
            }
        }
        let card = match &self.choice {
            Choice::Given(card) => card.clone(),
            Choice::Device(number) => device(*number, CardSetting::Card(*number))?,
            Choice::SimCard(path) => served(path, CardSetting::SimCard(path.clone()))?,
            Choice::Default => from_environment(std::env::var_os(VARIABLE))?,
        };
        open::open(card, &self, pll)
    }
}

fn simulated() -> Arc<dyn Card> {
    Arc::new(komorebi_sim::Card::builder().build())
}

/// The simulated card that another process serves at `path`.
fn served(path: &Path, setting: CardSetting) -> Result<Arc<dyn Card>> {
    match RemoteCard::connect(path) {
        Ok(card) => Ok(Arc::new(card)),
        Err(cause) => Err(Error::NoSimCard { cause: Box::new(cause), setting }),
    }
}

/// `/dev/tenstorrent/number`.
fn device(number: u32, setting: CardSetting) -> Result<Arc<dyn Card>> {
    let path = PathBuf::from(format!("/dev/tenstorrent/{number}"));
    if !path.exists() {
        return Err(Error::NotPresent { path, setting });
    }
    Err(Error::NotInThisVersion {
        what: format!("the driver for {}, which {setting} asks for,", path.display()),
        instead: setting.undo().into(),
    })
}

/// The card `KM_CARD` names.
fn from_environment(value: Option<OsString>) -> Result<Arc<dyn Card>> {
    let Some(value) = value.filter(|value| !value.is_empty()) else { return Ok(simulated()) };
    let value = value.into_string().map_err(|value| Error::Environment { value })?;
    if value == "sim" {
        return Ok(simulated());
    }
    if let Some(path) = value.strip_prefix("sim:").filter(|path| !path.is_empty()) {
        return served(Path::new(path), CardSetting::Variable(value.clone()));
    }
    if let Some(number) = value.strip_prefix("card:").and_then(|number| number.parse().ok()) {
        return device(number, CardSetting::Variable(value));
    }
    if value.starts_with("ttsim:") {
        return Err(Error::NotInThisVersion {
            what: format!("KM_CARD={value}"),
            instead: "set KM_CARD=sim to run on the simulated card".into(),
        });
    }
    Err(Error::Environment { value: value.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_not_there_is_never_replaced_by_a_simulation() {
        let error = Session::builder().card(4096).open().unwrap_err();
        assert!(matches!(&error, Error::NotPresent { path, .. } if path.ends_with("4096")), "{error}");
        let message = error.to_string();
        assert!(
            message.contains("card(4096) asks for") && message.contains("leave card(..) away"),
            "{message}"
        );
        let error = from_environment(Some("card:4096".into())).err().unwrap();
        let message = error.to_string();
        assert!(matches!(error, Error::NotPresent { .. }));
        assert!(
            message.contains("KM_CARD=card:4096 asks for") && message.contains("unset KM_CARD"),
            "{message}"
        );
        assert!(!message.contains("card(..)"), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn a_variable_that_is_no_text_is_not_taken_for_an_unset_one() {
        use std::os::unix::ffi::OsStringExt;
        let value = OsString::from_vec(b"sim\xFF".to_vec());
        let error = from_environment(Some(value)).err().unwrap();
        assert!(error.to_string().starts_with(r#"KM_CARD is "sim\xFF"; give"#), "{error}");
    }

    #[test]
    fn an_environment_this_version_cannot_serve_is_told_so() {
        let error = from_environment(Some("ttsim:/lib/libttsim.so".into())).err().unwrap();
        assert!(matches!(error, Error::NotInThisVersion { .. }), "{error}");
        for value in ["sim:/nowhere/card", "sim:"] {
            let error = from_environment(Some(value.into())).err().unwrap();
            let message = error.to_string();
            assert_eq!(matches!(error, Error::NoSimCard { .. }), value.len() > 4, "{message}");
            assert_eq!(
                message.contains("cargo komorebi sim-card /nowhere/card"),
                value.len() > 4,
                "{message}"
            );
        }
        let error = from_environment(Some("p150a".into())).err().unwrap();
        assert!(matches!(error, Error::Environment { .. }), "{error}");
    }

    #[test]
    fn a_kernel_buffer_off_the_step_is_refused_before_a_card_is_touched() {
        let error = Session::builder().kernel_bytes(100).open().unwrap_err();
        assert!(matches!(error, Error::LoadOption { name: "kernel_bytes", .. }), "{error}");
    }
}
