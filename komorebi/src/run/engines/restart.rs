//! Running a kept graph again.

use std::sync::Arc;
use std::time::Duration;

use komorebi_abi::engine::{Run as RunWords, UploadKind};

use super::super::state::State;
use super::super::{Run, RunCore};
use super::{Engines, TIMEOUT};
use crate::Result;
use crate::engine::{Bound, Engine, EngineHandle, EngineType, Untyped, Upload, UploadState, Uploaded};
use crate::error::UploadError;

mod sealed {
    pub trait Sealed {}
    impl Sealed for u16 {}
    impl<T> Sealed for &super::Upload<T> {}
}

/// What names a kept graph: its req, or its upload, which types its bindings and its end.
pub trait Restart: sealed::Sealed {
    /// The type of the graph.
    type Of: EngineType;

    /// Its req, and its upload if it is known.
    #[doc(hidden)]
    fn target(self) -> Target;
}

/// A kept graph as it is named.
pub struct Target {
    req: u16,
    upload: Option<Arc<Uploaded>>,
}

impl Restart for u16 {
    type Of = Untyped;

    fn target(self) -> Target {
        Target { req: self, upload: None }
    }
}

impl<T: EngineType> Restart for &Upload<T> {
    type Of = T;

    fn target(self) -> Target {
        Target { req: self.req(), upload: Some(self.uploaded.clone()) }
    }
}

impl<P> Run<P> {
    /// Runs a kept graph again with new bindings and no new upload, and returns when the dispatcher has taken it, within
    /// 10 s. `kept` is its req, or its upload, whose type is then the handle's.
    ///
    /// # Errors
    /// As [`start_with`](Self::start_with); [`Error::Upload`](crate::Error::Upload) when the engine with this req still
    /// runs; [`Error::EngineRejected`](crate::Error::EngineRejected), reason `req`, when no graph of it is kept.
    pub fn restart<K: Restart>(
        &self,
        kept: K,
        bindings: impl Into<<K::Of as EngineType>::Bindings>,
    ) -> Result<EngineHandle<K::Of>> {
        self.restart_with(kept, bindings, TIMEOUT)
    }

    /// [`restart`](Self::restart) with another timeout for the dispatcher's answer, on the card's clock.
    ///
    /// # Errors
    /// As [`restart`](Self::restart).
    pub fn restart_with<K: Restart>(
        &self,
        kept: K,
        bindings: impl Into<<K::Of as EngineType>::Bindings>,
        timeout: Duration,
    ) -> Result<EngineHandle<K::Of>> {
        let mut state = self.core.state()?;
        let Target { req, upload } = kept.target();
        let upload = self.core.kept(&state.engines, req, upload)?;
        let names = upload.as_ref().and_then(|upload| upload.names.as_deref());
        let bound = K::Of::words(bindings.into(), names)?.0;
        self.core.restart(&mut state, req, upload.as_ref(), bound, timeout).map(EngineHandle::new)
    }
}

impl RunCore {
    /// The kept upload that is meant; `None` when this run knows none of this req.
    fn kept(
        &self,
        engines: &Engines,
        req: u16,
        upload: Option<Arc<Uploaded>>,
    ) -> Result<Option<Arc<Uploaded>>> {
        if let Some(upload) = upload {
            self.check_load("upload", upload.load)?;
            return match upload.state() {
                UploadState::Kept => Ok(Some(upload)),
                state => Err(UploadError::State { req, state }.into()),
            };
        }
        if engines.engine(req).is_some() {
            return Err(UploadError::Req { req }.into());
        }
        Ok(engines.kept(req).cloned())
    }

    fn restart(
        &self,
        state: &mut State,
        req: u16,
        upload: Option<&Arc<Uploaded>>,
        bound: Bound,
        timeout: Duration,
    ) -> Result<Arc<Engine>> {
        let run = |bindings| RunWords::Restart { req, bindings };
        self.launch(state, (UploadKind::Graph, req), upload, bound, timeout, run)
    }
}
