//! The declaration: the program's model, and its sources inside the binary.

use komorebi_abi::program::{
    Arg, ArgKind, Buffer, Compute, Effect, Format, Handler, MathFidelity, Prefetch, ProgramModel, Region,
    ResultKind, Thread, UnpackMode,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::{Emission, State};
use crate::program::kernels::{KernelFiles, SourcePath};

/// `impl Declared`.
pub(super) fn emit_declaration(program: &Emission<'_>) -> TokenStream {
    let (krate, ident) = (&program.krate, &program.item.ident);
    let content = match (program.state, program.kernels) {
        (State::Complete, Some(kernels)) => emit_content(program.model, kernels, program.thread_files, krate),
        // Never runs: the crate does not compile.
        _ => quote!(::core::unreachable!("the declaration of this program has errors")),
    };
    let blind = (program.state == State::Blind).then(|| {
        let text = "[KM0012] the compiler does not say which file this program is declared in, so its header cannot be read; \
            declare it outside of other macros";
        quote!(const _: () = ::core::panic!(#text);)
    });
    quote! {
        #blind
        #[automatically_derived]
        impl #krate::Declared for #ident {
            fn declaration() -> #krate::macro_support::Declaration {
                #content
            }
        }
    }
}

fn emit_content(
    model: &ProgramModel,
    kernels: &KernelFiles,
    thread_files: &[SourcePath],
    krate: &TokenStream,
) -> TokenStream {
    let abi = quote!(#krate::macro_support::abi::program);
    let name = &model.name;
    let depth = model.depth;
    let grid = option(model.grid.map(|(width, height)| quote!((#width, #height))));
    let kernel_bytes = option(model.kernel_bytes.map(|bytes| quote!(#bytes)));
    let buffers = model.buffers.iter().map(|buffer| emit_buffer(buffer, &abi));
    let handlers = model.handlers.iter().map(|handler| emit_handler(handler, &abi));
    let compute = emit_compute(&model.compute, &abi);
    let opt = model.opt.iter().map(|level| {
        option(level.map(|level| {
            let level = variant(level.name());
            quote!(#abi::OptLevel::#level)
        }))
    });
    let defines = model
        .defines
        .iter()
        .map(|(name, body)| quote!((::std::string::String::from(#name), ::std::string::String::from(#body))));
    let compile_args = model.compile_args.iter().map(|words| quote!(::std::vec![#(#words),*]));
    let threads = emit_threads(model, thread_files, &abi);
    let sources = emit_sources(kernels, krate);
    let thread_sources = emit_files(thread_files, krate);
    quote! {
        let mut model = #abi::ProgramModel::new(#name);
        model.grid = #grid;
        model.depth = #depth;
        model.buffers = ::std::vec![#(#buffers),*];
        model.handlers = ::std::vec![#(#handlers),*];
        model.compute = #compute;
        model.opt = [#(#opt),*];
        model.defines = ::std::vec![#(#defines),*];
        model.compile_args = [#(#compile_args),*];
        model.kernel_bytes = #kernel_bytes;
        #threads
        #krate::macro_support::Declaration { model, sources: #sources, thread_sources: ::std::vec![#(#thread_sources),*] }
    }
}

fn emit_buffer(buffer: &Buffer, abi: &TokenStream) -> TokenStream {
    let Buffer { name, index, format, page_bytes, pages } = buffer;
    let name = option(name.as_ref().map(|name| quote!(::std::string::String::from(#name))));
    let format = variant(format_variant(*format));
    quote!(#abi::Buffer {
        name: #name,
        index: #index,
        format: #abi::Format::#format,
        page_bytes: #page_bytes,
        pages: #pages,
    })
}

fn emit_handler(handler: &Handler, abi: &TokenStream) -> TokenStream {
    let Handler { name, number, args, result } = handler;
    let args = args.iter().map(|Arg { name, kind, effect }| {
        let kind = variant(kind_variant(*kind));
        let effect = option(effect.map(|effect| {
            let effect = variant(effect_variant(effect));
            quote!(#abi::Effect::#effect)
        }));
        quote!(#abi::Arg { name: ::std::string::String::from(#name), kind: #abi::ArgKind::#kind, effect: #effect })
    });
    let result = option(result.map(|result| {
        let result = variant(result_variant(result));
        quote!(#abi::ResultKind::#result)
    }));
    quote!(#abi::Handler {
        name: ::std::string::String::from(#name),
        number: #number,
        args: ::std::vec![#(#args),*],
        result: #result,
    })
}

fn emit_compute(compute: &Compute, abi: &TokenStream) -> TokenStream {
    let Compute {
        math_fidelity,
        unpack_to_dest_mode,
        fp32_dest_acc_en,
        math_approx_mode,
        dst_full_sync_en,
        bfp8_pack_precise,
        enable_trisc2_rvv,
    } = compute;
    let fidelity = variant(MathFidelity::name(*math_fidelity));
    let modes = unpack_to_dest_mode.iter().map(|(index, mode)| {
        let mode = variant(match mode {
            UnpackMode::Default => "Default",
            UnpackMode::UnpackToDestFp32 => "UnpackToDestFp32",
        });
        quote!((#index, #abi::UnpackMode::#mode))
    });
    quote!(#abi::Compute {
        math_fidelity: #abi::MathFidelity::#fidelity,
        unpack_to_dest_mode: ::std::vec![#(#modes),*],
        fp32_dest_acc_en: #fp32_dest_acc_en,
        math_approx_mode: #math_approx_mode,
        dst_full_sync_en: #dst_full_sync_en,
        bfp8_pack_precise: #bfp8_pack_precise,
        enable_trisc2_rvv: #enable_trisc2_rvv,
    })
}

/// The texts travel in the binary; a relative `include_bytes!` makes cargo build again when one changes.
fn emit_sources(kernels: &KernelFiles, krate: &TokenStream) -> TokenStream {
    let files = emit_files(&kernels.files, krate);
    let names = kernels.kernels.map(|kernel| {
        option(kernel.map(|i| {
            let name = &kernels.files[i].name;
            quote!(::core::convert::Into::into(#name))
        }))
    });
    quote!(#krate::macro_support::Sources {
        files: ::std::vec![#(#files),*],
        kernels: [#(#names),*],
    })
}

fn emit_files(files: &[SourcePath], krate: &TokenStream) -> impl Iterator<Item = TokenStream> {
    files.iter().map(move |SourcePath { place, name }| {
        quote!(#krate::macro_support::SourceFile {
            path: ::core::convert::Into::into(#name),
            bytes: ::core::convert::Into::into(::core::include_bytes!(#place).as_slice()),
        })
    })
}

/// The threads and the regions they share; nothing for a program without.
fn emit_threads(model: &ProgramModel, files: &[SourcePath], abi: &TokenStream) -> Option<TokenStream> {
    if model.threads.is_empty() {
        return None;
    }
    let regions = |regions: &[Region]| {
        let regions = regions.iter().map(|Region { name, bytes }| {
            quote!(#abi::Region { name: ::std::string::String::from(#name), bytes: #bytes })
        });
        quote!(::std::vec![#(#regions),*])
    };
    let threads = model.threads.iter().map(|thread| {
        let Thread { name, cluster, sources, regions: own, words, deadline_us, prefetch } = thread;
        let name = option(name.as_ref().map(|name| quote!(::std::string::String::from(#name))));
        // The model has the paths as written; the sources travel under their names.
        let sources = sources.iter().map(|place| {
            let name = files.iter().find(|file| file.place == *place).map_or(place, |file| &file.name);
            quote!(::std::string::String::from(#name))
        });
        let own = regions(own);
        let deadline = option(deadline_us.map(|deadline| quote!(#deadline)));
        let prefetch = variant(prefetch_variant(*prefetch));
        quote!(#abi::Thread {
            name: #name,
            cluster: #cluster,
            sources: ::std::vec![#(#sources),*],
            regions: #own,
            words: #words,
            deadline_us: #deadline,
            prefetch: #abi::Prefetch::#prefetch,
        })
    });
    let shared = regions(&model.regions);
    Some(quote! {
        model.threads = ::std::vec![#(#threads),*];
        model.regions = #shared;
    })
}

fn option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

fn variant(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

fn format_variant(format: Format) -> &'static str {
    match format {
        Format::Bfloat16 => "Bfloat16",
        Format::Float32 => "Float32",
        Format::Int32 => "Int32",
        Format::Uint32 => "Uint32",
        Format::Uint16 => "Uint16",
        Format::Uint8 => "Uint8",
        Format::Bfloat8B => "Bfloat8B",
        Format::Bfloat4B => "Bfloat4B",
    }
}

fn prefetch_variant(prefetch: Prefetch) -> &'static str {
    match prefetch {
        Prefetch::Documented => "Documented",
    }
}

fn kind_variant(kind: ArgKind) -> &'static str {
    match kind {
        ArgKind::U32 => "U32",
        ArgKind::I32 => "I32",
        ArgKind::F32 => "F32",
        ArgKind::U64 => "U64",
        ArgKind::Bf16Pair => "Bf16Pair",
        ArgKind::U16Pair => "U16Pair",
        ArgKind::Core => "Core",
        ArgKind::Address => "Address",
    }
}

fn effect_variant(effect: Effect) -> &'static str {
    match effect {
        Effect::Input => "Input",
        Effect::Output => "Output",
        Effect::InOut => "InOut",
    }
}

fn result_variant(result: ResultKind) -> &'static str {
    match result {
        ResultKind::U32 => "U32",
        ResultKind::I32 => "I32",
        ResultKind::F32 => "F32",
    }
}
