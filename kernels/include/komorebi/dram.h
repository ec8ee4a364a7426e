// Tensors interleaved over the DRAM banks: page p lies in bank p % banks, at base + p / banks * aligned page bytes.
//
// The base is the same in every bank. A page takes its bytes rounded up to 64, so that reads may start at each (source and
// destination agree mod 64, tensix.md §4). Banks and their tiles come from the control block.
#pragma once
#include <komorebi/layout.h>

#include "noc.h"

namespace km {

/// Bytes from one page of a bank to the next.
constexpr uint32_t aligned_page_bytes(uint32_t page_bytes) {
    return (page_bytes + kDramAlign - 1) & ~(kDramAlign - 1);
}

/// DRAM banks that tensors are interleaved over.
inline uint32_t dram_banks() {
    return detail::local.banks;
}

/// An address in DRAM bank `bank`.
inline uint64_t bank_noc_addr(uint32_t bank, uint32_t address) {
    return uint64_t{detail::local.bank[bank] << 4} << 32 | address;
}

namespace detail {

inline uint64_t page_noc_addr(uint32_t page, uint32_t base, uint32_t aligned) {
    const uint32_t banks = local.banks;
    // 8 banks (p150a) without the divider, which takes up to 33 cycles (tensix.md §2).
    const uint32_t row = banks == 8 ? page >> 3 : page / banks;
    return bank_noc_addr(page - row * banks, base + row * aligned);
}

}  // namespace detail
}  // namespace km

/// Pages by number, tt-metal's older form: `InterleavedAddrGen<true> s{.bank_base_address = args.input, .page_size = 2048}`.
template <bool DRAM = true>
struct InterleavedAddrGen {
    static_assert(DRAM, "tensors are interleaved over DRAM banks only");
    uint32_t bank_base_address;
    uint32_t page_size;

    uint32_t page_bytes() const { return page_size; }
    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0) const {
        return km::detail::page_noc_addr(page, bank_base_address + offset, km::aligned_page_bytes(page_size));
    }
};

/// The compile-time arguments of a tensor, from argument `First` on: page bytes, aligned page bytes
/// (`tensor.accessor_args()` on the host).
template <uint32_t First>
struct TensorAccessorArgs {
    static constexpr uint32_t kPageBytes = get_compile_time_arg_val(First);
    static constexpr uint32_t kAlignedPageBytes = get_compile_time_arg_val(First + 1);
    static constexpr uint32_t next_compile_time_args_offset() { return First + 2; }
};

/// Pages by number: `TensorAccessor input{args.input, 2048}`, or with its sizes from the compile-time arguments,
/// `TensorAccessor input(TensorAccessorArgs<0>(), args.input)`.
class TensorAccessor {
  public:
    constexpr TensorAccessor(uint32_t address, uint32_t page_bytes)
        : base_(address), page_bytes_(page_bytes), aligned_(km::aligned_page_bytes(page_bytes)) {}

    template <uint32_t First>
    constexpr TensorAccessor(TensorAccessorArgs<First>, uint32_t address)
        : base_(address),
          page_bytes_(TensorAccessorArgs<First>::kPageBytes),
          aligned_(TensorAccessorArgs<First>::kAlignedPageBytes) {}

    constexpr uint32_t page_bytes() const { return page_bytes_; }
    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0) const {
        return km::detail::page_noc_addr(page, base_ + offset, aligned_);
    }

  private:
    uint32_t base_;
    uint32_t page_bytes_;
    uint32_t aligned_;
};

/// Starts a read of page `page` into own L1.
template <class Accessor>
inline void noc_async_read_page(uint32_t page, const Accessor& tensor, uint32_t l1) {
    noc_async_read(tensor.get_noc_addr(page), l1, tensor.page_bytes());
}

/// Starts a write of page `page` from own L1.
template <class Accessor>
inline void noc_async_write_page(uint32_t page, const Accessor& tensor, uint32_t l1) {
    noc_async_write(l1, tensor.get_noc_addr(page), tensor.page_bytes());
}
