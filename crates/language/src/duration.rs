//! Times with their unit: `200 ms`.

use komorebi_abi::engine::DEADLINE_UNITS;
use proc_macro2::{Ident, TokenStream};
use syn::Lit;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};

/// How to write one.
pub(crate) const HELP: &str =
    "write a number with its unit, as in `deadline = 200 ms`; units are `us`, `ms`, `s` and `min`";

/// `200 ms`, `200ms`, `1.5 s`: microseconds, or what is wrong with the deadline.
pub(crate) fn parse_deadline(tokens: TokenStream) -> Result<u64, String> {
    let read = |input: ParseStream<'_>| {
        let amount: Lit = input.parse()?;
        let unit = if input.is_empty() { None } else { Some(input.call(Ident::parse_any)?) };
        Ok((amount, unit, input.parse::<TokenStream>()?))
    };
    let none = || "the deadline is no number with a unit".to_owned();
    let (amount, unit, rest) = read.parse2(tokens).map_err(|_| none())?;
    let (digits, suffix) = match &amount {
        Lit::Int(lit) => (lit.base10_digits().to_owned(), lit.suffix().to_owned()),
        Lit::Float(lit) => (lit.base10_digits().to_owned(), lit.suffix().to_owned()),
        _ => (String::new(), String::new()),
    };
    let unit = unit.map_or(suffix, |unit| unit.to_string());
    let amount: Option<f64> = digits.parse().ok();
    let amount = amount.filter(|_| rest.is_empty()).ok_or_else(none)?;
    let Some((_, scale)) = DEADLINE_UNITS.iter().find(|(known, _)| *known == unit) else {
        return Err(match unit.as_str() {
            "" => format!("the deadline of {digits} has no unit"),
            unit => format!("the deadline has the unit `{unit}`"),
        });
    };
    // Exact far beyond the longest deadline, and saturating behind that.
    Ok((amount * *scale as f64).round() as u64)
}
