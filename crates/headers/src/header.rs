//! Reading a header from end to end, and asking it for constants.

use crate::constant::{Constant, ConstantKind, Unevaluated};
use crate::declare::Reader;
use crate::doc::comment_of;
use crate::entry::Entry;
use crate::error::{ErrorKind, Excerpt, HeaderError};
use crate::expand::{Macro, Macros};
use crate::fault::Fault;
use crate::loader::{Files, Loader};
use crate::location::{Location, Span};
use crate::options::Options;
use crate::preprocess::{Preprocessed, preprocess, text_of};
use crate::source::Sources;
use crate::suggest::nearest;
use crate::text::{Few, Texts};
use crate::token::{Token, TokenKind};
use crate::types::Type;
use rustc_hash::FxBuildHasher;
use smol_str::SmolStr;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Steps of expansion for one macro asked as a constant.
const MACRO_STEPS: usize = 200_000;

/// The constants of a header and of all it includes.
#[derive(Clone, Debug)]
pub struct Header {
    path: PathBuf,
    files: Vec<PathBuf>,
    texts: Vec<(PathBuf, Arc<str>)>,
    constants: Vec<Constant>,
    unevaluated: Vec<Unevaluated>,
    /// Macros without a value of their own: guards, function-like ones.
    other_macros: HashMap<String, &'static str>,
    by_name: HashMap<SmolStr, Few<Slot>, FxBuildHasher>,
    skipped: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
enum Slot {
    Constant(usize),
    Unevaluated(usize),
}

impl Header {
    /// Reads a header from the file system.
    ///
    /// # Errors
    /// When the header or a file it includes with quotes cannot be read, when preprocessor conditionals or brackets do not
    /// balance, and at `#error`. A constant that cannot be evaluated is no error here, but in [`Header::get`].
    pub fn read(path: impl AsRef<Path>, options: &Options) -> Result<Header, HeaderError> {
        Header::load(path.as_ref(), &Files, options)
    }

    /// Reads a header through a loader.
    ///
    /// # Errors
    /// As [`Header::read`].
    pub fn load(path: &Path, loader: &dyn Loader, options: &Options) -> Result<Header, HeaderError> {
        match loader.load(path) {
            Ok(bytes) => Header::build(path, text_of(bytes), loader, options),
            Err(error) => {
                let message = format!("cannot read the header {}: {error}", path.display());
                Err(HeaderError::plain(ErrorKind::Unreadable, message, None))
            }
        }
    }

    /// Reads a header from a text; `name` is the path it is known by, from which its includes are searched.
    ///
    /// # Errors
    /// As [`Header::read`].
    pub fn parse(
        name: impl AsRef<Path>,
        text: &str,
        loader: &dyn Loader,
        options: &Options,
    ) -> Result<Header, HeaderError> {
        Header::build(name.as_ref(), text.into(), loader, options)
    }

    fn build(
        path: &Path,
        text: Arc<str>,
        loader: &dyn Loader,
        options: &Options,
    ) -> Result<Header, HeaderError> {
        let texts = Texts::default();
        let mut sources = Sources::default();
        let preprocessed = preprocess(path, text, loader, options, &texts, &mut sources);
        let failed = |fault| HeaderError::from_fault(fault, &sources);
        let Preprocessed { tokens, macros, skipped } = preprocessed.map_err(failed)?;
        let mut reader = Reader::new(&tokens, options);
        reader.run().map_err(failed)?;
        let mut other_macros = HashMap::new();
        let mut macros = evaluate_macros(&reader, macros, &mut other_macros);
        let mut declared = reader.entries;
        declared.sort_by_key(|entry| entry.order);
        note_skipped(macros.iter_mut().chain(&mut declared), &skipped);
        let count = macros.len() + declared.len();
        let files = sources.files();
        let mut header = Header {
            path: path.to_path_buf(),
            texts: Vec::new(),
            files,
            constants: Vec::with_capacity(count),
            unevaluated: Vec::new(),
            other_macros,
            by_name: HashMap::with_capacity_and_hasher(count, Default::default()),
            skipped: skipped.into_iter().map(|(name, _)| name).collect(),
        };
        let own: Vec<bool> = sources.0.iter().map(|source| *source.path == *path).collect();
        // A macro stands before the declaration that begins at the next token: it comes first among equals.
        let mut macros = macros.into_iter().peekable();
        let mut declared = declared.into_iter().peekable();
        while let Some(entry) = match declared.peek() {
            Some(next) => macros.next_if(|of| of.order <= next.order).or_else(|| declared.next()),
            None => macros.next(),
        } {
            let own = own.get(entry.at.file as usize).is_some_and(|own| *own);
            header.add(entry, own, &sources);
        }
        for file in &header.files {
            let source = sources.0.iter().find(|source| !source.builtin && *source.path == **file);
            header.texts.extend(source.map(|source| (file.clone(), Arc::clone(source.text))));
        }
        Ok(header)
    }

