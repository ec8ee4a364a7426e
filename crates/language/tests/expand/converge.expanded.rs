/// Relaxes until the residual is under `limit`.
#[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
pub struct Converge;
#[automatically_derived]
impl ::komorebi::macro_support::abi::engine::DeclaredUpload for Converge {
    type Bindings = ConvergeBindings;
    type End = ConvergeEnd;
    const NAME: &'static ::core::primitive::str = "Converge";
    const KIND: ::komorebi::macro_support::abi::engine::UploadKind = ::komorebi::macro_support::abi::engine::UploadKind::Graph;
    const REQ: ::core::primitive::u16 = 6u16;
    const KEEP: ::core::primitive::bool = true;
    const BYTES: &'static [::core::primitive::u8] = b"KMU1\x02\x01\x06\0\x80\x02\0\0\x05\0\x03\0\x02\0\0\0\0\0\0\0@\r\x03\x002\0\0\0\x01\x03\x04\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\x03\0\x01\x02\0<\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x80\0 \0\x04\0\0\0\0\0\0\0\0\0\0\x01\0\x01\0\x02\x01\0\x1E\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x03\0\0\x10\0\x04\0\0\0\0\0\0\0\0\0\0\x01\0\x01\0\x03\x01\x1E\x1E\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x03\0\0\x10\0\x04\0\0\0\0\0\0\0\0\0\0\x02\0\x01\0\x04\x12\0<\0\0\0\0<\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x04\0\0\x10\0\x08\0\x04\0\0\0\0\0\0\0\0\x01\0\0\x04\0\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0\0\0\0\x81\x01\x01\0\x01\0\0\0\x16\x04\x03\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    const BINDINGS: &'static [&'static ::core::primitive::str] = &[
        "state",
        "iteration",
        "limit",
    ];
}
#[automatically_derived]
impl ::komorebi::macro_support::abi::engine::UploadFor<Heat> for Converge {}
/// The bindings of a start of [`Converge`].
#[derive(
    ::core::clone::Clone,
    ::core::marker::Copy,
    ::core::fmt::Debug,
    ::core::cmp::PartialEq
)]
pub struct ConvergeBindings {
    /// Where the field lies.
    pub state: ::komorebi::Address,
    /// The binding `iteration`.
    pub iteration: ::core::primitive::u32,
    /// The binding `limit`.
    pub limit: ::core::primitive::u32,
}
#[allow(
    dead_code,
    clippy::too_many_arguments,
    reason = "a start carries up to sixteen words"
)]
impl Converge {
    /// The bindings of a start, in the order of their declaration.
    #[must_use = "bindings do nothing until a start takes them"]
    pub fn bind(
        state: impl ::core::convert::Into<::komorebi::Address>,
        iteration: ::core::primitive::u32,
        limit: ::core::primitive::u32,
    ) -> ConvergeBindings {
        ConvergeBindings {
            state: ::core::convert::Into::<::komorebi::Address>::into(state),
            iteration,
            limit,
        }
    }
}
#[automatically_derived]
impl ::komorebi::macro_support::abi::engine::BindingWords for ConvergeBindings {
    const COUNT: ::core::primitive::usize = 3usize;
    fn words(&self) -> [::core::primitive::u32; 16usize] {
        let mut words = [0; 16usize];
        words[0usize] = self.state.0;
        words[1usize] = self.iteration;
        words[2usize] = self.limit;
        words
    }
}
/// What the end event of [`Converge`] carries.
#[derive(
    ::core::clone::Clone,
    ::core::marker::Copy,
    ::core::fmt::Debug,
    ::core::cmp::PartialEq
)]
pub struct ConvergeEnd {
    /// The low 24 bits of the register `iteration`.
    pub iteration: ::core::primitive::u32,
    /// The register `error`.
    pub error: ::core::primitive::u32,
}
#[automatically_derived]
impl ::komorebi::macro_support::abi::engine::EndWords for ConvergeEnd {
    fn of_words(first: ::core::primitive::u32, second: ::core::primitive::u32) -> Self {
        Self {
            iteration: (first & 0x00FF_FFFF),
            error: second,
        }
    }
}
const _: () = {
    let _: fn(km::Address) -> ::komorebi::Address = |word| word;
    let _: fn(u32) -> ::core::primitive::u32 = |word| word;
    let _: fn(u32) -> ::core::primitive::u32 = |word| word;
    let _: fn(u32) -> ::core::primitive::u32 = |word| word;
};
