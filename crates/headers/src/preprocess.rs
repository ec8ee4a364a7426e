//! The preprocessor: includes, conditionals and macros, giving the token stream the declarations are read from.

use crate::builtin;
use crate::error::ErrorKind;
use crate::eval::Evaluator;
use crate::expand::{Macro, Macros, Params};
use crate::expr::Parser;
use crate::fault::Fault;
use crate::lexer::lex;
use crate::loader::Loader;
use crate::location::{Place, Span};
use crate::options::Options;
use crate::scope::NoNames;
use crate::source::{Source, Sources};
use crate::token::{Token, TokenKind};
use crate::types::Model;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Includes nested deeper than this are a cycle.
const MOST_NESTED: u32 = 64;
/// Files read, repetitions counted.
const MOST_FILES: usize = 2_000;
/// Bytes read in all: thousands of constants are some hundred thousand.
const MOST_BYTES: usize = 4 << 20;
/// Conditionals open at once.
const MOST_CONDITIONS: usize = 1_000;

/// What remains of a header after preprocessing.
pub(crate) struct Preprocessed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) macros: Macros,
    /// `#include <...>` that no directory holds.
    pub(crate) skipped: Vec<(String, Span)>,
}

/// Reads a header and all it includes. `sources` holds what was read also when this fails.
pub(crate) fn preprocess(
    path: &Path,
    text: Arc<str>,
    loader: &dyn Loader,
    options: &Options,
    sources: &mut Sources,
) -> Result<Preprocessed, Fault> {
    let mut state = Preprocessor {
        loader,
        options,
        sources,
        macros: Macros::default(),
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

struct Preprocessor<'a> {
    loader: &'a dyn Loader,
    options: &'a Options,
    sources: &'a mut Sources,
    macros: Macros,
    out: Vec<Token>,
    once: HashSet<PathBuf>,
    skipped: Vec<(String, Span)>,
    bytes: usize,
}

/// An open `#if`.
struct Condition {
    directive: Span,
    /// The lines now read are kept.
    active: bool,
    /// A branch was taken, or the whole conditional lies in skipped lines.
    done: bool,
    has_else: bool,
}

impl Preprocessor<'_> {
    fn add(
        &mut self,
        path: PathBuf,
        text: Arc<str>,
        from: Option<Span>,
        builtin: bool,
    ) -> Result<u32, Fault> {
        self.bytes += text.len();
        let file = self.sources.0.len();
        self.sources.0.push(Source::new(path, text, from, builtin));
        if file >= MOST_FILES || self.bytes > MOST_BYTES {
            let message = format!("more than {MOST_FILES} includes or {} MiB of text", MOST_BYTES >> 20);
            let at = from.unwrap_or(Span { file: 0, start: 0, end: 0 });
            return Err(Fault::new(ErrorKind::Limit, message, at));
        }
        Ok(file as u32)
    }

    fn file(&mut self, file: u32, depth: u32) -> Result<(), Fault> {
        let text = self.sources.get(file).text.clone();
        let (tokens, comments) = lex(file, &text)?;
        self.sources.0[file as usize].comments = comments;
        self.out.reserve(tokens.len());
        let mut conditions: Vec<Condition> = Vec::new();
        let mut pending: Vec<Token> = Vec::new();
        let mut rest = &tokens[..];
        while !rest.is_empty() {
            let length = 1 + rest[1..].iter().take_while(|token| !token.line_start).count();
            let (line, after) = rest.split_at(length);
            rest = after;
            let active = conditions.last().is_none_or(|condition| condition.active);
            if line[0].is("#") {
                self.flush(&mut pending)?;
                if !self.conditional(line, active, &mut conditions)? && active {
                    self.directive(file, line, depth)?;
                }
            } else if active {
                pending.extend_from_slice(line);
            }
        }
        self.flush(&mut pending)?;
        match conditions.last() {
            Some(open) => {
                Err(Fault::new(ErrorKind::Directive, "this conditional has no `#endif`", open.directive)
                    .help("add `#endif` after what it encloses"))
            }
            None => Ok(()),
        }
    }

    /// Expands the text lines read since the last directive.
    fn flush(&mut self, pending: &mut Vec<Token>) -> Result<(), Fault> {
        if pending.iter().any(|token| self.macros.names(token)) {
            let expanded = self.macros.expand(std::mem::replace(pending, Vec::with_capacity(64)))?;
            self.out.extend(expanded);
        } else {
            self.out.append(pending);
        }
        Ok(())
    }

    /// Handles a directive of the `#if` family; false for any other.
    fn conditional(
        &mut self,
        line: &[Token],
        active: bool,
        open: &mut Vec<Condition>,
    ) -> Result<bool, Fault> {
        let Some(name) = line.get(1) else { return Ok(false) };
        let at = Span { end: name.place.at.end, ..line[0].place.at };
        let fault = |message: &str| Err(Fault::new(ErrorKind::Directive, message, at));
        match &*name.text {
            "if" | "ifdef" | "ifndef" => {
                if open.len() >= MOST_CONDITIONS {
                    return Err(Fault::new(ErrorKind::Limit, "conditionals are nested too deep", at));
                }
                let holds = active && self.holds(&name.text, line)?;
                open.push(Condition {
                    directive: at,
                    active: holds,
                    done: holds || !active,
                    has_else: false,
                });
            }
            "elif" | "elifdef" | "elifndef" | "else" => {
                let Some(condition) = open.last_mut() else {
                    return fault("there is no `#if` before this directive");
                };
                if condition.has_else {
                    return fault("this branch comes after the `#else`");
                }
                condition.active = false;
                condition.has_else = &*name.text == "else";
                if !condition.done {
                    let holds = condition.has_else || self.holds(&name.text[2..], line)?;
                    if let Some(condition) = open.last_mut() {
                        (condition.active, condition.done) = (holds, holds);
                    }
                }
            }
            "endif" => {
                if open.pop().is_none() {
                    return fault("there is no `#if` before this `#endif`");
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Evaluates the condition of `#if`, `#ifdef` or `#ifndef`.
    fn holds(&mut self, name: &str, line: &[Token]) -> Result<bool, Fault> {
        if name == "if" {
            return self.condition(line);
        }
        match line.get(2) {
            Some(token) if token.kind == TokenKind::Ident => {
                Ok(self.macros.is_defined(&token.text) == (name == "ifdef"))
            }
            _ => Err(Fault::at(ErrorKind::Directive, "the name of a macro is missing", line[1].place)),
        }
    }

    fn condition(&mut self, line: &[Token]) -> Result<bool, Fault> {
        let keyword = line[1].place;
        let mut tokens = Vec::new();
        let mut at = 2;
        while let Some(token) = line.get(at) {
            let question = match &*token.text {
                "defined" => Some(self.defined(&line[at..])),
                "__has_include" => Some(self.has_include(token.place.at.file, &line[at..])),
                "__has_cpp_attribute" | "__has_attribute" | "__has_builtin" | "__has_feature" => {
                    Some(group(&line[at + 1..]).map(|inside| (false, inside.len() + 3)))
                }
                _ => None,
            };
            match question {
                Some(Some((answer, length))) => {
                    let digit = if answer { "1" } else { "0" };
                    let mut number = Token::new(TokenKind::Number, digit, token.place.at);
                    number.space = token.space;
                    tokens.push(number);
                    at += length;
                }
                Some(None) => {
                    let message = format!("`{}` needs a name in parentheses", token.text);
                    return Err(Fault::at(ErrorKind::Directive, message, token.place));
                }
                None => {
                    tokens.push(token.clone());
                    at += 1;
                }
            }
        }
        let tokens = self.macros.expand(tokens)?;
        let expr = Parser::directive(&tokens, keyword).whole()?;
        let value = Evaluator { model: Model::DIRECTIVE, names: &NoNames }.evaluate(&expr)?;
        Ok(value.number != 0)
    }

    /// `defined NAME` or `defined(NAME)`: the answer and the number of tokens.
    fn defined(&self, tokens: &[Token]) -> Option<(bool, usize)> {
        let (name, length) = match tokens.get(1)? {
            open if open.is("(") && tokens.get(3)?.is(")") => (tokens.get(2)?, 4),
            name => (name, 2),
        };
        (name.kind == TokenKind::Ident).then(|| (self.macros.is_defined(&name.text), length))
    }

    fn has_include(&self, file: u32, tokens: &[Token]) -> Option<(bool, usize)> {
        let inside = group(&tokens[1..])?;
        let (name, quoted) = self.header_name(inside)?;
        let found = builtin::standard_header(&name).is_some()
            || matches!(self.find(file, &name, quoted), Ok(Some(_)));
        Some((found, inside.len() + 3))
    }

    fn directive(&mut self, file: u32, line: &[Token], depth: u32) -> Result<(), Fault> {
        // A lone `#` is the null directive.
        let Some(name) = line.get(1) else { return Ok(()) };
        match &*name.text {
            "include" | "import" => self.include(file, line, depth),
            "define" => self.define(line),
            "undef" => match line.get(2) {
                Some(token) if token.kind == TokenKind::Ident => {
                    self.macros.remove(&token.text);
                    Ok(())
                }
                _ => Err(Fault::at(ErrorKind::Directive, "the name of a macro is missing", name.place)),
            },
            "pragma" => {
                if let Some(word) = line.get(2)
                    && matches!(&*word.text, "push_macro" | "pop_macro")
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
                let words: Vec<&str> = line[2..].iter().map(|token| &*token.text).collect();
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

    fn define(&mut self, line: &[Token]) -> Result<(), Fault> {
        let Some(name) = line.get(2).filter(|token| token.kind == TokenKind::Ident) else {
            return Err(Fault::at(ErrorKind::Directive, "the name of a macro is missing", line[1].place));
        };
        if &*name.text == "defined" {
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
            name: name.text.clone(),
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

    fn include(&mut self, file: u32, line: &[Token], depth: u32) -> Result<(), Fault> {
        let place = line[0].place.to(line[line.len() - 1].place);
        let mut name = self.header_name(&line[2..]);
        if name.is_none() {
            let expanded = self.macros.expand(line[2..].to_vec())?;
            name = match expanded.first() {
                Some(open) if open.is("<") => {
                    let inside = expanded[1..].iter().take_while(|token| !token.is(">"));
                    Some((inside.map(|token| &*token.text).collect(), false))
                }
                _ => self.header_name(&expanded),
            };
        }
        let Some((name, quoted)) = name else {
            return Err(Fault::at(ErrorKind::Directive, "expected `\"file\"` or `<file>`", place));
        };
        match self.find(file, &name, quoted) {
            Err((path, error)) => {
                let message = format!("cannot read {}: {error}", path.display());
                Err(Fault::at(ErrorKind::Unreadable, message, place))
            }
            Ok(Some((path, text))) => {
                if self.once.contains(&self.loader.identity(&path)) {
                    return Ok(());
                }
                self.enter(path, text, place, depth, false)
            }
            Ok(None) => {
                if let Some(text) = builtin::standard_header(&name) {
                    let path = PathBuf::from(format!("<{name}>"));
                    if self.once.contains(&self.loader.identity(&path)) {
                        return Ok(());
                    }
                    return self.enter(path, text.into(), place, depth, true);
                }
                if quoted {
                    let searched = self.searched(file, true);
                    return Err(Fault::at(ErrorKind::Unreadable, format!("found no file \"{name}\""), place)
                        .help(format!("searched in {searched}")));
                }
                self.skipped.push((name, place.at));
                Ok(())
            }
        }
    }

    fn enter(
        &mut self,
        path: PathBuf,
        text: Arc<str>,
        from: Place,
        depth: u32,
        builtin: bool,
    ) -> Result<(), Fault> {
        if depth >= MOST_NESTED {
            let message =
                format!("includes are nested deeper than {MOST_NESTED}: does this file include itself?");
            return Err(Fault::at(ErrorKind::Limit, message, from).help("begin the file with `#pragma once`"));
        }
        let file = self.add(path, text, Some(from.at), builtin)?;
        self.file(file, depth + 1)
    }

    /// The name in `"..."` or `<...>`, and whether it is quoted.
    fn header_name(&self, tokens: &[Token]) -> Option<(String, bool)> {
        let first = tokens.first()?;
        if first.kind == TokenKind::Str {
            let name = first.text.strip_prefix('"')?.strip_suffix('"')?;
            return (!name.is_empty()).then(|| (name.to_owned(), true));
        }
        if !first.is("<") && !first.text.starts_with('<') {
            return None;
        }
        // Between the brackets it is text, not tokens.
        let Span { file, start, .. } = first.place.at;
        let rest = self.sources.get(file).text.get(start as usize + 1..)?;
        let name = rest.split(['\n', '\r']).next()?.split_once('>')?.0;
        (!name.is_empty()).then(|| (name.to_owned(), false))
    }

    /// The places an include is searched in.
    fn places(&self, file: u32, quoted: bool) -> Vec<PathBuf> {
        let beside = self.sources.get(file).path.parent().filter(|_| quoted);
        beside.map(Path::to_path_buf).into_iter().chain(self.options.include_dirs.iter().cloned()).collect()
    }

    fn searched(&self, file: u32, quoted: bool) -> String {
        let places = self.places(file, quoted);
        let shown = places.iter().map(|place| match place.as_os_str().is_empty() {
            true => "the current directory".to_owned(),
            false => place.display().to_string(),
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    #[expect(clippy::type_complexity, reason = "the path that failed with its error, used at once")]
    fn find(
        &self,
        file: u32,
        name: &str,
        quoted: bool,
    ) -> Result<Option<(PathBuf, Arc<str>)>, (PathBuf, io::Error)> {
        for place in self.places(file, quoted) {
            let path = place.join(name);
            match self.loader.load(&path) {
                Ok(bytes) => return Ok(Some((path, text_of(bytes)))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err((path, error)),
            }
        }
        Ok(None)
    }
}

/// Bytes as text; what is not UTF-8 (in comments of old files) is replaced. Sources above 4 GiB do not get here.
pub(crate) fn text_of(bytes: Vec<u8>) -> Arc<str> {
    match String::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned().into(),
    }
}

/// The tokens between a leading `(` and its `)`.
fn group(tokens: &[Token]) -> Option<&[Token]> {
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
