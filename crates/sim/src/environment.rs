//! What the environment asks of simulated cards that do not say it themselves, for debugging: `KM_SEED` and `KM_PARKING`.

use std::env;

/// The variable with the seed of every card that is built without one.
const SEED: &str = "KM_SEED";
/// The variable that turns parking off in every card that is built without a word about it.
const PARKING: &str = "KM_PARKING";

/// The defaults of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Environment {
    pub(crate) seed: u64,
    pub(crate) parking: bool,
    /// What is wrong with a variable: such a card refuses its claim.
    pub(crate) wrong: Option<String>,
}

impl Environment {
    /// As the process has it; an empty variable is none, as of all others.
    pub(crate) fn read() -> Self {
        Self::of(|name| Some(env::var_os(name)?.to_string_lossy().into_owned()))
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let variable = |name| variable(name).filter(|text| !text.is_empty());
        let mut found = Self { seed: 0, parking: true, wrong: None };
        if let Some(text) = variable(SEED) {
            match text.parse() {
                Ok(seed) => found.seed = seed,
                Err(_) => found.wrong = Some(format!("{SEED} is `{text}`; a seed is a number below 2^64")),
            }
        }
        match variable(PARKING).as_deref() {
            None | Some("on") => {}
            Some("off") => found.parking = false,
            Some(text) => found.wrong = Some(format!("{PARKING} is `{text}`; it is `on` or `off`")),
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(set: &[(&str, &str)]) -> Environment {
        Environment::of(|name| set.iter().find(|(n, _)| *n == name).map(|(_, text)| (*text).to_owned()))
    }

    #[test]
    fn the_variables_give_seed_and_parking() {
        for none in [&[][..], &[("KM_SEED", ""), ("KM_PARKING", "")]] {
            assert_eq!(of(none), Environment { seed: 0, parking: true, wrong: None });
        }
        let set = of(&[("KM_SEED", "18446744073709551615"), ("KM_PARKING", "off")]);
        assert_eq!(set, Environment { seed: u64::MAX, parking: false, wrong: None });
        assert!(of(&[("KM_PARKING", "on")]).parking);
    }

    #[test]
    fn what_is_no_value_is_told() {
        for (name, text) in [("KM_SEED", " "), ("KM_SEED", "-1"), ("KM_SEED", "0x1"), ("KM_PARKING", "no")] {
            let wrong = of(&[(name, text)]).wrong.expect("it is told");
            assert!(wrong.contains(name) && wrong.contains(&format!("`{text}`")), "{wrong}");
        }
    }
}
