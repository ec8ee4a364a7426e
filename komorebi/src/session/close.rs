//! Closing: the grid and the image are stopped first, the card is released last.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use komorebi_abi::constants::monitor;

use super::{HartState, Inner, exit};
use crate::Result;
use crate::error::KernelFailed;
use crate::run::teardown::{self, NOT_BACK};

impl Inner {
    /// Stops what is loaded, takes the harts back, releases the card. Once that is done, a second call does nothing.
    ///
    /// A clean-up that fails on a card that still answers leaves everything as it is, so that the next close tries again.
    pub(super) fn close(&self) -> Result<()> {
        let span = tracing::info_span!("close");
        let _entered = span.enter();
        let _alone = self.gate.write().unwrap_or_else(PoisonError::into_inner);
        if self.closed.load(Ordering::Acquire) {
            return Ok(());
        }
        let cleaned = self.clean_up();
        match &cleaned {
            Err(error) if !error.is_final() => {
                tracing::warn!(%error, "the clean-up failed: the card is kept until another one");
                return Err(error.clone());
            }
            _ => self.let_go(),
        }
        let harts = cleaned?;
        if harts.iter().all(|state| matches!(state, HartState::Parked { .. } | HartState::Trapped { .. })) {
            return Ok(());
        }
        Err(KernelFailed { what: NOT_BACK.to_owned(), trap: None, result: None, harts, post_mortem: None }
            .into())
    }

    /// Gives what the monitor says about each hart in the end.
    fn clean_up(&self) -> Result<Vec<HartState>> {
        let loaded = self.loaded().clone();
        if let Some(loaded) = loaded {
            tracing::info!("a run is loaded: stopping it");
            let hold = teardown::Hold {
                card: &*self.card,
                cluster: &self.cluster,
                tiles: &loaded.tiles,
                kernels: &loaded.kernels,
                trace: loaded.trace,
                patience: self.patience(),
            };
            let teardown = hold.force()?;
            *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some((loaded.number, teardown));
            *self.loaded() = None;
        }
        (0..monitor::HARTS).try_for_each(|hart| self.cluster.take_back(hart).map(|_| ()))?;
        self.card.set_cleanup(None)?;
        Ok(self.cluster.harts()?.to_vec())
    }

    /// Gives the card back, whatever it does: the driver's close does the one write that tells a dispatcher to finish.
    fn let_go(&self) {
        self.closed.store(true, Ordering::Release);
        self.card.release();
        tracing::info!("the card is released");
        *self.loaded() = None; // with the host memory the dispatcher wrote: nobody writes it any more
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let _dropping = exit::Dropping::of(self);
        let Err(error) = self.close() else { return };
        tracing::warn!(%error, "the session did not close cleanly");
        if !self.closed.load(Ordering::Acquire)
            && let Err(error) = self.close()
        {
            // Nobody is left to try again.
            tracing::warn!(%error, "the session did not close cleanly at the second try either");
            if !self.closed.load(Ordering::Acquire) {
                self.let_go();
            }
        }
    }
}
