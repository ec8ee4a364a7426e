//! From what was written and read to the model, with the place of each part.

use komorebi_abi::constants::{command as limits, layout};
use komorebi_abi::program::{Arg, ArgKind, Handler, Place, ProgramModel, Rule};
use syn::ext::IdentExt;

use super::attribute::Attribute;
use super::buffers::collect_buffers;
use super::defines::Defines;
use super::handler::HandlerItem;
use super::header::{HeaderHandler, ProgramHeader, ReadHeader};
use super::item::ProgramItem;
use super::number::resolve;
use super::options::{collect_compile_args, collect_compute, collect_opt};
use super::places::{HandlerPlaces, Named, Places};
use super::threads::{ThreadItem, collect_regions, collect_threads};
use crate::anchor::Anchor;
use crate::errors::{Errors, Message};
use crate::value::Value;

/// What is being put together.
pub(crate) struct Collect<'a> {
    pub(crate) model: ProgramModel,
    pub(crate) places: Places,
    pub(crate) header: &'a ProgramHeader,
    pub(crate) errors: &'a mut Errors,
}

impl Collect<'_> {
    /// The number at `place` is `value`: remembers the constant of the header that it names.
    pub(crate) fn given(&mut self, place: Place, value: &Value) {
        self.places.constants.extend(self.header.named(value).map(|named| (place, named)));
    }
}

/// Reads one part of the attribute.
type ReadPart = fn(&Value, &mut Collect<'_>);

/// The model of a program and where its parts stand.
pub(crate) fn collect(
    attribute: &Attribute,
    item: &ProgramItem,
    defines: Defines,
    threads: &[ThreadItem],
    header: &ProgramHeader,
    errors: &mut Errors,
) -> (ProgramModel, Places) {
    let name = item.ident.unraw().to_string();
    let places = Places::new(Anchor::at(item.ident.span()));
    let mut into = Collect { model: ProgramModel::new(name), places, header, errors };
    for (define, anchor) in defines {
        into.model.defines.push(define);
        into.places.defines.push(anchor);
    }
    collect_grid(attribute.grid.as_ref(), &mut into);
    if let Some(value) = &attribute.depth {
        into.places.depth = Some(value.anchor());
        into.given(Place::Depth, value);
        let depth = resolve(value, "`depth`", &to(limits::SLOTS_MAX), header, into.errors);
        into.model.depth = depth.unwrap_or(ProgramModel::DEFAULT_DEPTH);
    }
    if let Some(value) = &attribute.kernel_bytes {
        into.places.kernel_bytes = Some(value.anchor());
        into.given(Place::KernelBytes, value);
        let (step, most) = (layout::KERNEL_BYTES_STEP, layout::KERNEL_BYTES_MAX);
        let range = format!("a multiple of {step} from {step} to {most}");
        into.model.kernel_bytes = resolve(value, "`kernel_bytes`", &range, header, into.errors);
    }
    let readers: [(&Option<Value>, ReadPart); 4] = [
        (&attribute.buffers, collect_buffers),
        (&attribute.compute, collect_compute),
        (&attribute.opt, collect_opt),
        (&attribute.compile_args, collect_compile_args),
    ];
    for (value, read) in readers {
        if let Some(value) = value {
            read(value, &mut into);
        }
    }
    collect_threads(threads, &mut into);
    // A thread that could not be read may be the one that shares them.
    let unread = attribute.threads.is_some() && into.model.threads.is_empty() && !into.errors.is_empty();
    if let Some(value) = attribute.regions.as_ref().filter(|_| !unread) {
        collect_regions(value, &mut into);
    }
    collect_handlers(&item.handlers, &mut into);
    (into.model, into.places)
}

/// The range of a number that counts.
fn to(most: u32) -> String {
    format!("a number from 1 to {most}")
}

fn collect_grid(value: Option<&Value>, into: &mut Collect<'_>) {
    let Some(value) = value else { return };
    into.places.grid = Some(value.anchor());
    match value {
        Value::List(sides, _) if sides.len() == 2 => {
            let side = |i: usize, what, range: &str, into: &mut Collect<'_>| {
                into.given(Place::Grid, &sides[i]);
                resolve(&sides[i], what, range, into.header, into.errors)
            };
            let columns = side(0, "the columns of the grid", &to(limits::COLUMNS_MAX), into);
            let rows = side(1, "the rows of the grid", &to(limits::CORES_MAX), into);
            into.model.grid = columns.zip(rows);
        }
        other => {
            let text = format!("`grid` is columns and rows, found {}", other.describe());
            into.errors.push(
                other.anchor(),
                &Message::new(Rule::Field, text).help("write it as in `grid = (12, 10)`"),
            );
        }
    }
}

