//! A page: title, why, a wrong program with its message, a right one.

use std::path::{Path, PathBuf};

/// What the index says before its tables.
pub(crate) const INDEX: &str = "# Strict faults

A card of silicon that is used against its rules hangs, corrupts or does something that nobody documented. The simulated card halts, and says
who did what, where, which rule is against it and where that comes from. Each rule has a code; `cargo komorebi explain KF0306` prints its page.

The programs of the pages are real: `crates/sim/tests/strict_faults` runs each on a simulated card, the wrong one into its fault and the right
one past it. A block names who runs it: a baby core (`B`, `NC`, `T0`, `T1`, `T2`) of the tile at (4, 4), or two of them, whose numbers are `CORE`; hart 0 of
the X280 cluster at (8, 26); or the host. In device code `R` and `R64` are a word and a double at an address, `FENCE()` a fence, `NIU(noc, buffer, offset)` a register of a
NIU, `self(noc)` the tile's own coordinate, `XY(x, y)` another's; `send`, `write_to`, `read_from` and `increment` fill a command buffer as the
table in [tensix.md](../hardware/tensix.md) §4 says, and `HOST_MID`, `HOST_LO` is memory of the host that was allocated for the card.
";

/// The groups of codes.
pub(crate) const GROUPS: [(&str, &str); 5] = [
    ("KF01", "Baby cores: instructions and addresses"),
    ("KF02", "Registers of a Tensix tile"),
    ("KF03", "Requests over the NoC"),
    ("KF04", "X280 clusters"),
    ("KF05", "The host's requests, and the management core's registers"),
];

/// A program, and who runs it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) agent: String,
    pub(crate) text: String,
}

/// A page.
pub(crate) struct Page {
    pub(crate) code: String,
    pub(crate) title: String,
    pub(crate) why: String,
    pub(crate) wrong: Program,
    pub(crate) message: String,
    pub(crate) edit: String,
    pub(crate) right: Program,
    path: PathBuf,
}

/// Where the pages are.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/strict-faults")
}

/// The first block of code in `text`, its agent, and what is behind it.
fn block(text: &str) -> (Program, &str) {
    let (_, rest) = text.split_once("```").expect("a block of code");
    let (head, rest) = rest.split_once('\n').expect("a block's first line");
    let (body, rest) = rest.split_once("```").expect("a block's end");
    let agent = head.split_once(' ').map_or("", |(_, agent)| agent).to_owned();
    (Program { agent, text: body.trim_end().to_owned() }, rest)
}

impl Page {
    /// All of them, by their codes.
    pub(crate) fn all() -> Vec<Self> {
        let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
        let mut pages: Vec<_> = files.filter(|path| !path.ends_with("README.md")).map(Self::read).collect();
        pages.sort_by(|a, b| a.code.cmp(&b.code));
        pages
    }

    fn read(path: PathBuf) -> Self {
        let text = std::fs::read_to_string(&path).unwrap();
        let (title, rest) = text.strip_prefix("# ").and_then(|text| text.split_once('\n')).expect("a title");
        let (code, title) = title.split_once(": ").expect("a code before the title");
        assert_eq!(path.file_stem().and_then(|stem| stem.to_str()), Some(code), "the name of the file");
        let (why, rest) = rest.split_once("## Wrong").expect("a wrong program");
        let (wrong, right) = rest.split_once("## Right").expect("a right program");
        let (wrong, message) = block(wrong);
        let edit = right.split("```").next().unwrap_or_default().trim().to_owned();
        Self {
            code: code.to_owned(),
            title: title.to_owned(),
            why: why.split_whitespace().collect::<Vec<_>>().join(" "),
            wrong,
            message: block(message).0.text,
            edit,
            right: block(right).0,
            path,
        }
    }

    /// Writes the message into the page.
    pub(crate) fn bless(&self, message: &str) {
        let text = std::fs::read_to_string(&self.path).unwrap();
        let (before, rest) = text.split_once("```text\n").unwrap();
        let (_, after) = rest.split_once("```").unwrap();
        std::fs::write(&self.path, format!("{before}```text\n{message}\n```{after}")).unwrap();
    }
}
