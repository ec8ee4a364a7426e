//! What can be uploaded.

use komorebi_abi::constants::engine as c;
use komorebi_abi::engine::{DeclaredUpload, Encoded, Facts, Image, UploadFor, UploadKind};
use komorebi_abi::graph::Graph;
use komorebi_abi::stream::Stream;

use super::via::{Built, Bytes, Declared};
use super::{EngineType, Untyped};
use crate::error::UploadError;

/// An upload's bytes, with what its starts need to know.
pub struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) kind: UploadKind,
    pub(crate) req: u16,
    pub(crate) keep: bool,
    pub(crate) names: Option<Vec<Option<String>>>,
}

/// What a run of program `P` uploads: a type that `km::graph!` or `km::stream!` declared for `P`, a `&Graph`, a `&Stream`, a
/// `&Encoded`, or bytes with a kind, `(&bytes, UploadKind::Graph)`. `Via` is one of [`via`](crate::via), and is inferred.
pub trait UploadSource<P, Via> {
    /// The type of its upload.
    type Of: EngineType;

    /// Its bytes, for a program of these facts.
    #[doc(hidden)]
    fn content(self, facts: &Facts) -> Result<Content, UploadError>;
}

impl<P, D: UploadFor<P> + DeclaredUpload> UploadSource<P, Declared> for D {
    type Of = D;

    fn content(self, _: &Facts) -> Result<Content, UploadError> {
        Ok(Content {
            bytes: D::BYTES.to_vec(),
            kind: D::KIND,
            req: D::REQ,
            keep: D::KEEP,
            names: Some(D::BINDINGS.iter().map(|&name| Some(name.to_owned())).collect()),
        })
    }
}

impl<P> UploadSource<P, Built> for &Graph {
    type Of = Untyped;

    fn content(self, facts: &Facts) -> Result<Content, UploadError> {
        self.encode(facts).map(content).map_err(|problems| UploadError::Problems { what: "graph", problems })
    }
}

impl<P> UploadSource<P, Built> for &Stream {
    type Of = Untyped;

    fn content(self, facts: &Facts) -> Result<Content, UploadError> {
        self.encode(facts).map(content).map_err(|problems| UploadError::Problems { what: "stream", problems })
    }
}

impl<P> UploadSource<P, Built> for &Encoded {
    type Of = Untyped;

    fn content(self, _: &Facts) -> Result<Content, UploadError> {
        Ok(content(self.clone()))
    }
}

impl<P, B: AsRef<[u8]>> UploadSource<P, Bytes> for (B, UploadKind) {
    type Of = Untyped;

    fn content(self, _: &Facts) -> Result<Content, UploadError> {
        let (bytes, kind) = (self.0.as_ref().to_vec(), self.1);
        // The host checks nothing: of what is no upload, the dispatcher's events carry the bits where a req would be.
        let req = Image::peek(&bytes).map_or(0, |(_, req)| req);
        let flags = head(&bytes) >> c::HEAD_UPLOAD_FLAGS_SHIFT;
        let keep = kind == UploadKind::Graph && flags & u64::from(c::UPLOAD_KEEP) != 0;
        Ok(Content { bytes, kind, req, keep, names: None })
    }
}

fn content(encoded: Encoded) -> Content {
    let Encoded { bytes, kind, req, keep, bindings } = encoded;
    Content { bytes, kind, req, keep, names: Some(bindings) }
}

/// The first word of an upload, of which the missing bytes are 0.
pub(crate) fn head(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
    u64::from_le_bytes(word)
}
