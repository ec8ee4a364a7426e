//! Steps become calls of the builder that programs use at run time, so both give the same bytes.

use std::cell::RefCell;

use komorebi_abi::engine::{Place, Ref, Rule, Value, VariableKind};
use komorebi_abi::stream::{StepBody, Stream};
use syn::Expr;
use syn::ext::IdentExt;

use super::syntax::{Body, Step};
use crate::anchor::Anchor;
use crate::engine::assignment::{fit, fit_word, parse_assignment};
use crate::engine::command::{CommandSyntax, resolve_syntax};
use crate::engine::declare::Named;
use crate::engine::expression::{Code, Lower, Tree, Type, condition, tree};
use crate::engine::scope::Scope;
use crate::errors::Message;

const NO_STEP: &str = "a step assigns, submits, waits, posts an event, branches or halts: `x = ..;`, `submit ..;`, `wait(all);`, `halt(x);`";

/// What is known while the steps are driven, beside the builder.
pub(super) struct Context<'s, 'a> {
    pub(super) scope: &'s mut Scope<'a>,
    /// The values it halts with.
    pub(super) halts: Vec<(Type, Anchor)>,
    lower: Lower,
    /// Loops around the current step.
    loops: u32,
    /// Steps of the model that have a place.
    marked: u32,
}

impl<'s, 'a> Context<'s, 'a> {
    pub(super) fn new(scope: &'s mut Scope<'a>) -> Self {
        Self { scope, halts: Vec::new(), lower: Lower::default(), loops: 0, marked: 0 }
    }

    /// Gives the steps that have no place yet one.
    fn mark(&mut self, stream: &Stream, anchor: Anchor) {
        let count = stream.model().steps.len() as u32;
        (self.marked..count).for_each(|item| self.scope.places.set(Place::Item(item), anchor));
        self.marked = count;
    }

    fn push(&mut self, stream: &mut Stream, code: Vec<Code>) {
        for code in code {
            let item = stream.push(StepBody::Compute(code.statement.clone()));
            self.scope.places.set_code(&code, item, 0);
            self.mark(stream, code.whole);
        }
    }

    /// The value of a tree, its instructions pushed.
    fn value(&mut self, stream: &mut Stream, tree: &Tree) -> Value {
        let mut code = Vec::new();
        let value = self.lower.value(tree, self.scope, &mut code);
        self.push(stream, code);
        value
    }
}

/// Drives the builder.
pub(super) fn drive(steps: &[Step], stream: &mut Stream, context: &mut Context<'_, '_>) {
    for step in steps {
        drive_step(step, stream, context);
        context.mark(stream, step.anchor);
        context.lower.release();
    }
}

fn drive_step(step: &Step, stream: &mut Stream, context: &mut Context<'_, '_>) {
    match &step.body {
        Body::Declare(names) => names.iter().for_each(|named| declare(named, stream, context)),
        Body::Expression(expr) => assign(expr, stream, context),
        Body::Submit { name, syntax, enqueue } => {
            let name = name.as_ref().map(|name| (name.unraw().to_string(), Anchor::at(name.span())));
            submit(name, syntax, *enqueue, stream, context);
        }
        Body::Wait(names) => {
            for name in names {
                let (text, anchor) = (name.unraw().to_string(), Anchor::at(name.span()));
                if text == "all"
                    && !stream.model().steps.iter().any(|step| step.name.as_deref() == Some("all"))
                {
                    stream.wait_all();
                } else if !context.scope.is_broken(&text) {
                    stream.wait(Ref::Named(text));
                    let item = stream.model().steps.len() as u32 - 1;
                    context.scope.places.set(Place::Operand(item, 0, 0), anchor);
                }
                context.mark(stream, anchor);
            }
        }
        Body::Event(expr) => {
            let tree = tree(expr, context.scope);
            let value = context.value(stream, &tree);
            stream.event(value);
            operand(stream, tree.anchor, context);
        }
        Body::Halt(expr) => {
            let tree = tree(expr, context.scope);
            context.halts.push((tree.ty, tree.anchor));
            let value = context.value(stream, &tree);
            stream.halt(value);
            operand(stream, tree.anchor, context);
        }
        Body::If { condition: expr, then, otherwise } => {
            let tree = condition(expr, context.scope);
            let value = context.value(stream, &tree);
            context.lower.release();
            let cell = RefCell::new(&mut *context);
            let then = |s: &mut Stream| {
                let mut context = cell.borrow_mut();
                operand(s, tree.anchor, &mut context);
                drive(then, s, &mut context);
            };
            match otherwise {
                None => stream.if_(value, then),
                Some(otherwise) => stream.if_else(value, then, |s| {
                    let mut context = cell.borrow_mut();
                    context.mark(s, step.anchor);
                    drive(otherwise, s, &mut context);
                }),
            };
        }
        Body::While { condition: expr, body } => {
            let tree = condition(expr, context.scope);
            turns(Some(&tree), body, step.anchor, stream, context);
        }
        Body::Loop(body) => turns(None, body, step.anchor, stream, context),
        Body::Break | Body::Continue if context.loops == 0 => {
            let word = if matches!(step.body, Body::Break) { "break" } else { "continue" };
            let text = format!("`{word}` stands outside of every loop");
            let help = if word == "break" {
                "end the stream with `halt(..)`, or move it into a loop"
            } else {
                "remove it, or move it into a loop"
            };
            context.scope.errors.push(step.anchor, &Message::new(Rule::StreamTarget, text).help(help));
            context.scope.gaps = true;
        }
        Body::Break => {
            stream.break_();
        }
        Body::Continue => {
            stream.continue_();
        }
    }
}

