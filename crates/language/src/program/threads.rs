//! `threads(..)` and `regions(..)`: programs of the X280's work clusters, and the memory they share.

use std::path::Path;

use komorebi_abi::program::{Place, Prefetch, Region, Rule, Thread};
use proc_macro2::{TokenStream, TokenTree};
use syn::Meta;

use super::attribute::ThreadParts;
use super::collect::Collect;
use super::files::{exists, missing_help, nearest_file, plain};
use super::header::ProgramHeader;
use super::kernels::{SourcePath, with_includes};
use super::number::resolve;
use super::options::choose;
use super::places::{Named, RegionPlaces, ThreadPlaces};
use crate::anchor::Anchor;
use crate::context::Context;
use crate::duration::{HELP, parse_deadline};
use crate::errors::{Errors, Message};
use crate::parts::{Part, first_words, parse_fields, parse_parts, split};
use crate::value::Value;

const SOURCES: &str = "write `sources = [\"threads/scan.cpp\"]`, with the paths of its C++ files";
const EXAMPLE: &str = "write it as in `scan(cluster = 1, sources = [\"threads/scan.cpp\"])`";

/// A thread as it is written.
#[derive(Debug)]
pub(crate) struct ThreadItem {
    name: String,
    key: Anchor,
    parts: ThreadParts,
    deadline: Option<Deadline>,
    /// The paths of its sources; `None` when they are refused.
    sources: Option<Vec<(String, Anchor)>>,
}

/// The deadline of a thread.
#[derive(Debug)]
struct Deadline {
    key: Anchor,
    value: Anchor,
    /// Microseconds; `None` when it is refused.
    us: Option<u64>,
}

/// Reads all threads.
pub(crate) fn parse_threads(value: &Value, errors: &mut Errors) -> Vec<ThreadItem> {
    let Value::Parts(tokens, _) = value else {
        let text = format!("`threads` is a list of threads, found {}", value.describe());
        let help = format!("{EXAMPLE} inside `threads(..)`");
        errors.push(value.anchor(), &Message::new(Rule::Field, text).help(help));
        return Vec::new();
    };
    let parts = parse_parts(tokens.clone(), "`threads`", errors);
    parts.iter().filter_map(|part| parse_thread(part, errors)).collect()
}

fn parse_thread(part: &Part, errors: &mut Errors) -> Option<ThreadItem> {
    let Meta::List(list) = &part.meta else {
        let message = Message::new(Rule::Field, format!("thread `{}` has no parts", part.name));
        errors.push(Anchor::of(&part.meta), &message.help(EXAMPLE));
        return None;
    };
    let owner = format!("thread `{}`", part.name);
    let (rest, deadline) = take_deadline(list.tokens.clone(), &owner, errors);
    let parts: ThreadParts = parse_fields(rest, &owner, &ThreadParts::PARTS, errors);
    let sources = match &parts.sources {
        None => Some(Vec::new()),
        Some(value) => parse_sources(value, &owner, errors),
    };
    Some(ThreadItem { name: part.name.clone(), key: part.key, parts, deadline, sources })
}

/// Takes `deadline = 50 ms` out of a thread's parts: its value is no expression of Rust.
fn take_deadline(tokens: TokenStream, owner: &str, errors: &mut Errors) -> (TokenStream, Option<Deadline>) {
    let (mut rest, mut found) = (TokenStream::new(), None::<Deadline>);
    let parts = split(tokens);
    let given = first_words(&parts);
    for part in parts {
        let mut inner = part.clone().into_iter();
        let key = match inner.next() {
            Some(TokenTree::Ident(name)) if name == "deadline" => Anchor::at(name.span()),
            Some(TokenTree::Ident(name)) if is_time_of_unknown(&name, inner.clone()) => {
                let name = (name.to_string(), Anchor::at(name.span()));
                let message = Message::new(Rule::Field, format!("{owner} has no part called `{}`", name.0));
                errors.push(name.1, &message.nearest_free(&name.0, ThreadParts::PARTS, owner, &given));
                continue;
            }
            _ => {
                rest.extend(part);
                rest.extend(quote::quote!(,));
                continue;
            }
        };
        if let Some(first) = &found {
            let text = format!("{owner} has two parts called `deadline`");
            errors.push(key, &Message::new(Rule::Field, text).help("remove one of them"));
            let text = format!("the other `deadline` of {owner}");
            errors.end(first.key, &Message::new(Rule::Field, text));
            continue;
        }
        let equals = matches!(inner.next(), Some(TokenTree::Punct(punct)) if punct.as_char() == '=');
        let value: TokenStream = inner.collect();
        let anchor = Anchor::of_or(value.clone(), key);
        let deadline = match (equals, value.is_empty()) {
            (true, false) => parse_deadline(value),
            _ => Err("`deadline` has no value".to_owned()),
        };
        if let Err(text) = &deadline {
            errors.push(anchor, &Message::new(Rule::Field, format!("{text}, in {owner}")).help(HELP));
        }
        found = Some(Deadline { key, value: anchor, us: deadline.ok() });
    }
    (rest, found)
}