    fn add(&mut self, mut entry: Entry<'_>, own: bool, sources: &Sources<'_>) {
        let Some(kind) = entry.kind else { return };
        let source = sources.get(entry.at.file);
        if source.builtin {
            return;
        }
        let name = entry.name.to_string();
        let location = sources.location(entry.at);
        let value = entry.value.take().unwrap_or_else(|| Err(entry.unfinished()));
        let (path, aliases) = (entry.path, entry.aliases);
        let slot = match value.map(|value| value.ty.stored().map(|ty| (value.number, ty))) {
            Ok(Some((number, ty))) => {
                let value = crate::Value { number, ty };
                let doc = comment_of(source, entry.whole);
                self.constants.push(Constant { name, path, value, location, kind, doc, own, aliases });
                Slot::Constant(self.constants.len() - 1)
            }
            failed => {
                let fault = failed
                    .err()
                    .unwrap_or_else(|| crate::convert::not_integer(Type::Unknown, entry.at.into()));
                let error = HeaderError::from_fault(fault, sources);
                self.unevaluated.push(Unevaluated { name, path, location, kind, own, error, aliases });
                Slot::Unevaluated(self.unevaluated.len() - 1)
            }
        };
        self.by_name.entry(entry.name.into()).or_default().push(slot);
    }

    /// The path the header was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All constants with a value, in the order of their declaration, included files' where they are included.
    pub fn constants(&self) -> impl Iterator<Item = &Constant> {
        self.constants.iter()
    }

    /// The constants declared in the header itself.
    pub fn own_constants(&self) -> impl Iterator<Item = &Constant> {
        self.constants.iter().filter(|constant| constant.own)
    }

    /// The declarations without a value, with the reason. See [`Unevaluated::is_mistake`].
    pub fn unevaluated(&self) -> impl Iterator<Item = &Unevaluated> {
        self.unevaluated.iter()
    }

    /// The header and every file it includes: what a build must watch.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The text of one of [`Header::files`].
    pub fn text(&self, file: impl AsRef<Path>) -> Option<&str> {
        self.texts.iter().find(|(path, _)| path == file.as_ref()).map(|(_, text)| &**text)
    }

    /// The names of `#include <...>` that no include directory holds and that were passed over (system headers).
    pub fn skipped_includes(&self) -> &[String] {
        &self.skipped
    }

    /// A constant by its name (`kFoo`), its full name (`km::abi::kFoo`), or the end of it (`abi::kFoo`).
    ///
    /// A full name is preferred to the end of another one.
    ///
    /// # Errors
    /// When nothing declares the name (with the nearest one that is declared), several scopes do, it is declared twice with
    /// different values, or it has no value (the reason).
    pub fn get(&self, name: &str) -> Result<&Constant, HeaderError> {
        let asked = name.trim_start_matches("::");
        let last = asked.rsplit("::").next().unwrap_or(asked);
        let slots = self.by_name.get(last).map_or(&[][..], |slots| slots);
        let exact = slots.iter().filter(|slot| self.paths(**slot).any(|path| path == asked));
        let mut found: Vec<Slot> = exact.copied().collect();
        if found.is_empty() {
            let ending = format!("::{asked}");
            let ends = slots.iter().filter(|slot| self.paths(**slot).any(|path| path.ends_with(&ending)));
            found = ends.copied().collect();
        }
        let Some(first) = found.first() else { return Err(self.missing(asked, last)) };
        let path = self.path_of(*first);
        if let Some(other) = found.iter().find(|other| self.path_of(**other) != path) {
            let other = self.path_of(*other);
            let message = format!("`{asked}` may be `{path}` or `{other}` in {}", self.path.display());
            let help = Some("write the full name".to_owned());
            return Err(HeaderError::plain(ErrorKind::Ambiguous, message, help));
        }
        let mut value: Option<&Constant> = None;
        for slot in &found {
            match slot {
                Slot::Unevaluated(index) => return Err(self.unevaluated[*index].error.clone()),
                Slot::Constant(index) => {
                    let constant = &self.constants[*index];
                    if let Some(before) = value.filter(|before| before.value != constant.value) {
                        return Err(self.conflict(before, constant));
                    }
                    value = value.or(Some(constant));
                }
            }
        }
        value.ok_or_else(|| self.missing(asked, last))
    }

    fn paths(&self, slot: Slot) -> impl Iterator<Item = &str> {
        let (path, aliases) = match slot {
            Slot::Constant(index) => (&self.constants[index].path, &self.constants[index].aliases),
            Slot::Unevaluated(index) => (&self.unevaluated[index].path, &self.unevaluated[index].aliases),
        };
        std::iter::once(path).chain(aliases).map(|path| &**path)
    }

    fn path_of(&self, slot: Slot) -> &str {
        match slot {
            Slot::Constant(index) => &self.constants[index].path,
            Slot::Unevaluated(index) => &self.unevaluated[index].path,
        }
    }

