// A core's share of a command's pages: they are dealt to the group's cores one by one.
#pragma once
#include <stdint.h>

/// Pages of `pages` for the core at place `index` of `count`.
inline uint32_t share(uint32_t pages, uint32_t index, uint32_t count) {
    return (pages + count - 1 - index) / count;
}