/// `deadlne = 50 ms`: a time, which only a deadline is, under a name that no part has.
fn is_time_of_unknown(name: &proc_macro2::Ident, mut rest: impl Iterator<Item = TokenTree>) -> bool {
    let equals = matches!(rest.next(), Some(TokenTree::Punct(punct)) if punct.as_char() == '=');
    let known = ThreadParts::PARTS.iter().any(|part| name == part);
    equals && !known && parse_deadline(rest.collect()).is_ok()
}

/// `["a.cpp", "b.cpp"]`, or one path.
fn parse_sources(value: &Value, owner: &str, errors: &mut Errors) -> Option<Vec<(String, Anchor)>> {
    let single = std::slice::from_ref(value);
    let values = match value {
        Value::List(values, _) => values.as_slice(),
        Value::Text(_) => single,
        other => {
            let text = format!("`sources` of {owner} is a list of paths, found {}", other.describe());
            errors.push(other.anchor(), &Message::new(Rule::Field, text).help(SOURCES));
            return None;
        }
    };
    let mut sources = Some(Vec::new());
    for value in values {
        if let Value::Text(path) = value {
            let path = (plain(Path::new(&path.value())), Anchor::at(path.span()));
            sources = sources.map(|mut sources| {
                sources.push(path);
                sources
            });
        } else {
            let text = format!("a source of {owner} is a path, found {}", value.describe());
            errors.push(value.anchor(), &Message::new(Rule::Field, text).help(SOURCES));
            sources = None;
        }
    }
    sources
}

/// Finds the threads' sources and what they include. Where the folder is unknown, they are taken to be there.
pub(crate) fn load_threads(
    threads: &[ThreadItem],
    header: &ProgramHeader,
    context: &Context,
    errors: &mut Errors,
) -> Vec<SourcePath> {
    let mut places: Vec<String> = Vec::new();
    for thread in threads {
        for (path, anchor) in thread.sources.iter().flatten() {
            if let Some(folder) = &context.folder
                && !exists(&folder.join(path))
            {
                let text = format!("there is no file {path:?}, a source of thread `{}`", thread.name);
                let listed = |near: &String| thread.sources.iter().flatten().any(|(other, _)| other == near);
                let help = match nearest_file(folder, path) {
                    Some(nearest) if nearest != *path && listed(&nearest) => {
                        format!("remove it: {nearest:?} is in the list already")
                    }
                    _ => missing_help(folder, path),
                };
                errors.push(*anchor, &Message::new(Rule::ThreadSources, text).help(help));
            } else if !places.contains(path) {
                places.push(path.clone());
            }
        }
    }
    if places.is_empty() { Vec::new() } else { with_includes(places, header, context) }
}

/// Puts the threads into the model.
pub(crate) fn collect_threads(items: &[ThreadItem], into: &mut Collect<'_>) {
    for item in items {
        collect_thread(item, into);
    }
}

fn collect_thread(item: &ThreadItem, into: &mut Collect<'_>) {
    let owner = format!("thread `{}`", item.name);
    let place = |value: &Option<Value>| value.as_ref().map_or(item.key, Value::anchor);
    let ThreadParts { sources, regions, words, prefetch, host_fallback, .. } = &item.parts;
    if let Some(value) = host_fallback {
        let text = format!(
            "`host_fallback` of {owner} is not supported: no session runs a thread, or anything in its place"
        );
        into.errors.push(value.anchor(), &Message::new(Rule::Field, text).help("remove it"));
    }
    let clusters = clusters_of(item, &owner, into);
    let Some(&(number, cluster, _)) = clusters.first() else { return };
    let mut thread = Thread { name: Some(item.name.clone()), ..Thread::new(number) };
    thread.sources = match &item.sources {
        Some(sources) => sources.iter().map(|(path, _)| path.clone()).collect(),
        None => vec![String::new()],
    };
    // One declaration is as many threads as it has clusters.
    let first = into.model.threads.len();
    let all = first..first + clusters.len();
    if let Some(value) = words {
        all.clone().for_each(|i| into.given(Place::ThreadWords(i), value));
        thread.words = resolve(
            value,
            &format!("`words` of {owner}"),
            &format!("a number from 0 to {}", Thread::WORDS_MAX),
            into.header,
            into.errors,
        )
        .unwrap_or_default();
    }
    thread.deadline_us = item.deadline.as_ref().and_then(|deadline| deadline.us);
    let setting =
        choose(prefetch.as_ref(), "a prefetch setting", &Prefetch::ALL, Prefetch::name, into.errors);
    thread.prefetch = setting.unwrap_or_default();
    let mut places = ThreadPlaces {
        cluster,
        all_sources: place(sources),
        sources: item.sources.iter().flatten().map(|(_, anchor)| *anchor).collect(),
        words: place(words),
        deadline: item.deadline.as_ref().map_or(item.key, |deadline| deadline.value),
        regions: Vec::new(),
    };
    if let Some(value) = regions {
        let owner = format!("`regions` of {owner}");
        let at = |region| all.clone().map(move |i| Place::Region(i, region)).collect();
        (thread.regions, places.regions) = parse_regions(value, &owner, &at, into);
    }
    for (number, cluster, constant) in clusters {
        let place = Place::ThreadCluster(into.model.threads.len());
        into.places.constants.extend(constant.map(|named| (place, named)));
        into.model.threads.push(Thread { cluster: number, ..thread.clone() });
        into.places.threads.push(ThreadPlaces { cluster, ..places.clone() });
    }
}

