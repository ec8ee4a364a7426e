/// The program `Blur`.
///
/// # Handlers
///
/// - 40 `row(from: Address, to: Address)`
enum Blur {}
#[automatically_derived]
impl ::komorebi::Declared for Blur {
    fn declaration() -> ::komorebi::macro_support::Declaration {
        let mut model = ::komorebi::macro_support::abi::program::ProgramModel::new(
            "Blur",
        );
        model.grid = ::core::option::Option::None;
        model.depth = 4u32;
        model.buffers = ::std::vec![
            ::komorebi::macro_support::abi::program::Buffer { name :
            ::core::option::Option::Some(::std::string::String::from("picture")), index :
            0u32, format : ::komorebi::macro_support::abi::program::Format::Bfloat8B,
            page_bytes : 1088u32, pages : 2u32, },
            ::komorebi::macro_support::abi::program::Buffer { name :
            ::core::option::Option::Some(::std::string::String::from("sums")), index :
            16u32, format : ::komorebi::macro_support::abi::program::Format::Float32,
            page_bytes : 4096u32, pages : 1u32, }
        ];
        model.handlers = ::std::vec![
            ::komorebi::macro_support::abi::program::Handler { name :
            ::std::string::String::from("row"), number : 40u32, args :
            ::std::vec![::komorebi::macro_support::abi::program::Arg { name :
            ::std::string::String::from("from"), kind :
            ::komorebi::macro_support::abi::program::ArgKind::Address, effect :
            ::core::option::Option::Some(::komorebi::macro_support::abi::program::Effect::Input)
            }, ::komorebi::macro_support::abi::program::Arg { name :
            ::std::string::String::from("to"), kind :
            ::komorebi::macro_support::abi::program::ArgKind::Address, effect :
            ::core::option::Option::Some(::komorebi::macro_support::abi::program::Effect::Output)
            }], result : ::core::option::Option::None, }
        ];
        model.compute = ::komorebi::macro_support::abi::program::Compute {
            math_fidelity: ::komorebi::macro_support::abi::program::MathFidelity::LoFi,
            unpack_to_dest_mode: ::std::vec![
                (16u32,
                ::komorebi::macro_support::abi::program::UnpackMode::UnpackToDestFp32)
            ],
            fp32_dest_acc_en: false,
            math_approx_mode: false,
            dst_full_sync_en: true,
            bfp8_pack_precise: true,
            enable_trisc2_rvv: false,
        };
        model.opt = [
            ::core::option::Option::None,
            ::core::option::Option::Some(
                ::komorebi::macro_support::abi::program::OptLevel::O1,
            ),
            ::core::option::Option::None,
        ];
        model.defines = ::std::vec![
            (::std::string::String::from("KERNEL_RADIUS"),
            ::std::string::String::from("3")), (::std::string::String::from("SCALE"),
            ::std::string::String::from("0.5")), (::std::string::String::from("NAME"),
            ::std::string::String::from("\"box\"")),
            (::std::string::String::from("OFFSET"), ::std::string::String::from("(-1)")),
            (::std::string::String::from("CLAMP"), ::std::string::String::from("1")),
            (::std::string::String::from("TILE"),
            ::std::string::String::from("kTileBytes"))
        ];
        model.compile_args = [
            ::std::vec![1u32, 2048u32],
            ::std::vec![],
            ::std::vec![255u32],
        ];
        model.kernel_bytes = ::core::option::Option::Some(131072u32);
        ::komorebi::macro_support::Declaration {
            model,
            sources: ::komorebi::macro_support::Sources {
                files: ::std::vec![
                    ::komorebi::macro_support::SourceFile { path :
                    ::core::convert::Into::into("kernels/reader.cpp"), bytes :
                    ::core::convert::Into::into(::core::include_bytes!("kernels/reader.cpp")
                    .as_slice()), }, ::komorebi::macro_support::SourceFile { path :
                    ::core::convert::Into::into("kernels/compute.cpp"), bytes :
                    ::core::convert::Into::into(::core::include_bytes!("kernels/compute.cpp")
                    .as_slice()), }, ::komorebi::macro_support::SourceFile { path :
                    ::core::convert::Into::into("kernels/writer.cpp"), bytes :
                    ::core::convert::Into::into(::core::include_bytes!("kernels/writer.cpp")
                    .as_slice()), }, ::komorebi::macro_support::SourceFile { path :
                    ::core::convert::Into::into("kernels/heat.h"), bytes :
                    ::core::convert::Into::into(::core::include_bytes!("kernels/heat.h")
                    .as_slice()), }, ::komorebi::macro_support::SourceFile { path :
                    ::core::convert::Into::into("kernels/tiles.h"), bytes :
                    ::core::convert::Into::into(::core::include_bytes!("kernels/tiles.h")
                    .as_slice()), }
                ],
                kernels: [
                    ::core::option::Option::Some(
                        ::core::convert::Into::into("kernels/reader.cpp"),
                    ),
                    ::core::option::Option::Some(
                        ::core::convert::Into::into("kernels/compute.cpp"),
                    ),
                    ::core::option::Option::Some(
                        ::core::convert::Into::into("kernels/writer.cpp"),
                    ),
                ],
            },
            thread_sources: ::std::vec![],
        }
    }
}
#[allow(
    dead_code,
    clippy::too_many_arguments,
    reason = "a handler that is not called; a command of ten words"
)]
impl Blur {
    /// The program as it is declared. What is known only at run time is added to it.
    #[must_use = "a program does nothing until it is loaded"]
    fn program() -> ::komorebi::Program<Self> {
        ::komorebi::Program::declared()
    }
    /// A call of handler 40, `row(from: Address, to: Address)`.
    #[must_use = "a call does nothing until it is submitted"]
    fn row(
        from: impl ::core::convert::Into<::komorebi::Address>,
        to: impl ::core::convert::Into<::komorebi::Address>,
    ) -> ::komorebi::Call<Self, ()> {
        ::komorebi::macro_support::call(
            40u8,
            ::komorebi::macro_support::Words::new()
                .push(::core::convert::Into::<::komorebi::Address>::into(from))
                .push(::core::convert::Into::<::komorebi::Address>::into(to)),
        )
    }
}
/// Submits the handlers of [`Blur`]: a method a handler, the cores first.
#[allow(
    dead_code,
    clippy::too_many_arguments,
    reason = "a handler that is not called; a command of ten words"
)]
trait BlurSubmit {
    /// Submits handler 40, `row(from: Address, to: Address)`.
    ///
    /// # Errors
    ///
    /// Those of `Run::submit`.
    fn row(
        &self,
        place_of_cores: impl ::core::convert::Into<::komorebi::Place>,
        from: impl ::core::convert::Into<::komorebi::Address>,
        to: impl ::core::convert::Into<::komorebi::Address>,
    ) -> ::komorebi::Result<::komorebi::Handle<()>>;
}
#[allow(
    deprecated,
    clippy::too_many_arguments,
    reason = "the trait's functions carry what the user wrote"
)]
impl BlurSubmit for ::komorebi::Run<Blur> {
    fn row(
        &self,
        place_of_cores: impl ::core::convert::Into<::komorebi::Place>,
        from: impl ::core::convert::Into<::komorebi::Address>,
        to: impl ::core::convert::Into<::komorebi::Address>,
    ) -> ::komorebi::Result<::komorebi::Handle<()>> {
        self.submit(Blur::row(from, to).on(place_of_cores))
    }
}
const _: () = {
    let _: fn(Address) -> ::komorebi::Address = |argument| argument;
    let _: fn(Address) -> ::komorebi::Address = |argument| argument;
};
#[allow(
    unused_macros,
    unused_imports,
    non_local_definitions,
    reason = "for `graph!` and `stream!`"
)]
macro_rules! __km_Blur_HASH {
    ([$($callback:tt)*] $($body:tt)*) => {
        $($callback)* ! {
        "program\tBlur\ttrue\t707840\nhandler\trow\t40\t\narg\tfrom\taddress\tinput\narg\tto\taddress\toutput\nheader\tkernels/heat.h\nconst\tkTileBytes\t2048\tkernels/tiles.h:4\tconstexpr uint32_t kTileBytes = 2 * 32 * 32;\nconst\tkHandlerStep\t1\tkernels/heat.h:5\tconstexpr uint32_t kHandlerStep = 1;\nconst\tkHandlerLeft\t2\tkernels/heat.h:6\tconstexpr uint32_t kHandlerLeft = 2;\nconst\tkHandlerRight\t3\tkernels/heat.h:7\tconstexpr uint32_t kHandlerRight = 3;\nconst\tkHandlerNorm\t4\tkernels/heat.h:8\tconstexpr uint32_t kHandlerNorm = 4;\nconst\tkBufferInput\t0\tkernels/heat.h:10\tconstexpr uint32_t kBufferInput = 0;\nconst\tkBufferOutput\t16\tkernels/heat.h:11\tconstexpr uint32_t kBufferOutput = 16;"
        $($body)* }
    };
}
#[allow(
    unused_macros,
    unused_imports,
    non_local_definitions,
    reason = "for `graph!` and `stream!`"
)]
use __km_Blur_HASH as Blur;
const _: () = {
    #[deprecated(
        note = "[KM0014] handlers of the header that `Blur` does not declare: `step` (1), `left` (2), `right` (3), `norm` (4); add each as a function of the trait with its arguments, or write `#[allow(deprecated)]` above the trait (nothing is deprecated: a macro has no other warning to give)"
    )]
    const fn undeclared_handlers() {}
    undeclared_handlers();
};
