//! Writes random items as a header and remembers where each constant stands.

use crate::expression::{BINARY, CONDITION_BINARY, Condition, Expr, TYPES, UNARY, character, literal};
use crate::item::{Item, NOISE};
use std::collections::HashSet;
use std::fmt::Write as _;

/// A constant of the written header.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// Its full name: `n1::k3`, `K4` for a macro.
    pub(crate) path: String,
    pub(crate) file: String,
    /// The line of its declaration, from 1, and how many lines before are other branches of it.
    pub(crate) line: usize,
    pub(crate) branches: usize,
    /// The second one of its declaration.
    pub(crate) second: bool,
    scoped_enum: bool,
    pub(crate) is_macro: bool,
}

/// A random header: the files, first the header itself, and their constants.
pub(crate) struct Case {
    pub(crate) files: Vec<(String, String)>,
    pub(crate) constants: Vec<Written>,
}

/// Writes items as a header. Expressions do not use the names in `broken`, so that few constants fail because others do.
pub(crate) fn write(items: &[Item], broken: &HashSet<String>) -> Case {
    let mut writer = Writer { broken, ..Writer::new() };
    for item in items {
        writer.item(item);
    }
    while writer.close() {}
    while writer.files.len() > writer.finished.len() {
        writer.finish_file();
    }
    let mut finished = writer.finished;
    finished.sort();
    Case { files: finished, constants: writer.constants }
}

struct Writer<'a> {
    broken: &'a HashSet<String>,
    /// Files begun, with their text so far; the last unfinished one is written to.
    files: Vec<(String, String)>,
    stack: Vec<usize>,
    finished: Vec<(String, String)>,
    scopes: Vec<(String, bool)>,
    /// Where each brace was opened: braces are closed in the file of their opening.
    opened_in: Vec<usize>,
    constants: Vec<Written>,
    macros: Vec<String>,
    calls: Vec<String>,
    types: Vec<String>,
    namespaces: Vec<String>,
    /// Those that can be opened again by their name: not in an inline or unnamed one.
    plain: Vec<String>,
    alike: HashSet<String>,
    next: usize,
}

