//! A program whose commands change a tensor, and the same changes in Rust.

use komorebi as km;
use komorebi_abi::engine::EngineCommand;

/// Columns and rows of the program's grid.
pub const GRID: (u32, u32) = (4, 2);
/// Cores of the grid.
pub const CORES: u32 = GRID.0 * GRID.1;
/// Words of a page.
pub const WORDS: usize = 16;
/// Pages of the tensor.
pub const PAGES: u32 = 48;
/// Pages of the tensor from here on belong to no core; each core has one of the first [`CORES`], and one of the second.
pub const FREE: u32 = 2 * CORES;

const MIX: u8 = 1;
const CARRY: u8 = 2;
const FOLD: u8 = 3;
const JOB: u8 = 4;
const SUM: u8 = 5;
const STUCK: u8 = 6;

/// What the kernels share.
const COMMON: &str = r"
#include <komorebi/kernel.h>
constexpr uint32_t kWords = 16;
inline uint32_t mixed(uint32_t a, uint32_t b) {
    a = (a ^ b) * 0x9E3779B1u;
    return a ^ a >> 15;
}
inline void mix_page(uint32_t l1, uint32_t salt) {
    for (uint32_t i = 0; i < kWords; ++i) {
        volatile uint32_t& word = reinterpret_cast<volatile uint32_t*>(l1)[i];
        word = mixed(word, salt + i);
    }
}
inline uint32_t word_of(uint32_t l1, uint32_t i) { return reinterpret_cast<volatile uint32_t*>(l1)[i]; }
";

/// `mix` changes the pages of the cores that run it and `job` pages that go by the place in the group, both in one thread;
/// `carry` reads here and writes in the writer. Commands take times of their own, so that they complete in many orders.
const READER: &str = r"
inline uint32_t change(uint32_t state, uint32_t page, uint32_t salt) {
    const TensorAccessor tensor{state, 4 * kWords};
    cb_reserve_back(0, 1);
    const uint32_t l1 = get_write_ptr(0);
    noc_async_read_page(page, tensor, l1);
    noc_async_read_barrier();
    mix_page(l1, salt);
    noc_async_write_page(page, tensor, l1);
    noc_async_write_barrier();
    const uint32_t start = km::wall_clock_low();
    while (km::wall_clock_low() - start < (salt & 0x1FF)) {}
    return word_of(l1, 0) ^ word_of(l1, 15);
}
KM_HANDLER(Mix) {
    const uint32_t core = km::core_index();
    const uint32_t salt = args.salt + (core << 8) + (command.index << 16) + (command.count << 24);
    command.set_result(change(args.state, args.base + core, salt));
}
KM_HANDLER(Job) {
    const uint32_t salt = args.salt + (command.index << 16) + (command.count << 24);
    command.set_result(change(args.state, args.page + command.index, salt));
}
KM_HANDLER(Carry) {
    const TensorAccessor tensor{args.state, 4 * kWords};
    cb_reserve_back(1, 1);
    noc_async_read_page(args.from, tensor, get_write_ptr(1));
    noc_async_read_barrier();
    cb_push_back(1, 1);
}
KM_HANDLER(Stuck) {
    if (args.core == km::core_index()) noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(0x100000), 1);
}
";

const WRITER: &str = r"
KM_HANDLER(Carry) {
    const TensorAccessor tensor{args.state, 4 * kWords};
    cb_wait_front(1, 1);
    const uint32_t l1 = get_read_ptr(1);
    mix_page(l1, args.salt + (command.index << 16));
    noc_async_write_page(args.to + command.index, tensor, l1);
    noc_async_write_barrier();
    command.set_result(word_of(l1, 3));
    cb_pop_front(1, 1);
}
KM_HANDLER(Fold) {
    if (!command.is_leader()) return;
    const TensorAccessor tensor{args.state, 4 * kWords};
    uint32_t sum = command.count;
    for (uint32_t page = args.from; page < args.from + args.pages; ++page) {
        cb_reserve_back(2, 1);
        const uint32_t l1 = get_write_ptr(2);
        noc_async_read_page(page, tensor, l1);
        noc_async_read_barrier();
        for (uint32_t i = 0; i < kWords; ++i) sum = mixed(sum, word_of(l1, i));
    }
    command.set_result(sum);
}
";

const COMPUTE: &str = r"
KM_HANDLER(Sum) { command.set_result(mixed(args.a, args.b)); }
";

/// The program.
pub fn program() -> km::Program {
    let (word, state) = (|name| (name, km::ArgKind::U32), ("state", km::ArgKind::Address));
    let result = Some(km::ResultKind::U32);
    let source = |text: &str| format!("{COMMON}{text}").into_bytes();
    let sources = km::build::Sources::new()
        .file("reader.cpp", source(READER))
        .file("writer.cpp", source(WRITER))
        .file("compute.cpp", source(COMPUTE));
    let page = WORDS as u32 * 4;
    km::Program::new("memory")
        .with_sources(sources)
        .handler_with("mix", MIX.into(), &[state, word("base"), word("salt")], result)
        .handler_with("carry", CARRY.into(), &[state, word("from"), word("to"), word("salt")], result)
        .handler_with("fold", FOLD.into(), &[state, word("from"), word("pages")], result)
        .handler_with("job", JOB.into(), &[state, word("page"), word("salt")], result)
        .handler_with("sum", SUM.into(), &[word("a"), word("b")], result)
        .handler_with("stuck", STUCK.into(), &[word("core")], None)
        .buffer(0, km::Format::Uint32, page, 1)
        .buffer(1, km::Format::Uint32, page, 2)
        .buffer(2, km::Format::Uint32, page, 1)
        .grid(GRID.0, GRID.1)
        .depth(16)
}

const fn mixed(a: u32, b: u32) -> u32 {
    let a = (a ^ b).wrapping_mul(0x9E37_79B1);
    a ^ a >> 15
}

fn mix_page(page: &mut [u32], salt: u32) {
    for (word, i) in page.iter_mut().zip(0..) {
        *word = mixed(*word, salt.wrapping_add(i));
    }
}

/// What a command does to the words of the tensor.
pub fn apply(memory: &mut [u32], command: &EngineCommand) {
    let args = command.args();
    let at = |page: u32| page as usize * WORDS..(page as usize + 1) * WORDS;
    let count = u32::from(command.count);
    for index in 0..count {
        let core = u32::from(command.first) + index;
        let place = (index << 16) + (count << 24);
        match command.handler {
            MIX => mix_page(&mut memory[at(args[1] + core)], args[2].wrapping_add((core << 8) + place)),
            JOB => mix_page(&mut memory[at(args[1] + index)], args[2].wrapping_add(place)),
            CARRY => {
                let mut page = memory[at(args[1])].to_vec();
                mix_page(&mut page, args[3].wrapping_add(index << 16));
                memory[at(args[2] + index)].copy_from_slice(&page);
            }
            _ => {}
        }
    }
}
