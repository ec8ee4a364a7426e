/// A stream of [`Heat`] with 2 commands.
#[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
pub(crate) struct Jobs;
#[automatically_derived]
impl ::komorebi::macro_support::abi::engine::DeclaredUpload for Jobs {
    type Bindings = JobsBindings;
    type End = ::core::primitive::f32;
    const NAME: &'static ::core::primitive::str = "Jobs";
    const KIND: ::komorebi::macro_support::abi::engine::UploadKind = ::komorebi::macro_support::abi::engine::UploadKind::Stream;
    const REQ: ::core::primitive::u16 = 3u16;
    const KEEP: ::core::primitive::bool = false;
    const BYTES: &'static [::core::primitive::u8] = b"KMU1\x01\0\x03\0\0\x02\0\0\x02\0\x03\0\x0E\0\0\0\0\0\0\0@B\x0F\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x07\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\x05\x11\0\x04\x05\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0\0\xC0\x03\0\0\0\0\0\0\x94\x05\x03\0\x0F\0\0\0f\0\x05\0\x06\0\0\0a\0\x02\0\0\0\0\0\x81\x03\x03\0\x01\0\0\0e\0\0\0\x01\0\0\0\x9A\x05\0\0\0\0\0@`\0\0\0\x01\0\0\0c\0\0\0\x01\0\0\0\x8E\x05\x01\0\0\0\0\0f\0\x05\0\r\0\0\0\xC0\x06\0\0\0\0\0?i\0\x06\0\0\0\0\0i\0\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    const BINDINGS: &'static [&'static ::core::primitive::str] = &[
        "scale_by",
        "halves",
        "core",
    ];
}
#[automatically_derived]
impl ::komorebi::macro_support::abi::engine::UploadFor<Heat> for Jobs {}
/// The bindings of a start of [`Jobs`].
#[derive(
    ::core::clone::Clone,
    ::core::marker::Copy,
    ::core::fmt::Debug,
    ::core::cmp::PartialEq
)]
pub(crate) struct JobsBindings {
    /// The binding `scale_by`.
    pub(crate) scale_by: ::core::primitive::f32,
    /// The binding `halves`.
    pub(crate) halves: [::core::primitive::u16; 2],
    /// The binding `core`.
    pub(crate) core: ::komorebi::Core,
}
#[allow(
    dead_code,
    clippy::too_many_arguments,
    reason = "a start carries up to sixteen words"
)]
impl Jobs {
    /// The bindings of a start, in the order of their declaration.
    #[must_use = "bindings do nothing until a start takes them"]
    pub(crate) fn bind(
        scale_by: ::core::primitive::f32,
        halves: [::core::primitive::u16; 2],
        core: impl ::core::convert::Into<::komorebi::Core>,
    ) -> JobsBindings {
        JobsBindings {
            scale_by,
            halves,
            core: ::core::convert::Into::<::komorebi::Core>::into(core),
        }
    }
}
#[automatically_derived]
impl ::komorebi::macro_support::abi::engine::BindingWords for JobsBindings {
    const COUNT: ::core::primitive::usize = 3usize;
    fn words(&self) -> [::core::primitive::u32; 16usize] {
        let mut words = [0; 16usize];
        words[0usize] = self.scale_by.to_bits();
        words[1usize] = <::core::primitive::u32 as ::core::convert::From<
            _,
        >>::from(self.halves[0])
            | (<::core::primitive::u32 as ::core::convert::From<_>>::from(self.halves[1])
                << 16);
        words[2usize] = self.core.0;
        words
    }
}
const _: () = {
    let _: fn(f32) -> ::core::primitive::f32 = |word| word;
    let _: fn([u16; 2]) -> [::core::primitive::u16; 2] = |word| word;
    let _: fn(km::Core) -> ::komorebi::Core = |word| word;
    let _: fn(u32) -> ::core::primitive::u32 = |word| word;
    let _: fn(f32) -> ::core::primitive::f32 = |word| word;
    let _: fn(u32) -> ::core::primitive::u32 = |word| word;
};