impl Writer<'_> {
    fn new() -> Writer<'static> {
        static NONE: std::sync::LazyLock<HashSet<String>> = std::sync::LazyLock::new(HashSet::new);
        Writer {
            broken: &NONE,
            files: vec![(
                "case.h".to_owned(),
                "#pragma once\n#include <stdint.h>\n#include <stddef.h>\n".to_owned(),
            )],
            stack: vec![0],
            finished: Vec::new(),
            scopes: Vec::new(),
            opened_in: Vec::new(),
            constants: Vec::new(),
            macros: Vec::new(),
            calls: Vec::new(),
            types: TYPES.iter().map(|ty| (*ty).to_owned()).collect(),
            namespaces: Vec::new(),
            plain: Vec::new(),
            alike: HashSet::new(),
            next: 0,
        }
    }

    fn number(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    fn current(&self) -> usize {
        *self.stack.last().expect("a file is open")
    }

    fn line(&mut self, text: &str) {
        let current = self.current();
        self.files[current].1.push_str(text);
        self.files[current].1.push('\n');
    }

    /// The number the next line will have.
    fn line_number(&self) -> usize {
        self.files[self.current()].1.matches('\n').count() + 1
    }

    fn finish_file(&mut self) {
        let current = self.stack.pop().expect("a file is open");
        self.finished.push(self.files[current].clone());
        if self.stack.is_empty() {
            return;
        }
        let name = self.files[current].0.clone();
        self.line(&format!("#include \"{name}\""));
    }

    fn scope_path(&self) -> String {
        let named = self.scopes.iter().filter(|(name, _)| !name.is_empty());
        named.map(|(name, _)| format!("{name}::")).collect()
    }

    fn add(&mut self, path: String, line: usize, scoped_enum: bool, is_macro: bool) {
        let file = self.files[self.current()].0.clone();
        self.constants.push(Written { path, file, line, branches: 0, second: false, scoped_enum, is_macro });
    }

    fn open(&mut self, text: &str, scopes: Vec<(String, bool)>) {
        self.line(text);
        let count = scopes.len();
        self.scopes.extend(scopes);
        let current = self.current();
        // One brace closes all the scopes of `namespace a::b`.
        self.opened_in.push(current);
        self.opened_in.extend(std::iter::repeat_n(usize::MAX, count - 1));
    }

    /// Closes the innermost brace, if it was opened in this file.
    fn close(&mut self) -> bool {
        let from = self.opened_in.iter().rposition(|file| *file != usize::MAX);
        let Some(from) = from.filter(|from| self.opened_in[*from] == self.current()) else {
            if self.stack.len() > 1 {
                self.finish_file();
                return true;
            }
            return false;
        };
        self.opened_in.truncate(from);
        self.scopes.truncate(from);
        self.line("}");
        true
    }

    fn ty(&self, pick: u8) -> &str {
        &self.types[pick as usize % self.types.len()]
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Constant { storage, ty, init, value, twice } => {
                self.constant(*storage, *ty, *init, value, twice)
            }
            Item::Define { value, parentheses } => {
                let name = format!("K{}", self.number());
                self.define(&name, value, *parentheses);
            }
            Item::FunctionMacro { shape } => {
                let name = format!("F{}", self.number());
                let bodies = [
                    "(a, b) ((a) + (b))",
                    "(a, b) ((a) * b - a)",
                    "(b, a) (a | b << 1)",
                    "(a, ...) (0x1##0u + (__VA_ARGS__))",
                    "(a,b) ((uint16_t)(a) ^ /* of both */ (b))",
                    "(a, b) \\\n  (a ? \\\n b : 1)",
                ];
                let body = bodies[*shape as usize % bodies.len()];
                self.line(&format!("#define {name}{body}"));
                self.calls.push(name);
            }
            Item::Undef { pick, value } => {
                if !self.macros.is_empty() {
                    let name = self.macros.remove(*pick as usize % self.macros.len());
                    self.constants.retain(|constant| constant.path != name);
                    self.line(&format!("#undef {name}"));
                    if let Some(value) = value {
                        self.define(&name, value, true);
                    }
                }
            }
            Item::Open { kind } => self.namespace(*kind),
            Item::Close => {
                self.close();
            }
            Item::Enum { scoped, ty, members } => self.enumeration(*scoped, *ty, members),
            Item::If { condition, second, then, otherwise } => {
                let name = format!("k{}", self.number());
                let path = format!("{}{name}", self.scope_path());
                let condition = self.condition(condition);
                self.line(&format!("#if {condition}"));
                // One of three lines is kept; which one is for the compiler to say.
                let (then, otherwise) = (self.expr(then), self.expr(otherwise));
                let second = self.condition(second);
                for line in [
                    format!("constexpr auto {name} = {then};"),
                    format!("# elif {second}"),
                    format!("constexpr int64_t {name} = {then};"),
                    "#else".to_owned(),
                    format!("constexpr uint16_t {name} = {otherwise};"),
                    "#endif".to_owned(),
                ] {
                    self.line(&line);
                }
                let line = self.line_number() - 2;
                self.add(path, line, false, false);
                self.constants.last_mut().expect("it was just added").branches = 4;
            }
            Item::Using { kind, pick } => self.using(*kind, *pick),
            Item::Struct { values } => {
                let name = format!("S{}", self.number());
                self.line(&format!("struct {name} {{"));
                for value in values {
                    let inner = format!("k{}", self.number());
                    let value = self.expr(value);
                    let line = self.line_number();
                    self.line(&format!("  static constexpr auto {inner} = {value};"));
                    let path = format!("{}{name}::{inner}", self.scope_path());
                    self.add(path, line, false, false);
                }
                self.line("  uint32_t member; int method() const { return member; }\n};");
            }
            Item::Alike { value } => {
                let path = format!("{}kAlike", self.scope_path());
                // Unnamed and inline namespaces would make it ambiguous with their parent's.
                let inside = self.scopes.iter().any(|(name, inline)| name.is_empty() || *inline);
                if !inside && self.alike.insert(path.clone()) {
                    let value = self.expr(value);
                    let line = self.line_number();
                    self.line(&format!("constexpr uint32_t kAlike = {value};"));
                    self.add(path, line, false, false);
                }
            }
            Item::Include { guard } => {
                if self.stack.len() < 4 {
                    let number = self.number();
                    let first = match guard {
                        true => "#pragma once\n".to_owned(),
                        false => format!("#ifndef GUARD_{number}\n#define GUARD_{number}\n#endif\n"),
                    };
                    self.files.push((format!("part{number}.h"), first));
                    self.stack.push(self.files.len() - 1);
                }
            }
            Item::Noise(pick) => {
                let number = self.number().to_string();
                let noise = NOISE[*pick as usize % NOISE.len()];
                self.line(&noise.replace("noiseN", &format!("noise{number}")));
            }
        }
    }

    fn define(&mut self, name: &str, value: &Expr, parentheses: bool) {
        let value = self.expr(value);
        let line = self.line_number();
        match parentheses {
            true => self.line(&format!("#define {name} ({value})")),
            false => self.line(&format!("# define {name} {value} // the macro {name}")),
        }
        self.add(name.to_owned(), line, false, true);
        self.macros.push(name.to_owned());
    }

    fn constant(&mut self, storage: u8, ty: u8, init: u8, value: &Expr, twice: &Option<Expr>) {
        let storages = [
            "constexpr",
            "inline constexpr",
            "static constexpr",
            "constexpr static",
            "static const",
            "const",
        ];
        let storage = storages[storage as usize % storages.len()];
        let name = format!("k{}", self.number());
        let ty = if ty < 32 { "auto".to_owned() } else { self.ty(ty).to_owned() };
        let written = self.expr(value);
        let form = |name: &str, written: &str| match init % 8 {
            0 if ty != "auto" => format!("{name}{{{written}}}"),
            1 => format!("{name}(({written}))"),
            2 if ty != "auto" => format!("{name} = {{ {written} }}"),
            // An enumeration takes a number only explicitly.
            _ if ty.contains("::E") => format!("{name} = static_cast<{ty}>({written})"),
            _ => format!("{name} = {written}"),
        };
        let mut text = format!("{storage} {ty} {}", form(&name, &written));
        let second = format!("{name}b");
        if let Some(twice) = twice {
            let written = self.expr(twice);
            // `auto` must be the same type twice.
            if ty != "auto" {
                let _ = write!(text, ",\n    {}", form(&second, &written));
            }
        }
        let line = self.line_number();
        self.line(&format!("{text};"));
        let path = self.scope_path();
        self.add(format!("{path}{name}"), line, false, false);
        if twice.is_some() && ty != "auto" {
            self.add(format!("{path}{second}"), line + 1, false, false);
            self.constants.last_mut().expect("it was just added").second = true;
        }
    }

    fn namespace(&mut self, kind: u8) {
        if self.scopes.len() > 5 {
            return;
        }
        let number = self.number();
        let name = format!("n{number}");
        let path = format!("::{}{name}", self.scope_path());
        if kind % 6 < 2 && self.scopes.iter().all(|(name, inline)| !name.is_empty() && !inline) {
            self.plain.push(path.clone());
        }
        match kind % 6 {
            0 | 1 => {
                self.open(&format!("namespace {name} {{"), vec![(name, false)]);
                self.namespaces.push(path);
            }
            2 => {
                let inner = format!("m{number}");
                self.open(
                    &format!("namespace {name}::{inner} {{"),
                    vec![(name, false), (inner.clone(), false)],
                );
                self.namespaces.push(format!("{path}::{inner}"));
                self.namespaces.push(path);
            }
            3 => self.open(&format!("inline namespace {name} {{"), vec![(name, true)]),
            4 => self.open("namespace {", vec![(String::new(), false)]),
            // Opened again, from the global namespace.
            _ if self.scopes.is_empty() && !self.plain.is_empty() => {
                let again = self.plain[number % self.plain.len()].clone();
                let again = again.trim_start_matches("::");
                let inner = again.split("::").map(|part| (part.to_owned(), false)).collect();
                self.open(&format!("namespace {again} {{"), inner);
            }
            _ => {}
        }
    }

    fn enumeration(&mut self, scoped: bool, ty: Option<u8>, members: &[Option<Expr>]) {
        let number = self.number();
        let name = format!("E{number}");
        let underlying =
            ty.map(|pick| TYPES[pick as usize % TYPES.len()]).map_or(String::new(), |ty| format!(" : {ty}"));
        let unnamed = !scoped && number.is_multiple_of(5);
        let shown = if unnamed { "" } else { &name };
        self.line(&format!("enum {}{shown}{underlying} {{", if scoped { "class " } else { "" }));
        let mut written = Vec::new();
        for (index, member) in members.iter().enumerate() {
            let inner = format!("e{number}_{index}");
            let value = match member {
                Some(value) => format!(" = {}", self.expr(value)),
                None => String::new(),
            };
            written.push((inner.clone(), self.line_number()));
            self.line(&format!("  {inner}{value},"));
        }
        self.line("};");
        let path = self.scope_path();
        for (inner, line) in written {
            let path = if scoped { format!("{path}{name}::{inner}") } else { format!("{path}{inner}") };
            self.add(path, line, scoped, false);
        }
        // Only a declared underlying type makes every cast to it defined; and g++ 12 keeps the lowest bit where the
        // underlying type is `bool`, though the standard asks whether the number is zero.
        let bool_like = underlying.ends_with("bool");
        if !bool_like && (scoped || (ty.is_some() && !unnamed)) {
            self.types.push(format!("::{path}{name}"));
        }
    }

    fn using(&mut self, kind: u8, pick: u16) {
        let number = self.number();
        let pick = pick as usize;
        let path = format!("::{}", self.scope_path());
        match kind % 4 {
            0 if !self.namespaces.is_empty() => {
                let name = self.namespaces[pick % self.namespaces.len()].clone();
                self.line(&format!("using namespace {name};"));
            }
            1 if !self.namespaces.is_empty() => {
                let name = self.namespaces[pick % self.namespaces.len()].clone();
                self.line(&format!("namespace a{number} = {name};"));
                self.namespaces.push(format!("{path}a{number}"));
                // An alias cannot be opened again, so it is not kept in the list for that.
                self.namespaces.pop();
            }
            2 => {
                let ty = self.types[pick % self.types.len()].clone();
                self.line(&format!("using T{number} = {ty};"));
                self.types.push(format!("{path}T{number}"));
            }
            3 => {
                let ty = self.types[pick % self.types.len()].clone();
                self.line(&format!("typedef {ty} T{number};"));
                self.types.push(format!("{path}T{number}"));
            }
            _ => {}
        }
    }

    /// A constant by number; none that is broken. `None` while there are none.
    fn pick(&self, pick: u16) -> Option<&Written> {
        let usable: Vec<&Written> = self
            .constants
            .iter()
            .rev()
            .take(60)
            .filter(|constant| !constant.second && !self.broken.contains(&constant.path))
            .collect();
        usable.get(pick as usize % usable.len().max(1)).copied()
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Literal { value, base, suffix, separator } => literal(*value, *base, *suffix, *separator),
            Expr::Char(pick) => character(*pick).to_owned(),
            Expr::Bool(value) => value.to_string(),
            Expr::Name { pick, style } => match self.pick(*pick) {
                Some(constant) => self.name(constant, *style),
                None => "7".to_owned(),
            },
            Expr::Unary(operator, operand) => {
                // The blank keeps `- -x` from becoming `--x`.
                format!("{} {}", UNARY[*operator as usize % UNARY.len()], self.operand(operand))
            }
            Expr::Binary { operator, left, right, parentheses, tame } => {
                let operator = BINARY[*operator as usize % BINARY.len()];
                let (left, right) = match parentheses {
                    true => (self.operand(left), self.operand(right)),
                    false => (self.expr(left), self.expr(right)),
                };
                match operator {
                    "<<" | ">>" if *tame => format!("{left} {operator} ({right} & 7)"),
                    "/" | "%" if *tame => format!("{left} {operator} ({right} | 1)"),
                    "+" | "-" | "*" if *tame && *parentheses => {
                        format!("{left} {operator} static_cast<uint16_t>({right})")
                    }
                    _ => format!("{left} {operator} {right}"),
                }
            }
            Expr::Conditional(parts) => {
                let [a, b, c] = &**parts;
                format!("({} ? {} : {})", self.operand(a), self.expr(b), self.operand(c))
            }
            Expr::Cast { style, ty, operand } => {
                let ty = self.ty(*ty);
                let operand = self.expr(operand);
                let one_word = !ty.contains(' ');
                match style % 4 {
                    0 => format!("static_cast<{ty}>({operand})"),
                    1 => format!("({ty})({operand})"),
                    2 if one_word => format!("{ty}({operand})"),
                    3 if one_word => format!("{ty}{{{operand}}}"),
                    _ => format!("static_cast<const {ty}>({operand})"),
                }
            }
            Expr::SizeOfType { ty, align: true } => format!("alignof({})", self.ty(*ty)),
            Expr::SizeOfType { ty, align: false } => format!("sizeof({})", self.ty(*ty)),
            Expr::SizeOf(operand) => format!("sizeof (({}))", self.expr(operand)),
            Expr::Call { pick, a, b } => match self.calls.len() {
                0 => self.expr(a),
                count => format!(
                    "{}({}, {})",
                    self.calls[*pick as usize % count],
                    self.operand(a),
                    self.operand(b)
                ),
            },
            // What stands left of the comma is not checked by g++.
            Expr::Comma(a, b) => match **a {
                Expr::Literal { .. } | Expr::Name { .. } => {
                    format!("({}, {})", self.expr(a), self.operand(b))
                }
                _ => self.expr(b),
            },
        }
    }

    /// In parentheses unless it is one token.
    fn operand(&self, expr: &Expr) -> String {
        let text = self.expr(expr);
        match expr {
            Expr::Literal { .. } | Expr::Name { .. } | Expr::Char(_) | Expr::Bool(_) => text,
            _ => format!("({text})"),
        }
    }

    fn name(&self, constant: &Written, style: u8) -> String {
        let path = &constant.path;
        if constant.is_macro {
            return path.clone();
        }
        // Unqualified where the scope is one we are in.
        let here = self.scope_path();
        let parent = path.rsplit_once("::").map_or("", |(parent, _)| parent);
        let inside = parent.is_empty() || here.starts_with(&format!("{parent}::"));
        // Unqualified, a name of many namespaces may mean another one than was picked; that one must not be broken.
        let sure = !path.ends_with("kAlike") || !self.broken.iter().any(|broken| broken.ends_with("kAlike"));
        let name = match style % 3 {
            0 if inside && sure && !constant.scoped_enum => {
                path.rsplit("::").next().unwrap_or(path).to_owned()
            }
            _ => format!("::{path}"),
        };
        match constant.scoped_enum && style < 250 {
            true => format!("static_cast<{}>({name})", TYPES[style as usize % TYPES.len()]),
            false => name,
        }
    }

    fn condition(&self, condition: &Condition) -> String {
        let name = |pick: &u16| {
            self.macros.get(*pick as usize % (self.macros.len() + 1)).map_or("UNDEFINED", |name| name)
        };
        match condition {
            Condition::Number { value, unsigned } => format!("{value}{}", if *unsigned { "u" } else { "" }),
            Condition::Defined { pick, parentheses: true } => format!("defined({})", name(pick)),
            Condition::Defined { pick, parentheses: false } => format!("defined {}", name(pick)),
            // Their bodies may hold what no directive can.
            Condition::Macro(pick) => match self.calls.len() {
                0 => "UNDEFINED".to_owned(),
                count => format!("(0 * 3 + defined {} + {})", name(pick), count % 7),
            },
            Condition::Undeclared => "not_declared".to_owned(),
            Condition::Unary(operator, operand) => {
                format!("{} ({})", UNARY[*operator as usize % UNARY.len()], self.condition(operand))
            }
            Condition::Binary { operator, left, right } => {
                let operator = CONDITION_BINARY[*operator as usize % CONDITION_BINARY.len()];
                let right = self.condition(right);
                let right = if operator.ends_with(">>") {
                    format!("(({right}) ? 3 : 1)")
                } else {
                    format!("({right})")
                };
                format!("({}) {operator} {right}", self.condition(left))
            }
            Condition::Conditional(parts) => {
                let [a, b, c] = &**parts;
                format!("({}) ? ({}) : ({})", self.condition(a), self.condition(b), self.condition(c))
            }
        }
    }
}
