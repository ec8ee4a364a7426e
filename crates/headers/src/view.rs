//! What names mean in a scope of a header that is being read.

use crate::entry::Entry;
use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::name::{Name, Names};
use crate::scope::{Entity, ScopeId, Scopes};
use crate::types::{Type, Typed};

/// The names seen from one scope.
pub(crate) struct View<'a> {
    pub(crate) scopes: &'a Scopes<'a>,
    pub(crate) entries: &'a [Entry<'a>],
    pub(crate) scope: ScopeId,
}

impl View<'_> {
    fn unknown(&self, name: &Name<'_>) -> Fault {
        let fault =
            Fault::at(ErrorKind::UnknownName, format!("unknown name `{}`", name.written()), name.place);
        match self.scopes.suggest(name, self.entries) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault,
        }
    }
}

impl Names for View<'_> {
    fn type_named(&self, name: &Name<'_>) -> Option<Type> {
        let found = self.scopes.find(self.scope, name, |entity| !matches!(entity, Entity::Scope(_)));
        match found.as_slice() {
            [Entity::Type(ty)] => Some(*ty),
            _ => None,
        }
    }

    fn constant(&self, name: &Name<'_>, live: bool) -> Result<Typed, Fault> {
        let found = self.scopes.find(self.scope, name, |entity| !matches!(entity, Entity::Scope(_)));
        let Some(first) = found.first() else { return Err(self.unknown(name)) };
        let constants = || {
            found.iter().filter_map(|entity| match entity {
                Entity::Constant(index) => self.entries.get(*index),
                _ => None,
            })
        };
        let Some(constant) = constants().next().filter(|_| constants().count() == found.len()) else {
            let what = match first {
                Entity::Type(_) => "a type",
                Entity::Other(what) => what,
                Entity::Constant(_) | Entity::Scope(_) => "declared in several ways",
            };
            if !live {
                return Ok(Typed::UNKNOWN);
            }
            let message = format!("`{}` is {what}, not a constant", name.written());
            return Err(Fault::at(ErrorKind::NotAConstant, message, name.place));
        };
        if let Some(other) = constants().find(|other| other.path != constant.path) {
            let message = format!("`{}` may be `{}` or `{}`", name.written(), constant.path, other.path);
            return Err(Fault::at(ErrorKind::Ambiguous, message, name.place));
        }
        let number = |entry: &Entry<'_>| entry.value.as_ref()?.as_ref().ok().copied();
        if constants().any(|other| number(other) != number(constant)) {
            let message = format!("`{}` is declared with different values", name.written());
            return Err(Fault::at(ErrorKind::Conflict, message, name.place));
        }
        let fault = match &constant.value {
            Some(Ok(value)) => return Ok(*value),
            _ if !live => return Ok(Typed { ty: constant.ty, number: 0 }),
            Some(Err(fault)) => fault,
            None => &constant.unfinished(),
        };
        let message = format!("`{}` has no value", name.written());
        let mut derived = Fault::at(fault.kind, message, name.place);
        let cause = fault.cause.clone();
        derived.cause = Some(cause.unwrap_or_else(|| (fault.message.clone(), fault.at)));
        Err(derived)
    }
}
