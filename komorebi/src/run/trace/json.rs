//! Trace events, and their JSON ("Trace Event Format" of the Chromium project).

use std::fmt::{self, Write as _};
use std::ops::{Add, Sub};

/// A moment or a length, in tenths of a nanosecond: spans that meet do so in the text, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Time(i64);

/// Of a microsecond.
const TENTHS: i64 = 10_000;

impl Time {
    pub(super) fn of_cycles(cycles: i64, mhz: u32) -> Self {
        Self((i128::from(cycles) * i128::from(TENTHS)).div_euclid(i128::from(mhz.max(1))) as i64)
    }

    pub(super) fn of_ticks(ticks: i64, per_microsecond: u32) -> Self {
        Self::of_cycles(ticks, per_microsecond)
    }

    pub(super) fn half(self) -> Self {
        Self(self.0 / 2)
    }

    /// The last moment before it that is not before `start`: an arrow ends in a span, not at its edge.
    pub(super) fn just_before(self, start: Self) -> Self {
        Self(self.0.saturating_sub(1)).max(start)
    }
}

impl Add for Time {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Time {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

/// In microseconds.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, rest) = (self.0.unsigned_abs() / TENTHS as u64, self.0.unsigned_abs() % TENTHS as u64);
        write!(f, "{sign}{whole}.{rest:04}")
    }
}

/// A JSON string.
pub(super) struct Text<'a>(pub(super) &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for character in self.0.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                '\0'..='\x1f' => write!(f, "\\u{:04x}", character as u32)?,
                _ => f.write_char(character)?,
            }
        }
        f.write_char('"')
    }
}

enum Kind {
    /// Names a process or a thread.
    Name {
        what: &'static str,
    },
    Span {
        start: Time,
        end: Time,
    },
    Arrow {
        phase: char,
        at: Time,
        id: String,
    },
}

pub(super) struct Event {
    pid: u32,
    tid: u32,
    name: String,
    kind: Kind,
    /// The members of `args`.
    args: String,
}

impl Event {
    pub(super) fn process(pid: u32, name: &str) -> Self {
        Self::named("process_name", pid, 0, name)
    }

    pub(super) fn thread(pid: u32, tid: u32, name: &str) -> Self {
        Self::named("thread_name", pid, tid, name)
    }

    fn named(what: &'static str, pid: u32, tid: u32, name: &str) -> Self {
        let args = format!("\"name\":{}", Text(name));
        Self { pid, tid, name: what.into(), kind: Kind::Name { what }, args }
    }

    pub(super) fn span(pid: u32, tid: u32, name: String, start: Time, end: Time, args: String) -> Self {
        Self { pid, tid, name, kind: Kind::Span { start, end }, args }
    }

    /// A part of the arrow `id`: its start (`s`), a step (`t`) or its end (`f`).
    pub(super) fn arrow(phase: char, pid: u32, tid: u32, at: Time, id: &str) -> Self {
        let kind = Kind::Arrow { phase, at, id: id.to_owned() };
        Self { pid, tid, name: "command".into(), kind, args: String::new() }
    }

    /// When it begins.
    pub(super) fn time(&self) -> Option<Time> {
        match self.kind {
            Kind::Name { .. } => None,
            Kind::Span { start, .. } => Some(start),
            Kind::Arrow { at, .. } => Some(at),
        }
    }

    fn write(&self, json: &mut String, first: Time) -> fmt::Result {
        let Self { pid, tid, name, kind, args } = self;
        write!(json, "{{\"pid\":{pid},\"tid\":{tid},")?;
        match kind {
            Kind::Name { what } => write!(json, "\"ph\":\"M\",\"name\":\"{what}\"")?,
            Kind::Span { start, end } => {
                let (ts, dur) = (*start - first, *end - *start);
                write!(
                    json,
                    "\"ph\":\"X\",\"cat\":\"command\",\"name\":{},\"ts\":{ts},\"dur\":{dur}",
                    Text(name)
                )?;
            }
            Kind::Arrow { phase, at, id } => {
                let (ts, to) = (*at - first, if *phase == 'f' { ",\"bp\":\"e\"" } else { "" });
                write!(
                    json,
                    "\"ph\":\"{phase}\",\"cat\":\"flow\",\"name\":{},\"ts\":{ts},\"id\":\"{id}\"{to}",
                    Text(name)
                )?;
            }
        }
        write!(json, ",\"args\":{{{args}}}}}")
    }
}

/// The whole document, with times counted from `first`.
pub(super) fn write_document(events: &[Event], first: Time, program: &str) -> String {
    let mut json = format!(
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"program\":{}}},\"traceEvents\":[",
        Text(program)
    );
    for (at, event) in events.iter().enumerate() {
        json.push_str(if at == 0 { "\n" } else { ",\n" });
        // Writing into a string does not fail.
        let _ = event.write(&mut json, first);
    }
    json.push_str("\n]}\n");
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_microseconds_with_four_places() {
        assert_eq!(Time::of_cycles(1350, 1350).to_string(), "1.0000");
        assert_eq!(Time::of_cycles(-1, 1350).to_string(), "-0.0008");
        assert_eq!(Time::of_ticks(1, 50).to_string(), "0.0200");
    }

    #[test]
    fn a_string_of_json_is_escaped() {
        assert_eq!(Text("a\"b\\c\n").to_string(), r#""a\"b\\c\u000a""#);
    }
}
