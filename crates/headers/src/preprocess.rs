//! The preprocessor: includes, conditionals and macros, giving the token stream the declarations are read from.

use crate::builtin;
use crate::conditional::Condition;
use crate::error::ErrorKind;
use crate::expand::{Macro, Macros, Params};
use crate::fault::Fault;
use crate::lexer::lex;
use crate::loader::Loader;
use crate::location::Span;
use crate::options::Options;
use crate::source::{Source, Sources};
use crate::text::Texts;
use crate::token::{Token, TokenKind};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files read, repetitions counted.
const MOST_FILES: usize = 2_000;
/// Bytes read in all: thousands of constants are some hundred thousand.
const MOST_BYTES: usize = 4 << 20;

/// What remains of a header after preprocessing.
pub(crate) struct Preprocessed<'a> {
    pub(crate) tokens: Vec<Token<'a>>,
    pub(crate) macros: Macros<'a>,
    /// `#include <...>` that no directory holds.
    pub(crate) skipped: Vec<(String, Span)>,
}

/// Reads a header and all it includes. `sources` holds what was read also when this fails.
pub(crate) fn preprocess<'a>(
    path: &Path,
    text: Arc<str>,
    loader: &dyn Loader,
    options: &Options,
    texts: &'a Texts,
    sources: &mut Sources<'a>,
) -> Result<Preprocessed<'a>, Fault> {
    let mut state = Preprocessor {
        loader,
        options,
        texts,
        sources,
        macros: Macros::new(texts),
        out: Vec::new(),
        once: HashSet::new(),
        skipped: Vec::new(),
        bytes: 0,
    };
    // The header is source 0.
    state.add(path.to_path_buf(), text, None, false)?;
    let mut given = builtin::predefined(options.model);
    for (name, body) in &options.defines {
        given += &format!("#define {} {}\n", name, body.replace(['\n', '\r'], " "));
    }
    let given = state.add(PathBuf::from("<options>"), given.into(), None, true)?;
    state.file(given, 0)?;
    state.file(0, 0)?;
    Ok(Preprocessed { tokens: state.out, macros: state.macros, skipped: state.skipped })
}

pub(crate) struct Preprocessor<'r, 'a> {
    pub(crate) loader: &'r dyn Loader,
    pub(crate) options: &'r Options,
    texts: &'a Texts,
    pub(crate) sources: &'r mut Sources<'a>,
    pub(crate) macros: Macros<'a>,
    pub(crate) out: Vec<Token<'a>>,
    pub(crate) once: HashSet<PathBuf>,
    pub(crate) skipped: Vec<(String, Span)>,
    pub(crate) bytes: usize,
}