fn collect_handlers(items: &[HandlerItem], into: &mut Collect<'_>) {
    let mut open = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let name = item.ident.unraw().to_string();
        let anchor = Anchor::at(item.ident.span());
        let mut places = HandlerPlaces { name: anchor, number: None, args: Vec::new() };
        let number = number_of(i, &name, item, &mut places, into);
        if let Err(why) = number {
            open.push((i, why));
        }
        let mut args = Vec::new();
        for arg in &item.args {
            // A type that was refused counts as a word: no other rule then speaks about it.
            let kind = arg.kind.unwrap_or(ArgKind::U32);
            args.push(Arg { name: arg.ident.unraw().to_string(), kind, effect: arg.effect });
            places.args.push(Anchor::at(arg.ident.span()));
        }
        into.model.handlers.push(Handler {
            name,
            number: number.unwrap_or(NO_NUMBER),
            args,
            result: item.result,
        });
        into.places.handlers.push(places);
    }
    // Numbers that are not known are filled in so that no other rule speaks about them, and none is suggested twice.
    for (i, why) in open {
        let Handler { name, .. } = &into.model.handlers[i];
        let of_header = |number: u32| match into.header {
            ProgramHeader::Read(read) => {
                read.handlers().any(|handler| handler.constant.value.as_u32() == Some(number))
            }
            ProgramHeader::Absent | ProgramHeader::Unknown => false,
        };
        let taken = |number: u32| into.model.handlers.iter().any(|handler| handler.number == number);
        let mut free = (1..240).filter(|number| !taken(*number) && !of_header(*number));
        let number = match why {
            NoNumber::Refused => free.next_back(),
            NoNumber::Unwritten | NoNumber::NotInHeader => free.next(),
        }
        .unwrap_or(1);
        let message = match (why, into.header) {
            (NoNumber::Unwritten, _) => Some(unwritten(name, number)),
            (NoNumber::NotInHeader, ProgramHeader::Read(read)) => Some(missing(name, number, read)),
            _ => None,
        };
        if let Some(message) = message {
            into.errors.push(into.places.handlers[i].name, &message);
        }
        into.model.handlers[i].number = number;
    }
}

/// Stands for a number that is not known yet.
const NO_NUMBER: u32 = u32::MAX;

/// Why a handler has no number.
#[derive(Clone, Copy)]
enum NoNumber {
    /// The error is reported, or the header is unknown.
    Refused,
    /// Nothing gives it one.
    Unwritten,
    /// The header that would has none.
    NotInHeader,
}

/// Nothing gives the handler a number; `free` is one.
fn unwritten(name: &str, free: u32) -> Message {
    let text = format!("handler `{name}` has no number");
    let help = format!(
        "write `#[handler({free})]` above it, or add `header = \"..\"` with its `kHandler..` constant"
    );
    Message::new(Rule::HandlerNumber, text).help(help)
}

/// The number of a handler: written in place, or the header's.
fn number_of(
    i: usize,
    name: &str,
    item: &HandlerItem,
    places: &mut HandlerPlaces,
    into: &mut Collect<'_>,
) -> Result<u32, NoNumber> {
    if let Some(value) = &item.number {
        places.number = Some(value.anchor());
        into.given(Place::HandlerNumber(i), value);
        let what = format!("the number of handler `{name}`");
        let number = resolve(value, &what, &to(limits::HANDLER_MAX), into.header, into.errors);
        return number.ok_or(NoNumber::Refused);
    }
    match into.header {
        ProgramHeader::Unknown => Err(NoNumber::Refused),
        ProgramHeader::Absent => Err(NoNumber::Unwritten),
        ProgramHeader::Read(read) => match read.handlers().find(|handler| handler.name == name) {
            Some(HeaderHandler { constant, .. }) => {
                into.places.constants.push((Place::HandlerNumber(i), Named::of(constant)));
                let number = constant.value.as_u32();
                if number.is_none() {
                    let text = format!(
                        "handler `{name}` has number {}; a program's handlers are numbered 1 to 239",
                        constant.value
                    );
                    let place =
                        read.header.render_at("it is declared here", &constant.location, constant.name.len());
                    into.errors.push(places.name, &Message::new(Rule::HandlerNumber, text).detail(place));
                }
                number.ok_or(NoNumber::Refused)
            }
            // One that has no value is reported already.
            None if read.has_valueless(name) => Err(NoNumber::Refused),
            None => Err(NoNumber::NotInHeader),
        },
    }
}

/// The header has no handler of that name; the number `free` is.
fn missing(name: &str, free: u32, read: &ReadHeader) -> Message {
    let wanted = format!("kHandler{}", cpp_name(name));
    let path = read.path.value();
    let text = format!("the header {path:?} has no handler `{name}`: it declares no `{wanted}`");
    let known: Vec<HeaderHandler<'_>> = read.handlers().collect();
    let nearest = komorebi_headers::suggest::nearest(name, known.iter().map(|handler| handler.name.as_str()));
    let add = format!("add `constexpr uint32_t {wanted} = {free};` to the header");
    let message = Message::new(Rule::HandlerMissing, text);
    match nearest.and_then(|nearest| known.iter().find(|handler| handler.name == nearest)) {
        Some(HeaderHandler { name, constant }) => {
            let place = read.header.render_at("the nearest is here", &constant.location, constant.name.len());
            message.detail(place).help(format!("did you mean `{name}`?"))
        }
        None => message.help(add),
    }
}

/// `big_step` is `BigStep`, as the kernels write it.
fn cpp_name(name: &str) -> String {
    Handler { name: name.into(), number: 1, args: Vec::new(), result: None }.cpp_name()
}
