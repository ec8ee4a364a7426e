//! A page, taken apart.

use std::path::PathBuf;

/// A program of a page: its Rust, and the headers that it reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) code: String,
    /// Path and text.
    pub(crate) headers: Vec<(String, String)>,
}

/// A page of an error.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) code: String,
    pub(crate) title: String,
    pub(crate) why: String,
    /// The program that graph or stream belong to; empty where the program itself is the subject.
    pub(crate) program: String,
    pub(crate) wrong: Program,
    pub(crate) message: String,
    pub(crate) edit: String,
    pub(crate) right: Program,
    pub(crate) text: String,
    pub(crate) path: PathBuf,
}

/// The folder of the pages.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors")
}

impl Page {
    /// All pages, by code.
    pub(crate) fn all() -> Vec<Page> {
        let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
        let mut pages: Vec<PathBuf> =
            files.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("KM")).collect();
        pages.sort();
        pages.into_iter().map(Page::read).collect()
    }

    fn read(path: PathBuf) -> Page {
        let code = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let (head, rest) = text.split_once('\n').unwrap();
        let title = head.strip_prefix(&format!("# {code}: ")).unwrap_or_else(|| panic!("{code}: {head}"));
        let (before, right) = rest.split_once("\n## Right\n").unwrap_or_else(|| panic!("{code}: ## Right"));
        let (before, wrong) = before.split_once("\n## Wrong\n").unwrap_or_else(|| panic!("{code}: ## Wrong"));
        let (why, program) = before.split_once("\n## Program\n").unwrap_or((before, ""));
        let message: String = blocks(wrong, "text").concat();
        Page {
            title: title.to_owned(),
            why: why.trim().to_owned(),
            program: blocks(program, "rust").concat(),
            wrong: Program::read(wrong),
            message,
            edit: right.split("```").next().unwrap().trim().to_owned(),
            right: Program::read(right),
            code,
            text: text.clone(),
            path,
        }
    }

    /// Writes the page with another message.
    pub(crate) fn bless(&self, message: &str) {
        let text = self.text.replacen(
            &format!("```text\n{}```", self.message),
            &format!("```text\n{}\n```", message.trim_end()),
            1,
        );
        std::fs::write(&self.path, text).unwrap();
    }

    /// A whole source file of one of its programs.
    pub(crate) fn source(&self, program: &Program) -> String {
        let (inner, code): (Vec<&str>, Vec<&str>) =
            program.code.lines().partition(|line| line.starts_with("#!["));
        let inner: String = inner.iter().map(|line| format!("{line}\n")).collect();
        let parts = [self.program.trim(), code.join("\n").trim()].map(str::to_owned);
        let body: String =
            parts.iter().filter(|part| !part.is_empty()).map(|part| format!("{part}\n\n")).collect();
        format!("{inner}use komorebi as km;\n\n{}", body.trim_end().to_owned() + "\n")
    }
}

impl Program {
    fn read(section: &str) -> Program {
        let mut headers = Vec::new();
        let mut rest = section;
        while let Some((before, after)) = rest.split_once("```cpp\n") {
            let name = before.rsplit('`').nth(1).unwrap_or_default().to_owned();
            let (text, behind) = after.split_once("```").unwrap();
            headers.push((name, text.to_owned()));
            rest = behind;
        }
        Program { code: blocks(section, "rust").concat(), headers }
    }
}

/// The blocks of a language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let open = format!("```{language}\n");
    text.split(&open).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}
