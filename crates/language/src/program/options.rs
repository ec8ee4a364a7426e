//! `compute(..)` and `opt(..)`: how the kernels are built.

use komorebi_abi::constants::core;
use komorebi_abi::program::{Compute, Kernel, MathFidelity, OptLevel, Rule, UnpackMode};

use super::attribute::{ComputeParts, PerKernel};
use super::collect::Collect;
use super::number::{WORD, resolve};
use crate::errors::{Errors, Message};
use crate::parts::{parse_fields, parse_parts};
use crate::value::Value;

/// Reads `compute(..)`.
pub(crate) fn collect_compute(value: &Value, into: &mut Collect<'_>) {
    let Value::Parts(tokens, _) = value else {
        let message =
            Message::new(Rule::Field, format!("`compute` is a list of options, found {}", value.describe()));
        into.errors.push(
            value.anchor(),
            &message.help("write it as in `compute(math_fidelity = HiFi4, fp32_dest_acc_en)`"),
        );
        return;
    };
    let parts: ComputeParts = parse_fields(tokens.clone(), "`compute`", &Compute::FIELDS, into.errors);
    let fidelities = [MathFidelity::LoFi, MathFidelity::HiFi2, MathFidelity::HiFi3, MathFidelity::HiFi4];
    let fidelity =
        choose(parts.math_fidelity.as_ref(), "a math fidelity", &fidelities, MathFidelity::name, into.errors);
    let errors = &mut *into.errors;
    let mut flag = |name: &str, value: &Option<Value>| flag(name, value.as_ref(), errors);
    let mut compute = Compute {
        math_fidelity: fidelity.unwrap_or_default(),
        unpack_to_dest_mode: Vec::new(),
        fp32_dest_acc_en: flag("fp32_dest_acc_en", &parts.fp32_dest_acc_en),
        math_approx_mode: flag("math_approx_mode", &parts.math_approx_mode),
        dst_full_sync_en: flag("dst_full_sync_en", &parts.dst_full_sync_en),
        bfp8_pack_precise: flag("bfp8_pack_precise", &parts.bfp8_pack_precise),
        enable_trisc2_rvv: flag("enable_trisc2_rvv", &parts.enable_trisc2_rvv),
    };
    if let Some(value) = &parts.unpack_to_dest_mode {
        compute.unpack_to_dest_mode = unpack_modes(value, into);
    }
    into.model.compute = compute;
}

/// Reads `opt(..)`.
pub(crate) fn collect_opt(value: &Value, into: &mut Collect<'_>) {
    let Value::Parts(tokens, _) = value else {
        let message = Message::new(
            Rule::Field,
            format!("`opt` is a level for each kernel, found {}", value.describe()),
        );
        into.errors.push(value.anchor(), &message.help("write it as in `opt(reader = Os, writer = Os)`"));
        return;
    };
    let parts: PerKernel = parse_fields(tokens.clone(), "`opt`", &PerKernel::PARTS, into.errors);
    for (level, value) in into.model.opt.iter_mut().zip(parts.in_order()) {
        *level = choose(value.as_ref(), "an optimisation level", &OptLevel::ALL, OptLevel::name, into.errors);
    }
}

/// Reads `compile_args(..)`.
pub(crate) fn collect_compile_args(value: &Value, into: &mut Collect<'_>) {
    let example = "write them as in `compile_args(reader = [1, 2])`";
    let Value::Parts(tokens, _) = value else {
        let message = Message::new(
            Rule::Field,
            format!("`compile_args` are words for each kernel, found {}", value.describe()),
        );
        into.errors.push(value.anchor(), &message.help(example));
        return;
    };
    let parts: PerKernel = parse_fields(tokens.clone(), "`compile_args`", &PerKernel::PARTS, into.errors);
    for (i, (kernel, value)) in Kernel::ALL.into_iter().zip(parts.in_order()).enumerate() {
        let Some(value) = value else { continue };
        let Value::List(words, _) = &value else {
            let text = format!(
                "compile-time arguments of the {} are a list, found {}",
                kernel.name(),
                value.describe()
            );
            let help = match &value {
                Value::Int(word) => format!("write `{} = [{word}]`", kernel.name()),
                _ => example.to_owned(),
            };
            into.errors.push(value.anchor(), &Message::new(Rule::Field, text).help(help));
            continue;
        };
        let what = format!("a compile-time argument of the {}", kernel.name());
        into.model.compile_args[i] =
            words.iter().filter_map(|word| resolve(word, &what, WORD, into.header, into.errors)).collect();
    }
}

