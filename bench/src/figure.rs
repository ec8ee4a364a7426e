//! A figure: a name, a value, its unit, and what it stands beside.

use serde_json::{Map, Value, json};
use std::fmt;

/// What a measurement gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) value: f64,
    /// Of card time: the value at low and at high costs (costs.md).
    pub(crate) range: Option<(f64, f64)>,
}

impl From<f64> for Reading {
    fn from(value: f64) -> Self {
        Self { value, range: None }
    }
}

/// A reading with its name.
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    /// A goal, or a figure measured elsewhere; what it is stands in `table.rs`.
    pub(crate) reference: Option<f64>,
    pub(crate) reading: Reading,
}

impl Figure {
    /// The figure as one JSON object.
    pub(crate) fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("name".into(), json!(self.name));
        object.insert("value".into(), json!(self.reading.value));
        object.insert("unit".into(), json!(self.unit));
        object.insert("reference".into(), json!(self.reference));
        if let Some((low, high)) = self.reading.range {
            object.insert("low".into(), json!(low));
            object.insert("high".into(), json!(high));
        }
        Value::Object(object)
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<20}{:>14}  {:<12}", self.name, short(self.reading.value), self.unit)?;
        match self.reading.range {
            Some((low, high)) => write!(f, "{:<20}", format!("{} .. {}", short(low), short(high)))?,
            None => write!(f, "{:<20}", "")?,
        }
        match self.reference {
            Some(reference) => write!(f, "{:>10}", short(reference)),
            None => write!(f, "{:>10}", "-"),
        }
    }
}

/// Four significant digits are more than a measurement on a shared machine is worth.
fn short(value: f64) -> String {
    if value == 0.0 || value.abs() >= 1000.0 {
        format!("{value:.0}")
    } else if value.abs() >= 100.0 {
        format!("{value:.1}")
    } else if value.abs() >= 10.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.3}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn card_time_has_a_range_in_json_and_others_have_none() {
        let reading = Reading { value: 1.25, range: Some((1.0, 1.5)) };
        let figure = Figure { name: "nop1_card_us_1000", unit: "us", reference: Some(1.228), reading };
        assert_eq!(
            figure.json().to_string(),
            r#"{"high":1.5,"low":1.0,"name":"nop1_card_us_1000","reference":1.228,"unit":"us","value":1.25}"#
        );
        let figure = Figure { name: "open_ms", unit: "ms", reference: None, reading: 7.0.into() };
        assert_eq!(
            figure.json().to_string(),
            r#"{"name":"open_ms","reference":null,"unit":"ms","value":7.0}"#
        );
    }

    #[test]
    fn values_are_printed_with_about_four_digits() {
        assert_eq!(
            [0.0, 1.2284, 17.0, 512.25, 61234.5].map(short),
            ["0", "1.228", "17.00", "512.2", "61234"]
        );
    }
}
