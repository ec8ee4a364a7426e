/// The program `Kinds`.
///
/// # Handlers
///
/// - 7 `all(a: u32, b: i32, c: f32, d: u64, e: [bf16; 2], f: [u16; 2], g: Core, h: Address) -> f32`
/// - 8 `match() -> i32`
/// - 9 `none()`
#[allow(dead_code)]
pub(crate) enum Kinds {}
#[automatically_derived]
impl ::renamed::Declared for Kinds {
    fn declaration() -> ::renamed::macro_support::Declaration {
        let mut model = ::renamed::macro_support::abi::program::ProgramModel::new(
            "Kinds",
        );
        model.grid = ::core::option::Option::None;
        model.depth = 4u32;
        model.buffers = ::std::vec![];
        model.handlers = ::std::vec![
            ::renamed::macro_support::abi::program::Handler { name :
            ::std::string::String::from("all"), number : 7u32, args :
            ::std::vec![::renamed::macro_support::abi::program::Arg { name :
            ::std::string::String::from("a"), kind :
            ::renamed::macro_support::abi::program::ArgKind::U32, effect :
            ::core::option::Option::None }, ::renamed::macro_support::abi::program::Arg {
            name : ::std::string::String::from("b"), kind :
            ::renamed::macro_support::abi::program::ArgKind::I32, effect :
            ::core::option::Option::None }, ::renamed::macro_support::abi::program::Arg {
            name : ::std::string::String::from("c"), kind :
            ::renamed::macro_support::abi::program::ArgKind::F32, effect :
            ::core::option::Option::None }, ::renamed::macro_support::abi::program::Arg {
            name : ::std::string::String::from("d"), kind :
            ::renamed::macro_support::abi::program::ArgKind::U64, effect :
            ::core::option::Option::None }, ::renamed::macro_support::abi::program::Arg {
            name : ::std::string::String::from("e"), kind :
            ::renamed::macro_support::abi::program::ArgKind::Bf16Pair, effect :
            ::core::option::Option::None }, ::renamed::macro_support::abi::program::Arg {
            name : ::std::string::String::from("f"), kind :
            ::renamed::macro_support::abi::program::ArgKind::U16Pair, effect :
            ::core::option::Option::None }, ::renamed::macro_support::abi::program::Arg {
            name : ::std::string::String::from("g"), kind :
            ::renamed::macro_support::abi::program::ArgKind::Core, effect :
            ::core::option::Option::None }, ::renamed::macro_support::abi::program::Arg {
            name : ::std::string::String::from("h"), kind :
            ::renamed::macro_support::abi::program::ArgKind::Address, effect :
            ::core::option::Option::Some(::renamed::macro_support::abi::program::Effect::Output)
            }], result :
            ::core::option::Option::Some(::renamed::macro_support::abi::program::ResultKind::F32),
            }, ::renamed::macro_support::abi::program::Handler { name :
            ::std::string::String::from("match"), number : 8u32, args : ::std::vec![],
            result :
            ::core::option::Option::Some(::renamed::macro_support::abi::program::ResultKind::I32),
            }, ::renamed::macro_support::abi::program::Handler { name :
            ::std::string::String::from("none"), number : 9u32, args : ::std::vec![],
            result : ::core::option::Option::None, }
        ];
        model.compute = ::renamed::macro_support::abi::program::Compute {
            math_fidelity: ::renamed::macro_support::abi::program::MathFidelity::HiFi4,
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
        ::renamed::macro_support::Declaration {
            model,
            sources: ::renamed::macro_support::Sources {
                files: ::std::vec![
                    ::renamed::macro_support::SourceFile { path :
                    ::core::convert::Into::into("kernels/reader.cpp"), bytes :
                    ::core::convert::Into::into(::core::include_bytes!("kernels/reader.cpp")
                    .as_slice()), }, ::renamed::macro_support::SourceFile { path :
                    ::core::convert::Into::into("kernels/writer.cpp"), bytes :
                    ::core::convert::Into::into(::core::include_bytes!("kernels/writer.cpp")
                    .as_slice()), }, ::renamed::macro_support::SourceFile { path :
                    ::core::convert::Into::into("kernels/heat.h"), bytes :
                    ::core::convert::Into::into(::core::include_bytes!("kernels/heat.h")
                    .as_slice()), }, ::renamed::macro_support::SourceFile { path :
                    ::core::convert::Into::into("kernels/tiles.h"), bytes :
                    ::core::convert::Into::into(::core::include_bytes!("kernels/tiles.h")
                    .as_slice()), }
                ],
                kernels: [
                    ::core::option::Option::Some(
                        ::core::convert::Into::into("kernels/reader.cpp"),
                    ),
                    ::core::option::Option::None,
                    ::core::option::Option::Some(
                        ::core::convert::Into::into("kernels/writer.cpp"),
                    ),
                ],
            },
            thread_sources: ::std::vec![],
        }
    }
}
#[allow(dead_code)]
#[allow(
    dead_code,
    clippy::too_many_arguments,
    reason = "a handler that is not called; a command of ten words"
)]
impl Kinds {
    /// The program as it is declared. What is known only at run time is added to it.
    #[must_use = "a program does nothing until it is loaded"]
    pub(crate) fn program() -> ::renamed::Program<Self> {
        ::renamed::Program::declared()
    }
    /// A call of handler 7, `all(a: u32, b: i32, c: f32, d: u64, e: [bf16; 2], f: [u16; 2], g: Core, h: Address) -> f32`.
    #[must_use = "a call does nothing until it is submitted"]
    pub(crate) fn all(
        a: ::core::primitive::u32,
        b: ::core::primitive::i32,
        c: ::core::primitive::f32,
        d: ::core::primitive::u64,
        e: [::renamed::macro_support::bf16; 2],
        f: [::core::primitive::u16; 2],
        g: impl ::core::convert::Into<::renamed::Core>,
        h: impl ::core::convert::Into<::renamed::Address>,
    ) -> ::renamed::Call<Self, ::core::primitive::f32> {
        ::renamed::macro_support::call(
            7u8,
            ::renamed::macro_support::Words::new()
                .push(a)
                .push(b)
                .push(c)
                .push(d)
                .push(e)
                .push(f)
                .push(::core::convert::Into::<::renamed::Core>::into(g))
                .push(::core::convert::Into::<::renamed::Address>::into(h)),
        )
    }
    /// A call of handler 8, `match() -> i32`.
    #[deprecated]
    #[must_use = "a call does nothing until it is submitted"]
    pub(crate) fn r#match() -> ::renamed::Call<Self, ::core::primitive::i32> {
        ::renamed::macro_support::call(8u8, ::renamed::macro_support::Words::new())
    }
    /// A call of handler 9, `none()`.
    #[must_use = "a call does nothing until it is submitted"]
    pub(crate) fn none() -> ::renamed::Call<Self, ()> {
        ::renamed::macro_support::call(9u8, ::renamed::macro_support::Words::new())
    }
}
/// Submits the handlers of [`Kinds`]: a method a handler, the cores first.
#[allow(dead_code)]
#[allow(
    dead_code,
    clippy::too_many_arguments,
    reason = "a handler that is not called; a command of ten words"
)]
pub(crate) trait KindsSubmit {
    /// Submits handler 7, `all(a: u32, b: i32, c: f32, d: u64, e: [bf16; 2], f: [u16; 2], g: Core, h: Address) -> f32`.
    ///
    /// # Errors
    ///
    /// Those of `Run::submit`.
    fn all(
        &self,
        place_of_cores: impl ::core::convert::Into<::renamed::Place>,
        a: ::core::primitive::u32,
        b: ::core::primitive::i32,
        c: ::core::primitive::f32,
        d: ::core::primitive::u64,
        e: [::renamed::macro_support::bf16; 2],
        f: [::core::primitive::u16; 2],
        g: impl ::core::convert::Into<::renamed::Core>,
        h: impl ::core::convert::Into<::renamed::Address>,
    ) -> ::renamed::Result<::renamed::Handle<::core::primitive::f32>>;
    /// Submits handler 8, `match() -> i32`.
    ///
    /// # Errors
    ///
    /// Those of `Run::submit`.
    #[deprecated]
    fn r#match(
        &self,
        place_of_cores: impl ::core::convert::Into<::renamed::Place>,
    ) -> ::renamed::Result<::renamed::Handle<::core::primitive::i32>>;
    /// Submits handler 9, `none()`.
    ///
    /// # Errors
    ///
    /// Those of `Run::submit`.
    fn none(
        &self,
        place_of_cores: impl ::core::convert::Into<::renamed::Place>,
    ) -> ::renamed::Result<::renamed::Handle<()>>;
}
#[allow(dead_code)]
#[allow(
    deprecated,
    clippy::too_many_arguments,
    reason = "the trait's functions carry what the user wrote"
)]
impl KindsSubmit for ::renamed::Run<Kinds> {
    fn all(
        &self,
        place_of_cores: impl ::core::convert::Into<::renamed::Place>,
        a: ::core::primitive::u32,
        b: ::core::primitive::i32,
        c: ::core::primitive::f32,
        d: ::core::primitive::u64,
        e: [::renamed::macro_support::bf16; 2],
        f: [::core::primitive::u16; 2],
        g: impl ::core::convert::Into<::renamed::Core>,
        h: impl ::core::convert::Into<::renamed::Address>,
    ) -> ::renamed::Result<::renamed::Handle<::core::primitive::f32>> {
        self.submit(Kinds::all(a, b, c, d, e, f, g, h).on(place_of_cores))
    }
    fn r#match(
        &self,
        place_of_cores: impl ::core::convert::Into<::renamed::Place>,
    ) -> ::renamed::Result<::renamed::Handle<::core::primitive::i32>> {
        self.submit(Kinds::r#match().on(place_of_cores))
    }
    fn none(
        &self,
        place_of_cores: impl ::core::convert::Into<::renamed::Place>,
    ) -> ::renamed::Result<::renamed::Handle<()>> {
        self.submit(Kinds::none().on(place_of_cores))
    }
}
const _: () = {
    let _: fn(u32) -> ::core::primitive::u32 = |argument| argument;
    let _: fn(i32) -> ::core::primitive::i32 = |argument| argument;
    let _: fn(f32) -> ::core::primitive::f32 = |argument| argument;
    let _: fn(u64) -> ::core::primitive::u64 = |argument| argument;
    let _: fn([half::bf16; 2]) -> [::renamed::macro_support::bf16; 2] = |argument| {
        argument
    };
    let _: fn([u16; 2]) -> [::core::primitive::u16; 2] = |argument| argument;
    let _: fn(Core) -> ::renamed::Core = |argument| argument;
    let _: fn(Address) -> ::renamed::Address = |argument| argument;
};
#[allow(
    unused_macros,
    unused_imports,
    non_local_definitions,
    reason = "for `graph!` and `stream!`"
)]
macro_rules! __km_Kinds_HASH {
    ([$($callback:tt)*] $($body:tt)*) => {
        $($callback)* ! {
        "program\tKinds\ttrue\t707840\nhandler\tall\t7\tf32\narg\ta\tu32\t\narg\tb\ti32\t\narg\tc\tf32\t\narg\td\tu64\t\narg\te\tbf16\t\narg\tf\tu16\t\narg\tg\tcore\t\narg\th\taddress\toutput\nhandler\tmatch\t8\ti32\nhandler\tnone\t9\t"
        $($body)* }
    };
}
#[allow(
    unused_macros,
    unused_imports,
    non_local_definitions,
    reason = "for `graph!` and `stream!`"
)]
pub(crate) use __km_Kinds_HASH as Kinds;
