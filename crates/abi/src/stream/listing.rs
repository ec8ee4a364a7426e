//! A stream as text: its instructions, and the commands they submit.

use std::fmt::Write as _;

use crate::engine::{Facts, Image, RecordBody, disassemble};

/// The disassembly of a stream's upload. `facts` name the handlers.
pub fn disassembly(image: &Image, facts: Option<&Facts>) -> String {
    let header = &image.header;
    let mut text = format!("stream, req {}, {} bytes", header.req, header.bytes);
    if header.deadline_us != 0 {
        let _ = write!(text, ", deadline {} us", header.deadline_us);
    }
    let _ = writeln!(text, ", {} bindings", header.bindings);
    for (i, record) in image.records.iter().enumerate() {
        let RecordBody::Command { handler, first, count, words, mask, args, exclusive, queued, result } =
            record.body
        else {
            continue;
        };
        let named =
            facts.and_then(|facts| facts.handlers.iter().find(|known| known.number == u32::from(handler)));
        let name = named.map_or_else(|| format!("handler {handler}"), |handler| handler.name.clone());
        let end = u32::from(first) + u32::from(count);
        let group = if queued { format!("any {count}") } else { format!("{first}..{end}") };
        let args: Vec<String> = args
            .iter()
            .take(words.into())
            .enumerate()
            .map(|(i, word)| if mask >> i & 1 != 0 { format!("r{word}") } else { format!("{word:#x}") })
            .collect();
        let _ = write!(text, "c{i}: {name}[{group}]({})", args.join(", "));
        let _ = writeln!(
            text,
            "{}{}",
            result.map_or_else(String::new, |register| format!(" -> r{register}")),
            if exclusive { " exclusive" } else { "" }
        );
    }
    for (pc, word) in image.instructions.iter().enumerate() {
        let _ = writeln!(text, "{pc:5}  {}", disassemble(*word));
    }
    text
}
