//! The low and the high costs of the simulated card (docs/costs.md): the same work again, for the range of its card time.

use komorebi as km;
use komorebi_sim as sim;

/// What the same work gives at low and at high costs; its second argument is a name for what it shows. `None` where time is
/// not a model's.
///
/// # Errors
/// The session's and the work's.
pub(crate) fn low_and_high<T, E: From<km::Error>>(
    session: &km::Session,
    work: impl Fn(&km::Session, &'static str) -> Result<T, E>,
) -> Result<Option<[T; 2]>, E> {
    if session.world() != km::World::Simulated {
        return Ok(None);
    }
    let at = |costs, name| {
        let card = sim::Card::builder().costs(costs).build();
        work(&km::Session::builder().on(&card).open()?, name)
    };
    Ok(Some([at(sim::Setting::Low, "again, low")?, at(sim::Setting::High, "again, high")?]))
}
