//! Commands without order between them that use one tensor on the same cores.

use std::collections::BTreeMap;

use super::GraphModel;
use super::advice::Advice;
use super::check::{Plan, PlannedBody};
use super::order::Ancestors;
use crate::engine::{Place, Problems, Rule, TensorKey};
use crate::program::Effect;

/// A use of a tensor by a command, by rank.
#[derive(Clone, Copy)]
struct Access {
    rank: u32,
    node: u32,
    arg: u32,
    writes: bool,
    first: u8,
    count: u8,
}

impl Access {
    fn overlaps(&self, other: &Self) -> bool {
        let end = |access: &Self| u32::from(access.first) + u32::from(access.count);
        u32::from(self.first) < end(other) && u32::from(other.first) < end(self)
    }

    fn conflicts(&self, other: &Self) -> bool {
        (self.writes || other.writes) && self.overlaps(other)
    }
}

/// Tensors with no more accesses than this are compared pair by pair.
const FEW: usize = 48;

/// Cores of a queued command are chosen while it runs and are nobody else's meanwhile: it is as one on other cores.
pub(super) fn check(
    model: &GraphModel,
    plan: &Plan,
    ancestors: &Ancestors,
    advice: &mut Advice<'_>,
    problems: &mut Problems,
) {
    let mut tensors: BTreeMap<TensorKey, Vec<Access>> = BTreeMap::new();
    for (rank, node) in plan.order.sequence.iter().enumerate() {
        let PlannedBody::Command(command) = &plan.bodies[*node as usize] else { continue };
        if command.queued || plan.order.doubtful[*node as usize] {
            continue;
        }
        for one in &command.tensors {
            tensors.entry(one.tensor).or_default().push(Access {
                rank: rank as u32,
                node: *node,
                arg: one.arg,
                writes: one.effect != Effect::Input,
                first: command.first,
                count: command.count,
            });
        }
    }
    for (tensor, list) in tensors {
        if list.iter().all(|access| !access.writes) {
            continue;
        }
        let mut report =
            |access: &Access, other: &Access| report(model, tensor, access, other, advice, problems);
        if list.len() <= FEW {
            few(&list, ancestors, &mut report);
        } else {
            many(&list, ancestors, &mut report);
        }
    }
}

fn few(list: &[Access], ancestors: &Ancestors, report: &mut dyn FnMut(&Access, &Access)) {
    for (i, access) in list.iter().enumerate() {
        for other in list[..i].iter().rev() {
            if other.rank != access.rank && access.conflicts(other) && !ancestors.has(access.rank, other.rank)
            {
                report(access, other);
            }
        }
    }
}

/// The accesses that meet one group: sets of ranks, of all and of those that write.
struct Met {
    first: u8,
    count: u8,
    all: Vec<u64>,
    writers: Vec<u64>,
}

fn many(list: &[Access], ancestors: &Ancestors, report: &mut dyn FnMut(&Access, &Access)) {
    let mut groups: BTreeMap<(u8, u8), usize> = BTreeMap::new();
    let mut met: Vec<Met> = Vec::new();
    for access in list {
        groups.entry((access.first, access.count)).or_insert_with(|| {
            let words = || vec![0; ancestors.words()];
            met.push(Met { first: access.first, count: access.count, all: words(), writers: words() });
            met.len() - 1
        });
    }
    // Which groups meet which, once.
    let meets: Vec<Vec<usize>> = met
        .iter()
        .map(|one| {
            let probe = |other: &Met| {
                let end = |met: &Met| u32::from(met.first) + u32::from(met.count);
                u32::from(one.first) < end(other) && u32::from(other.first) < end(one)
            };
            (0..met.len()).filter(|other| probe(&met[*other])).collect()
        })
        .collect();
    for (i, access) in list.iter().enumerate() {
        let group = groups[&(access.first, access.count)];
        let set = if access.writes { &met[group].all } else { &met[group].writers };
        if let Some(rank) = ancestors.unordered(access.rank, set)
            && let Some(other) = list[..i].iter().rfind(|other| other.rank == rank && access.conflicts(other))
        {
            report(access, other);
        }
        let (word, bit) = (access.rank as usize / 64, 1_u64 << (access.rank % 64));
        for group in &meets[group] {
            met[*group].all[word] |= bit;
            if access.writes {
                met[*group].writers[word] |= bit;
            }
        }
    }
}

fn report(
    model: &GraphModel,
    tensor: TensorKey,
    access: &Access,
    other: &Access,
    advice: &mut Advice<'_>,
    problems: &mut Problems,
) {
    // What lacks an order that is advised already is mended by the same edit.
    if problems.counted(Rule::TensorRace) || advice.orders(access.node, other.node) {
        return;
    }
    let label = |node: u32| model.nodes[node as usize].label(node);
    let tensor = match tensor {
        TensorKey::Bits(address) => format!("the tensor at {address:#x}"),
        TensorKey::Variable(id) => model.variables[id as usize].label(id),
    };
    let (here, there) = (label(access.node), label(other.node));
    let does = |access: &Access| if access.writes { "writes" } else { "reads" };
    let first = access.first.max(other.first);
    let end = (u32::from(access.first) + u32::from(access.count))
        .min(u32::from(other.first) + u32::from(other.count));
    let cores =
        if end - u32::from(first) == 1 { format!("core {first}") } else { format!("cores {first}..{end}") };
    problems.conflict(
        Rule::TensorRace,
        Place::Arg(access.node, access.arg),
        Place::Arg(other.node, other.arg),
        format!("{there} {} {tensor} here", does(other)),
        format!(
            "{here} {} {tensor} and {there} {} it, both on {cores}, with no order between them",
            does(access),
            does(other)
        ),
        match advice.order(access.node, other.node) {
            Some(order) => {
                format!("{order}; or, where each core has a part of its own, let them share no core")
            }
            None => "let them share no core, where each core has a part of its own".to_owned(),
        },
    );
}
