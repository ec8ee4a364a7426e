//! Constants of Rust's number types, `f32::MAX`, which no macro knows as such: what to write in their place.

use std::f32::consts;

/// The edit for a path like `f32::NAN`; `noun` is `graph` or `stream`.
pub(crate) fn primitive_advice(path: &str, noun: &str) -> Option<String> {
    let mut parts = path.rsplit("::");
    let (name, of) = (parts.next()?, parts.next()?);
    if let ("f32", Some(bits)) = (of, special(name)) {
        let compute = match noun {
            "graph" => format!("compute it in a cpu node, as in `special = f32::from_bits({bits:#x});`"),
            _ => format!("compute it into a register, as in `reg special: f32 = f32::from_bits({bits:#x});`"),
        };
        return Some(format!(
            "no literal of f32 says it: {compute}, or give it at each start: `bind special: f32;`"
        ));
    }
    let number = match (of, name) {
        ("u32", "MIN") | ("u64", "MIN") => 0.to_string(),
        ("u32", "MAX") => u32::MAX.to_string(),
        ("u64", "MAX") => u64::MAX.to_string(),
        ("i32", "MIN") => i32::MIN.to_string(),
        ("i32", "MAX") => i32::MAX.to_string(),
        ("f32" | "consts", _) => format!("{:?}", float(name)?),
        _ => return None,
    };
    Some(format!("a macro cannot see the value of a Rust constant: write the number, `{number}`"))
}

/// The bits of what f32 has beside numbers.
fn special(name: &str) -> Option<u32> {
    let value = match name {
        "NAN" => f32::NAN,
        "INFINITY" => f32::INFINITY,
        "NEG_INFINITY" => f32::NEG_INFINITY,
        _ => return None,
    };
    Some(value.to_bits())
}

fn float(name: &str) -> Option<f32> {
    Some(match name {
        "MAX" => f32::MAX,
        "MIN" => f32::MIN,
        "MIN_POSITIVE" => f32::MIN_POSITIVE,
        "EPSILON" => f32::EPSILON,
        "PI" => consts::PI,
        "TAU" => consts::TAU,
        "E" => consts::E,
        "SQRT_2" => consts::SQRT_2,
        "LN_2" => consts::LN_2,
        _ => return None,
    })
}