/// The last step's one operand stands at `anchor`.
fn operand(stream: &Stream, anchor: Anchor, context: &mut Context<'_, '_>) {
    if let Some(item) = (stream.model().steps.len() as u32).checked_sub(1) {
        context.scope.places.set(Place::Operand(item, 0, 0), anchor);
        context.mark(stream, anchor);
    }
}

/// `while` and `loop`.
fn turns(
    tree: Option<&Tree>,
    body: &[Step],
    anchor: Anchor,
    stream: &mut Stream,
    context: &mut Context<'_, '_>,
) {
    context.loops += 1;
    let cell = RefCell::new(&mut *context);
    let head = |s: &mut Stream| {
        let mut context = cell.borrow_mut();
        context.mark(s, anchor);
        let value = tree.map_or(Value::Int(1), |tree| context.value(s, tree));
        context.lower.release();
        value
    };
    let inner = |s: &mut Stream| {
        let mut context = cell.borrow_mut();
        if let Some(tree) = tree {
            operand(s, tree.anchor, &mut context);
        }
        drive(body, s, &mut context);
    };
    stream.while_(head, inner);
    context.loops -= 1;
}

fn declare(named: &Named, stream: &mut Stream, context: &mut Context<'_, '_>) {
    let Named { name, anchor, kind, value, .. } = named;
    context.scope.begun = Some(name.clone());
    let value = value.as_ref().map(|value| tree(value, context.scope));
    context.scope.begun = None;
    let id = context.scope.declare(VariableKind::Register, Some(name), *kind, *anchor);
    let Some(value) = value else { return };
    let value = fit(value, id, context.scope);
    let code = context.lower.assign(id, *anchor, &value, context.scope);
    context.push(stream, code);
}

fn assign(expr: &Expr, stream: &mut Stream, context: &mut Context<'_, '_>) {
    let assignment = match parse_assignment(expr, context.scope) {
        Ok(Some(assignment)) => assignment,
        Ok(None) => return,
        Err(()) => {
            let text = "this does nothing".to_owned();
            context.scope.syntax(Anchor::of(expr), text, NO_STEP);
            context.scope.gaps = true;
            return;
        }
    };
    let Some(to) = context.scope.target(&assignment.name, assignment.target) else { return };
    let value = fit(assignment.value, to, context.scope);
    let code = context.lower.assign(to, assignment.target, &value, context.scope);
    context.push(stream, code);
}

fn submit(
    name: Option<(String, Anchor)>,
    syntax: &CommandSyntax,
    enqueue: bool,
    stream: &mut Stream,
    context: &mut Context<'_, '_>,
) {
    let handler = context.scope.program.facts.handler(&syntax.handler.unraw().to_string()).cloned();
    let item_anchor = name.as_ref().map_or(Anchor::at(syntax.handler.span()), |name| name.1);
    let mut code = Vec::new();
    let lower = &mut context.lower;
    let parsed = resolve_syntax(syntax, enqueue, context.scope, &mut |i, expr, scope| {
        let mut tree = tree(expr, scope);
        if let Some(arg) = handler.as_ref().and_then(|handler| handler.args.get(i)) {
            let what = format!("argument `{}` of `{}`", arg.name, handler.as_ref().map_or("", |h| &h.name));
            tree = fit_word(tree, arg.kind, &what, scope);
        }
        lower.value(&tree, scope, &mut code)
    });
    context.push(stream, code);
    for (name, anchor) in &parsed.after {
        let text = "a stream's commands have no `after`: they are submitted in their order".to_owned();
        context.scope.syntax(*anchor, text, &format!("write `wait({name});` in front of this one"));
    }
    let mut step = stream.command(parsed.command);
    if let Some((name, _)) = &name {
        step = step.named(name);
    }
    let item = step.id().0;
    context.scope.places.set_all(item, &parsed.places);
    if parsed.vague {
        context.scope.vague.insert(item);
    }
    context.mark(stream, item_anchor);
}
