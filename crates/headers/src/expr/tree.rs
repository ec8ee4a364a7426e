//! The tree of an expression: its nodes lie in one list and name each other by their place in it.
//!
//! Operators of one level stand in a flat chain, so that the depth of the tree is bounded by nesting, which is limited.

use super::{BinaryOp, UnaryOp};
use crate::location::Place;
use crate::name::Name;
use crate::types::{Type, Typed};
use smallvec::SmallVec;

/// An expression: the number of its node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expr(u32);

#[derive(Debug)]
pub(crate) enum ExprKind<'a> {
    Literal(Typed),
    Name(Name<'a>),
    Unary(UnaryOp, Expr),
    /// `a op b op c`, from left to right: the first operand and the links.
    Chain(Expr, Links),
    Conditional([Expr; 3]),
    /// To the type; in braces (`T{x}`) when true. Without operand the value is zero.
    Cast(Type, Option<Expr>, bool),
    SizeOf(Expr),
    AlignOf(Expr),
    /// `std::to_underlying(e)`
    Underlying(Expr),
    /// What is C++ but not evaluated here, with the reason.
    Opaque(&'static str),
}

/// The first and the last link of a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Links {
    first: u32,
    last: u32,
}

/// `op operand`
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) operator: BinaryOp,
    pub(crate) at: Place,
    pub(crate) operand: Expr,
    next: Option<u32>,
}

/// The nodes of an expression: of most, few enough to lie in the value itself.
#[derive(Debug, Default)]
pub(crate) struct Tree<'a> {
    nodes: SmallVec<[(ExprKind<'a>, Place); 12]>,
    links: SmallVec<[Link; 4]>,
}

impl<'a> Tree<'a> {
    pub(crate) fn add(&mut self, kind: ExprKind<'a>, place: Place) -> Expr {
        self.nodes.push((kind, place));
        Expr(self.nodes.len() as u32 - 1)
    }

    pub(crate) fn kind(&self, expr: Expr) -> &ExprKind<'a> {
        &self.nodes[expr.0 as usize].0
    }

    pub(crate) fn place(&self, expr: Expr) -> Place {
        self.nodes[expr.0 as usize].1
    }

    /// Says that an expression begins before its first token or ends after its last one: it stands in parentheses.
    pub(crate) fn set_place(&mut self, expr: Expr, place: Place) {
        self.nodes[expr.0 as usize].1 = place;
    }

    /// The links of a chain, in order.
    pub(crate) fn links(&self, links: Links) -> impl Iterator<Item = &Link> {
        std::iter::successors(self.links.get(links.first as usize), |link| {
            self.links.get(link.next? as usize)
        })
    }

    /// `left op right`, in the chain of `left` when it is one.
    pub(crate) fn chain(&mut self, left: Expr, operator: BinaryOp, at: Place, right: Expr) -> Expr {
        let whole = self.place(left).to(self.place(right));
        let new = self.links.len() as u32;
        self.links.push(Link { operator, at, operand: right, next: None });
        if let (ExprKind::Chain(_, links), place) = &mut self.nodes[left.0 as usize] {
            self.links[links.last as usize].next = Some(new);
            (links.last, *place) = (new, whole);
            return left;
        }
        self.add(ExprKind::Chain(left, Links { first: new, last: new }), whole)
    }
}
