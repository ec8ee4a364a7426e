//! `inspect`: what a card does that another process holds.

use crate::arguments::InspectArguments;
use crate::failure::Failure;
use crate::{headers, output};
use komorebi_abi::program::handler_name;
use komorebi_simcard::Look;
use std::path::Path;
use std::sync::Arc;

/// The variable that names the card when the command line does not.
const VARIABLE: &str = "KM_CARD";

/// Reads the card and prints its story.
pub(crate) fn run(arguments: &InspectArguments) -> Result<(), Failure> {
    let variable = || std::env::var(VARIABLE).ok().filter(|value| !value.is_empty());
    let card = arguments.card.clone().or_else(variable);
    let Some(path) = card.as_deref().and_then(|card| card.strip_prefix("sim:")) else {
        let found = card
            .map_or_else(|| format!("no card is named, and no {VARIABLE},"), |card| format!("no `{card}`"));
        return Err(Failure::NoCard { found });
    };
    let look = Look::connect(path).map_err(|error| Failure::Inspect(error.to_string()))?;
    let lost = |error: komorebi_card::CardError| Failure::Inspect(error.to_string());
    // Nobody's card has its X280's clock stopped, and nothing runs on it.
    let Some(holder) = look.holder().map_err(lost)? else {
        return output::write("Nobody holds the card: nothing runs on it.\n", None);
    };
    let handlers = arguments.header.as_deref().map_or_else(|| Ok(Vec::new()), handlers)?;
    let story = komorebi::inspect(Arc::new(look), &holder.to_string(), handlers);
    output::write(&story.map_err(|error| Failure::Inspect(error.to_string()))?.explain(), None)
}

/// The handlers of a program's header.
fn handlers(path: &Path) -> Result<Vec<(u8, String)>, Failure> {
    let header = headers::read(path, &[], &[])?;
    let handlers = headers::own(&header).filter_map(|constant| {
        let number = u8::try_from(constant.value.number).ok()?;
        Some((number, handler_name(&constant.name)?))
    });
    Ok(handlers.collect())
}
