//! The message queues in CSM (host.md §4.4): four of four entries each, in the order kmd, monitoring, tools, application.

/// Queues, and entries of each.
const QUEUES: usize = 4;
const ENTRIES: u32 = 4;
/// Words of a message, and of a queue: header, requests, responses.
const MESSAGE: usize = 8;
const HEADER: usize = 8;
const QUEUE: usize = HEADER + 2 * ENTRIES as usize * MESSAGE;
/// Words of a queue's header.
mod header {
    pub(super) const REQUESTS_WRITTEN: usize = 0;
    pub(super) const RESPONSES_READ: usize = 1;
    pub(super) const REQUESTS_READ: usize = 4;
    pub(super) const RESPONSES_WRITTEN: usize = 5;
}

/// The queues, and the block that says where they are.
#[derive(Clone)]
pub(crate) struct Queues {
    words: [[u32; QUEUE]; QUEUES],
}

impl Queues {
    /// Where the control block is in CSM; the queues follow it.
    pub(crate) const BLOCK: u64 = 0x1000;
    const FIRST: u64 = 0x1040;

    pub(crate) fn new() -> Self {
        Self { words: [[0; QUEUE]; QUEUES] }
    }

    /// Queue and word of an offset in CSM.
    fn place(offset: u64) -> Option<(usize, usize)> {
        let word = offset.checked_sub(Self::FIRST)? as usize / 4;
        (word < QUEUES * QUEUE).then_some((word / QUEUE, word % QUEUE))
    }

    /// The word at an offset in CSM, of which `csm` is the address.
    pub(crate) fn load(&self, csm: u64, offset: u64) -> Option<u32> {
        match offset {
            Self::BLOCK => Some((csm + Self::FIRST) as u32),
            offset if offset == Self::BLOCK + 4 => Some(ENTRIES | (QUEUES as u32) << 8),
            _ => Self::place(offset).map(|(queue, word)| self.words[queue][word]),
        }
    }

    /// Stores what the host's side of a queue writes; false for anything else.
    pub(crate) fn store(&mut self, offset: u64, value: u32) -> bool {
        let Some((queue, word)) = Self::place(offset) else { return false };
        let requests = HEADER..HEADER + ENTRIES as usize * MESSAGE;
        let pointer = word == header::REQUESTS_WRITTEN || word == header::RESPONSES_READ;
        if !(requests.contains(&word) || pointer && value < 2 * ENTRIES) {
            return false;
        }
        self.words[queue][word] = value;
        true
    }

    /// Takes the next request for whose answer there is room, with its queue.
    pub(crate) fn take(&mut self) -> Option<(usize, [u32; MESSAGE])> {
        let full = |words: &[u32; QUEUE]| {
            words[header::RESPONSES_WRITTEN] ^ words[header::RESPONSES_READ] == ENTRIES
        };
        let (queue, words) = self.words.iter_mut().enumerate().find(|(_, words)| {
            words[header::REQUESTS_WRITTEN] != words[header::REQUESTS_READ] && !full(words)
        })?;
        let at = HEADER + (words[header::REQUESTS_READ] % ENTRIES) as usize * MESSAGE;
        words[header::REQUESTS_READ] = (words[header::REQUESTS_READ] + 1) % (2 * ENTRIES);
        Some((queue, std::array::from_fn(|i| words[at + i])))
    }

    /// Puts the answer to a request that was taken from `queue`.
    pub(crate) fn answer(&mut self, queue: usize, message: [u32; MESSAGE]) {
        let words = &mut self.words[queue];
        let entry = ENTRIES + words[header::RESPONSES_WRITTEN] % ENTRIES;
        let at = HEADER + entry as usize * MESSAGE;
        words[at..at + MESSAGE].copy_from_slice(&message);
        words[header::RESPONSES_WRITTEN] = (words[header::RESPONSES_WRITTEN] + 1) % (2 * ENTRIES);
    }
}
