//! Reading trace events: lanes with their spans, and the arrows between them.

use serde_json::Value;
use std::collections::BTreeMap;

/// A span of a lane, in microseconds.
pub(super) struct Span {
    pub(super) name: String,
    pub(super) start: f64,
    pub(super) length: f64,
}

/// A thread of a process.
pub(super) struct Lane {
    /// `core 3: reader`.
    pub(super) name: String,
    pub(super) spans: Vec<Span>,
}

/// A place of an arrow: lane and time.
pub(super) type Point = (usize, f64);

/// What a trace shows.
pub(super) struct Timeline {
    pub(super) title: String,
    /// When the last span ends.
    pub(super) end: f64,
    pub(super) lanes: Vec<Lane>,
    /// The places that each arrow goes through, in their order.
    pub(super) arrows: Vec<Vec<Point>>,
}

/// Process and thread.
type Key = (u64, u64);

impl Timeline {
    /// Reads the JSON of Chrome's trace events, as far as a trace of a run has them.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let json: Value = serde_json::from_slice(bytes).map_err(|error| format!("it is no JSON: {error}"))?;
        let events = json["traceEvents"].as_array().ok_or("it has no array `traceEvents`")?;
        let mut processes: BTreeMap<u64, &str> = BTreeMap::new();
        let mut lanes: BTreeMap<Key, Lane> = BTreeMap::new();
        let mut arrows: BTreeMap<&str, Vec<(Key, f64)>> = BTreeMap::new();
        let empty = || Lane { name: String::new(), spans: Vec::new() };
        for event in events {
            let text = |member: &str| event[member].as_str().ok_or_else(|| lacks(event, member));
            let number = |member: &str| event[member].as_f64().ok_or_else(|| lacks(event, member));
            let whole = |member: &str| event[member].as_u64().ok_or_else(|| lacks(event, member));
            let name = || event["args"]["name"].as_str().ok_or_else(|| lacks(event, "args.name"));
            let key = (whole("pid")?, whole("tid")?);
            match text("ph")? {
                "M" if text("name")? == "process_name" => _ = processes.insert(key.0, name()?),
                "M" => lanes.entry(key).or_insert_with(empty).name = name()?.to_owned(),
                "X" => {
                    let span =
                        Span { name: text("name")?.to_owned(), start: number("ts")?, length: number("dur")? };
                    lanes.entry(key).or_insert_with(empty).spans.push(span);
                }
                "s" | "t" | "f" => arrows.entry(text("id")?).or_default().push((key, number("ts")?)),
                other => {
                    return Err(format!("an event has the phase `{other}`, which no trace of a run has"));
                }
            }
        }
        let keys: Vec<Key> = lanes.keys().copied().collect();
        let named = lanes.into_iter().map(|((pid, _), mut lane)| {
            let process = processes.get(&pid).copied().unwrap_or("?");
            lane.name = format!("{process}: {}", lane.name);
            lane.spans.sort_by(|a, b| a.start.total_cmp(&b.start));
            lane
        });
        let lanes: Vec<Lane> = named.collect();
        let end = lanes.iter().flat_map(|lane| &lane.spans).map(|span| span.start + span.length);
        let end = end.fold(0.0, f64::max);
        let point = |(key, at): (Key, f64)| Some((keys.binary_search(&key).ok()?, at));
        let arrows = arrows.into_values().map(|arrow| arrow.into_iter().filter_map(point).collect());
        let title = json["otherData"]["program"].as_str().unwrap_or("a trace").to_owned();
        Ok(Self { title, end, arrows: arrows.collect(), lanes })
    }
}

fn lacks(event: &Value, member: &str) -> String {
    format!("an event lacks `{member}`: {event}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_trace_is_told_and_lanes_are_in_the_order_of_their_numbers() {
        let said = |text: &str| Timeline::read(text.as_bytes()).err().unwrap();
        assert!(said("x").starts_with("it is no JSON"));
        assert_eq!(said("{}"), "it has no array `traceEvents`");
        assert!(said(r#"{"traceEvents":[{"ph":"X","pid":1}]}"#).starts_with("an event lacks `tid`"));
        let timeline = Timeline::read(
            br#"{"traceEvents":[
            {"ph":"M","pid":2,"tid":0,"name":"process_name","args":{"name":"core 0"}},
            {"ph":"M","pid":2,"tid":1,"name":"thread_name","args":{"name":"reader"}},
            {"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"in flight 1"}},
            {"ph":"X","pid":2,"tid":1,"name":"b","ts":4,"dur":1.5},
            {"ph":"X","pid":2,"tid":1,"name":"a","ts":1,"dur":2},
            {"ph":"s","pid":1,"tid":1,"id":"1.0","ts":0.5},{"ph":"f","pid":2,"tid":1,"id":"1.0","ts":1}]}"#,
        )
        .unwrap();
        let names: Vec<&str> = timeline.lanes.iter().map(|lane| lane.name.as_str()).collect();
        assert_eq!((names, timeline.end), (vec!["?: in flight 1", "core 0: reader"], 5.5));
        assert_eq!(timeline.lanes[1].spans[0].name, "a");
        assert_eq!(timeline.arrows, [[(0, 0.5), (1, 1.0)]]);
    }
}