/// The clusters that a thread is declared on: one, or each of a list.
fn clusters_of(item: &ThreadItem, owner: &str, into: &mut Collect<'_>) -> Vec<(u32, Anchor, Option<Named>)> {
    let values = match (&item.parts.cluster, &item.parts.clusters) {
        (Some(value), None) => std::slice::from_ref(value),
        (None, Some(Value::List(values, _))) if !values.is_empty() => values.as_slice(),
        (None, Some(other)) => {
            let text = format!("`clusters` of {owner} is a list of clusters, found {}", other.describe());
            let help = "write it as in `clusters = (1, 2, 3)`, or one as in `cluster = 1`";
            into.errors.push(other.anchor(), &Message::new(Rule::Field, text).help(help));
            &[]
        }
        (Some(_), Some(list)) => {
            let text = format!("{owner} has `cluster` and `clusters`");
            into.errors.push(list.anchor(), &Message::new(Rule::Field, text).help("keep one of them"));
            &[]
        }
        (None, None) => {
            let text = format!("{owner} has no `cluster`");
            let free = Thread::CLUSTERS
                .clone()
                .find(|cluster| into.model.threads.iter().all(|thread| thread.cluster != *cluster));
            let help =
                format!("write `{}(cluster = {}, ..)`", item.name, free.unwrap_or(*Thread::CLUSTERS.start()));
            into.errors.push(item.key, &Message::new(Rule::Field, text).help(help));
            &[]
        }
    };
    let what = format!("the cluster of {owner}");
    let found = values.iter().filter_map(|value| {
        let number = resolve(value, &what, "a number from 1 to 3", into.header, into.errors)?;
        Some((number, value.anchor(), into.header.named(value)))
    });
    let mut found: Vec<_> = found.collect();
    if found.is_empty() {
        // What is not known is filled in so that no other rule speaks about it.
        let taken = |cluster: u32| into.model.threads.iter().any(|thread| thread.cluster == cluster);
        let free = Thread::CLUSTERS.rev().find(|cluster| !taken(*cluster));
        found.extend(free.map(|cluster| (cluster, item.key, None)));
    }
    found
}

/// Puts the regions that threads share into the model.
pub(crate) fn collect_regions(value: &Value, into: &mut Collect<'_>) {
    (into.model.regions, into.places.regions) =
        parse_regions(value, "`regions`", &|region| vec![Place::SharedRegion(region)], into);
}

/// `(table = 65_536)`: the regions, and where each one's bytes stand.
/// `at` are its places in the model.
fn parse_regions(
    value: &Value,
    owner: &str,
    at: &dyn Fn(usize) -> Vec<Place>,
    into: &mut Collect<'_>,
) -> (Vec<Region>, Vec<RegionPlaces>) {
    let Value::Parts(tokens, _) = value else {
        let text = format!("{owner} are names with their bytes, found {}", value.describe());
        let help = "write them as in `regions(table = 65_536)`";
        into.errors.push(value.anchor(), &Message::new(Rule::Field, text).help(help));
        return (Vec::new(), Vec::new());
    };
    let (mut regions, mut places) = (Vec::new(), Vec::new());
    for part in parse_parts(tokens.clone(), owner, into.errors) {
        let value = <Value as darling::FromMeta>::from_meta(&part.meta).unwrap_or(Value::Word(part.key));
        let what = format!("the bytes of region `{}`", part.name);
        if let Value::Text(_) | Value::List(..) = value {
            let text = format!("{what} are a number, found {}", value.describe());
            let help =
                format!("write its size, as in `{} = 65_536`: first contents are not supported", part.name);
            into.errors.push(value.anchor(), &Message::new(Rule::Number, text).help(help));
            continue;
        }
        let Some(bytes) = resolve(
            &value,
            &what,
            "a multiple of 64 that the bank holds, as in `table = 65_536`",
            into.header,
            into.errors,
        ) else {
            continue;
        };
        at(regions.len()).into_iter().for_each(|place| into.given(place, &value));
        regions.push(Region { name: part.name, bytes });
        places.push(RegionPlaces { name: part.key, bytes: value.anchor() });
    }
    (regions, places)
}