    fn missing(&self, asked: &str, last: &str) -> HeaderError {
        if let Some(what) = self.other_macros.get(asked) {
            let message = format!("`{asked}` is {what}, not a constant, in {}", self.path.display());
            return HeaderError::plain(ErrorKind::NotAConstant, message, None);
        }
        let candidates = self.constants.iter().map(|constant| &*constant.name);
        let near = match self.by_name.get(last).and_then(|slots| slots.first()) {
            Some(slot) => Some(self.path_of(*slot)),
            None => nearest(last, candidates),
        };
        let message = format!("{} declares no constant `{asked}`", self.path.display());
        let help = near.map(|near| format!("did you mean `{near}`?"));
        let error = HeaderError::plain(ErrorKind::UnknownName, message, help);
        match self.skipped.iter().find(|name| name.contains('/')) {
            Some(name) => {
                error.with_note(format!("no include directory holds <{name}>, which was passed over"), None)
            }
            None => error,
        }
    }

    fn conflict(&self, first: &Constant, second: &Constant) -> HeaderError {
        let message = format!(
            "`{}` is declared as {} ({}) and as {} ({})",
            first.path,
            first.value,
            first.ty(),
            second.value,
            second.ty()
        );
        HeaderError::plain(ErrorKind::Conflict, message, None)
            .with_excerpt(self.excerpt(&second.location, second.name.chars().count()))
            .with_note(
                "declared first here".to_owned(),
                self.excerpt(&first.location, first.name.chars().count()),
            )
    }

    fn excerpt(&self, at: &Location, width: usize) -> Option<Excerpt> {
        let line = self.text(&at.file)?.lines().nth(at.line as usize - 1)?;
        Some(Excerpt::of_line(at.clone(), line, width))
    }

    /// A message about a place of the header, with its line and a caret: for errors of the caller's own.
    ///
    /// `width` is the number of characters marked. A place in no file of the header gives the message and the place only.
    pub fn render_at(&self, message: &str, at: &Location, width: usize) -> String {
        let kind = ErrorKind::Conflict;
        let text = match self.excerpt(at, width) {
            Some(excerpt) => {
                HeaderError::plain(kind, message.to_owned(), None).with_excerpt(Some(excerpt)).render()
            }
            None => format!("error: {message}\n --> {at}"),
        };
        text.strip_prefix("error: ").unwrap_or(&text).to_owned()
    }
}

/// A name may be unknown because the file that declares it was not found: says so. System headers hold no constants of ours.
fn note_skipped<'e, 'a: 'e>(
    entries: impl IntoIterator<Item = &'e mut Entry<'a>>,
    skipped: &[(String, Span)],
) {
    let Some((name, at)) = skipped.iter().find(|(name, _)| name.contains('/')) else { return };
    for entry in entries {
        if let Some(Err(fault)) = &mut entry.value
            && fault.kind == ErrorKind::UnknownName
        {
            let note = format!("no include directory holds <{name}>, which was passed over");
            fault.notes.push((note, Some(*at)));
        }
    }
}

/// The object-like macros that are expressions, evaluated with all macros and names there are at the end.
fn evaluate_macros<'a>(
    reader: &Reader<'_>,
    mut macros: Macros<'a>,
    others: &mut HashMap<String, &'static str>,
) -> Vec<Entry<'a>> {
    let mut entries = Vec::new();
    for of in macros.in_order().iter().filter(|of| !of.builtin) {
        if of.params.is_some() {
            others.insert(of.name.to_string(), "a macro with parameters");
        } else if of.body.is_empty() {
            others.insert(of.name.to_string(), "a macro without a body");
        } else {
            entries.push(evaluate_macro(reader, &mut macros, of));
        }
    }
    entries
}

fn evaluate_macro<'a>(reader: &Reader<'_>, macros: &mut Macros<'a>, of: &Macro<'a>) -> Entry<'a> {
    let name = Token::new(TokenKind::Ident, of.name, of.name_at);
    let mut value = match of.conflict {
        Some(first) => {
            let message = format!("the macro `{}` is defined twice with different bodies", of.name);
            Err(Fault::new(ErrorKind::Conflict, message, of.name_at).note("defined first here", first))
        }
        None => macros.expand_alone(name, MACRO_STEPS).and_then(|mut tokens| {
            // The use is the definition: no note about an expansion.
            for token in &mut tokens {
                token.place.used = None;
            }
            reader.evaluate(&tokens, of.name_at.into())
        }),
    };
    if let Err(fault) = &mut value
        && fault.kind == ErrorKind::Syntax
    {
        // A body that is no expression was not meant as a constant.
        fault.kind = ErrorKind::NotAConstant;
    }
    let ty = value.as_ref().map_or(Type::Unknown, |value| value.ty);
    Entry {
        name: of.name,
        path: of.name.to_string(),
        aliases: Few::new(),
        kind: Some(ConstantKind::Define),
        at: of.name_at,
        whole: of.at,
        order: of.order,
        ty,
        value: Some(value),
    }
}

impl From<Span> for crate::location::Place {
    fn from(at: Span) -> Self {
        crate::location::Place { at, used: None }
    }
}