/// One mode for all circular buffers, or one for each that is named.
fn unpack_modes(value: &Value, into: &mut Collect<'_>) -> Vec<(u32, UnpackMode)> {
    let Value::Parts(tokens, _) = value else {
        let mode = unpack_mode(value, into.errors).unwrap_or_default();
        return match mode {
            UnpackMode::Default => Vec::new(),
            UnpackMode::UnpackToDestFp32 => (0..core::BUFFERS).map(|index| (index, mode)).collect(),
        };
    };
    let mut modes = Vec::new();
    let parts = parse_parts(tokens.clone(), "`unpack_to_dest_mode`", into.errors);
    let given: Vec<String> = parts.iter().map(|part| part.name.clone()).collect();
    for part in parts {
        let named = |buffer: &&komorebi_abi::program::Buffer| buffer.name.as_ref() == Some(&part.name);
        let index = into.model.buffers.iter().find(named).map(|buffer| buffer.index);
        let value = <Value as darling::FromMeta>::from_meta(&part.meta).unwrap_or(Value::Word(part.key));
        let mode = unpack_mode(&value, into.errors);
        match index {
            Some(index) => {
                modes.extend(mode.filter(|mode| *mode != UnpackMode::Default).map(|mode| (index, mode)))
            }
            None => {
                let known = into.model.buffers.iter().filter_map(|buffer| buffer.name.as_deref());
                let message =
                    Message::new(Rule::Choice, format!("the program has no buffer `{}`", part.name));
                into.errors.push(
                    part.key,
                    &message.nearest_free(&part.name, known, "`unpack_to_dest_mode`", &given),
                );
            }
        }
    }
    modes
}

fn unpack_mode(value: &Value, errors: &mut Errors) -> Option<UnpackMode> {
    let name = |mode| match mode {
        UnpackMode::Default => "Default",
        UnpackMode::UnpackToDestFp32 => "UnpackToDestFp32",
    };
    choose(Some(value), "an unpack mode", &[UnpackMode::UnpackToDestFp32, UnpackMode::Default], name, errors)
}

/// The one of `all` that `value` names.
pub(super) fn choose<T: Copy>(
    value: Option<&Value>,
    what: &str,
    all: &[T],
    name_of: impl Fn(T) -> &'static str,
    errors: &mut Errors,
) -> Option<T> {
    let value = value?;
    let names: Vec<&str> = all.iter().map(|item| name_of(*item)).collect();
    if let Value::Name(name, anchor) = value {
        let found = names.iter().position(|known| known == name);
        if found.is_none() {
            let message = Message::new(Rule::Choice, format!("`{name}` is not {what}"));
            errors.push(*anchor, &message.nearest(name, names.iter().copied()));
        }
        return found.map(|i| all[i]);
    }
    let message = Message::new(Rule::Choice, format!("expected {what}, found {}", value.describe()));
    errors.push(value.anchor(), &message.help(expected_name(value, &names)));
    None
}

/// The help where a name of `known` was expected and none was written.
pub(super) fn expected_name(value: &Value, known: &[&str]) -> String {
    match value {
        Value::Text(text) if known.contains(&text.value().as_str()) => {
            format!("write `{}`, without quotes", text.value())
        }
        _ if known.len() == 1 => format!("the only one is `{}`; without it, leave the part out", known[0]),
        _ => format!("known are `{}`", known.join("`, `")),
    }
}

/// `name` or `name = true`.
fn flag(name: &str, value: Option<&Value>, errors: &mut Errors) -> bool {
    match value {
        None => false,
        Some(Value::Word(_)) => true,
        Some(Value::Bool(literal)) => literal.value,
        Some(other) => {
            let message =
                Message::new(Rule::Choice, format!("`{name}` is on or off, found {}", other.describe()));
            errors.push(other.anchor(), &message.help(format!("write `{name}` or `{name} = false`")));
            false
        }
    }
}
