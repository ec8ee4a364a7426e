// What a user's kernel writes: handlers, and the command they get.
#pragma once
#include <komorebi/program.h>

#include "detail/thread.h"

namespace km {

/// The command at hand.
class Command {
  public:
    uint32_t sequence;  // the dispatcher's number
    uint32_t first;     // the group's first core, its leader
    uint32_t count;     // cores of the group
    uint32_t index;     // this core's place in the group, 0 to count - 1
    uint32_t slot;

    /// Gives the command its result word, on the leader (elsewhere nobody asks for it). In a compute kernel it is
    /// math's value that counts. The last one stored before every thread has returned is sent.
    void set_result(uint32_t value) const {
        if constexpr (kIsUnpack || kIsPack) return;
        hardware::reg(detail::control(kControlResults) + 4 * slot) = value;
    }

    /// True on the group's first core.
    bool is_leader() const { return index == 0; }
};

namespace detail {

/// True of a handler that this kernel has a KM_HANDLER for: a command of any other does nothing here.
template <class Handler>
inline constexpr bool handles = false;

/// What a command of this handler does in this kernel.
template <class Handler>
void on_command(const Handler&, Command&);

}  // namespace detail

}  // namespace km

/// A handler of this kernel: `KM_HANDLER(Map) { .. args.input .. command.index .. }`. The name is a struct of the
/// generated komorebi/program.h: the Rust handler's in capitals, `big_step` is `BigStep`.
#define KM_HANDLER(name)                                                                                       \
    static void km_handler_##name(const km::program::name& args, km::Command& command);                        \
    template <>                                                                                                \
    inline constexpr bool km::detail::handles<km::program::name> = true;                                       \
    template <>                                                                                                \
    inline void km::detail::on_command<km::program::name>(const km::program::name& args,                       \
                                                          km::Command& command) {                              \
        km_handler_##name(args, command);                                                                      \
    }                                                                                                          \
    static inline void km_handler_##name([[maybe_unused]] const km::program::name& args,                       \
                                         [[maybe_unused]] km::Command& command)
