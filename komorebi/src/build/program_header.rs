//! Writes `komorebi/program.h`: what a program's kernels know of its declaration.

use std::fmt::Write as _;

use komorebi_abi::program::{Arg, ArgKind, Buffer, Compute, Handler, Kernel, ProgramModel, UnpackMode};

/// The header for the kernels of `model`.
///
/// It holds, in `km::program`: the grid and depth, an index constant a named buffer (`kBufferInput`), a struct a handler
/// with its number and arguments, and each kernel's compile-time arguments; in `km::program::compute`, for compute kernels,
/// the compute options; and `KM_PROGRAM_HANDLERS(X)`, from which the command loops make their switch.
pub fn program_header(model: &ProgramModel) -> String {
    let mut text = String::new();
    // Writing into a string does not fail.
    let _ = write(&mut text, model);
    text
}

fn write(out: &mut String, model: &ProgramModel) -> std::fmt::Result {
    writeln!(out, "// Generated from the declaration of program `{}`.", model.name)?;
    writeln!(out, "#pragma once\n#include <stdint.h>\n\nnamespace km::program {{\n")?;
    if let Some((width, height)) = model.grid {
        writeln!(
            out,
            "constexpr uint32_t kGridWidth = {width};\nconstexpr uint32_t kGridHeight = {height};"
        )?;
    }
    writeln!(out, "constexpr uint32_t kDepth = {};\n", model.depth)?;
    write_buffers(out, model)?;
    write_compile_args(out, model)?;
    write_compute(out, &model.compute)?;
    model.handlers.iter().try_for_each(|handler| write_handler(out, handler))?;
    writeln!(out, "}}  // namespace km::program\n")?;
    // No handler is called like the parameter: their names have no underscore at the end.
    write!(out, "#define KM_PROGRAM_HANDLERS(KM_X_)")?;
    for handler in &model.handlers {
        write!(out, " KM_X_({})", handler.cpp_name())?;
    }
    writeln!(out)
}

fn write_buffers(out: &mut String, model: &ProgramModel) -> std::fmt::Result {
    for buffer in &model.buffers {
        let about =
            format!("{}, {} pages of {} bytes", buffer.format.name(), buffer.pages, buffer.page_bytes);
        match &buffer.name {
            Some(name) => writeln!(
                out,
                "constexpr uint32_t {} = {};  // {about}",
                Buffer::constant(name),
                buffer.index
            )?,
            None => writeln!(out, "// buffer {}: {about}", buffer.index)?,
        }
    }
    let mask =
        model.buffers.iter().fold(0u32, |mask, buffer| mask | 1u32.checked_shl(buffer.index).unwrap_or(0));
    writeln!(out, "constexpr uint32_t kBufferMask = {mask:#x};  // bit i: buffer i is the program's")?;
    // An array of no elements is no C++.
    let limit = (32 - mask.leading_zeros()).max(1);
    writeln!(out, "constexpr uint32_t kBufferLimit = {limit};  // one more than the highest index\n")
}

fn write_compile_args(out: &mut String, model: &ProgramModel) -> std::fmt::Result {
    writeln!(out, "// Compile-time arguments of this kernel.")?;
    // KM_THREAD: 0 is the reader, 1 the writer, 2 to 4 compute (core.h).
    let branches = [
        (Kernel::Reader, "#if KM_THREAD == 0"),
        (Kernel::Writer, "#elif KM_THREAD == 1"),
        (Kernel::Compute, "#else"),
    ];
    for (kernel, branch) in branches {
        let args = &model.compile_args[kernel as usize];
        let words: Vec<String> = args.iter().map(|word| format!("{word:#x}")).collect();
        let words = if words.is_empty() { "0".to_owned() } else { words.join(", ") };
        writeln!(out, "{branch}\nconstexpr uint32_t kCompileArgCount = {};", args.len())?;
        writeln!(out, "constexpr uint32_t kCompileArgs[] = {{{words}}};")?;
    }
    writeln!(out, "#endif\n")
}

/// What a compute kernel sets its units to. tt-metal gives its kernels the same choices as generated constants; it is the
/// kernel's code that follows them.
fn write_compute(out: &mut String, compute: &Compute) -> std::fmt::Result {
    let Compute {
        math_fidelity,
        unpack_to_dest_mode,
        fp32_dest_acc_en,
        math_approx_mode,
        dst_full_sync_en,
        bfp8_pack_precise,
        enable_trisc2_rvv,
    } = compute;
    let fp32 = unpack_to_dest_mode.iter().filter(|(_, mode)| *mode == UnpackMode::UnpackToDestFp32);
    let mask = fp32.fold(0u32, |mask, (index, _)| mask | 1u32.checked_shl(*index).unwrap_or(0));
    writeln!(out, "#if KM_THREAD >= 2\nnamespace compute {{")?;
    writeln!(out, "enum class MathFidelity : uint32_t {{ LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 }};")?;
    let fidelity = math_fidelity.name();
    writeln!(out, "constexpr MathFidelity kMathFidelity = MathFidelity::{fidelity};")?;
    writeln!(
        out,
        "constexpr uint32_t kMathFidelityPhases = {};  // passes of a multiplication",
        math_fidelity.phases()
    )?;
    writeln!(
        out,
        "constexpr uint32_t kUnpackToDestFp32 = {mask:#x};  // bit i: buffer i is unpacked to Dst, 32 bits wide"
    )?;
    for (name, value) in [
        ("kFp32DestAccEn", fp32_dest_acc_en),
        ("kMathApproxMode", math_approx_mode),
        ("kDstFullSyncEn", dst_full_sync_en),
        ("kBfp8PackPrecise", bfp8_pack_precise),
        ("kEnableTrisc2Rvv", enable_trisc2_rvv),
    ] {
        writeln!(out, "constexpr bool {name} = {value};")?;
    }
    writeln!(out, "}}  // namespace compute\n#endif\n")
}

