//! The private queue: encoded lines that are not stored on the card yet.

/// Lines in the order of their commands. No allocation once it has grown to the caller's habit.
pub(crate) struct Queue {
    lines: Vec<[u64; 8]>,
    head: usize,
}

/// Lines taken from the head before the rest is moved down.
const COMPACT: usize = 4096;

impl Queue {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { lines: Vec::with_capacity(capacity), head: 0 }
    }

    #[inline]
    pub(crate) fn push(&mut self, line: [u64; 8]) {
        self.lines.push(line);
    }

    /// The first `count` lines.
    pub(crate) fn front(&self, count: usize) -> &[[u64; 8]] {
        &self.lines[self.head..self.head + count]
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.lines.len() - self.head
    }

    /// Removes the first `count` lines.
    pub(crate) fn advance(&mut self, count: usize) {
        self.head += count;
        if self.head == self.lines.len() {
            self.lines.clear();
            self.head = 0;
        } else if self.head >= COMPACT {
            self.lines.drain(..self.head);
            self.head = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_leave_in_the_order_they_came_across_compaction() {
        let mut queue = Queue::new(8);
        let (mut pushed, mut taken) = (0, 0);
        while taken < 3 * COMPACT as u64 {
            while queue.len() < 10 {
                queue.push([pushed; 8]);
                pushed += 1;
            }
            for line in queue.front(7) {
                assert_eq!(line[0], taken);
                taken += 1;
            }
            queue.advance(7);
        }
        assert!(queue.lines.capacity() < 4 * COMPACT);
    }
}
