/// Joins rows by a table that a thread keeps.
///
/// # Handlers
///
/// - 1 `probe(rows: Address)`
pub enum Join {}
#[automatically_derived]
impl ::komorebi::Declared for Join {
    fn declaration() -> ::komorebi::macro_support::Declaration {
        let mut model = ::komorebi::macro_support::abi::program::ProgramModel::new(
            "Join",
        );
        model.grid = ::core::option::Option::None;
        model.depth = 4u32;
        model.buffers = ::std::vec![];
        model.handlers = ::std::vec![
            ::komorebi::macro_support::abi::program::Handler { name :
            ::std::string::String::from("probe"), number : 1u32, args :
            ::std::vec![::komorebi::macro_support::abi::program::Arg { name :
            ::std::string::String::from("rows"), kind :
            ::komorebi::macro_support::abi::program::ArgKind::Address, effect :
            ::core::option::Option::Some(::komorebi::macro_support::abi::program::Effect::Input)
            }], result : ::core::option::Option::None, }
        ];
        model.compute = ::komorebi::macro_support::abi::program::Compute {
            math_fidelity: ::komorebi::macro_support::abi::program::MathFidelity::HiFi4,
            unpack_to_dest_mode: ::std::vec![],
            fp32_dest_acc_en: false,
            math_approx_mode: false,
            dst_full_sync_en: false,
            bfp8_pack_precise: false,
            enable_trisc2_rvv: false,
        };
        model.opt = [
            ::core::option::Option::None,
            ::core::option::Option::None,
            ::core::option::Option::None,
        ];
        model.defines = ::std::vec![];
        model.compile_args = [::std::vec![], ::std::vec![], ::std::vec![]];
        model.kernel_bytes = ::core::option::Option::None;
        model.threads = ::std::vec![
            ::komorebi::macro_support::abi::program::Thread { name :
            ::core::option::Option::Some(::std::string::String::from("scan")), cluster :
            1u32, sources : ::std::vec![::std::string::String::from("threads/scan.cpp"),
            ::std::string::String::from("threads/sum.cpp")], regions :
            ::std::vec![::komorebi::macro_support::abi::program::Region { name :
            ::std::string::String::from("table"), bytes : 2048u32 },
            ::komorebi::macro_support::abi::program::Region { name :
            ::std::string::String::from("marks"), bytes : 64u32 }], words : 8u32,
            deadline_us : ::core::option::Option::Some(50000u64), prefetch :
            ::komorebi::macro_support::abi::program::Prefetch::Documented, },
            ::komorebi::macro_support::abi::program::Thread { name :
            ::core::option::Option::Some(::std::string::String::from("sum")), cluster :
            3u32, sources : ::std::vec![::std::string::String::from("threads/sum.cpp")],
            regions : ::std::vec![], words : 0u32, deadline_us :
            ::core::option::Option::Some(1500000u64), prefetch :
            ::komorebi::macro_support::abi::program::Prefetch::Documented, }
        ];
        model.regions = ::std::vec![
            ::komorebi::macro_support::abi::program::Region { name :
            ::std::string::String::from("shared"), bytes : 4096u32 }
        ];
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
            thread_sources: ::std::vec![
                ::komorebi::macro_support::SourceFile { path :
                ::core::convert::Into::into("threads/scan.cpp"), bytes :
                ::core::convert::Into::into(::core::include_bytes!("threads/scan.cpp")
                .as_slice()), }, ::komorebi::macro_support::SourceFile { path :
                ::core::convert::Into::into("threads/sum.cpp"), bytes :
                ::core::convert::Into::into(::core::include_bytes!("threads/sum.cpp")
                .as_slice()), }, ::komorebi::macro_support::SourceFile { path :
                ::core::convert::Into::into("kernels/tiles.h"), bytes :
                ::core::convert::Into::into(::core::include_bytes!("kernels/tiles.h")
                .as_slice()), }, ::komorebi::macro_support::SourceFile { path :
                ::core::convert::Into::into("threads/table.h"), bytes :
                ::core::convert::Into::into(::core::include_bytes!("threads/table.h")
                .as_slice()), }
            ],
        }
    }
}
#[allow(
    dead_code,
    clippy::too_many_arguments,
    reason = "a handler that is not called; a command of ten words"
)]
impl Join {
    /// The program as it is declared. What is known only at run time is added to it.
    #[must_use = "a program does nothing until it is loaded"]
    pub fn program() -> ::komorebi::Program<Self> {
        ::komorebi::Program::declared()
    }
    /// A call of handler 1, `probe(rows: Address)`.
    #[must_use = "a call does nothing until it is submitted"]
    pub fn probe(
        rows: impl ::core::convert::Into<::komorebi::Address>,
    ) -> ::komorebi::Call<Self, ()> {
        ::komorebi::macro_support::call(
            1u8,
            ::komorebi::macro_support::Words::new()
                .push(::core::convert::Into::<::komorebi::Address>::into(rows)),
        )
    }
}
/// Submits the handlers of [`Join`]: a method a handler, the cores first.
#[allow(
    dead_code,
    clippy::too_many_arguments,
    reason = "a handler that is not called; a command of ten words"
)]
pub trait JoinSubmit {
    /// Submits handler 1, `probe(rows: Address)`.
    ///
    /// # Errors
    ///
    /// Those of `Run::submit`.
    fn probe(
        &self,
        place_of_cores: impl ::core::convert::Into<::komorebi::Place>,
        rows: impl ::core::convert::Into<::komorebi::Address>,
    ) -> ::komorebi::Result<::komorebi::Handle<()>>;
}
#[allow(
    deprecated,
    clippy::too_many_arguments,
    reason = "the trait's functions carry what the user wrote"
)]
impl JoinSubmit for ::komorebi::Run<Join> {
    fn probe(
        &self,
        place_of_cores: impl ::core::convert::Into<::komorebi::Place>,
        rows: impl ::core::convert::Into<::komorebi::Address>,
    ) -> ::komorebi::Result<::komorebi::Handle<()>> {
        self.submit(Join::probe(rows).on(place_of_cores))
    }
}
const _: () = {
    let _: fn(Address) -> ::komorebi::Address = |argument| argument;
};
#[doc(hidden)]
#[allow(
    unused_macros,
    unused_imports,
    non_local_definitions,
    reason = "for `graph!` and `stream!`"
)]
#[macro_export]
macro_rules! __km_Join_HASH {
    ([$($callback:tt)*] $($body:tt)*) => {
        $($callback)* ! {
        "program\tJoin\ttrue\t0\nhandler\tprobe\t1\t\narg\trows\taddress\tinput\nheader\tkernels/tiles.h\nconst\tkTileBytes\t2048\tkernels/tiles.h:4\tconstexpr uint32_t kTileBytes = 2 * 32 * 32;"
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
pub use __km_Join_HASH as Join;
