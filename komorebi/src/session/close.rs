//! Closing: the grid and the image are stopped first, the card is released last.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use komorebi_abi::constants::monitor;

use super::Inner;
use crate::Result;
use crate::run::teardown;

impl Inner {
    /// Stops what is loaded, takes the harts back, releases the card. A second call does nothing.
    pub(super) fn close(&self) -> Result<()> {
        if self.closed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let span = tracing::info_span!("close");
        let _entered = span.enter();
        let _alone = self.gate.write().unwrap_or_else(PoisonError::into_inner);
        let loaded = self.loaded().take();
        let stopped = match &loaded {
            Some(loaded) => {
                tracing::info!("a run is loaded: stopping it");
                let hold = teardown::Hold {
                    card: &*self.card,
                    cluster: &self.cluster,
                    tiles: &loaded.tiles,
                    kernels: &loaded.kernels,
                    trace: loaded.trace,
                    patience: self.patience(),
                };
                hold.force().map(|teardown| {
                    let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
                    *ended = Some((loaded.number, teardown));
                })
            }
            None => Ok(()),
        };
        let parked = stopped
            .and_then(|()| (0..monitor::HARTS).try_for_each(|hart| self.cluster.take_back(hart).map(|_| ())));
        let cleared = self.card.set_cleanup(None);
        self.card.release();
        tracing::info!("the card is released");
        drop(loaded); // host memory the dispatcher wrote: nobody writes it any more
        parked?;
        Ok(cleared?)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::warn!(%error, "the session did not close cleanly");
        }
    }
}