fn write_handler(out: &mut String, handler: &Handler) -> std::fmt::Result {
    let name = handler.cpp_name();
    writeln!(
        out,
        "// `{}`{}",
        handler.name,
        if handler.result.is_some() { ", which has a result word" } else { "" }
    )?;
    writeln!(out, "struct {name} {{\n    static constexpr uint32_t kHandler = {};", handler.number)?;
    handler.args.iter().try_for_each(|arg| write_arg(out, arg))?;
    writeln!(out, "}};")?;
    if handler.words() != 0 {
        writeln!(out, "static_assert(sizeof({name}) == {}, \"argument words\");", 4 * handler.words())?;
    }
    writeln!(out)
}

fn write_arg(out: &mut String, arg: &Arg) -> std::fmt::Result {
    // Argument words are 4-byte aligned, two-word arguments too.
    let packed = if arg.kind.words() > 1 { "[[gnu::packed, gnu::aligned(4)]] " } else { "" };
    let about = match arg.kind {
        ArgKind::Bf16Pair => "  // two bfloat16, the first in the low half",
        ArgKind::U16Pair => "  // two uint16, the first in the low half",
        ArgKind::Core => "  // a core's index",
        ArgKind::Address => "  // an address in every DRAM bank or in every core's L1",
        _ => "",
    };
    writeln!(out, "    {packed}{} {};{about}", arg.kind.cpp(), arg.name)
}

#[cfg(test)]
mod tests {
    use komorebi_abi::program::{Buffer, Format, MathFidelity, ResultKind};

    use super::*;

    fn arg(name: &str, kind: ArgKind) -> Arg {
        Arg { name: name.into(), kind, effect: None }
    }

    #[test]
    fn the_header_holds_the_declaration() {
        let mut model = ProgramModel::new("heat");
        model.grid = Some((12, 10));
        model.buffers.push(Buffer {
            name: Some("left_edge".into()),
            index: 16,
            format: Format::Bfloat16,
            page_bytes: 2048,
            pages: 4,
        });
        model.compile_args[Kernel::Writer as usize] = vec![7, 0xffff_ffff];
        model.compute.math_fidelity = MathFidelity::HiFi2;
        model.compute.unpack_to_dest_mode =
            vec![(0, UnpackMode::Default), (16, UnpackMode::UnpackToDestFp32)];
        model.compute.dst_full_sync_en = true;
        model.handlers.push(Handler {
            name: "big_step".into(),
            number: 3,
            args: vec![arg("state", ArgKind::Address), arg("seed", ArgKind::U64)],
            result: Some(ResultKind::U32),
        });
        let text = program_header(&model);
        for line in [
            "constexpr uint32_t kGridWidth = 12;",
            "constexpr uint32_t kBufferLeftEdge = 16;  // bfloat16, 4 pages of 2048 bytes",
            "constexpr uint32_t kBufferMask = 0x10000;  // bit i: buffer i is the program's",
            "constexpr uint32_t kBufferLimit = 17;  // one more than the highest index",
            "constexpr uint32_t kCompileArgs[] = {0x7, 0xffffffff};",
            "constexpr MathFidelity kMathFidelity = MathFidelity::HiFi2;",
            "constexpr uint32_t kMathFidelityPhases = 2;  // passes of a multiplication",
            "constexpr uint32_t kUnpackToDestFp32 = 0x10000;  // bit i: buffer i is unpacked to Dst, 32 bits wide",
            "constexpr bool kFp32DestAccEn = false;",
            "constexpr bool kDstFullSyncEn = true;",
            "struct BigStep {",
            "    static constexpr uint32_t kHandler = 3;",
            "    [[gnu::packed, gnu::aligned(4)]] uint64_t seed;",
            "static_assert(sizeof(BigStep) == 12, \"argument words\");",
            "#define KM_PROGRAM_HANDLERS(KM_X_) KM_X_(BigStep)",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }

    #[test]
    fn a_program_without_anything_still_has_every_name_the_library_uses() {
        let text = program_header(&ProgramModel::new("empty"));
        for name in [
            "kBufferLimit = 1",
            "kBufferMask = 0x0",
            "kCompileArgCount = 0",
            "#define KM_PROGRAM_HANDLERS(KM_X_)\n",
        ] {
            assert!(text.contains(name), "{name}\n{text}");
        }
    }
}
