// Small NoC windows onto the cores' L1 (host.md 6.4).
//
// Window i, below the number of cores, is core i's for good. The others hold the rectangles of groups: a group is at
// most three, and its windows lie one behind the other. They are remembered by group, so a group that was used before
// costs one load; when the windows run out all groups are forgotten.
#pragma once
#include "launch.h"

namespace km {

// Where stores for a group go: `count` windows from hart address `base` on.
struct Target {
    uint64_t base;
    uint64_t count;

    KM_INLINE void put(uint64_t offset, uint64_t value) const {
        store(base + offset, value);
        if (KM_UNLIKELY(count > 1)) {
            store(base + kSmallWindowBytes + offset, value);
            if (count > 2) store(base + 2 * kSmallWindowBytes + offset, value);
        }
    }
};

struct Windows {
    static constexpr uint32_t kEntries = 64;     // of the hash table, a power of two
    static constexpr uint32_t kGroupsMax = 48;   // remembered at once, so that probing stays short
    static constexpr uint32_t kFirstShift = 16;  // entry: [7:0] first core [15:8] cores [23:16] first window [31:24] windows
    static constexpr uint32_t kCountShift = 24;

    uint32_t entries[kEntries];  // 0: empty, since a group here has at least two cores
    uint32_t used;               // windows in use
    uint32_t groups;

    static KM_INLINE uint64_t place(uint64_t key) { return ((key * 0x9E37u) >> 8) % kEntries; }

    // The entry of a group of at least two cores, or 0 when it has no windows.
    KM_INLINE uint64_t find(uint64_t first, uint64_t count) const {
        const uint64_t key = first | count << 8;
        for (uint64_t at = place(key);; at = (at + 1) % kEntries) {
            const uint64_t entry = load<uint32_t>(reinterpret_cast<uint64_t>(&entries[at]));
            if (KM_LIKELY(static_cast<uint16_t>(entry ^ key) == 0) || entry == 0) return entry;
        }
    }

    KM_COLD void start();
    KM_COLD uint64_t map(uint64_t first, uint64_t count);

private:
    void forget();
    void set(uint64_t window, uint64_t coordinates) const;
    void add(uint64_t columns, uint64_t end, uint64_t rows, uint64_t last_row);
};

static Windows windows;

constexpr uint64_t kWindowMulticast = 1 << 24;  // the rest of the word stays 0: default order, NoC 0, no static VC (host.md 7)

// Points `window` at L1 address 0 of the tiles at `coordinates` (low word of the window's registers).
void Windows::set(uint64_t window, uint64_t coordinates) const {
    const uint64_t registers = launch.word(kLaunchWindowRegs) + kSmallWindowRegs * window;
    store(registers, 0);
    store(registers + 8, coordinates);
}

void Windows::forget() {
    for (uint32_t i = 0; i < kEntries; ++i) store<uint32_t>(reinterpret_cast<uint64_t>(&entries[i]), 0);
    used = static_cast<uint32_t>(launch.word(kLaunchCores));
    groups = 0;
}

// The core table's word for a core: x | y << 6.
static uint64_t core_place(uint64_t core) { return load<uint32_t>(launch.word(kLaunchCoreTable) + 4 * core); }

void Windows::start() {
    forget();
    for (uint32_t core = 0; core < used; ++core) set(core, core_place(core));
    fence();
}

// Takes a window for columns [column, end) and rows [row, last] of the grid.
void Windows::add(uint64_t column, uint64_t end, uint64_t row, uint64_t last) {
    const uint64_t width = launch.word(kLaunchGridWidth);
    const uint64_t from = core_place(row * width + column), to = core_place(last * width + end - 1);
    set(used++, from == to ? to : to | from << 12 | kWindowMulticast);
}

// Gives a group its windows; the rectangles are those of its first row, of whole rows, of its last row.
uint64_t Windows::map(uint64_t first, uint64_t count) {
    fence();  // stores through windows that are about to change have landed
    if (used + 3 > launch.word(kLaunchWindows) || groups == kGroupsMax) forget();
    const uint64_t window = used;
    const uint64_t width = launch.word(kLaunchGridWidth), end = first + count;
    const uint64_t column = first % width, rest = end % width, last = end / width;
    uint64_t row = first / width;
    if (row == last) {
        add(column, rest, row, row);
    } else {
        if (column != 0) {
            add(column, width, row, row);
            row += 1;
        }
        if (row < last) add(0, width, row, last - 1);
        if (rest != 0) add(0, rest, last, last);
    }
    fence();  // the registers are set before the first store through the windows
    groups += 1;
    const uint64_t key = first | count << 8, entry = key | window << kFirstShift | (used - window) << kCountShift;
    uint64_t at = place(key);
    while (load<uint32_t>(reinterpret_cast<uint64_t>(&entries[at])) != 0) at = (at + 1) % kEntries;
    store<uint32_t>(reinterpret_cast<uint64_t>(&entries[at]), entry);
    return entry;
}

}  // namespace km
