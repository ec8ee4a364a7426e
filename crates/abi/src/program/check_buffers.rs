//! The rules of circular buffers: indices, pages, and the room they have in L1.

use super::check::{misnumbered, problem};
use super::{Buffer, Place, Problem, ProgramModel, Rule, l1_budget};
use crate::constants::{core, layout};

pub(super) fn check_buffers(buffers: &[Buffer], problems: &mut Vec<Problem>) {
    let runtime = core::BUFFER_COMPUTE_TOKEN..=core::BUFFER_TRACE;
    // Each is suggested once.
    let mut free =
        (0..core::BUFFER_COMPUTE_TOKEN).filter(|n| buffers.iter().all(|buffer| buffer.index != *n));
    for (i, buffer) in buffers.iter().enumerate() {
        let mut taken = |message| {
            let free = free.next();
            let help = free.map_or("remove a buffer".into(), |n| format!("index {n} is free"));
            misnumbered(Rule::BufferIndex, Place::BufferIndex(i), message, help, free)
        };
        let index = buffer.index;
        if runtime.contains(&index) {
            let message = format!("{} has index {index}; 29, 30 and 31 are the runtime's", buffer.called());
            problems.push(taken(message));
        } else if index >= core::BUFFERS {
            let message = format!("{} has index {index}; circular buffers are 0 to 28", buffer.called());
            problems.push(taken(message));
        } else if let Some(j) = buffers[..i].iter().position(|earlier| earlier.index == index) {
            let message = format!("{} and {} both have index {index}", buffers[j].called(), buffer.called());
            let mut found = taken(message);
            found.other =
                Some((Place::BufferIndex(j), format!("{} has index {index} here", buffers[j].called())));
            problems.push(found);
        }
        let step = buffer.format.page_step();
        if buffer.page_bytes == 0 || !buffer.page_bytes.is_multiple_of(step) {
            let nearest = buffer.page_bytes.max(1).checked_next_multiple_of(step).unwrap_or(step);
            let message = format!(
                "{} has pages of {} bytes; {} pages are multiples of {step} bytes",
                buffer.label(),
                buffer.page_bytes,
                buffer.format.name()
            );
            let help = format!("write `page_bytes = {nearest}`");
            let place = Place::BufferPageBytes(i);
            problems.push(misnumbered(Rule::BufferPages, place, message, help, Some(nearest)));
        }
        if buffer.pages == 0 || buffer.pages > Buffer::PAGES_MAX {
            let message = format!(
                "{} has {} pages; a circular buffer has 1 to {}",
                buffer.label(),
                buffer.pages,
                Buffer::PAGES_MAX
            );
            let help = "write `pages = 2` to overlap filling and using";
            problems.push(misnumbered(Rule::BufferPages, Place::BufferPages(i), message, help, Some(2)));
        }
    }
}

pub(super) fn check_l1(program: &ProgramModel, problems: &mut Vec<Problem>) {
    let lines = l1_budget(program.kernel_buffer(), &program.buffers);
    // Two buffers with the most pages of the most bytes have more bytes than 64 bits count.
    let sum: u128 = lines.iter().map(|line| u128::from(line.bytes)).sum();
    let most = u128::from(layout::L1_BYTES);
    if sum > most && !program.buffers.is_empty() {
        let shares: Vec<String> = lines.iter().map(|line| format!("{} {}", line.what, line.bytes)).collect();
        let message = format!(
            "the program takes {sum} bytes of each core's L1, {} more than the {most} there are",
            sum - most
        );
        let excess = u64::try_from(sum - most).ok();
        let edit = excess
            .and_then(|excess| fewer_pages(&program.buffers, excess))
            .unwrap_or_else(|| "make several buffers smaller, as no one of them is as large as that".into());
        let help = format!("{edit}; shares in bytes: {}", shares.join(", "));
        problems.push(problem(Rule::L1Budget, Place::Buffers, message, help));
    }
}

/// The most pages with which the largest buffer takes `excess` bytes less. `None` when it would have none.
fn fewer_pages(buffers: &[Buffer], excess: u64) -> Option<String> {
    let largest = buffers.iter().max_by_key(|buffer| buffer.bytes())?;
    let align = u64::from(layout::L1_BUFFER_ALIGN);
    let room = largest.bytes().checked_sub(excess)? / align * align;
    let pages = room.checked_div(u64::from(largest.page_bytes)).filter(|pages| *pages > 0)?;
    Some(format!("make a buffer smaller, as in `pages = {pages}` for {}", largest.label()))
}
