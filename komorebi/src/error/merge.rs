//! Many cores in few words: those that say the same are one line.

use std::fmt;
use std::ops::Range;

use crate::build::THREADS;
use crate::state::ThreadState;

/// Lines of cores that a message has.
const SHOWN: usize = 8;

/// Writes what `cores` say, a line for all that say the same: `core 5: ..`, `cores 0..4, 6..60: ..`.
pub(super) fn write_cores(
    f: &mut fmt::Formatter<'_>,
    cores: impl Iterator<Item = (u32, String)>,
) -> fmt::Result {
    let mut lines: Vec<(String, Vec<Range<u32>>)> = Vec::new();
    for (core, text) in cores {
        let at = lines.iter().position(|(said, _)| *said == text).unwrap_or_else(|| {
            lines.push((text, Vec::new()));
            lines.len() - 1
        });
        let ranges = &mut lines[at].1;
        match ranges.last_mut() {
            Some(last) if last.end == core => last.end += 1,
            _ => ranges.push(core..core + 1),
        }
    }
    for (text, ranges) in lines.iter().take(SHOWN) {
        write!(f, "\n  {}: {text}", named(ranges))?;
    }
    let more: u32 =
        lines.iter().skip(SHOWN).flat_map(|(_, ranges)| ranges).map(|range| range.end - range.start).sum();
    if more == 0 { Ok(()) } else { write!(f, "\n  and {more} more cores") }
}

fn named(ranges: &[Range<u32>]) -> String {
    match ranges {
        [one] if one.end == one.start + 1 => format!("core {}", one.start),
        _ => {
            let named = |range: &Range<u32>| match range.end - range.start {
                1 => range.start.to_string(),
                _ => format!("{}..{}", range.start, range.end),
            };
            format!("cores {}", ranges.iter().map(named).collect::<Vec<_>>().join(", "))
        }
    }
}

/// What the threads of a core say, those together that say the same: `reader ..; writer ..; unpack, math, pack ..`.
pub(super) fn threads<'a>(threads: impl Iterator<Item = (&'static str, &'a ThreadState)>) -> String {
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, state) in threads {
        let text = state.to_string();
        match said.iter_mut().find(|(other, _)| *other == text) {
            Some((_, names)) => names.push(name),
            None => said.push((text, vec![name])),
        }
    }
    let said: Vec<String> = said.iter().map(|(text, names)| format!("{} {text}", names.join(", "))).collect();
    said.join("; ")
}

/// All five threads of a core.
pub(super) fn all_threads(states: &[ThreadState; 5]) -> String {
    threads(THREADS.into_iter().zip(states))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Cores(Vec<(u32, String)>);

    impl fmt::Display for Cores {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write_cores(f, self.0.iter().cloned())
        }
    }

    #[test]
    fn cores_that_say_the_same_are_one_line_of_ranges() {
        let say = |core: u32| (core, if core == 5 { "stuck" } else { "late" }.to_owned());
        assert_eq!(
            Cores((0..60).map(say).collect()).to_string(),
            "\n  cores 0..5, 6..60: late\n  core 5: stuck"
        );
        assert_eq!(Cores([3, 4, 7].map(say).to_vec()).to_string(), "\n  cores 3..5, 7: late");
    }

    #[test]
    fn cores_that_all_say_something_else_are_cut_and_counted() {
        let text = Cores((0..20).map(|core| (core, core.to_string())).collect()).to_string();
        assert_eq!(text.lines().count(), 10);
        assert!(text.ends_with("\n  and 12 more cores"), "{text}");
    }
}
