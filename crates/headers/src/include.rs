//! `#include`: the file it names, and where it is.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::builtin;
use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::location::{Place, Span};
use crate::preprocess::{Preprocessor, text_of};
use crate::token::{Token, TokenKind};

/// Includes nested deeper than this are a cycle.
const MOST_NESTED: u32 = 64;

impl<'a> Preprocessor<'_, 'a> {
    pub(crate) fn include(&mut self, file: u32, line: &[Token<'a>], depth: u32) -> Result<(), Fault> {
        let place = line[0].place.to(line[line.len() - 1].place);
        let mut name = self.header_name(&line[2..]);
        if name.is_none() {
            let mut expanded = Vec::new();
            self.macros.expand(&line[2..], &mut expanded)?;
            name = match expanded.first() {
                Some(open) if open.is("<") => {
                    let inside = expanded[1..].iter().take_while(|token| !token.is(">"));
                    Some((inside.map(|token| token.text).collect(), false))
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
    pub(crate) fn header_name(&self, tokens: &[Token<'a>]) -> Option<(String, bool)> {
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
    pub(crate) fn find(
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
