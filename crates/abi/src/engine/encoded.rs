//! An upload ready to be written, with what its starts need to know.

use super::{UploadKind, Variable, VariableKind};

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
    pub(crate) fn names(variables: &[Variable]) -> Vec<Option<String>> {
        variables
            .iter()
            .filter(|variable| variable.kind == VariableKind::Binding)
            .map(|variable| variable.name.clone())
            .collect()
    }

    /// The words of a start whose bindings are given by name.
    pub fn bind<'a>(&self, values: impl IntoIterator<Item = (&'a str, u32)>) -> Result<Vec<u32>, BindError> {
        let mut words = vec![None; self.bindings.len()];
        for (name, value) in values {
            match self.bindings.iter().position(|binding| binding.as_deref() == Some(name)) {
                Some(at) => words[at] = Some(value),
                None => {
                    let names = self.bindings.iter().flatten().map(String::as_str);
                    let near = komorebi_headers::suggest::nearest(name, names).map(str::to_owned);
                    return Err(BindError::Unknown { name: name.to_owned(), near });
                }
            }
        }
        let missing = |at: usize| self.bindings[at].clone().unwrap_or_else(|| format!("{at}"));
        words
            .into_iter()
            .enumerate()
            .map(|(at, word)| word.ok_or_else(|| BindError::Missing { name: missing(at) }))
            .collect()
    }

    /// The words of a start whose bindings are given in their order.
    pub fn bind_list(&self, values: &[u32]) -> Result<Vec<u32>, BindError> {
        if values.len() == self.bindings.len() {
            Ok(values.to_vec())
        } else {
            Err(BindError::Count { given: values.len(), expected: self.bindings.len() })
        }
    }
}
