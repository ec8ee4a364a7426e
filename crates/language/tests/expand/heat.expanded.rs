/// A relaxation step over a field of tiles.
///
/// # Handlers
///
/// - 1 `step(state: Address, iteration: u32)`
/// - 2 `left(state: Address)`
/// - 3 `right(state: Address)`
/// - 4 `norm(state: Address, cores: u32) -> u32`
pub enum Heat {}
#[automatically_derived]
impl ::komorebi::Declared for Heat {
    fn declaration() -> ::komorebi::macro_support::Declaration {
        let mut model = ::komorebi::macro_support::abi::program::ProgramModel::new(
            "Heat",
        );
        model.grid = ::core::option::Option::Some((12u32, 10u32));
        model.depth = 8u32;
        model.buffers = ::std::vec![
            ::komorebi::macro_support::abi::program::Buffer { name :
            ::core::option::Option::Some(::std::string::String::from("input")), index :
            0u32, format : ::komorebi::macro_support::abi::program::Format::Bfloat16,
            page_bytes : 2048u32, pages : 4u32, },
            ::komorebi::macro_support::abi::program::Buffer { name :
            ::core::option::Option::Some(::std::string::String::from("output")), index :
            16u32, format : ::komorebi::macro_support::abi::program::Format::Bfloat16,
            page_bytes : 2048u32, pages : 4u32, }
        ];
        model.handlers = ::std::vec![
            ::komorebi::macro_support::abi::program::Handler { name :
            ::std::string::String::from("step"), number : 1u32, args :
            ::std::vec![::komorebi::macro_support::abi::program::Arg { name :
            ::std::string::String::from("state"), kind :
            ::komorebi::macro_support::abi::program::ArgKind::Address, effect :
            ::core::option::Option::Some(::komorebi::macro_support::abi::program::Effect::InOut)
            }, ::komorebi::macro_support::abi::program::Arg { name :
            ::std::string::String::from("iteration"), kind :
            ::komorebi::macro_support::abi::program::ArgKind::U32, effect :
            ::core::option::Option::None }], result : ::core::option::Option::None, },
            ::komorebi::macro_support::abi::program::Handler { name :
            ::std::string::String::from("left"), number : 2u32, args :
            ::std::vec![::komorebi::macro_support::abi::program::Arg { name :
            ::std::string::String::from("state"), kind :
            ::komorebi::macro_support::abi::program::ArgKind::Address, effect :
            ::core::option::Option::Some(::komorebi::macro_support::abi::program::Effect::InOut)
            }], result : ::core::option::Option::None, },
            ::komorebi::macro_support::abi::program::Handler { name :
            ::std::string::String::from("right"), number : 3u32, args :
            ::std::vec![::komorebi::macro_support::abi::program::Arg { name :
            ::std::string::String::from("state"), kind :
            ::komorebi::macro_support::abi::program::ArgKind::Address, effect :
            ::core::option::Option::Some(::komorebi::macro_support::abi::program::Effect::InOut)
            }], result : ::core::option::Option::None, },
            ::komorebi::macro_support::abi::program::Handler { name :
            ::std::string::String::from("norm"), number : 4u32, args :
            ::std::vec![::komorebi::macro_support::abi::program::Arg { name :
            ::std::string::String::from("state"), kind :
            ::komorebi::macro_support::abi::program::ArgKind::Address, effect :
            ::core::option::Option::Some(::komorebi::macro_support::abi::program::Effect::Input)
            }, ::komorebi::macro_support::abi::program::Arg { name :
            ::std::string::String::from("cores"), kind :
            ::komorebi::macro_support::abi::program::ArgKind::U32, effect :
            ::core::option::Option::None }], result :
            ::core::option::Option::Some(::komorebi::macro_support::abi::program::ResultKind::U32),
            }
        ];
        model.compute = ::komorebi::macro_support::abi::program::Compute {
            math_fidelity: ::komorebi::macro_support::abi::program::MathFidelity::HiFi4,
            unpack_to_dest_mode: ::std::vec![],
            fp32_dest_acc_en: true,
            math_approx_mode: false,
            dst_full_sync_en: false,
            bfp8_pack_precise: false,
            enable_trisc2_rvv: false,
        };
        model.opt = [
            ::core::option::Option::Some(
                ::komorebi::macro_support::abi::program::OptLevel::Os,
            ),
            ::core::option::Option::None,
            ::core::option::Option::Some(
                ::komorebi::macro_support::abi::program::OptLevel::Os,
            ),
        ];
        model.defines = ::std::vec![
            (::std::string::String::from("KM_TILES"), ::std::string::String::from("4"))
        ];
        model.compile_args = [::std::vec![], ::std::vec![], ::std::vec![]];
        model.kernel_bytes = ::core::option::Option::None;
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
impl Heat {
    /// The program as it is declared. What is known only at run time is added to it.
    #[must_use = "a program does nothing until it is loaded"]
    pub fn program() -> ::komorebi::Program<Self> {
        ::komorebi::Program::declared()
    }
    /// A call of handler 1, `step(state: Address, iteration: u32)`.
    #[must_use = "a call does nothing until it is submitted"]
    pub fn step(
        state: impl ::core::convert::Into<::komorebi::Address>,
        iteration: ::core::primitive::u32,
    ) -> ::komorebi::Call<Self, ()> {
        ::komorebi::macro_support::call(
            1u8,
            ::komorebi::macro_support::Words::new()
                .push(::core::convert::Into::<::komorebi::Address>::into(state))
                .push(iteration),
        )
    }
    /// A call of handler 2, `left(state: Address)`.
    #[must_use = "a call does nothing until it is submitted"]
    pub fn left(
        state: impl ::core::convert::Into<::komorebi::Address>,
    ) -> ::komorebi::Call<Self, ()> {
        ::komorebi::macro_support::call(
            2u8,
            ::komorebi::macro_support::Words::new()
                .push(::core::convert::Into::<::komorebi::Address>::into(state)),
        )
    }
    /// A call of handler 3, `right(state: Address)`.
    #[must_use = "a call does nothing until it is submitted"]
    pub fn right(
        state: impl ::core::convert::Into<::komorebi::Address>,
    ) -> ::komorebi::Call<Self, ()> {
        ::komorebi::macro_support::call(
            3u8,
            ::komorebi::macro_support::Words::new()
                .push(::core::convert::Into::<::komorebi::Address>::into(state)),
        )
    }
    /// The residual of the whole field.
    #[must_use = "a call does nothing until it is submitted"]
    pub fn norm(
        state: impl ::core::convert::Into<::komorebi::Address>,
        cores: ::core::primitive::u32,
    ) -> ::komorebi::Call<Self, ::core::primitive::u32> {
        ::komorebi::macro_support::call(
            4u8,
            ::komorebi::macro_support::Words::new()
                .push(::core::convert::Into::<::komorebi::Address>::into(state))
                .push(cores),
        )
    }
}
/// Submits the handlers of [`Heat`]: a method a handler, the cores first.
#[allow(
    dead_code,
    clippy::too_many_arguments,
    reason = "a handler that is not called; a command of ten words"
)]
pub trait HeatSubmit {
    /// Submits handler 1, `step(state: Address, iteration: u32)`.
    ///
    /// # Errors
    ///
    /// Those of `Run::submit`.
    fn step(
        &self,
        place_of_cores: impl ::core::convert::Into<::komorebi::Place>,
        state: impl ::core::convert::Into<::komorebi::Address>,
        iteration: ::core::primitive::u32,
    ) -> ::komorebi::Result<::komorebi::Handle<()>>;
    /// Submits handler 2, `left(state: Address)`.
    ///
    /// # Errors
    ///
    /// Those of `Run::submit`.
    fn left(
        &self,
        place_of_cores: impl ::core::convert::Into<::komorebi::Place>,
        state: impl ::core::convert::Into<::komorebi::Address>,
    ) -> ::komorebi::Result<::komorebi::Handle<()>>;
    /// Submits handler 3, `right(state: Address)`.
    ///
    /// # Errors
    ///
    /// Those of `Run::submit`.
    fn right(
        &self,
        place_of_cores: impl ::core::convert::Into<::komorebi::Place>,
        state: impl ::core::convert::Into<::komorebi::Address>,
    ) -> ::komorebi::Result<::komorebi::Handle<()>>;
    /// The residual of the whole field.
    ///
    /// # Errors
    ///
    /// Those of `Run::submit`.
    fn norm(
        &self,
        place_of_cores: impl ::core::convert::Into<::komorebi::Place>,
        state: impl ::core::convert::Into<::komorebi::Address>,
        cores: ::core::primitive::u32,
    ) -> ::komorebi::Result<::komorebi::Handle<::core::primitive::u32>>;
}
#[allow(
    deprecated,
    clippy::too_many_arguments,
    reason = "the trait's functions carry what the user wrote"
)]
impl HeatSubmit for ::komorebi::Run<Heat> {
    fn step(
        &self,
        place_of_cores: impl ::core::convert::Into<::komorebi::Place>,
        state: impl ::core::convert::Into<::komorebi::Address>,
        iteration: ::core::primitive::u32,
    ) -> ::komorebi::Result<::komorebi::Handle<()>> {
        self.submit(Heat::step(state, iteration).on(place_of_cores))
    }
    fn left(
        &self,
        place_of_cores: impl ::core::convert::Into<::komorebi::Place>,
        state: impl ::core::convert::Into<::komorebi::Address>,
    ) -> ::komorebi::Result<::komorebi::Handle<()>> {
        self.submit(Heat::left(state).on(place_of_cores))
    }
    fn right(
        &self,
        place_of_cores: impl ::core::convert::Into<::komorebi::Place>,
        state: impl ::core::convert::Into<::komorebi::Address>,
    ) -> ::komorebi::Result<::komorebi::Handle<()>> {
        self.submit(Heat::right(state).on(place_of_cores))
    }
    fn norm(
        &self,
        place_of_cores: impl ::core::convert::Into<::komorebi::Place>,
        state: impl ::core::convert::Into<::komorebi::Address>,
        cores: ::core::primitive::u32,
    ) -> ::komorebi::Result<::komorebi::Handle<::core::primitive::u32>> {
        self.submit(Heat::norm(state, cores).on(place_of_cores))
    }
}
const _: () = {
    let _: fn(km::Address) -> ::komorebi::Address = |argument| argument;
    let _: fn(u32) -> ::core::primitive::u32 = |argument| argument;
    let _: fn(km::Address) -> ::komorebi::Address = |argument| argument;
    let _: fn(km::Address) -> ::komorebi::Address = |argument| argument;
    let _: fn(km::Address) -> ::komorebi::Address = |argument| argument;
    let _: fn(u32) -> ::core::primitive::u32 = |argument| argument;
};
#[doc(hidden)]
#[allow(
    unused_macros,
    unused_imports,
    non_local_definitions,
    reason = "for `graph!` and `stream!`"
)]
#[macro_export]
macro_rules! __km_Heat_HASH {
    ([$($callback:tt)*] $($body:tt)*) => {
        $($callback)* ! {
        "program\tHeat\ttrue\t707840\ncores\t120\nhandler\tstep\t1\t\narg\tstate\taddress\tinout\narg\titeration\tu32\t\nhandler\tleft\t2\t\narg\tstate\taddress\tinout\nhandler\tright\t3\t\narg\tstate\taddress\tinout\nhandler\tnorm\t4\tu32\narg\tstate\taddress\tinput\narg\tcores\tu32\t\nheader\tkernels/heat.h\nconst\tkTileBytes\t2048\tkernels/tiles.h:4\tconstexpr uint32_t kTileBytes = 2 * 32 * 32;\nconst\tkHandlerStep\t1\tkernels/heat.h:5\tconstexpr uint32_t kHandlerStep = 1;\nconst\tkHandlerLeft\t2\tkernels/heat.h:6\tconstexpr uint32_t kHandlerLeft = 2;\nconst\tkHandlerRight\t3\tkernels/heat.h:7\tconstexpr uint32_t kHandlerRight = 3;\nconst\tkHandlerNorm\t4\tkernels/heat.h:8\tconstexpr uint32_t kHandlerNorm = 4;\nconst\tkBufferInput\t0\tkernels/heat.h:10\tconstexpr uint32_t kBufferInput = 0;\nconst\tkBufferOutput\t16\tkernels/heat.h:11\tconstexpr uint32_t kBufferOutput = 16;"
        $($body)* }
    };
}
#[doc(hidden)]
#[allow(
    unused_macros,
    unused_imports,
    non_local_definitions,
    reason = "for `graph!` and `stream!`"
)]
pub use __km_Heat_HASH as Heat;