impl<'a> Preprocessor<'_, 'a> {
    pub(crate) fn add(
        &mut self,
        path: PathBuf,
        text: Arc<str>,
        from: Option<Span>,
        builtin: bool,
    ) -> Result<u32, Fault> {
        self.bytes += text.len();
        let file = self.sources.0.len();
        self.sources.0.push(Source::new(path, self.texts.keep(text), from, builtin));
        if file >= MOST_FILES || self.bytes > MOST_BYTES {
            let message = format!("more than {MOST_FILES} includes or {} MiB of text", MOST_BYTES >> 20);
            let at = from.unwrap_or(Span { file: 0, start: 0, end: 0 });
            return Err(Fault::new(ErrorKind::Limit, message, at));
        }
        Ok(file as u32)
    }

    pub(crate) fn file(&mut self, file: u32, depth: u32) -> Result<(), Fault> {
        let (tokens, comments) = lex(file, self.sources.get(file).text, self.texts)?;
        self.sources.0[file as usize].comments = comments;
        self.out.reserve(tokens.len());
        let mut conditions: Vec<Condition> = Vec::new();
        // The text lines since the last directive begin here.
        let mut text = 0;
        let mut next = 0;
        while let Some(first) = tokens.get(next) {
            let begin = next;
            next = line_end(&tokens, begin);
            if !first.is("#") {
                continue;
            }
            let line = &tokens[begin..next];
            let active = conditions.last().is_none_or(|condition| condition.active);
            if active {
                self.text_lines(&tokens[text..begin])?;
            }
            text = next;
            if !self.conditional(line, active, &mut conditions)? && active {
                self.directive(file, line, depth)?;
            }
        }
        if conditions.last().is_none_or(|condition| condition.active) {
            self.text_lines(&tokens[text..])?;
        }
        match conditions.last() {
            Some(open) => {
                Err(Fault::new(ErrorKind::Directive, "this conditional has no `#endif`", open.directive)
                    .help("add `#endif` after what it encloses"))
            }
            None => Ok(()),
        }
    }

    /// Expands text lines between directives.
    fn text_lines(&mut self, tokens: &[Token<'a>]) -> Result<(), Fault> {
        if tokens.iter().any(|token| self.macros.names(token)) {
            self.macros.expand(tokens, &mut self.out)
        } else {
            self.out.extend_from_slice(tokens);
            Ok(())
        }
    }

    fn directive(&mut self, file: u32, line: &[Token<'a>], depth: u32) -> Result<(), Fault> {
        // A lone `#` is the null directive.
        let Some(name) = line.get(1) else { return Ok(()) };
        match name.text {
            "include" | "import" => self.include(file, line, depth),
            "define" => self.define(line),
            "undef" => match line.get(2) {
                Some(token) if token.kind == TokenKind::Ident => {
                    self.macros.remove(token.text);
                    Ok(())
                }
                _ => Err(Fault::at(ErrorKind::Directive, "the name of a macro is missing", name.place)),
            },
            "pragma" => {
                if let Some(word) = line.get(2)
                    && matches!(word.text, "push_macro" | "pop_macro")
                {
                    let message = format!("`#pragma {}` is not followed here", word.text);
                    return Err(Fault::at(ErrorKind::Directive, message, word.place)
                        .help("use `#undef` and `#define`, or another name"));
                }
                if line.get(2).is_some_and(|token| token.is_word("once")) {
                    let path = self.loader.identity(&self.sources.get(file).path);
                    self.once.insert(path);
                }
                Ok(())
            }
            "error" => {
                let words: Vec<&str> = line[2..].iter().map(|token| token.text).collect();
                let message = format!("the header stops with `#error {}`", words.join(" "));
                Err(Fault::at(ErrorKind::Directive, message, name.place))
            }
            "warning" | "line" | "ident" => Ok(()),
            other => {
                let message = format!("`#{other}` is no directive the reader knows");
                Err(Fault::at(ErrorKind::Directive, message, name.place))
            }
        }
    }

    fn define(&mut self, line: &[Token<'a>]) -> Result<(), Fault> {
        let Some(name) = line.get(2).filter(|token| token.kind == TokenKind::Ident) else {
            return Err(Fault::at(ErrorKind::Directive, "the name of a macro is missing", line[1].place));
        };
        if name.text == "defined" {
            return Err(Fault::at(ErrorKind::Directive, "`defined` cannot be a macro", name.place));
        }
        let mut body = &line[3..];
        let mut params = None;
        if body.first().is_some_and(|token| token.is("(") && !token.space) {
            let Some(inside) = group(body) else {
                return Err(Fault::at(
                    ErrorKind::Directive,
                    "the parameters of this macro have no `)`",
                    name.place,
                ));
            };
            params = Some(Params::parse(inside)?);
            body = &body[inside.len() + 2..];
        }
        let mut body = body.to_vec();
        if let Some(first) = body.first_mut() {
            first.space = false;
        }
        let place = name.place.to(line[line.len() - 1].place);
        self.macros.define(Macro {
            name: name.text,
            params,
            body,
            name_at: name.place.at,
            at: place.at,
            order: self.out.len(),
            builtin: self.sources.get(name.place.at.file).builtin,
            conflict: None,
        });
        Ok(())
    }
}

/// Bytes as text; what is not UTF-8 (in comments of old files) is replaced. Sources above 4 GiB do not get here.
pub(crate) fn text_of(bytes: Vec<u8>) -> Arc<str> {
    match String::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned().into(),
    }
}

/// The index after the line that begins at a token.
fn line_end(tokens: &[Token<'_>], begin: usize) -> usize {
    begin + 1 + tokens[begin + 1..].iter().take_while(|token| !token.line_start).count()
}

/// The tokens between a leading `(` and its `)`.
pub(crate) fn group<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<&'t [Token<'a>]> {
    if !tokens.first()?.is("(") {
        return None;
    }
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth -= 1;
            if depth == 0 {
                return Some(&tokens[1..at]);
            }
        }
    }
    None
}
