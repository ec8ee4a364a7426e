//! The stretch of source that a message is about.

use proc_macro2::{LineColumn, Span, TokenStream};
use quote::ToTokens;

/// First and last token of a stretch of source. Two spans, since joining them needs an unstable compiler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Anchor {
    start: Span,
    end: Span,
}

impl Anchor {
    /// One token.
    pub(crate) fn at(span: Span) -> Self {
        Self { start: span, end: span }
    }

    /// From the first to the last of `tokens`; the whole invocation if there are none.
    pub(crate) fn of(tokens: impl ToTokens) -> Self {
        Self::of_or(tokens, Self::at(Span::call_site()))
    }

    /// From the first to the last of `tokens`; `other` if there are none.
    pub(crate) fn of_or(tokens: impl ToTokens, other: Self) -> Self {
        let mut spans = tokens.into_token_stream().into_iter().map(|token| token.span());
        let Some(start) = spans.next() else { return other };
        Self { start, end: spans.last().unwrap_or(start) }
    }

    /// Where a syntax error stands; `other` if it is behind the last token.
    pub(crate) fn of_error(error: &syn::Error, other: Self) -> Self {
        // What ends too early has the span of the invocation.
        let span = error.span();
        if span.start() == Span::call_site().start() { other } else { Self::at(span) }
    }

    /// Where it begins in its file.
    pub(crate) fn start(self) -> LineColumn {
        self.start.start()
    }

    /// Do both begin with the same token?
    pub(crate) fn is(self, other: Self) -> bool {
        let place = |anchor: Self| (anchor.start.file(), anchor.start.start());
        place(self) == place(other)
    }

    /// A compile error with `message` under the whole stretch.
    pub(crate) fn compile_error(self, message: &str) -> TokenStream {
        let ends = [self.start, self.end].map(|span| proc_macro2::Ident::new("x", span));
        let [start, end] = &ends;
        syn::Error::new_spanned(quote::quote!(#start #end), message).into_compile_error()
    }
}
