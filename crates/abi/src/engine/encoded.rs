//! An upload ready to be written, with what its starts need to know.

use super::{Header, Image, UploadKind, Variable, VariableKind};

/// An encoded graph or stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// Its bytes: whole lines.
    pub bytes: Vec<u8>,
    /// Stream or graph.
    pub kind: UploadKind,
    /// What its events carry.
    pub req: u16,
    /// The graph stays after its end event.
    pub keep: bool,
    /// Names of its bindings, in the order of their words.
    pub bindings: Vec<Option<String>>,
}

/// Why bindings given by name do not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// A name that is no binding.
    #[error("no binding is called `{name}`{}", near.as_ref().map_or_else(String::new, |near| format!(": did you mean `{near}`?")))]
    Unknown {
        /// The name.
        name: String,
        /// The nearest binding.
        near: Option<String>,
    },
    /// A binding that was not given.
    #[error("binding `{name}` is not given: add it to the start's bindings")]
    Missing {
        /// Its name.
        name: String,
    },
    /// More or fewer words than bindings.
    #[error("{given} binding words are given, {expected} are expected")]
    Count {
        /// Words given.
        given: usize,
        /// Bindings.
        expected: usize,
    },
}

impl Encoded {
    /// The bytes of an image whose builder has these variables.
    pub(crate) fn new(image: &Image, variables: &[Variable]) -> Self {
        let bindings = variables.iter().filter(|variable| variable.kind == VariableKind::Binding);
        let Header { kind, req, keep, .. } = image.header;
        let bindings = bindings.map(|variable| variable.name.clone()).collect();
        Self { bytes: image.encode(), kind, req, keep, bindings }
    }
}

/// The values of a start in the order of its bindings, which have these names.
///
/// # Errors
/// A name that is no binding, with the nearest; a binding without a value.
pub fn order_by_name<T>(
    names: &[Option<String>],
    values: impl IntoIterator<Item = (String, T)>,
) -> Result<Vec<T>, BindError> {
    let mut ordered: Vec<Option<T>> = names.iter().map(|_| None).collect();
    for (name, value) in values {
        match names.iter().position(|known| known.as_deref() == Some(&name)) {
            Some(at) => ordered[at] = Some(value),
            None => {
                let known = names.iter().flatten().map(String::as_str);
                let near = komorebi_headers::suggest::nearest(&name, known).map(str::to_owned);
                return Err(BindError::Unknown { name, near });
            }
        }
    }
    let missing = |at: usize| names[at].clone().unwrap_or_else(|| at.to_string());
    let value =
        |(at, value): (usize, Option<T>)| value.ok_or_else(|| BindError::Missing { name: missing(at) });
    ordered.into_iter().enumerate().map(value).collect()
}
